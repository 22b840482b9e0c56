/**
 * Gives memory back after a burst. V8 counts what lies outside its heap, and collects when more is
 * wanted: buffers of a burst that is over stay until the next one, and pages that were full keep
 * their place.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often the process is looked at. */
const LOOK_MS = 5_000;
/** A burst is over when the process has not grown at so many looks on end. */
const STEADY_LOOKS = 3;
/** It grows by less between two looks when it does what it always does. */
const STEADY_BYTES = 4 * 1024 * 1024;
/** So much more than after the last time is worth a pause of the collector. */
const WORTH_BYTES = 64 * 1024 * 1024;

/** What is looked at, and what is done. */
export interface TrimGate {
  /** Bytes that are resident. */
  rss(): number;
  /** Collects everything. */
  collect(): void;
}

/** Decides when to collect. A class because it remembers. */
export class MemoryTrim {
  readonly #gate: TrimGate;
  #after: number;
  #last: number;
  #steadyLooks = 0;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    this.#after = gate.rss();
    this.#last = this.#after;
  }

  look(): void {
    const rss = this.#gate.rss();
    this.#steadyLooks = rss <= this.#last + STEADY_BYTES ? this.#steadyLooks + 1 : 0;
    this.#last = rss;
    if (rss < this.#after) this.#after = rss;
    if (this.#steadyLooks < STEADY_LOOKS || rss < this.#after + WORTH_BYTES) return;
    this.#gate.collect();
    this.#steadyLooks = 0;
    // What is left is held: it is not collected for once more.
    this.#after = this.#gate.rss();
    this.#last = this.#after;
  }
}

/** The collector, which V8 shows to those who ask. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Looks from now on, as long as the process lives. */
export function trimMemory(): void {
  const trim = new MemoryTrim({ rss: () => process.memoryUsage.rss(), collect: collector() });
  setInterval(() => trim.look(), LOOK_MS).unref();
}
