/** Answers that never change, kept up to a bound; and work that several want at once, done once. */
import { within } from "../client/platform.ts";
import { type BoundedCache, createBoundedCache } from "../limits/bounded-cache.ts";
import type { Clock } from "../ports/clock.ts";
import type { ProofLabel } from "./proof-label.ts";

/** An answer and what it rests on. */
export interface LabelledAnswer {
  /** JSON text of the result. */
  readonly text: string;
  readonly label: ProofLabel;
}

/** What an entry costs besides its texts, in bytes. */
const ENTRY_BYTES = 256;
/** A larger part of the room is given to no single answer. */
const LARGEST_PART = 8;

/** The answers of the longest ago are dropped first. */
export class KeptAnswers {
  readonly #maxBytes: number;
  readonly #entries: BoundedCache<string, LabelledAnswer>;

  /** @param maxBytes bound of everything that is kept */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entries = createBoundedCache(maxBytes, costOf);
  }

  /** What is kept now, in bytes; texts are counted as two bytes a character. */
  get bytes(): number {
    return this.#entries.total;
  }

  /** The answer, which was used just now. */
  get(key: string): LabelledAnswer | undefined {
    return this.#entries.get(key);
  }

  /** Keeps an answer unless it is too large. */
  put(key: string, answer: LabelledAnswer): void {
    if (costOf(answer, key) <= this.#maxBytes / LARGEST_PART) this.#entries.set(key, answer);
  }
}

function costOf({ text, label }: LabelledAnswer, key: string): number {
  return 2 * (key.length + text.length) + 8 * label.sealers.length + ENTRY_BYTES;
}

/**
 * Patience with the work of another: where requests are cut off with their clients, as at the edge,
 * it may never end.
 */
export const SHARED_MS = 6_000;

/** Work by name, of which one is done at a time. */
export class SharedWork<Result> {
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<Result>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The result of this work, or of the same work that is being done. */
  async share(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running === undefined) return await this.#start(key, work);
    const ended = running.then((result) => ({ result }));
    const found = await within(ended, this.#clock, SHARED_MS);
    return found === undefined ? await this.#start(key, work) : found.result;
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    const started = work();
    this.#running.set(key, started);
    const end = (): void => {
      if (this.#running.get(key) === started) this.#running.delete(key);
    };
    started.then(end, end);
    return started;
  }
}
