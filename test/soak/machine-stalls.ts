/**
 * Stretches in which a processor ran nothing: a virtual machine stands still now and
 * then, and the scheduler counts that as work of whichever thread had the processor. A process
 * that goes before all others looks at a clock on each processor; only what stops the processor
 * itself makes it late.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { createInterface } from "node:readline";

/** A look comes so often. */
const LOOK_MS = 5;
/** It is told when it comes so late. */
const STALL_MS = 20;
/** Goes before all that have no such priority. */
const PRIORITY = ["chrt", "--fifo", "50"];

/** Tells when a look came, and how many milliseconds late. */
const LOOKS = `let at = performance.now();
console.log(Date.now(), 0);
setInterval(() => {
  const now = performance.now();
  const late = now - at - ${LOOK_MS};
  at = now;
  if (late >= ${STALL_MS}) console.log(Date.now(), late);
}, ${LOOK_MS});`;

/** A stretch in which a processor ran nothing. */
interface Stall {
  /** Its end, in milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
}

/** Looks at each processor until it is closed. */
export class MachineStalls {
  readonly #looks: readonly ChildProcess[];
  readonly #seen: Stall[] = [];

  private constructor(looks: readonly ChildProcess[]) {
    this.#looks = looks;
  }

  /** @throws Error where no process may go before others, or `taskset` or `chrt` is missing */
  static async start(): Promise<MachineStalls> {
    const looks = cpus().map((_, index) => {
      const args = ["--cpu-list", `${index}`, ...PRIORITY, process.execPath, "-e", LOOKS];
      return spawn("taskset", args, { stdio: ["ignore", "pipe", "inherit"] });
    });
    const stalls = new MachineStalls(looks);
    await Promise.all(looks.map((look) => stalls.#listen(look)));
    return stalls;
  }

  async #listen(look: ChildProcess): Promise<void> {
    assert.ok(look.stdout);
    const lines = createInterface(look.stdout);
    lines.on("line", (line) => {
      const [at = 0, ms = 0] = line.split(" ").map(Number);
      if (ms > 0) this.#seen.push({ at, ms });
    });
    const ended = once(look, "exit").then(([code]) => {
      throw new Error(`taskset and chrt ended with ${String(code)}: nothing looks at processors`);
    });
    await Promise.race([once(lines, "line"), ended]);
    ended.catch(() => undefined);
  }

  /** The longest that ended in a time, in milliseconds. */
  longestIn(from: number, to: number): number {
    const own = this.#seen.filter(({ at }) => at >= from && at <= to);
    return Math.max(0, ...own.map(({ ms }) => ms));
  }

  /** How many there were, and the longest. */
  get figures(): { readonly count: number; readonly mostMs: number } {
    return { count: this.#seen.length, mostMs: Math.round(this.longestIn(0, Infinity)) };
  }

  close(): void {
    for (const look of this.#looks) look.kill("SIGKILL");
  }
}
