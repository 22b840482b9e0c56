/**
 * Lets V8 spend on a node while that works, and only then. V8 enlarges the young generation by what
 * survives in all, to 32 MiB in the end, and its optimizing compiler takes a fifth of the processor
 * for code that runs a few times: also in a node that starts and has nothing to do.
 */
import { setFlagsFromString } from "node:v8";

/** How often the process is examined. */
const LOOK_MS = 500;
/** A process that uses this much of one core works: collections should be few. */
const BUSY_CORES = 0.2;
/** It has to at this many looks on end: single bursts of work are no load. */
const BUSY_LOOKS = 2;
/**
 * By how much the young generation grows, and after how many bytes of bytecode it is asked whether
 * a function is worth optimizing. V8's own while a node works.
 */
const WORKING = { growth: 2, budget: 66 * 1_024 };
const THRIFTY = { growth: 1, budget: 500_000 };

const US_PER_MS = 1_000;

/** What is examined, and what is done. */
export interface Engine {
  /** Microseconds of CPU time that the process has had. */
  cpuUs(): number;
  /** Milliseconds of a steady clock. */
  nowMs(): number;
  set(effort: Effort): void;
}

type Effort = typeof WORKING;

const THIS_PROCESS: Engine = {
  cpuUs() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  nowMs: () => performance.now(),
  set({ growth, budget }) {
    setFlagsFromString(`--semi-space-growth-factor=${growth}`);
    setFlagsFromString(`--interrupt-budget=${budget}`);
  },
};

/** Thrifty at first. A class because it remembers the last look. */
export class EngineThrift {
  readonly #engine: Engine;
  #cpuUs: number;
  #atMs: number;
  #effort = THRIFTY;
  #busyLooks = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#cpuUs = engine.cpuUs();
    this.#atMs = engine.nowMs();
    engine.set(this.#effort);
  }

  look(): void {
    const cpuUs = this.#engine.cpuUs();
    const atMs = this.#engine.nowMs();
    const cores = (cpuUs - this.#cpuUs) / US_PER_MS / Math.max(1, atMs - this.#atMs);
    this.#cpuUs = cpuUs;
    this.#atMs = atMs;
    this.#busyLooks = cores >= BUSY_CORES ? this.#busyLooks + 1 : 0;
    const effort = this.#busyLooks >= BUSY_LOOKS ? WORKING : THRIFTY;
    if (effort === this.#effort) return;
    this.#effort = effort;
    this.#engine.set(effort);
  }
}

/**
 * Keeps the engine thrifty while the process starts: to be called before its modules are loaded.
 *
 * @returns to be called when it runs: from then on the engine may spend with the work
 */
export function keepEngineThrifty(): () => void {
  const thrift = new EngineThrift(THIS_PROCESS);
  return () => {
    thrift.look();
    setInterval(() => thrift.look(), LOOK_MS).unref();
  };
}
