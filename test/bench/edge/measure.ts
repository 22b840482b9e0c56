/**
 * What the gateway costs at the edge: at start, for each method, for many requests; next to Node.
 */
import { Agent, request } from "node:http";
import { type Ask, deploy } from "../../support/client/json-rpc-session.ts";
import {
  type DevProcess,
  freePorts,
  post,
  type Running,
  runProgram,
  startDev,
  stop,
  untilSaid,
} from "../../support/process/dev-chain-process.ts";
import { type MeasuredWorker, startMeasured } from "./worker.ts";

/** What a request to one method costs an instance that knows the chain and keeps nothing. */
export interface MethodCost {
  readonly method: string;
  readonly cpuMs: number;
  /** Requests to upstreams. */
  readonly subrequests: number;
}

/** Requests per second of one place. */
export interface PlaceRate {
  readonly place: "workerd" | "Node";
  readonly cached: number;
  readonly uncached: number;
}

/** All figures. */
export interface EdgeFigures {
  /** From an instance that was just started: its first request, which follows the chain. */
  readonly firstRequestCpuMs: number;
  readonly startCpuMs: number;
  readonly methods: readonly MethodCost[];
  readonly rates: readonly PlaceRate[];
  /** Garbage included while they ran; what is left of it when it was collected. */
  readonly heap: { readonly requests: number; readonly mostMiB: number; readonly leftMiB: number };
}

const MIB = 1024 * 1024;
/** Processor time is counted in hundredths of a second. */
const SAMPLES = 200;
/** Blocks of one transaction each. */
const UNSEEN = 40;
const CONCURRENCY = 16;
const RATE_MS = 5_000;
const HEAP_REQUESTS = 100_000;
const HEAP_LOOK_MS = 1_000;

type Call = readonly [method: string, params: readonly unknown[]];

function bodyOf([method, params]: Call): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

