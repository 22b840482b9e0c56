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
const MIB = 1024 * 1024;
/** So much more outside the heap than was held is worth a pause in the midst of a burst. */
const LOOSE_BYTES = 64 * MIB;
const LOOSE_LOOKS = 5;
/** So much more than there ever was at least is worth one now and then. */
const LARGE_BYTES = 32 * MIB;
/** Looks between two of them: after one that gained that much, ... */
const FEW_LOOKS = 30;
/** ... and at most: each that gained less doubles them. */
const MOST_LOOKS = 480;

/** What is looked at, and what is done. */
export interface TrimGate {
  /** Bytes in the heap and outside it, of objects that nobody holds any more too. */
  sizes(): Sizes;
  /** Collects everything. */
  collect(): void;
}

interface Sizes {
  readonly inside: number;
  readonly outside: number;
}

const allOf = ({ inside, outside }: Sizes): number => inside + outside;

/** Decides when to collect. A class because it remembers. */
export class MemoryTrim {
  readonly #gate: TrimGate;
  /** Least that there ever was. */
  #least: number;
  /** At most what was held after the last collection: it may have been let go of since. */
  #held: Sizes;
  #rested = 0;
  #wait = FEW_LOOKS;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    this.#held = gate.sizes();
    this.#least = allOf(this.#held);
  }

  look(): void {
    this.#rested += 1;
    const now = this.#gate.sizes();
    this.#least = Math.min(this.#least, allOf(now));
    this.#held = {
      inside: Math.min(this.#held.inside, now.inside),
      outside: Math.min(this.#held.outside, now.outside),
    };
    if (allOf(now) > allOf(this.#held) + LARGE_BYTES) this.#wait = FEW_LOOKS;
    const isLarge = allOf(now) > this.#least + LARGE_BYTES && this.#rested >= this.#wait;
    const isLoose = now.outside > this.#held.outside + LOOSE_BYTES && this.#rested >= LOOSE_LOOKS;
    if (isLarge || isLoose) this.#collect(now);
  }

  #collect(before: Sizes): void {
    this.#gate.collect();
    this.#rested = 0;
    this.#held = this.#gate.sizes();
    const isGain = allOf(before) > allOf(this.#held) + LARGE_BYTES;
    this.#wait = isGain ? FEW_LOOKS : Math.min(2 * this.#wait, MOST_LOOKS);
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
    sizes() {
      const { heapUsed: inside, external: outside } = process.memoryUsage();
      return { inside, outside };
    },
    collect: collector(),
  });
  setInterval(() => trim.look(), LOOK_MS).unref();
}
