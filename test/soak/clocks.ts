/**
 * Four processes, one of which has a wrong clock: the chain's time stays with the others, the one
 * goes on voting, and status and doctor name it.
 * Source: decision 27
 */
import assert from "node:assert/strict";
import { endOf, runProgram } from "../support/process/dev-chain-process.ts";
import { request, sleep } from "../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../support/process/node-processes.ts";
import { type PosedClock, posedAheadMs, withClock } from "../support/process/posed-clock.ts";
import { startLoad } from "../support/process/steady-load.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

const NODES = 4;
const RATE = 20;
const SECONDS = 30;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const LOOK_EVERY_MS = 200;
const LEVEL_MS = 2 * MINUTE_MS;
/** Heartbeats come every five seconds. */
const NAMED_WITHIN_MS = MINUTE_MS;
/** Bounds of the acceptance. */
const MOST_OFF_MS = 15 * SECOND_MS;
/** What is reported of a clock may be as old as this, and half of a round trip wrong. */
const SAID_WITHIN_MS = 10 * SECOND_MS;

interface Case {
  readonly clock: PosedClock;
  /** Another sealer is down meanwhile, so that this one's votes are needed. */
  readonly oneDown?: boolean;
  /** The certificates have not begun by it: the node does not start, and says why. */
  readonly refused?: boolean;
}

const JUMPS = { everyMs: 10 * SECOND_MS, offsetsMs: [5, 0, -5, 0].map((it) => it * MINUTE_MS) };
const CASES: Readonly<Record<string, Case>> = {
  "ahead-1h": { clock: { offsetMs: HOUR_MS } },
  "behind-1h": { clock: { offsetMs: -HOUR_MS } },
  "behind-1h-one-down": { clock: { offsetMs: -HOUR_MS }, oneDown: true },
  "ahead-1h-one-down": { clock: { offsetMs: HOUR_MS }, oneDown: true },
  "ahead-8h": { clock: { offsetMs: 8 * HOUR_MS } },
  "behind-8h": { clock: { offsetMs: -8 * HOUR_MS }, refused: true },
  jumping: { clock: { jumps: JUMPS } },
  tenfold: { clock: { rate: 10 } },
};

interface SeenHeader {
  readonly timestamp: string | number;
  readonly sealerList: readonly string[];
  readonly sealer: string | number;
  readonly signatureList: readonly { readonly index: string | number }[];
}

/** Blocks as they come to an honest node. */
class Watch {
  readonly aheadMs: number[] = [];
  votes = 0;
  proposals = 0;
  longestGapMs = 0;
  #height: number;
  #seenAt = performance.now();
  readonly #honest: NodeProcess;
  readonly #wrong: NodeProcess;

  constructor(honest: NodeProcess, wrong: NodeProcess, height: number) {
    this.#honest = honest;
    this.#wrong = wrong;
    this.#height = height;
  }

