/**
 * Reads of one turn go to another thread together: to hand one over, and to hear of its end, costs
 * several times what it does there.
 */

/** A read goes alone when no other comes; a slow disk keeps no more of them waiting for it. */
const MOST_TOGETHER = 8;

/** Reads the values of keys, in their order. */
type LoadMany = (keys: readonly Uint8Array[]) => Promise<readonly (Uint8Array | undefined)[]>;

interface Waiting {
  readonly key: Uint8Array;
  readonly resolve: (value: Uint8Array | undefined) => void;
  readonly reject: (cause: unknown) => void;
}

/** Collects reads; a class because they share what waits. */
export class LoadBatches {
  readonly #loadMany: LoadMany;
  #waiting: Waiting[] = [];

  constructor(loadMany: LoadMany) {
    this.#loadMany = loadMany;
  }

  load(key: Uint8Array): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const count = this.#waiting.push({ key, resolve, reject });
      if (count === 1) setImmediate(() => this.begin());
      if (count === MOST_TOGETHER) this.begin();
    });
  }

  /** Reads what waits: before a close, and when the turn is over. */
  begin(): void {
    const together = this.#waiting;
    if (together.length === 0) return;
    this.#waiting = [];
    this.#loadMany(together.map(({ key }) => key)).then(
      (values) => {
        for (const [at, { resolve }] of together.entries()) resolve(values[at]);
      },
      (cause: unknown) => {
        for (const { reject } of together) reject(cause);
      },
    );
  }
}
