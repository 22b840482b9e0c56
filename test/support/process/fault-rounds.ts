/**
 * Rounds of faults under load over nodes that are processes. Afterwards: what a node told with a
 * receipt is on every node in that block; what was only taken is on chain, is refused with a
 * status, or goes on chain when it is sent again; the nodes are one chain.
 */
import assert from "node:assert/strict";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Random } from "../../simulation/random.ts";
import { ask, receiptOf, sleep, waitForReceipt } from "./dev-process.ts";
import { type NodeProcess, untilEqual } from "./node-processes.ts";
import { requireSameBlocks, sendAndSee, untilConnected } from "./process-checks.ts";
import { between, deaf, type Links, mute } from "./proxy.ts";
import { createSender } from "../sender.ts";
import {
  newTold,
  noteServed,
  type Pace,
  requireServed,
  startLoad,
  statusOf,
  type Told,
  tally,
} from "./told-clients.ts";

/** What goes wrong in a round, and is well again before its end. */
export interface Fault {
  readonly name: string;
  /** It lasts this long at most. */
  readonly longestMs: number;
  /** Nodes that may be unreachable for clients. */
  readonly victims: readonly NodeProcess[];
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** What rounds are made with. */
export interface RoundsOptions {
  readonly suite: CryptoSuite;
  readonly pace: Pace;
  /** Running. */
  readonly nodes: readonly NodeProcess[];
  /** One for each round, chosen when it begins. */
  readonly faults: readonly (() => Fault)[];
  readonly random: Random;
  readonly say: (line: string) => void;
  /** The load runs at most so long before a fault and after it; the time of a soak if absent. */
  readonly longestLoadMs?: number;
}

/** How many transactions met with what. */
export type Fates = ReadonlyMap<string, number>;

/** What rounds have seen. */
export interface RoundsSights {
  readonly rounds: number;
  readonly sent: number;
  readonly served: number;
  readonly blocks: number;
  /** What became of those of which no receipt was seen. */
  readonly fates: Fates;
  /** Refusals at the first attempt. */
  readonly refused: Fates;
  readonly longestRecoveryMs: number;
}

/** The load runs this long before a fault and after it; a fault lasts so long at least. */
const SHORTEST_MS = 300;
const LONGEST_MS = 2_500;
const LIMIT_MS = 240_000;
/** Between two looks for the first receipt. */
const LOOK_MS = 50;
const KNOWN = /^(AlreadyKnown|AlreadyInChain|NonceCheckFail)$/;

function choose<Item>(items: readonly Item[], count: number, random: Random): readonly Item[] {
  const left = [...items];
  return Array.from({ length: count }, () => {
    const [chosen] = left.splice(random.below(left.length), 1);
    assert.ok(chosen !== undefined);
    return chosen;
  });
}

/** kill -9 of some nodes at once, which are started again. */
export function killFault(nodes: readonly NodeProcess[], count: number, random: Random): Fault {
  const victims = choose(nodes, count, random);
  return {
    name: `${count} of ${nodes.length} killed`,
    longestMs: LONGEST_MS,
    victims,
    begin: async () => void (await Promise.all(victims.map((node) => node.end("SIGKILL")))),
    end: async () => void (await Promise.all(victims.map((node) => node.start()))),
  };
}

/** Links of four nodes lose or delay traffic for a while, in a way that is drawn. */
export function linkFault(links: Links, longestMs: number, random: Random): Fault {
  const [a = 0, b = 0, c = 0, d = 0] = choose([0, 1, 2, 3], 4, random);
  const delayMs = Math.floor(random.between(20, 400));
  const one = [b, c, d];
  const [name, begin] = random.pick<readonly [string, () => void]>([
    [`${a} ${b} apart from ${c} ${d}`, () => links.cut(between([a, b], [c, d]))],
    [`${a} apart`, () => links.cut(between([a], one))],
    [`all apart`, () => links.cut(between([0, 1, 2, 3], [0, 1, 2, 3]))],
    [`nobody hears ${a}`, () => links.cut(mute(a, one))],
    [`${a} hears nobody`, () => links.cut(deaf(a, one))],
    [`${b} does not hear ${a}`, () => links.cut(mute(a, [b]))],
    [`a ring without its diagonals`, () => links.cut([...between([a], [c]), ...between([b], [d])])],
    [`everything ${delayMs} ms later`, () => links.delay(delayMs)],
  ]);
  return {
    name,
    longestMs,
    victims: [],
    begin: async () => begin(),
    end: async () => links.heal(),
  };
}

/** One run of rounds; a class because it owns what was told. */
class Rounds {
  readonly #options: RoundsOptions;
  readonly #told: Told = newTold();
  readonly #fates = new Map<string, number>();
  readonly #sign: ReturnType<typeof createSender>;
  #checked = 0;
  #longestRecoveryMs = 0;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#sign = createSender(options.suite);
  }

