/** A semaphore that is fair among owners: none keeps another from the work. */

/** Gives each owner one permit, then others theirs. A class because it owns the queue. */
export class FairSemaphore {
  readonly #places: number;
  readonly #working = new Set<unknown>();
  /** What each owner waits with; a caller that has had a turn goes behind the others. */
  readonly #waiting = new Map<unknown, Map<unknown, (isWanted: boolean) => void>>();

  /** @param places permits at one time */
  constructor(places: number) {
    this.#places = places;
  }

  /**
   * @param wait what it waits with, to {@link withdraw} it by
   * @returns true at its turn, which the owner has to give back; false when it is not wanted any
   *   more
   */
  async take(owner: unknown, wait: object = {}): Promise<boolean> {
    if (this.#working.size < this.#places && !this.#working.has(owner)) {
      this.#working.add(owner);
      return true;
    }
    const waits = this.#waiting.get(owner) ?? new Map<unknown, (isWanted: boolean) => void>();
    this.#waiting.set(owner, waits);
    return new Promise<boolean>((resolve) => void waits.set(wait, resolve));
  }

  /** An owner gives its permit back: it goes to the one that has waited longest. */
  give(owner: unknown): void {
    this.#working.delete(owner);
    const own = this.#waiting.get(owner);
    if (own && this.#waiting.delete(owner)) this.#waiting.set(owner, own);
    for (const [next, waits] of this.#waiting) {
      if (this.#working.has(next)) continue;
      this.#working.add(next);
      const [wait] = waits.keys();
      return this.#end(next, wait, true);
    }
  }

  /** What an owner waits with is wanted no more; nothing when it does not wait. */
  withdraw(owner: unknown, wait: object): void {
    this.#end(owner, wait, false);
  }

  /** The owner is gone: it has no further turn. */
  forget(owner: unknown): void {
    for (const wait of this.#waiting.get(owner)?.keys() ?? []) this.#end(owner, wait, false);
  }

  #end(owner: unknown, wait: unknown, isWanted: boolean): void {
    const waits = this.#waiting.get(owner);
    const resolve = waits?.get(wait);
    waits?.delete(wait);
    if (waits?.size === 0) this.#waiting.delete(owner);
    resolve?.(isWanted);
  }
}
