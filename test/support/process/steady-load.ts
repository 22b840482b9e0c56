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
/** So long a submission is waited for once no more are sent. */
const LAST_WAIT_MS = 60_000;
const POLL_MS = 100;

class Load implements SteadyLoad {
  readonly #endpoints: readonly string[];
  readonly #send = createSender(createStandardSuite());
  readonly #open = new Set<string>();
  /** In a block before the answer to the submission came. */
  readonly #early = new Set<string>();
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
      const work = this.#submit(count % this.#endpoints.length);
      this.#under.add(work);
      void work.finally(() => this.#under.delete(work));
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
        if (!this.#early.delete(hash)) this.#open.add(hash);
        return;
      }
      said.push(typeof answer === "string" ? answer : (answer.error?.message ?? ""));
    }
    this.#refused.push(said.join("; "));
  }

  /** The first answer of an endpoint. */
  async #ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    for (const url of this.#endpoints) {
      const answer = await answerOf(url, method, [1, ...params]).catch(() => undefined);
      if (answer?.result) return answer.result;
    }
    return undefined;
  }

  /** Examines the blocks that came, one request for each. */
  async #look(): Promise<void> {
    const head = Number((await this.#ask("getBlockNumber")) ?? this.#head);
    while (this.#head < head) {
      const number = `0x${(this.#head + 1).toString(16)}`;
      const block = await this.#ask("getBlockByNumber", number, false);
      // The endpoint that has it may be away.
      if (!block) return;
      this.#head++;
      const { transactions } = block as { readonly transactions: readonly string[] };
      for (const hash of transactions) if (!this.#open.delete(hash)) this.#early.add(hash);
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
    while (this.#open.size > 0 && performance.now() < deadline) {
      await this.#look();
      await sleep(POLL_MS);
    }
    return {
      submitted: this.#submitted,
      refused: this.#refused,
      lost: [...this.#open],
      longestGapMs: this.#longestGapMs,
      turnedAway: this.#turnedAway,
    };
  }
}

/** Begins to submit. */
export function startLoad(endpoints: readonly string[], perSecond: number): SteadyLoad {
  return new Load(endpoints, perSecond);
}
