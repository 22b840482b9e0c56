/** Connections that ask, as whatever is scarce gives them turns. */

/** A connection: it has its turns among those of its address. A class because it tells its end. */
export class Asker {
  readonly address: string;
  readonly #told = new Set<() => void>();
  #isGone = false;

  constructor(address: string) {
    this.address = address;
  }

  /** Nobody waits for its answers any more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Calls back once it has gone. @returns takes that back */
  whenGone(callback: () => void): () => void {
    if (this.#isGone) callback();
    else this.#told.add(callback);
    return () => void this.#told.delete(callback);
  }

  /** It has gone. */
  leave(): void {
    this.#isGone = true;
    for (const callback of this.#told) callback();
    this.#told.clear();
  }
}
