/**
 * Rounds of kill -9 under load over nodes that are processes. Afterwards: what a node told with a
 * receipt is on every node in that block; what was only taken is on chain, is refused with a code,
 * or goes on chain when it is sent again; the nodes are one chain.
 */
import assert from "node:assert/strict";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { Random } from "../simulation/random.ts";
import { ask, receiptOf, sleep, waitForReceipt } from "./dev-process.ts";
import { type NodeProcess, untilEqual } from "./node-processes.ts";
import { requireSameBlocks, sendAndSee, untilConnected } from "./process-checks.ts";
import { createSender } from "./sender.ts";
import {
  newTold,
  noteServed,
  requireServed,
  startLoad,
  statusOf,
  type Told,
  tally,
} from "./told-clients.ts";

/** What rounds are made with. */
export interface RoundsOptions {
  readonly suite: CryptoSuite;
  /** Running. */
  readonly nodes: readonly NodeProcess[];
  /** How many nodes are killed in each round. */
  readonly kills: readonly number[];
  readonly random: Random;
  readonly say: (line: string) => void;
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

/** The nodes run this long before a kill, and the dead stay dead this long. */
const SHORTEST_MS = 300;
const LONGEST_MS = 2_500;
const LIMIT_MS = 60_000;
const KNOWN = /^(AlreadyKnown|AlreadyInChain|NonceCheckFail)$/;

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
    const { kills, nodes, say } = this.#options;
    for (const [index, count] of kills.entries()) {
      const before = this.#told.served.size;
      const recoveryMs = await this.#round(count);
      this.#longestRecoveryMs = Math.max(this.#longestRecoveryMs, recoveryMs);
      say(
        `round ${index + 1}: ${count} of ${nodes.length} killed, ` +
          `${this.#told.served.size - before} receipts, block ${this.#checked}, ` +
          `all is well again after ${recoveryMs.toFixed(0)} ms`,
      );
    }
    await requireServed(this.#urls, this.#told.served);
    await requireSameBlocks(nodes, 0, this.#checked);
    const { sent, served, refused } = this.#told;
    return {
      rounds: kills.length,
      sent,
      refused,
      served: served.size,
      blocks: this.#checked,
      fates: this.#fates,
      longestRecoveryMs: this.#longestRecoveryMs,
    };
  }

  get #urls(): readonly string[] {
    return this.#options.nodes.map(({ url }) => url);
  }

  /** Gives how long it took from the start of the dead until everything holds. */
  async #round(count: number): Promise<number> {
    const { nodes, random } = this.#options;
    const victims = this.#choose(count);
    const dead = new Set(victims.map(({ url }) => url));
    const before = this.#told.served.size;
    const stop = startLoad({
      urls: this.#urls,
      sign: this.#sign,
      told: this.#told,
      random,
      mayFail: (url) => dead.has(url),
    });
    await this.#pause();
    await Promise.all(victims.map((node) => node.end("SIGKILL")));
    await this.#pause();
    const startedAt = performance.now();
    await Promise.all(victims.map((node) => node.start()));
    await this.#pause();
    await stop();
    await untilConnected(nodes);
    await sendAndSee(random.pick(nodes), nodes);
    await requireServed(this.#urls, [...this.#told.served].slice(before));
    await this.#settle();
    const head = await untilEqual(nodes, this.#checked + 1, LIMIT_MS);
    await requireSameBlocks(nodes, this.#checked, head);
    this.#checked = head;
    this.#told.head = head;
    return performance.now() - startedAt;
  }

  #choose(count: number): readonly NodeProcess[] {
    const left = [...this.#options.nodes];
    return Array.from({ length: count }, () => {
      const [chosen] = left.splice(this.#options.random.below(left.length), 1);
      assert.ok(chosen);
      return chosen;
    });
  }

  #pause(): Promise<void> {
    return sleep(this.#options.random.between(SHORTEST_MS, LONGEST_MS));
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
export function runKillRounds(options: RoundsOptions): Promise<RoundsSights> {
  return new Rounds(options).run();
}
