/** Memory and CPU of processes of this machine, found by patterns. Source: benchmark 7 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { type ChartOptions, LookLoop, type Monitor, reasonOf, Warnings } from "./monitor.ts";
import type { ProcessName, ProcessSource, ProcessUse } from "./process-list.ts";
import { UsageTable } from "./usage-table.ts";

/** One row of the table. */
export interface ProcessPattern {
  /** Regular expression on the process's name, as it is in the file. */
  readonly command: string;
  /** Regular expression on its arguments; empty hits all. */
  readonly arguments: string;
  /** What is shown of several processes. */
  readonly multiOutput: "avg" | "sum";
}

/** What a process monitor is made with. */
export interface ProcessMonitorOptions {
  readonly patterns: readonly ProcessPattern[];
  readonly intervalMs: number;
  readonly charts: readonly ChartOptions[];
  readonly clock: BenchClock;
  /** Undefined where this machine reports nothing of its processes. */
  readonly source: ProcessSource | undefined;
}

/** New processes are looked for this often, however short the interval: it reads all names. */
const SEARCH_MS = 1_000;

/** `<command> <arguments>(<avg or sum>)`. Source: benchmark 7 */
function patternRow({ command, arguments: rest, multiOutput }: ProcessPattern): string {
  return `${command} ${rest}(${multiOutput})`;
}

interface LookedAt {
  readonly row: string;
  readonly pattern: ProcessPattern;
  readonly command: RegExp;
  readonly rest: RegExp;
  pids: number[];
  ended: number;
}

function isHit({ command, rest }: LookedAt, found: ProcessName): boolean {
  return found.names.some((name) => command.test(name)) && rest.test(found.arguments);
}

/** A monitor of processes. CPU is of one core: two busy cores are 200 %. */
export class ProcessMonitor implements Monitor {
  readonly #options: ProcessMonitorOptions;
  readonly #warnings = new Warnings();
  readonly #rows: readonly LookedAt[];
  readonly #table: UsageTable;
  readonly #loop: LookLoop;
  readonly #before = new Map<number, { atMs: number; use: ProcessUse }>();
  #startMs = 0;
  #searchedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProcessMonitorOptions) {
    this.#options = options;
    this.#rows = options.patterns.map((pattern) => ({
      row: patternRow(pattern),
      pattern,
      command: new RegExp(pattern.command),
      rest: new RegExp(pattern.arguments),
      pids: [],
      ended: 0,
    }));
    this.#table = new UsageTable(this.#rows.map(({ row }) => row));
    this.#loop = new LookLoop(options.clock, options.intervalMs, () => this.#look());
  }

  async start(): Promise<void> {
    this.#startMs = this.#options.clock.now();
    await this.#loop.start();
  }

  async stop() {
    await this.#loop.stop();
    for (const looked of this.#rows) this.#remark(looked);
    return this.#table.result({ type: "process", charts: this.#options.charts }, this.#warnings);
  }

  #remark({ row, pattern, ended }: LookedAt): void {
    const { command, arguments: rest } = pattern;
    const what = `command /${command}/${rest === "" ? "" : ` with arguments /${rest}/`}`;
    if (this.#options.source !== undefined && !this.#table.isSeen(row))
      this.#warnings.add(`no process matches ${what}: its row is empty`);
    if (ended > 0) this.#warnings.add(`${ended} of the processes of ${what} ended in the round`);
  }

  async #look(): Promise<void> {
    const { source, clock } = this.#options;
    if (source === undefined) {
      this.#warnings.add(`processes cannot be examined on ${process.platform}`);
      return;
    }
    try {
      if (clock.now() - this.#searchedMs >= SEARCH_MS) await this.#search(source);
      const uses = await source.use([...new Set(this.#rows.flatMap(({ pids }) => pids))]);
      this.#record(uses, clock.now());
    } catch (error) {
      this.#warnings.add(`processes cannot be examined: ${reasonOf(error)}`);
    }
  }

  async #search(source: ProcessSource): Promise<void> {
    this.#searchedMs = this.#options.clock.now();
    const found = await source.list();
    for (const looked of this.#rows)
      looked.pids = found.filter((one) => isHit(looked, one)).map(({ pid }) => pid);
  }

  #record(uses: ReadonlyMap<number, ProcessUse>, nowMs: number): void {
    const atMs = nowMs - this.#startMs;
    const cpu = new Map<number, number>();
    for (const [pid, use] of uses) {
      const before = this.#before.get(pid);
      // The first one has nothing to be compared with, and is dropped.
      if (before && nowMs > before.atMs)
        cpu.set(pid, (100 * (use.cpuMs - before.use.cpuMs)) / (nowMs - before.atMs));
      this.#before.set(pid, { atMs: nowMs, use });
    }
    for (const looked of this.#rows) {
      const living = looked.pids.filter((pid) => uses.has(pid));
      looked.ended += looked.pids.length - living.length;
      looked.pids = living;
      const memory = living.map((pid) => uses.get(pid)?.memoryBytes ?? 0);
      this.#add(looked, "memory", atMs, memory);
      this.#add(
        looked,
        "cpu",
        atMs,
        living.flatMap((pid) => cpu.get(pid) ?? []),
      );
    }
  }

  #add(looked: LookedAt, kind: "memory" | "cpu", atMs: number, values: readonly number[]): void {
    if (values.length === 0) return;
    const sum = values.reduce((total, value) => total + value, 0);
    const isAverage = looked.pattern.multiOutput === "avg";
    this.#table.add(looked.row, kind, atMs, isAverage ? sum / values.length : sum);
  }
}
