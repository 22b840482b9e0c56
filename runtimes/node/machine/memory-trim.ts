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
/**
 * So much more than was held is worth a pause of the collector when the last one is so many looks
 * ago: outside the heap in the midst of a burst, and all in all.
 */
const LOOSE_OUTSIDE = { bytes: 64 * MIB, looks: 5 };
const LOOSE = { bytes: 32 * MIB, looks: 30 };

/** What is looked at, and what is done. */
export interface TrimGate {
  /** Bytes in the heap and outside it, of objects that nobody holds any more too. */
  sizes(): { readonly inside: number; readonly outside: number };
  /** Collects everything. */
  collect(): void;
}

/** Decides when to collect. A class because it remembers. */
export class MemoryTrim {
  readonly #gate: TrimGate;
  /** At most what is held: the least that was seen since the last collection. */
  #held: ReturnType<TrimGate["sizes"]>;
  #rested = 0;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    this.#held = gate.sizes();
  }

  look(): void {
    this.#rested += 1;
    const { inside, outside } = this.#gate.sizes();
    this.#held = {
      inside: Math.min(this.#held.inside, inside),
      outside: Math.min(this.#held.outside, outside),
    };
    const looseOutside = outside - this.#held.outside;
    const loose = inside - this.#held.inside + looseOutside;
    if (!this.#isWorth(loose, LOOSE) && !this.#isWorth(looseOutside, LOOSE_OUTSIDE)) return;
    this.#gate.collect();
    this.#rested = 0;
    // What is left is held: it is not collected for once more.
    this.#held = this.#gate.sizes();
  }

  #isWorth(loose: number, { bytes, looks }: typeof LOOSE): boolean {
    return loose > bytes && this.#rested >= looks;
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
