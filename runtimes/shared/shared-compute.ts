/** A memo before a Compute port: nodes of one process recover each signature once. */
import { byteString } from "../../core/bytes/byte-string.ts";
import { invariant } from "../../core/fault/invariant.ts";
import type { Compute, RecoverItem, RecoverOptions } from "../../core/ports/compute.ts";

/**
 * Answers kept, the least recently used dropped first: about 300 bytes each. The nodes of a
 * process see the same transaction within a second or two of each other.
 */
const DEFAULT_LIMIT = 32_768;
/** Holds any item of a suite: length, digest, signature. */
const SCRATCH_BYTES = 1 + 32 + 128;

/** How much the memo holds. */
export interface SharedComputeOptions {
  /** Answers kept; at least 1. */
  readonly limit?: number;
}

/** Counters of the memo. */
export interface SharedComputeCounts {
  /** Items answered from the memo. */
  readonly hits: number;
  /** Items that joined a recovery already under way. */
  readonly joined: number;
  /** Items handed to the implementation behind. */
  readonly misses: number;
}

/** A Compute port with a memo. */
export interface SharedCompute extends Compute {
  counts(): SharedComputeCounts;
}

const KEY_BYTES = 64;
/** Place of an answer in the memo's table; {@link INVALID} for an invalid signature. */
type Place = number;
const INVALID: Place = -1;

/** The whole of digest and signature, so that no two items can share an answer. */
function memoKey({ digest, signature }: RecoverItem, scratch: Uint8Array): string {
  const length = 1 + digest.length + signature.length;
  if (digest.length > 255 || length > scratch.length) {
    return `${byteString(digest)}:${byteString(signature)}`;
  }
  scratch[0] = digest.length;
  scratch.set(digest, 1);
  scratch.set(signature, 1 + digest.length);
  return byteString(scratch, 0, length);
}

/** Answers by key, the least recently used first to go; their bytes lie in one array. */
class AnswerTable {
  readonly #limit: number;
  readonly #places = new Map<string, Place>();
  readonly #bytes: Uint8Array;
  readonly #free: Place[] = [];
  #used = 0;

  constructor(limit: number) {
    invariant(limit >= 1, "the memo of recovered keys holds at least one answer");
    this.#limit = limit;
    this.#bytes = new Uint8Array(limit * KEY_BYTES);
  }

  /** The answer of a key, null when the signature is known to be invalid; undefined if unknown. */
  find(key: string): Uint8Array | null | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    this.#places.set(key, place);
    if (place === INVALID) return null;
    return this.#bytes.slice(place * KEY_BYTES, (place + 1) * KEY_BYTES);
  }

  add(key: string, answer: Uint8Array | undefined): void {
    if (this.#places.has(key)) return;
    if (this.#places.size >= this.#limit) this.#dropOldest();
    this.#places.set(key, answer ? this.#keep(answer) : INVALID);
  }

  #keep(answer: Uint8Array): Place {
    const place = this.#free.pop() ?? this.#used++;
    this.#bytes.set(answer, place * KEY_BYTES);
    return place;
  }

  #dropOldest(): void {
    for (const [key, place] of this.#places) {
      this.#places.delete(key);
      if (place !== INVALID) this.#free.push(place);
      return;
    }
  }
}

type Answers = readonly (Uint8Array | undefined)[];

/** An item of a batch that the implementation behind is working on. */
interface Pending {
  readonly batch: Promise<Answers>;
  readonly at: number;
}

/** The answers in order, as their batches come in. */
async function collect(
  asked: readonly (Uint8Array | null | Pending)[],
): Promise<(Uint8Array | undefined)[]> {
  const recovered: (Uint8Array | undefined)[] = [];
  let batch: Promise<Answers> | undefined;
  let batchAnswers: Answers = [];
  for (const answer of asked) {
    if (answer === null || answer instanceof Uint8Array) {
      recovered.push(answer ?? undefined);
      continue;
    }
    if (answer.batch !== batch) batchAnswers = await answer.batch;
    batch = answer.batch;
    recovered.push(batchAnswers[answer.at]);
  }
  return recovered;
}

/** Remembers answers of `compute`, invalid ones included, and merges equal items under way. */
export function sharedCompute(compute: Compute, options: SharedComputeOptions = {}): SharedCompute {
  const known = new AnswerTable(options.limit ?? DEFAULT_LIMIT);
  const underWay = new Map<string, Pending>();
  const scratch = new Uint8Array(SCRATCH_BYTES);
  const counts = { hits: 0, joined: 0, misses: 0 };

  /** Starts the batch of the new items, which are in `underWay` from here on. */
  function begin(
    keys: readonly string[],
    items: readonly RecoverItem[],
    options: RecoverOptions | undefined,
  ): void {
    counts.misses += items.length;
    const batch = compute.recover(items, options);
    for (const [at, key] of keys.entries()) underWay.set(key, { batch, at });
    const forget = () => {
      for (const key of keys) underWay.delete(key);
    };
    // A failed batch is forgotten; a caller that waits for it sees the failure.
    batch.then((answers) => {
      forget();
      for (const [at, key] of keys.entries()) known.add(key, answers[at]);
    }, forget);
  }

  /** Per item: its answer (null for invalid), or the batch that will have it. */
  function ask(
    items: readonly RecoverItem[],
    options: RecoverOptions | undefined,
  ): (Uint8Array | null | Pending)[] {
    const keys = items.map((item) => item.name ?? memoKey(item, scratch));
    const first = new Map<string, RecoverItem>();
    const answers = items.map((item, at) => {
      const key = keys[at] ?? "";
      const answer = known.find(key);
      if (answer !== undefined) {
        counts.hits += 1;
        return answer;
      }
      if (first.has(key) || underWay.has(key)) counts.joined += 1;
      else first.set(key, item);
      return undefined;
    });
    if (first.size > 0) begin([...first.keys()], [...first.values()], options);
    return answers.map((answer, at) => {
      const found = answer === undefined ? underWay.get(keys[at] ?? "") : answer;
      invariant(found !== undefined, "an item is known or under way");
      return found;
    });
  }

  return {
    recover: (items, options) => collect(ask(items, options)),
    counts: () => ({ ...counts }),
    close: () => compute.close(),
  };
}