/** Posts over connections that stay open. */
class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  send(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": body.length };
      const options = { method: "POST", agent: this.#agent, headers };
      const asking = request(this.#url, options, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once("end", () => resolve(text));
      });
      asking.once("error", reject);
      asking.end(body);
    });
  }

  /** Sends this many, or until the time is over; gives how many per second. */
  async load(bodies: readonly string[], limit: { count?: number; ms?: number }): Promise<number> {
    const { count = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY } = limit;
    const began = performance.now();
    let sent = 0;
    const lane = async (): Promise<void> => {
      while (sent < count && performance.now() - began < ms) {
        const text = await this.send(bodies[sent++ % bodies.length] ?? "");
        if (text.includes('"error"')) throw new Error(`an answer is an error: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    return (1_000 * sent) / (performance.now() - began);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Requests of every kind of proof about one transaction. */
function callsFor(receipt: Record<string, unknown>): readonly Call[] {
  const { transactionHash, blockHash, contractAddress } = receipt;
  const call = { from: `0x${"1".repeat(40)}`, to: contractAddress, data: "0x" };
  return [
    ["getGroupList", []],
    ["getBlockNumber", [1]],
    ["getBlockHashByNumber", [1, "1"]],
    ["getBlockHeaderByNumber", [1, "1", true]],
    ["getBlockByNumber", [1, "1", false]],
    ["getBlockByNumber", [1, "1", true]],
    ["getBlockByHash", [1, blockHash, true]],
    ["getTransactionByHash", [1, transactionHash]],
    ["getTransactionByBlockNumberAndIndex", [1, "1", "0"]],
    ["getTransactionReceipt", [1, transactionHash]],
    ["getTransactionReceiptByHashWithProof", [1, transactionHash]],
    ["getTransactionReceipt", [1, `0x${"12".repeat(32)}`]],
    ["call", [1, call]],
    ["getCode", [1, contractAddress]],
    ["getSealerList", [1]],
    ["getPeers", [1]],
  ];
}

/** What clients ask again and again: things that never change. */
function lasting(calls: readonly Call[]): readonly string[] {
  const kept = calls.filter(
    ([method, [, what]]) =>
      /^get(Block|Transaction)/.test(method) && !String(what).includes("1212"),
  );
  return kept.filter(([method]) => method !== "getBlockNumber").map(bodyOf);
}

/** Requests to upstreams so far, as the gateway counts them. */
async function subrequestsOf(url: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", url))).text();
  const all = [...text.matchAll(/^chain_node_gateway_upstream_requests_total\{.*\} (\d+)$/gm)];
  return all.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** One after the other: each is work of its own. */
async function costOf(worker: MeasuredWorker, call: Call): Promise<MethodCost> {
  const client = new Client(worker.url);
  try {
    const body = bodyOf(call);
    await client.send(body);
    const before = { cpu: worker.cpuMs(), asked: await subrequestsOf(worker.url) };
    for (let i = 0; i < SAMPLES; i++) await client.send(body);
    const cpuMs = (worker.cpuMs() - before.cpu) / SAMPLES;
    const subrequests = ((await subrequestsOf(worker.url)) - before.asked) / SAMPLES;
    const [method, params] = call;
    const more = params.slice(1).filter((it) => typeof it === "boolean");
    const isUnknown = String(params[1]).includes("1212");
    const shown = `${method}${more.length > 0 ? ` ${more.join()}` : ""}`;
    return { method: isUnknown ? `${shown}, unknown` : shown, cpuMs, subrequests };
  } finally {
    client.close();
  }
}

/** Blocks whose signatures the instance has not seen: what a follower of the chain asks for. */
async function unseenCost(worker: MeasuredWorker, chain: DevProcess): Promise<MethodCost> {
  const client = new Client(worker.url);
  const ask: Ask = async (body) => (await post(chain.url, body)).text;
  try {
    const hashes: unknown[] = [];
    for (let i = 0; i < UNSEEN; i++) {
      hashes.push((await deploy(ask, undefined, BigInt(i + 100)))["transactionHash"]);
    }
    await client.send(bodyOf(["getBlockNumber", [1]]));
    const before = { cpu: worker.cpuMs(), asked: await subrequestsOf(worker.url) };
    for (const hash of hashes) await client.send(bodyOf(["getTransactionReceipt", [1, hash]]));
    const subrequests = ((await subrequestsOf(worker.url)) - before.asked) / UNSEEN;
    const cpuMs = (worker.cpuMs() - before.cpu) / UNSEEN;
    return { method: "getTransactionReceipt, signatures not seen", cpuMs, subrequests };
  } finally {
    client.close();
  }
}

async function rateAt(url: string, bodies: readonly string[]): Promise<number> {
  const client = new Client(url);
  try {
    await client.load(bodies, { count: 10 * bodies.length });
    return await client.load(bodies, { ms: RATE_MS });
  } finally {
    client.close();
  }
}

async function withWorker<Result>(
  variables: Readonly<Record<string, string>>,
  work: (worker: MeasuredWorker) => Promise<Result>,
): Promise<Result> {
  const worker = await startMeasured(variables);
  try {
    return await work(worker);
  } finally {
    await worker.close();
  }
}

async function nodeRate(
  upstreams: readonly string[],
  keep: string,
  bodies: readonly string[],
): Promise<number> {
  const port = String(await freePorts(1));
  const args = ["--upstream", ...upstreams, "--port", port, "--keep", keep, "--json"];
  const gateway: Running = runProgram("gateway", ...args);
  try {
    await untilSaid(gateway, ({ stdout }) => stdout.includes("\n"));
    return await rateAt(`http://127.0.0.1:${port}/`, bodies);
  } finally {
    await stop(gateway);
  }
}

async function heapOf(worker: MeasuredWorker, bodies: readonly string[]) {
  const client = new Client(worker.url);
  let most = 0;
  const look = async (): Promise<void> => {
    most = Math.max(most, await worker.heapBytes());
  };
  const timer = setInterval(() => void look().catch(() => undefined), HEAP_LOOK_MS);
  try {
    await client.load(bodies, { count: HEAP_REQUESTS });
    await look();
  } finally {
    clearInterval(timer);
    client.close();
  }
  const left = await worker.heapBytes({ collected: true });
  return { requests: HEAP_REQUESTS, mostMiB: most / MIB, leftMiB: left / MIB };
}

/** What an instance costs until it has answered once. */
async function startOf(variables: Readonly<Record<string, string>>, call: Call) {
  return await withWorker(variables, async (worker) => {
    const startCpuMs = worker.cpuMs();
    await post(worker.url, bodyOf(call));
    return { startCpuMs, firstRequestCpuMs: worker.cpuMs() - startCpuMs };
  });
}

/** Measures a gateway before a chain of four nodes in one process. */
export async function measureEdge(say: (line: string) => void): Promise<EdgeFigures> {
  const chain = await startDev(4, "--ephemeral");
  try {
    const receipt = await deploy(async (body) => (await post(chain.url, body)).text);
    const genesis = JSON.parse(
      (await post(chain.url, bodyOf(["getBlockHashByNumber", [1, "0"]]))).text,
    ) as { result: string };
    const upstreams = chain.ready.rpc;
    const variables = { UPSTREAMS: upstreams.join(), TRUSTED: `0:${genesis.result}` };
    const keepsNothing = { ...variables, KEPT_MIB: "0" };
    const calls = callsFor(receipt);
    const bodies = lasting(calls);
    say("start ...");
    const first = calls.find(([method]) => method === "getTransactionReceipt") ?? calls[0];
    if (first === undefined) throw new Error("there are calls");
    const begun = await startOf(variables, first);
    say("methods ...");
    const methods = await withWorker(keepsNothing, async (worker) => {
      const costs: MethodCost[] = [];
      for (const call of calls) costs.push(await costOf(worker, call));
      return [...costs, await unseenCost(worker, chain)];
    });
    say("rates ...");
    const workerd = {
      place: "workerd",
      cached: await withWorker(variables, ({ url }) => rateAt(url, bodies)),
      uncached: await withWorker(keepsNothing, ({ url }) => rateAt(url, bodies)),
    } as const;
    const node = {
      place: "Node",
      cached: await nodeRate(upstreams, "16", bodies),
      uncached: await nodeRate(upstreams, "0", bodies),
    } as const;
    say("heap ...");
    const all = [...bodies, ...calls.filter(([method]) => method === "call").map(bodyOf)];
    const heap = await withWorker(variables, (worker) => heapOf(worker, all));
    return { ...begun, methods, rates: [workerd, node], heap };
  } finally {
    await stop(chain);
  }
}
