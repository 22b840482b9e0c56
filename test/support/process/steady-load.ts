/**
 * A client with several endpoints that submits at a steady rate: what one endpoint does not take it
 * gives to the next. What was answered with a hash is not sent again.
 */
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { createSender } from "../sender.ts";
import { answerOf } from "./dev-chain-process.ts";
import { sleep } from "./dev-process.ts";

/** What came of a load. */
export interface LoadReport {
  readonly submitted: number;
  /** Submissions that no endpoint took. */
  readonly refused: readonly string[];
  /** Submissions that were taken and that no block has. */
  readonly lost: readonly string[];
  /** Longest time between two moments at which blocks with submissions came. */
  readonly longestGapMs: number;
  /** Submissions that went to another endpoint than the first that was asked. */
  readonly turnedAway: number;
}

/** A load that runs. */
export interface SteadyLoad {
  /** Ends it, waits for what is under way, and tells what came of it. */
  stop(): Promise<LoadReport>;
}

const SECOND_MS = 1_000;
const HEAD_EVERY = 25;
/** So long a submission is waited for once no more are sent. */
const LAST_WAIT_MS = 60_000;
const POLL_MS = 100;

class Load implements SteadyLoad {
  readonly #endpoints: readonly string[];
  readonly #send = createSender(createStandardSuite());
  readonly #open = new Map<string, number>();
  readonly #refused: string[] = [];
  readonly #under = new Set<Promise<void>>();
  #submitted = 0;
  #turnedAway = 0;
  #head = 0;
  #lastSeen = performance.now();
  #longestGapMs = 0;
  #isOver = false;
  readonly #ended: Promise<unknown>;

  constructor(endpoints: readonly string[], perSecond: number) {
    this.#endpoints = endpoints;
    this.#ended = Promise.all([this.#submitAll(perSecond), this.#watch()]);
  }

  async #submitAll(perSecond: number): Promise<void> {
    const began = performance.now();
    for (let count = 0; !this.#isOver; count++) {
      const due = began + (count * SECOND_MS) / perSecond;
      await sleep(Math.max(0, due - performance.now()));
      if (count % HEAD_EVERY === 0) await this.#readHead();
      const work = this.#submit(count % this.#endpoints.length);
      this.#under.add(work);
      void work.finally(() => this.#under.delete(work));
    }
  }

  async #readHead(): Promise<void> {
    for (const url of this.#endpoints) {
      const answer = await answerOf(url, "getBlockNumber", [1]).catch(() => undefined);
      if (typeof answer?.result === "string") this.#head = Number(answer.result);
    }
  }

  async #submit(first: number): Promise<void> {
    this.#submitted++;
    const { raw, hash } = this.#send({ head: this.#head });
    const said: string[] = [];
    for (let tries = 0; tries < this.#endpoints.length; tries++) {
      const url = this.#endpoints[(first + tries) % this.#endpoints.length] ?? "";
      const answer = await answerOf(url, "sendRawTransaction", [1, raw]).catch((cause: unknown) =>
        String(cause),
      );
      if (typeof answer !== "string" && answer.error === undefined) {
        if (tries > 0) this.#turnedAway++;
        this.#open.set(hash, performance.now());
        return;
      }
      said.push(typeof answer === "string" ? answer : (answer.error?.message ?? ""));
    }
    this.#refused.push(said.join("; "));
  }

  async #isThere(hash: string): Promise<boolean> {
    for (const url of this.#endpoints) {
      const answer = await answerOf(url, "getTransactionReceipt", [1, hash]).catch(() => undefined);
      if (answer?.result) return true;
    }
    return false;
  }

  /** The oldest are asked for: blocks take them in about that order. */
  async #look(): Promise<void> {
    for (const hash of [...this.#open.keys()]) {
      if (!(await this.#isThere(hash))) return;
      this.#open.delete(hash);
      const now = performance.now();
      this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastSeen);
      this.#lastSeen = now;
    }
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await this.#look();
      await sleep(POLL_MS);
    }
  }

  async stop(): Promise<LoadReport> {
    this.#isOver = true;
    await this.#ended;
    await Promise.all(this.#under);
    const deadline = performance.now() + LAST_WAIT_MS;
    const lost = new Set(this.#open.keys());
    while (lost.size > 0 && performance.now() < deadline) {
      for (const hash of lost) if (await this.#isThere(hash)) lost.delete(hash);
      await sleep(POLL_MS);
    }
    return {
      submitted: this.#submitted,
      refused: this.#refused,
      lost: [...lost],
      longestGapMs: this.#longestGapMs,
      turnedAway: this.#turnedAway,
    };
  }
}

/** Begins to submit. */
export function startLoad(endpoints: readonly string[], perSecond: number): SteadyLoad {
  return new Load(endpoints, perSecond);
}
