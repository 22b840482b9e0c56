/**
 * Gives memory back during a burst and after it. V8 counts what lies outside its heap, and begins
 * to collect when more is wanted, in steps that come as its heap grows: buffers that nobody holds
 * heap up meanwhile, those of a burst that is over stay until the next one, and pages that were
 * full keep their place.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { trimAllocator } from "./allocator-trim.ts";
import { BURST_BYTES } from "./burst.ts";

/** How often the process is examined. */
const LOOK_MS = 1_000;
const MIB = 1024 * 1024;
/** That much more outside the heap than is held is worth a pause in the midst of a burst. */
const LOOSE_BYTES = 64 * MIB;
const LOOSE_LOOKS = 5;
/** That much more than there ever was at least is worth one now and then: it may be dropped. */
const LARGE_BYTES = 32 * MIB;
const LARGE_LOOKS = 30;
/** After so much was collected, what is left lies in few pages: the next one frees others. */
const FREED_BYTES = 32 * MIB;
/** However long one takes: memory that nobody collects is what an attacker wants. */
const MOST_LOOKS = 60;
/** For these two it rests a part of the time that it does otherwise. */
const BURST_SHARE = 4;
const LEAST_REST = 10;
/** Pauses take at most this part of the time; four times it where clients hold and drop much. */
const MOST_SHARE = 0.0025;

/** Bytes. */
interface Sizes {
  /** In the heap. */
  readonly inside: number;
  /** Outside it, beyond what clients are known to hold. */
  readonly outside: number;
  /** What they hold. */
  readonly held: number;
}

interface TrimGate {
  /** Of objects that nobody holds any more too. */
  sizes(): Sizes;
  /**
   * Collects everything.
   * @param isThorough gives back what the heap has grown by as well, which takes several times as
   *   long
   * @param done called at once or later, with the milliseconds it took
   */
  collect(isThorough: boolean, done: (tookMs: number) => void): void;
}

/** Decides when to collect. A class because it remembers. */
export class MemoryTrim {
  readonly #gate: TrimGate;
  /** Least that there ever was, in all. */
  #least: number;
  /** At most what lives outside beyond that: the least since the last collection. */
  #outside: number;
  #rested = 0;
  /** Most that clients held since the last collection. */
  #burst = 0;
  /** A burst was not followed by a thorough one yet. */
  #isOwed = false;
  /** Infinite while one is at work. */
  #wait = LARGE_LOOKS;
  /** What there was at the last collection, until what is left is seen. */
  #before: number | undefined;
  #hasFreed = false;
  /** The last collection followed another for that. */
  #wasAgain = false;

  constructor(gate: TrimGate) {
    this.#gate = gate;
    const { inside, outside } = gate.sizes();
    this.#outside = outside;
    this.#least = inside + outside;
  }

  look(): void {
    this.#rested += 1;
    const { inside, outside, held } = this.#gate.sizes();
    this.#burst = Math.max(this.#burst, held);
    this.#least = Math.min(this.#least, inside + outside);
    this.#outside = Math.min(this.#outside, outside);
    const isLarge = inside + outside > this.#least + LARGE_BYTES && this.#rested >= this.#wait;
    const isLoose = outside > this.#outside + LOOSE_BYTES && this.#rested >= LOOSE_LOOKS;
    // Of some that were collected that is known a turn later.
    if (this.#before !== undefined)
      this.#hasFreed = this.#before - inside - outside > FREED_BYTES && !this.#wasAgain;
    this.#before = undefined;
    const rest = Math.max(LEAST_REST, this.#wait / BURST_SHARE);
    const isAgain = this.#hasFreed && this.#rested >= rest;
    const isBurst = this.#burst > BURST_BYTES;
    if (isBurst) this.#isOwed = true;
    const isOver = isBurst && held < this.#burst / 4;
    // It is a long pause: not while clients hold much.
    const isThorough = this.#isOwed && held <= BURST_BYTES / 4;
    const isEnd = isAgain || ((isOver || isThorough) && this.#rested >= rest);
    if (!isEnd && (!(isLarge || isLoose) || this.#wait === Infinity)) return;
    this.#before = inside + outside;
    this.#wasAgain = isAgain;
    this.#collect(isThorough && isEnd);
  }

  #collect(isThorough: boolean): void {
    if (isThorough) this.#isOwed = false;
    this.#wait = Infinity;
    this.#gate.collect(isThorough, (tookMs) => {
      this.#rested = 0;
      this.#burst = 0;
      const rest = tookMs / MOST_SHARE / LOOK_MS;
      this.#wait = Math.min(Math.max(LARGE_LOOKS, rest), MOST_LOOKS);
      this.#outside = this.#gate.sizes().outside;
    });
  }
}

/** The collector, which V8 shows to those who ask. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/**
 * As V8 collects when the system is short of memory, at the end of the turn. A session of this kind
 * opens no port.
 * @returns false where Node was built without it
 */
function collectThoroughly(done: () => void): boolean {
  try {
    // Most nodes never need it.
    const session = new (process.getBuiltinModule("node:inspector").Session)();
    session.connect();
    session.post("HeapProfiler.collectGarbage", () => {
      done();
      // V8 calls back while it holds what ending the session waits for.
      setImmediate(() => session.disconnect());
    });
    return true;
  } catch {
    return false;
  }
}

/** What a process has, in bytes: a part of what Node tells. */
type Usage = Pick<NodeJS.MemoryUsage, "heapUsed" | "external" | "arrayBuffers">;

/**
 * What is examined. Shared buffers are no part of what V8 counts as external: it would never
 * collect for them.
 */
export function sizesOf({ heapUsed, external, arrayBuffers }: Usage, held: number): Sizes {
  const outside = Math.max(0, Math.max(external, arrayBuffers) - held);
  return { inside: heapUsed, outside, held };
}

/** Looks from now on, as long as the process lives. @param heldBytes what clients hold */
export function trimMemory(heldBytes: () => number, lookMs = LOOK_MS): void {
  const collect = collector();
  const trim = new MemoryTrim({
    sizes: () => sizesOf(process.memoryUsage(), heldBytes()),
    collect(isThorough, done) {
      const start = performance.now();
      const end = (): void => done(performance.now() - start);
      if (isThorough && collectThoroughly(end)) return;
      collect();
      end();
    },
  });
  setInterval(() => trim.look(), lookMs).unref();
  trimAllocator(heldBytes);
}
