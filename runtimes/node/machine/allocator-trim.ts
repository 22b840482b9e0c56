/**
 * Gives back what the allocator holds free, and keeps what clients send apart from its heap while
 * that is much. glibc returns the end of its heap only: after a burst small pieces that live long
 * lie between large ones that are free, and their pages stay.
 */
import { createRequire } from "node:module";
import { Burst } from "./burst.ts";

/** How often the process is examined. */
const LOOK_MS = 1_000;
const MIB = 1024 * 1024;
/** Looks between two of them at least. */
const LEAST_LOOKS = 10;
/** The process has to have grown or shrunk by this much since the last one. */
const CHANGED_BYTES = 16 * MIB;
/** The allocator's locks are held at most this part of the time. */
const MOST_SHARE = 0.005;
/**
 * Pieces of this length and more get pages of their own, which go when the piece goes. The usual
 * bound is that of a node started by its scripts: from the first one on glibc moves it no more. In
 * a burst what is read of a socket gets them too, which costs a read a tenth more CPU time.
 */
const MAPPED_BYTES = { usual: 128 * 1024, burst: 32 * 1024 };

interface AllocatorGate {
  /** Resident bytes of the process. */
  residentBytes(): number;
  /** Bytes that clients hold. */
  heldBytes(): number;
  /** Gives back what is free, without waiting. @param done hears the milliseconds it took */
  trim(done: (tookMs: number) => void): void;
  /** Pieces of this length and more get pages of their own from now on. */
  mapFrom(bytes: number): void;
}

/** Decides when to do either. A class because it remembers. */
export class AllocatorTrim {
  readonly #gate: AllocatorGate;
  /** Resident after the last one. */
  #resident: number;
  #looks = 0;
  /** Infinite while one is at work. */
  #wait = LEAST_LOOKS;
  readonly #burst = new Burst();
  #isBurst = false;

  constructor(gate: AllocatorGate) {
    this.#gate = gate;
    this.#resident = gate.residentBytes();
  }

  look(): void {
    this.#lookHeld();
    this.#looks += 1;
    const changed = Math.abs(this.#gate.residentBytes() - this.#resident);
    if (this.#looks < this.#wait || changed < CHANGED_BYTES) return;
    this.#wait = Infinity;
    this.#gate.trim((tookMs) => {
      this.#looks = 0;
      this.#wait = Math.max(LEAST_LOOKS, tookMs / MOST_SHARE / LOOK_MS);
      this.#resident = this.#gate.residentBytes();
    });
  }

  #lookHeld(): void {
    const isBurst = this.#burst.look(this.#gate.heldBytes());
    if (isBurst === this.#isBurst) return;
    this.#isBurst = isBurst;
    this.#gate.mapFrom(isBurst ? MAPPED_BYTES.burst : MAPPED_BYTES.usual);
  }
}

/** What is used of glibc. */
interface Allocator {
  /** Begins on a thread of Node's pool. */
  trim(done: () => void): void;
  mapFrom(bytes: number): void;
}

/** As koffi makes a function of a library. */
interface ForeignFunction {
  (...values: readonly number[]): number;
  async(...values: readonly [number, () => void]): void;
}

/** The part of koffi that is used. */
interface ForeignFunctions {
  load(library: string): { func(declaration: string): ForeignFunction };
}

/** Of glibc's `mallopt`. */
const M_MMAP_THRESHOLD = -3;

/** glibc's; undefined with another library, and where koffi is not installed. */
function glibc(): Allocator | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // The part of koffi for this platform: its other packages are for those who do not know that.
    const name = `@koromix/koffi-linux-${process.arch}`;
    const koffi = createRequire(import.meta.url)(name) as ForeignFunctions;
    const library = koffi.load("libc.so.6");
    const trim = library.func("int malloc_trim(size_t pad)");
    const set = library.func("int mallopt(int parameter, int value)");
    return {
      trim: (done) => trim.async(0, done),
      mapFrom: (bytes) => void set(M_MMAP_THRESHOLD, bytes),
    };
  } catch {
    return undefined;
  }
}

/** Looks from now on, as long as the process lives. @param heldBytes of clients */
export function trimAllocator(heldBytes: () => number, lookMs = LOOK_MS): void {
  let found: { readonly allocator: Allocator | undefined } | undefined;
  // A node at rest never needs it.
  const allocator = () => {
    found ??= { allocator: glibc() };
    return found.allocator;
  };
  // Who has set it keeps it.
  const isSet = process.env["MALLOC_MMAP_THRESHOLD_"] !== undefined;
  const trim = new AllocatorTrim({
    residentBytes: () => process.memoryUsage.rss(),
    heldBytes,
    trim(done) {
      const start = performance.now();
      allocator()?.trim(() => done(performance.now() - start));
    },
    mapFrom: (bytes) => isSet || allocator()?.mapFrom(bytes),
  });
  setInterval(() => trim.look(), lookMs).unref();
}
