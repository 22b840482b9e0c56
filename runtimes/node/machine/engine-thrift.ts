/**
 * Has V8 spend less than it would on a node. It enlarges the young generation by what survives in
 * all, to 32 MiB in the end, also in a node that has nothing to do: here only while one works.
 * While a node starts, its optimizing compiler would take a fifth of the processor for code that
 * runs a few times. While clients hold much, memory is what there is least of.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { Burst } from "./burst.ts";

/** How often the process is examined. */
const LOOK_MS = 500;
/** A process that uses this much of one core works: collections should be few. */
const BUSY_CORES = 0.2;
/** It has to at this many looks on end: single bursts of work are no load. */
const BUSY_LOOKS = 2;
/**
 * From here on work waits for collections: the young generation may be as large as it gets. Not at
 * once: it may be that clients soon hold much.
 */
const FULL_CORES = 0.7;
const FULL_LOOKS = 10;
/**
 * Of both halves of the young generation: from here on it is enough for less. It may double twice
 * before the next look.
 */
const YOUNG_BYTES = 6 * 1024 * 1024;

/** What V8 may spend. */
export interface Effort {
  /** Factor by which the young generations of all threads grow when much survives. */
  readonly growth: 1 | 2;
  /**
   * By how many percent the old generation may outgrow what lives in it; 0 for V8's own choice. By
   * that it is up to four times, and a node at a steady load grows for hours although nothing
   * leaks.
   */
  readonly oldGrowth: number;
}

/**
 * After this many bytes of bytecode V8 asks whether a function is worth optimizing; that of Node 20
 * once a node runs. A function keeps the budget that it had when it first ran until that is used
 * up: a node that was thrifty until there was work took 15 % longer for its first 20,000 reads.
 */
const BUDGET = { starting: 500_000, running: 66 * 1_024 };
/** Where clients hold much, collections cost less than what they give back. */
const OLD_GROWTH = { starting: 0, usual: 40, crowded: 15 };

/**
 * Bytes of bytecode that an optimized function may take in from those that it calls, half of what
 * Node 20 allows. A quarter of a node's processor went into optimizing, most of it into the same
 * functions once more for each caller. Code is as fast with half of it, and a transaction takes 7 %
 * less processor in the first seconds, 4 % less in the first minute.
 */
const INLINED_BYTECODE = 460;

const US_PER_MS = 1_000;

/** What is examined, and what is done. */
export interface Engine {
  /** Microseconds of CPU time that the process has had. */
  cpuUs(): number;
  /** Milliseconds of a steady clock. */
  nowMs(): number;
  /** Bytes that clients hold. */
  heldBytes(): number;
  /** Bytes of both halves of this thread's young generation. */
  youngBytes(): number;
  set(effort: Effort): void;
  /** @param bytes of bytecode after which a function may be optimized */
  setBudget(bytes: number): void;
}

const THIS_PROCESS: Omit<Engine, "heldBytes"> = {
  cpuUs() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  nowMs: () => performance.now(),
  youngBytes() {
    const spaces = getHeapSpaceStatistics();
    return spaces.find(({ space_name: name }) => name === "new_space")?.physical_space_size ?? 0;
  },
  set({ growth, oldGrowth }) {
    setFlagsFromString(`--semi-space-growth-factor=${growth}`);
    setFlagsFromString(`--heap-growing-percent=${oldGrowth}`);
  },
  setBudget: (bytes) => setFlagsFromString(`--interrupt-budget=${bytes}`),
};

/** Thrifty at first. A class because it remembers the last look. */
export class EngineThrift {
  readonly #engine: Engine;
  #cpuUs: number;
  #atMs: number;
  #effort: Effort = { growth: 1, oldGrowth: OLD_GROWTH.starting };
  /** How many looks on end it has worked, and without a pause. */
  #busyLooks = 0;
  #fullLooks = 0;
  readonly #burst = new Burst();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#cpuUs = engine.cpuUs();
    this.#atMs = engine.nowMs();
    engine.set(this.#effort);
    engine.setBudget(BUDGET.starting);
  }

  /** The node has started. */
  run(): void {
    this.#engine.setBudget(BUDGET.running);
    this.look();
  }

  look(): void {
    const cpuUs = this.#engine.cpuUs();
    const atMs = this.#engine.nowMs();
    const cores = (cpuUs - this.#cpuUs) / US_PER_MS / Math.max(1, atMs - this.#atMs);
    this.#cpuUs = cpuUs;
    this.#atMs = atMs;
    this.#busyLooks = cores >= BUSY_CORES ? this.#busyLooks + 1 : 0;
    this.#fullLooks = cores >= FULL_CORES ? this.#fullLooks + 1 : 0;
    this.#set(this.#burst.look(this.#engine.heldBytes()));
  }

  #set(isCrowded: boolean): void {
    const isBusy = isCrowded || this.#busyLooks >= BUSY_LOOKS;
    const mayGrow = !isCrowded && this.#fullLooks >= FULL_LOOKS;
    const growth = isBusy && (mayGrow || this.#engine.youngBytes() < YOUNG_BYTES) ? 2 : 1;
    const oldGrowth = isCrowded ? OLD_GROWTH.crowded : OLD_GROWTH.usual;
    const { growth: before, oldGrowth: lastGrowth } = this.#effort;
    if (growth === before && oldGrowth === lastGrowth) return;
    this.#effort = { growth, oldGrowth };
    this.#engine.set(this.#effort);
  }
}

/** Has the optimizing compiler do less from now on, in all threads. */
export function inlineLess(): void {
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTECODE}`);
}

/**
 * Keeps the engine thrifty while the process starts: to be called before its modules are loaded.
 * @returns to be called when it runs, with what tells the bytes that clients hold: from then on the
 *   engine may spend with the work
 */
export function keepEngineThrifty(): (heldBytes: () => number) => void {
  inlineLess();
  let held = (): number => 0;
  const thrift = new EngineThrift({ ...THIS_PROCESS, heldBytes: () => held() });
  return (heldBytes) => {
    held = heldBytes;
    thrift.run();
    setInterval(() => thrift.look(), LOOK_MS).unref();
  };
}