  async run(): Promise<RoundsSights> {
    const { faults, nodes, say } = this.#options;
    for (const [index, draw] of faults.entries()) {
      const before = this.#told.served.size;
      const fault = draw();
      const recoveryMs = await this.#round(fault);
      this.#longestRecoveryMs = Math.max(this.#longestRecoveryMs, recoveryMs);
      say(
        `round ${index + 1}: ${fault.name}, ${this.#told.served.size - before} receipts, ` +
          `block ${this.#checked}, all is well again after ${recoveryMs.toFixed(0)} ms`,
      );
    }
    await requireServed(this.#urls, this.#told.served);
    await requireSameBlocks(nodes, 0, this.#checked);
    const { sent, served, refused } = this.#told;
    return {
      rounds: faults.length,
      sent,
      served: served.size,
      blocks: this.#checked,
      fates: this.#fates,
      refused,
      longestRecoveryMs: this.#longestRecoveryMs,
    };
  }

  get #urls(): readonly string[] {
    return this.#options.nodes.map(({ url }) => url);
  }

  /** Gives how long it took from the end of the fault until everything holds. */
  async #round(fault: Fault): Promise<number> {
    const { nodes, random, longestLoadMs = LONGEST_MS } = this.#options;
    const absent = new Set(fault.victims.map(({ url }) => url));
    const before = this.#told.served.size;
    const stop = startLoad({
      pace: this.#options.pace,
      urls: this.#urls,
      sign: this.#sign,
      told: this.#told,
      random,
      mayFail: (url) => absent.has(url),
    });
    await this.#pause(longestLoadMs);
    await this.#untilServed(before);
    await fault.begin();
    await this.#pause(fault.longestMs);
    const endedAt = performance.now();
    await fault.end();
    await this.#pause(longestLoadMs);
    await stop();
    await untilConnected(nodes);
    await sendAndSee(random.pick(nodes), nodes);
    await requireServed(this.#urls, [...this.#told.served].slice(before));
    await this.#settle();
    const head = await untilEqual(nodes, this.#checked + 1, LIMIT_MS);
    await requireSameBlocks(nodes, this.#checked, head);
    this.#checked = head;
    this.#told.head = head;
    return performance.now() - endedAt;
  }

  /** A fault takes away only what was told before it. */
  async #untilServed(before: number): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    while (this.#told.served.size === before && performance.now() < limit) await sleep(LOOK_MS);
    assert.ok(this.#told.served.size > before, "a receipt was served before the fault");
  }

  #pause(longestMs: number): Promise<void> {
    return sleep(this.#options.random.between(SHORTEST_MS, longestMs));
  }

  /** Finds out about every transaction that was answered with its hash only. */
  async #settle(): Promise<void> {
    const { random } = this.#options;
    for (const [hash, raw] of [...this.#told.taken]) {
      const fate = await this.#fate(hash, raw, random.pick(this.#urls));
      tally(this.#fates, fate);
      this.#told.taken.delete(hash);
    }
  }

  async #fate(hash: string, raw: string, url: string): Promise<string> {
    const there = await receiptOf(url, hash);
    if (there) {
      noteServed(this.#told, hash, there);
      return "on chain";
    }
    const { error } = await ask(url, "sendRawTransaction", [1, raw]);
    const status = error && statusOf(error.message);
    // Its nonce is its own, so a pool or chain that knows the nonce has this very transaction.
    const isComing = status === undefined || KNOWN.test(status);
    if (isComing) noteServed(this.#told, hash, await waitForReceipt(url, hash, LIMIT_MS));
    return status === undefined ? "sent again" : `refused: ${status}`;
  }
}

/** Runs them; throws when something does not hold. */
export function runFaultRounds(options: RoundsOptions): Promise<RoundsSights> {
  return new Rounds(options).run();
}

/** The figures of a run as one line. */
export function sightsText({ fates, refused, ...rest }: RoundsSights): string {
  const counts = { fates: Object.fromEntries(fates), refused: Object.fromEntries(refused) };
  return JSON.stringify({ ...rest, ...counts });
}