  async look(): Promise<void> {
    const height = await this.#honest.blockNumber();
    const now = Date.now();
    while (this.#height < height) {
      this.#height++;
      const params = [1, `0x${this.#height.toString(16)}`, true];
      const found = await request(this.#honest.url, "getBlockHeaderByNumber", params);
      this.#note(found as SeenHeader, now);
    }
  }

  #note({ timestamp, sealerList, sealer, signatureList }: SeenHeader, now: number): void {
    this.aheadMs.push(Number(timestamp) - now);
    const index = sealerList.indexOf(this.#wrong.nodeId);
    assert.ok(index >= 0, "the node with the wrong clock is a sealer");
    if (signatureList.some((seal) => Number(seal.index) === index)) this.votes++;
    if (Number(sealer) === index) this.proposals++;
    const at = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, at - this.#seenAt);
    this.#seenAt = at;
  }
}

/** What a command says that examines the chain; its exit code is of no interest. */
async function said(command: "status" | "doctor", folder: string): Promise<string> {
  const { stdout, stderr } = await endOf(runProgram(command, folder));
  return `${stdout}\n${stderr}`;
}

/** Waits until a command names a clock, and how far it is off at that time. */
async function untilNamed(
  tell: () => Promise<string>,
  pattern: RegExp,
  aheadMs: () => number,
): Promise<string> {
  const end = performance.now() + NAMED_WITHIN_MS;
  for (;;) {
    const before = aheadMs();
    const text = await tell();
    const after = aheadMs();
    const [line, seconds, direction = ""] = pattern.exec(text) ?? [];
    const off = Number(seconds) * SECOND_MS * (direction.startsWith("ahead") ? 1 : -1);
    const [least, most] = [Math.min(before, after), Math.max(before, after)];
    // A clock that runs fast was measured up to one heartbeat before.
    const room = SAID_WITHIN_MS + Math.abs(most - least) + Math.abs(most) / 2;
    if (line !== undefined && off > least - room && off < most + room) return line.trim();
    assert.ok(performance.now() < end, `${String(pattern)} is not said:\n${text}`);
    await sleep(SECOND_MS);
  }
}

const NAMES_OTHER = /(?:the clock of node3 is) (\d+) s (ahead of|behind) ours/;
const NAMES_OWN = /this host's clock is (\d+) s (ahead of|behind) that of most peers/;

async function requireNamed({ folder, nodes }: ProcessChain, aheadMs: () => number) {
  const [honest, , , wrong] = nodes;
  assert.ok(honest && wrong);
  const status = () => said("status", folder);
  const byHonest = new RegExp(`^node0: ${NAMES_OTHER.source}.*`, "m");
  const byWrong = new RegExp(`^node3: ${NAMES_OWN.source}.*`, "m");
  return [
    await untilNamed(status, byHonest, aheadMs),
    await untilNamed(status, byWrong, aheadMs),
    await untilNamed(() => said("doctor", honest.folder), NAMES_OTHER, aheadMs),
    await untilNamed(() => said("doctor", wrong.folder), NAMES_OWN, aheadMs),
  ];
}

/** For how long each clock is wrong, and where the figures go. */
interface Trial {
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** A node whose certificates have not begun by its clock: those of a chain that was just made. */
async function requireRefused(wrong: NodeProcess, clock: PosedClock): Promise<string> {
  const start = wrong.start(withClock(clock, Date.now()));
  const cause = await start.then(
    () => assert.fail("it starts"),
    (reason: unknown) => String(reason),
  );
  assert.match(cause, /not yet valid .*Set the clock of this host by NTP/);
  return /a certificate is not yet valid.*/.exec(cause)?.[0] ?? "";
}

/** One wrong clock, for a while. */
async function pose(
  chain: ProcessChain,
  name: string,
  { clock, oneDown = false, refused = false }: Case,
  { seconds, say }: Trial,
): Promise<void> {
  const [honest, second, down, wrong] = chain.nodes;
  assert.ok(honest && second && down && wrong);
  await wrong.end("SIGTERM");
  if (refused) return say(`${name}: ${await requireRefused(wrong, clock)}`);
  const since = Date.now();
  await wrong.start(withClock(clock, since));
  await untilEqual(chain.nodes, 0, LEVEL_MS);
  if (oneDown) await down.end("SIGTERM");
  const there = chain.nodes.filter(({ isRunning }) => isRunning);
  const trueClocks = there.filter((node) => node !== wrong).map(({ url }) => url);
  const watch = new Watch(honest, wrong, await honest.blockNumber());
  const load = startLoad(trueClocks, RATE);
  const end = performance.now() + seconds * SECOND_MS;
  while (performance.now() < end) {
    await watch.look();
    await sleep(LOOK_EVERY_MS);
  }
  const lines = await requireNamed(chain, () => posedAheadMs(clock, since, Date.now()));
  const report = await load.stop();
  await watch.look();
  if (oneDown) await down.start();
  const blocks = watch.aheadMs.length;
  const figures = {
    clock: name,
    blocks,
    mostAheadMs: Math.round(Math.max(...watch.aheadMs)),
    mostBehindMs: Math.round(-Math.min(...watch.aheadMs)),
    withItsVote: watch.votes,
    proposedByIt: watch.proposals,
    longestGapMs: Math.round(watch.longestGapMs),
    submitted: report.submitted,
    lost: report.lost.length,
  };
  say(JSON.stringify(figures));
  for (const line of lines) say(`  ${line}`);
  assert.ok(blocks > 0, "no blocks");
  assert.ok(figures.mostAheadMs <= MOST_OFF_MS, `the chain is ${figures.mostAheadMs} ms ahead`);
  assert.deepEqual(report.lost, [], "transactions that were taken are in no block");
  assert.ok(watch.votes > 0, "the sealer with the wrong clock does not vote");
  if (oneDown) assert.equal(watch.votes, blocks, "its vote is needed");
}

/** `npm run soak -- clocks [--seconds N] [--only NAME]`. */
export const clocksSoak: Soak = {
  about:
    "one wrong clock of four, each for a while: " +
    `[--seconds ${SECONDS}] [--only ${Object.keys(CASES).join("|")}]`,
  async run(args, say) {
    const seconds = numberOption(args, "seconds", SECONDS);
    const only = textOption(args, "only");
    const cases = Object.entries(CASES).filter(([name]) => only === undefined || name === only);
    const chain = await initProcessChain({ nodes: NODES });
    try {
      for (const node of chain.nodes) await node.start();
      for (const [name, each] of cases) await pose(chain, name, each, { seconds, say });
    } finally {
      await chain.close();
    }
  },
};
