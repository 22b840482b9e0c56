/**
 * Gives memory back during a burst and after it. V8 counts what lies outside its heap, and begins
 * to collect when more is wanted, in steps that come as its heap grows: buffers that nobody holds
 * heap up meanwhile, those of a burst that is over stay until the next one, and pages that were
 * full keep their place.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often the process is looked at. */
const LOOK_MS = 1_000;
/** Every so many looks it is seen whether it grows. */
const GROWTH_LOOKS = 5;
/** At most every so many looks it is collected for. */
const REST_LOOKS = 5;
/** So much outside the heap beyond what was held is worth a pause, in the midst of a burst too. */
const LOOSE_BYTES = 64 * 1024 * 1024;
/** A burst is over when it has not grown so often on end. */
const STEADY_LOOKS = 3;
/** It grows by less when it does what it always does. */
const STEADY_BYTES = 4 * 1024 * 1024;
/** So much more than after the last time is worth a pause of the collector. */
const WORTH_BYTES = 64 * 1024 * 1024;

/** What is looked at, and what is done. */
export interface TrimGate {
  /** Bytes that are resident. */
  rss(): number;
  /** Bytes outside the heap, of objects that nobody holds any more too. */
  external(): number;
  /** Collects everything. */
  collect(): void;
}

/** Decides when to collect. A class because it remembers. */
export class MemoryTrim {
  readonly #gate: TrimGate;
  #after: number;
  #last: number;
  #held: number;
  #looks = 0;
  #steady = 0;
  #rested = 0;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    this.#after = gate.rss();
    this.#last = this.#after;
    this.#held = gate.external();
  }

  look(): void {
    this.#looks += 1;
    this.#rested += 1;
    const external = this.#gate.external();
    this.#held = Math.min(this.#held, external);
    const isLoose = external > this.#held + LOOSE_BYTES && this.#rested >= REST_LOOKS;
    const isOver = this.#looks % GROWTH_LOOKS === 0 && this.#isBurstOver();
    if (!isLoose && !isOver) return;
    this.#gate.collect();
    [this.#steady, this.#rested] = [0, 0];
    // What is left is held: it is not collected for once more.
    this.#last = this.#gate.rss();
    if (isOver) this.#after = this.#last;
    this.#held = this.#gate.external();
  }

  #isBurstOver(): boolean {
    const rss = this.#gate.rss();
    this.#steady = rss <= this.#last + STEADY_BYTES ? this.#steady + 1 : 0;
    this.#last = rss;
    this.#after = Math.min(this.#after, rss);
    return this.#steady >= STEADY_LOOKS && rss >= this.#after + WORTH_BYTES;
  }
}

/** The collector, which V8 shows to those who ask. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** Looks from now on, as long as the process lives. */
export function trimMemory(): void {
  const trim = new MemoryTrim({
    rss: () => process.memoryUsage.rss(),
    external: () => process.memoryUsage().external,
    collect: collector(),
  });
  setInterval(() => trim.look(), LOOK_MS).unref();
}
