/**
 * What a start costs, and how long a killed sealer is missed: four nodes on a ledger that start
 * together, then one after the other killed under load; next to another build in the same run.
 */
import { basename, resolve } from "node:path";
import { request, sleep } from "../support/process/dev-process.ts";
import { initProcessChain } from "../support/process/node-processes.ts";
import { openHello, rpcAddress } from "./hello-chain.ts";
import { quantile } from "./load.ts";
import { type Mark, StartedNode, type WrittenNode } from "./start-node.ts";

/** What is measured. */
export interface StartOptions {
  /** `dist` folders, the own one first. */
  readonly builds: readonly string[];
  readonly rounds: number;
  /** Kills in each round. */
  readonly kills: number;
  readonly say: (line: string) => void;
}

/** Medians of one build; times in milliseconds. */
export interface StartFigures {
  readonly build: string;
  readonly starts: number;
  readonly connected: Mark;
  readonly voted: Mark;
  readonly kills: number;
  readonly recoveryP50Ms: number;
  readonly recoveryMaxMs: number;
  /** CPU time of the killed node until it votes again. */
  readonly recoveryCpuMs: number;
}

interface Samples {
  readonly connected: Mark[];
  readonly voted: Mark[];
  readonly recovered: Mark[];
}

interface Block {
  readonly sealerList: readonly string[];
  readonly signatureList: readonly { readonly index: string }[];
}

const NODES = 4;
const BLOCK_TIME_MS = 100;
/** Blocks of the ledger on which nodes start. */
const LEDGER_BLOCKS = 200;
/** Transactions per second. */
const RATE = 50;
/** What was handed to a node that was killed then may never have a receipt. */
const GIVEN_UP_MS = 5_000;
const LOOK_MS = 20;
/** Between two kills: everybody is back, and the connections are no longer fresh. */
const REST_MS = 3_000;
const LIMIT_MS = 120_000;

/** Sends transactions to a caller that answers, until it is told to stop. */
function sendOn(nodes: readonly StartedNode[]): () => Promise<void> {
  const opening = openHello(rpcAddress(nodes.map(({ url }) => url)));
  const running = opening.then((hello) => hello.keep(RATE, GIVEN_UP_MS));
  return async () => {
    const load = await running;
    load.stop();
    await load.end;
    await (await opening).close();
  };
}

async function headOf(url: string): Promise<number> {
  return Number(await request(url, "getBlockNumber", [1]));
}

async function isSealedBy(url: string, number: number, nodeId: string): Promise<boolean> {
  const answer = await request(url, "getBlockHeaderByNumber", [1, `${number}`, true]);
  const { sealerList, signatureList } = answer as Block;
  const own = sealerList.indexOf(nodeId);
  return signatureList.some(({ index }) => Number(index) === own);
}

/** Waits for a block above a height with a seal of the node, on any of the nodes that are asked. */
async function untilVoted(node: StartedNode, asked: readonly string[], after: number) {
  const from = performance.now();
  const next = new Map(asked.map((url) => [url, after + 1]));
  while (performance.now() - from < LIMIT_MS) {
    for (const url of asked) {
      const head = await headOf(url).catch(() => 0);
      for (let number = next.get(url) ?? 0; number <= head; number++) {
        if (await isSealedBy(url, number, node.written.nodeId)) return node.mark();
        next.set(url, number + 1);
      }
    }
    await sleep(LOOK_MS);
  }
  throw new Error(`${node.url} did not vote again`);
}

/** One build on its folders; a class because it keeps what runs. */
class Runner {
  readonly samples: Samples = { connected: [], voted: [], recovered: [] };
  readonly #options: StartOptions;
  readonly #program: string;
  readonly #written: readonly WrittenNode[];
  #nodes: StartedNode[] = [];
  #head = 0;
  #victim = 0;

  constructor(options: StartOptions, build: string, written: readonly WrittenNode[]) {
    this.#options = options;
    this.#program = resolve(build, "node/main.js");
    this.#written = written;
  }

  async grow(): Promise<void> {
    await this.#startAll();
    const stop = sendOn(this.#nodes);
    while ((await headOf(this.#first.url)) < LEDGER_BLOCKS) await sleep(REST_MS / 10);
    await stop();
    await this.#stopAll();
  }

  async round(): Promise<void> {
    await this.#startAll();
    this.samples.connected.push(...(await Promise.all(this.#nodes.map((it) => it.connected))));
    const stop = sendOn(this.#nodes);
    const before = this.#head;
    const voted = this.#nodes.map((node) =>
      untilVoted(
        node,
        this.#nodes.map(({ url }) => url),
        before,
      ),
    );
    this.samples.voted.push(...(await Promise.all(voted)));
    for (let kill = 0; kill < this.#options.kills; kill++) await this.#kill();
    await stop();
    await this.#stopAll();
  }

  async end(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.end("SIGKILL")));
  }

  get #first(): StartedNode {
    const [first] = this.#nodes;
    if (!first) throw new Error("nothing runs");
    return first;
  }

  async #startAll(): Promise<void> {
    this.#nodes = this.#written.map((each) => this.#start(each));
    await Promise.all(this.#nodes.map((node) => node.ready));
    this.#head = await headOf(this.#first.url);
  }

  #start(written: WrittenNode): StartedNode {
    return new StartedNode(this.#program, written, NODES - 1);
  }

  async #stopAll(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.end("SIGTERM")));
    this.#nodes = [];
  }

  async #kill(): Promise<void> {
    await sleep(REST_MS);
    const index = this.#victim++ % NODES;
    const victim = this.#nodes[index] ?? this.#first;
    const others = this.#nodes.filter((node) => node !== victim).map(({ url }) => url);
    await victim.end("SIGKILL");
    // What it has reported before it may be in the next block.
    const said = 1 + Math.max(...(await Promise.all(others.map(headOf))));
    const node = this.#start(victim.written);
    this.#nodes[index] = node;
    const mark = await untilVoted(node, [node.url, ...others.slice(0, 1)], said);
    this.samples.recovered.push(mark);
    await node.connected;
    this.#options.say(
      `  killed ${basename(victim.written.folder)}: votes after ${mark.wallMs.toFixed(0)} ms`,
    );
  }
}

function median(marks: readonly Mark[]): Mark {
  const of = (pick: (mark: Mark) => number) => quantile(marks.map(pick), 0.5);
  return { wallMs: of(({ wallMs }) => wallMs), cpuMs: of(({ cpuMs }) => cpuMs) };
}

function figuresOf(build: string, { connected, voted, recovered }: Samples): StartFigures {
  const walls = recovered.map(({ wallMs }) => wallMs);
  return {
    build,
    starts: connected.length,
    connected: median(connected),
    voted: median(voted),
    kills: recovered.length,
    recoveryP50Ms: median(recovered).wallMs,
    recoveryMaxMs: Math.max(0, ...walls),
    recoveryCpuMs: median(recovered).cpuMs,
  };
}

/** Measures each build in turn, round by round, on the same folders. */
export async function measureStart(options: StartOptions): Promise<readonly StartFigures[]> {
  const chain = await initProcessChain({ nodes: NODES, pauseMs: BLOCK_TIME_MS });
  const runners = options.builds.map((build) => new Runner(options, build, chain.nodes));
  try {
    options.say(`making a ledger of ${LEDGER_BLOCKS} blocks`);
    await runners[0]?.grow();
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, runner] of runners.entries()) {
        options.say(`round ${round}, ${options.builds[index]}`);
        await runner.round();
      }
    }
    return runners.map(({ samples }, index) => figuresOf(options.builds[index] ?? "", samples));
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
    await chain.close();
  }
}
