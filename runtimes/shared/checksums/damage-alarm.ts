/**
 * Informs a caller that listens to a store of the damage that is found in it. Source: decision 30
 */
import type { StoreFault } from "../../../core/fault/store-fault.ts";

/** Tells one listener of the first damage; a class because reads and listener come in any order. */
export class DamageAlarm {
  #first: StoreFault | undefined;
  #listener: ((fault: StoreFault) => void) | undefined;

  /** Takes what was found. */
  readonly sound = (fault: StoreFault): void => {
    if (this.#first) return;
    this.#first = fault;
    this.#listener?.(fault);
  };

  /** The listener learns of what was found before, too. */
  listen(listener: (fault: StoreFault) => void): void {
    this.#listener = listener;
    if (this.#first) listener(this.#first);
  }
}
