/**
 * Lets V8's young generation grow while a node works, and only then. V8 enlarges it by what
 * survives in all, to 32 MiB in the end, also in a node that starts and has nothing to do.
 */
import { setFlagsFromString } from "node:v8";

/** How often the process is looked at. */
const LOOK_MS = 500;
/** A process that uses so much of one core works: collections should be few. */
const BUSY_CORES = 0.2;
/** It has to at so many looks on end: single bursts of work are no load. */
const BUSY_LOOKS = 2;
/** V8's own factor. */
const GROWTH = 2;
const NO_GROWTH = 1;

const US_PER_MS = 1_000;

/** What is looked at, and what is done. */
export interface GrowthGate {
  /** Microseconds of CPU time that the process has had. */
  cpuUs(): number;
  /** Milliseconds of a steady clock. */
  nowMs(): number;
  setFactor(factor: number): void;
}

const THIS_PROCESS: GrowthGate = {
  cpuUs() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  nowMs: () => performance.now(),
  setFactor: (factor) => setFlagsFromString(`--semi-space-growth-factor=${factor}`),
};

/** Opens and closes the gate; shut at first. A class because it remembers the last look. */
export class YoungGeneration {
  readonly #gate: GrowthGate;
  #cpuUs: number;
  #atMs: number;
  #factor = NO_GROWTH;
  #busyLooks = 0;

  constructor(gate: GrowthGate) {
    this.#gate = gate;
    this.#cpuUs = gate.cpuUs();
    this.#atMs = gate.nowMs();
    gate.setFactor(this.#factor);
  }

  look(): void {
    const cpuUs = this.#gate.cpuUs();
    const atMs = this.#gate.nowMs();
    const cores = (cpuUs - this.#cpuUs) / US_PER_MS / Math.max(1, atMs - this.#atMs);
    this.#cpuUs = cpuUs;
    this.#atMs = atMs;
    this.#busyLooks = cores >= BUSY_CORES ? this.#busyLooks + 1 : 0;
    const factor = this.#busyLooks >= BUSY_LOOKS ? GROWTH : NO_GROWTH;
    if (factor === this.#factor) return;
    this.#factor = factor;
    this.#gate.setFactor(factor);
  }
}

/**
 * Keeps the young generation small while the process starts: to be called before its modules are
 * loaded.
 *
 * @returns to be called when it runs: from then on it may grow with the work
 */
export function keepYoungGenerationSmall(): () => void {
  const young = new YoungGeneration(THIS_PROCESS);
  return () => {
    young.look();
    setInterval(() => young.look(), LOOK_MS).unref();
  };
}
