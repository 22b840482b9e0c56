/** Turns at work of which so much is done at a time: no owner keeps another from it. */

/** Gives each owner one turn, then others theirs. A class because it owns the line. */
export class Turns {
  readonly #places: number;
  readonly #working = new Set<unknown>();
  /** By owner, however many turns it waits for; whoever has had one goes behind the others. */
  readonly #waiting = new Map<unknown, ((isWanted: boolean) => void)[]>();

  /** @param places turns at one time */
  constructor(places: number) {
    this.#places = places;
  }

  /** @returns true at its turn, which the owner has to give back; false when it is forgotten */
  async take(owner: unknown): Promise<boolean> {
    if (this.#working.size < this.#places && !this.#working.has(owner)) {
      this.#working.add(owner);
      return true;
    }
    return new Promise<boolean>((resolve) => {
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), resolve]);
    });
  }

  /** The turn of an owner is over: it goes to who has waited longest. */
  give(owner: unknown): void {
    this.#working.delete(owner);
    const own = this.#waiting.get(owner);
    if (own && this.#waiting.delete(owner)) this.#waiting.set(owner, own);
    for (const [next, [begin, ...rest]] of this.#waiting) {
      if (this.#working.has(next)) continue;
      if (rest.length > 0) this.#waiting.set(next, rest);
      else this.#waiting.delete(next);
      this.#working.add(next);
      begin?.(true);
      return;
    }
  }

  /** The owner is gone: it has no further turn. */
  forget(owner: unknown): void {
    const own = this.#waiting.get(owner) ?? [];
    this.#waiting.delete(owner);
    for (const begin of own) begin(false);
  }
}
