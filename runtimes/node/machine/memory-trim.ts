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
/** So much more than there once was, or than was held, is worth a pause of the collector. */
const WORTH_BYTES = 64 * 1024 * 1024;
/** Looks between two collections for what lies outside the heap, in the midst of a burst too. */
const LOOSE_LOOKS = 5;
/** Looks between two collections for a process that is large: after one that gained much, ... */
const FEW_LOOKS = 30;
/** ... and at most: each that gained little doubles them. */
const MOST_LOOKS = 480;

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
  /** Least that was ever resident. */
  #least: number;
  /** Resident after the last collection. */
  #last: number;
  #held: number;
  #rested = 0;
  #wait = FEW_LOOKS;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    this.#least = gate.rss();
    this.#last = this.#least;
    this.#held = gate.external();
  }

  look(): void {
    this.#rested += 1;
    const [rss, external] = [this.#gate.rss(), this.#gate.external()];
    this.#least = Math.min(this.#least, rss);
    this.#held = Math.min(this.#held, external);
    // It does what it did not do before the last collection.
    if (rss >= this.#last + WORTH_BYTES) this.#wait = FEW_LOOKS;
    const isLoose = external > this.#held + WORTH_BYTES && this.#rested >= LOOSE_LOOKS;
    const isLarge = rss >= this.#least + WORTH_BYTES && this.#rested >= this.#wait;
    if (isLoose || isLarge) this.#collect(rss);
  }

  #collect(before: number): void {
    this.#gate.collect();
    this.#rested = 0;
    this.#last = this.#gate.rss();
    // What is left is held: it is not collected for once more.
    this.#held = this.#gate.external();
    const isWorth = before >= this.#last + WORTH_BYTES;
    this.#wait = isWorth ? FEW_LOOKS : Math.min(2 * this.#wait, MOST_LOOKS);
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
