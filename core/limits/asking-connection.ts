/** Connections that ask, and tell when they have gone. */
import type { Asker } from "../ports/asker.ts";

/** A connection that can go. A class because it tells its end. */
export class AskingConnection implements Asker {
  readonly address: string;
  readonly #told = new Set<() => void>();
  #isGone = false;

  constructor(address: string) {
    this.address = address;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

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
