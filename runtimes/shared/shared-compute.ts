/** A memo before a Compute port: nodes of one process recover each signature once. */
import { byteString, bytesOf } from "../../core/bytes/byte-string.ts";
import { invariant } from "../../core/fault/invariant.ts";
import type { Compute, RecoverItem } from "../../core/ports/compute.ts";

/**
 * Answers kept, the least recently used dropped first: about 250 bytes each. The nodes of a
 * process see the same transaction within a second or two of each other.
 */
const DEFAULT_LIMIT = 32_768;

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

/** The recovered key as a byte string, which takes a third of an array's memory; "" for invalid. */
type Answer = string;
const INVALID: Answer = "";

/** The whole of digest and signature, so that no two items can share an answer. */
function memoKey(item: RecoverItem): string {
  return `${byteString(item.digest)}:${byteString(item.signature)}`;
}

/** An item of a batch that the implementation behind is working on. */
interface Pending {
  readonly batch: Promise<readonly Answer[]>;
  readonly at: number;
}

/** Remembers answers of `compute`, invalid ones included, and merges equal items under way. */
export function sharedCompute(compute: Compute, options: SharedComputeOptions = {}): SharedCompute {
  const limit = options.limit ?? DEFAULT_LIMIT;
  invariant(limit >= 1, "the memo of recovered keys holds at least one answer");
  const known = new Map<string, Answer>();
  const underWay = new Map<string, Pending>();
  const counts = { hits: 0, joined: 0, misses: 0 };

  function lookUp(key: string): Answer | undefined {
    const answer = known.get(key);
    if (answer === undefined) return undefined;
    known.delete(key);
    known.set(key, answer);
    return answer;
  }

  function remember(keys: readonly string[], answers: readonly Answer[]): void {
    keys.forEach((key, at) => {
      underWay.delete(key);
      known.set(key, answers[at] ?? INVALID);
    });
    for (const oldest of known.keys()) {
      if (known.size <= limit) return;
      known.delete(oldest);
    }
  }

  /** Starts the batch of the new items, which are in `underWay` from here on. */
  function begin(keys: readonly string[], items: readonly RecoverItem[]): void {
    counts.misses += items.length;
    const batch = compute
      .recover(items)
      .then((found) => found.map((key) => (key ? byteString(key) : INVALID)));
    keys.forEach((key, at) => {
      underWay.set(key, { batch, at });
    });
    // A failed batch is forgotten; whoever waits for it sees the failure.
    batch.then(
      (answers) => remember(keys, answers),
      () => {
        for (const key of keys) underWay.delete(key);
      },
    );
  }

  /** Per key: its answer, or the batch that will have it. */
  function ask(keys: readonly string[], items: readonly RecoverItem[]): (Answer | Pending)[] {
    const first = new Map<string, RecoverItem>();
    const answers = keys.map((key, at) => {
      const answer = lookUp(key) ?? underWay.get(key);
      const item = items[at];
      if (typeof answer === "string") counts.hits += 1;
      else if (answer !== undefined || first.has(key)) counts.joined += 1;
      else if (item) first.set(key, item);
      return answer;
    });
    if (first.size > 0) begin([...first.keys()], [...first.values()]);
    return answers.map((answer, at) => {
      const found = answer ?? underWay.get(keys[at] ?? "");
      invariant(found !== undefined, "an item is known or under way");
      return found;
    });
  }

  return {
    async recover(items) {
      const recovered: (Uint8Array | undefined)[] = [];
      let batch: Promise<readonly Answer[]> | undefined;
      let batchAnswers: readonly Answer[] = [];
      for (const answer of ask(items.map(memoKey), items)) {
        let text = answer;
        if (typeof text !== "string") {
          if (text.batch !== batch) batchAnswers = await text.batch;
          batch = text.batch;
          text = batchAnswers[text.at] ?? INVALID;
        }
        recovered.push(text === INVALID ? undefined : bytesOf(text));
      }
      return recovered;
    },
    counts: () => ({ ...counts }),
    close: () => compute.close(),
  };
}
