/**
 * Watches how long the main thread works at a stretch, while nobody else has a turn: a caller that
 * asks for this much is named in the log, in production too.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { ObserveCall } from "../../../core/rpc/dispatch.ts";

/** A stretch from here on is told. */
export const LONG_TURN_MS = 50;
/** It is looked so often. */
const TICK_MS = 10;
/** This many of them are kept. */
const MOST_PAUSES = 256;
/** By then the engine has told of a pause. */
const PAUSES_TOLD_MS = 100;
const NS_PER_MS = 1_000_000;
/** A minute in pieces. */
const RECENT_PIECES = 6;
const RECENT_PIECE_MS = 10_000;
/** Names of requests in one line of the log. */
const MOST_NAMES = 8;
const NONE_ASKED: readonly string[] = [];

/** When the garbage collector held the main thread up, and for how long, in milliseconds. */
interface Pause {
  readonly startTime: number;
  readonly duration: number;
}

/** The time of pauses that began in a stretch, in milliseconds. */
export function collectingIn(pauses: readonly Pause[], began: number, ended: number): number {
  const own = pauses.filter(({ startTime }) => startTime >= began && startTime < ended);
  return own.reduce((sum, { duration }) => sum + duration, 0);
}

/**
 * How long the main thread worked at a stretch, at least: in milliseconds, as all of what is known.
 * @param passed on the wall between two looks
 * @param cpu in which it had a processor
 * @param collecting in which it waited for the garbage collector
 */
export function turnOf(passed: number, cpu: number, collecting = 0): number {
  return Math.max(0, Math.min(passed - TICK_MS, cpu) - collecting);
}

/** The greatest value of the last minute, by pieces of it; asking changes nothing. */
export class RecentMost {
  readonly #most = new Array<number>(RECENT_PIECES).fill(0);
  #piece = 0;

  /** @param now milliseconds */
  note(value: number, now: number): void {
    this.#moveTo(now);
    const at = this.#piece % RECENT_PIECES;
    this.#most[at] = Math.max(this.#most[at] ?? 0, value);
  }

  /** Whether noting the value would change anything; `now` in milliseconds. */
  wouldKeep(value: number, now: number): boolean {
    this.#moveTo(now);
    return value > (this.#most[this.#piece % RECENT_PIECES] ?? 0);
  }

  /** @param now milliseconds */
  at(now: number): number {
    this.#moveTo(now);
    return Math.max(...this.#most);
  }

  #moveTo(now: number): void {
    const piece = Math.floor(now / RECENT_PIECE_MS);
    const passed = Math.min(piece - this.#piece, RECENT_PIECES);
    for (let i = 1; i <= passed; i++) this.#most[(this.#piece + i) % RECENT_PIECES] = 0;
    this.#piece = Math.max(piece, this.#piece);
  }
}

/** Processor time of this thread in milliseconds; undefined where the system does not tell. */
function openCpuTime(): { read(): number | undefined; close(): void } {
  try {
    // The main thread has the number of the process.
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    const room = Buffer.alloc(64);
    const read = (): number => {
      const bytes = readSync(file, room, 0, room.length, 0);
      return Number(room.toString("latin1", 0, bytes).split(" ", 1)[0]) / NS_PER_MS;
    };
    return { read, close: () => closeSync(file) };
  } catch {
    return { read: () => undefined, close: () => undefined };
  }
}

/** The watch of a process. A class because it owns a timer. */
export class TurnWatch {
  readonly #log: Log;
  readonly #gate: LogThrottle<"turn">;
  readonly #asked = new Map<string, number>();
  readonly #collector: PerformanceObserver;
  readonly #timer: NodeJS.Timeout;
  readonly #cpuTime = openCpuTime();
  #pauses: readonly Pause[] = [];
  #at = performance.now();
  #cpu = this.#cpuTime.read();
  #long = 0;
  readonly #longest = new RecentMost();
  #onDelay: ((ms: number) => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#gate = new LogThrottle(clock);
    this.#collector = new PerformanceObserver((list) => {
      this.#pauses = [...this.#pauses, ...list.getEntries()].slice(-MOST_PAUSES);
    });
    this.#collector.observe({ entryTypes: ["gc"] });
    this.#timer = setInterval(() => this.#look(), TICK_MS);
    this.#timer.unref();
  }

  /** Reports each request as it begins. */
  observing(inner: ObserveCall | undefined): ObserveCall {
    return (method) => {
      this.#asked.set(method, (this.#asked.get(method) ?? 0) + 1);
      return inner?.(method) ?? (() => undefined);
    };
  }

  /**
   * Stretches from {@link LONG_TURN_MS} on since the start; the longest of the last minute or so,
   * in milliseconds, whoever asks.
   */
  counters() {
    return { long: this.#long, longest: this.#longest.at(performance.now()) };
  }

  /** From now on each look tells by how many milliseconds it came late. */
  onDelay(listener: (ms: number) => void): void {
    this.#onDelay = listener;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#collector.disconnect();
    this.#cpuTime.close();
  }

  #look(): void {
    const now = performance.now();
    const cpu = this.#cpuTime.read();
    const began = this.#at;
    const passed = now - began;
    const used = cpu === undefined || this.#cpu === undefined ? passed : cpu - this.#cpu;
    [this.#at, this.#cpu] = [now, cpu];
    const names = this.#takeNames();
    this.#onDelay?.(Math.max(0, passed - TICK_MS));
    const most = turnOf(passed, used);
    // Most looks find nothing new: they look no further, a hundred times a second.
    if (!this.#longest.wouldKeep(most, now) && most < LONG_TURN_MS) return;
    const judge = () => {
      const collecting = collectingIn(this.#pauses, began, now);
      const turn = turnOf(passed, used, collecting);
      this.#longest.note(turn, now);
      if (turn >= LONG_TURN_MS) this.#tell(turn, collecting, names);
    };
    // The engine reports its pauses in turns to come.
    if (most < LONG_TURN_MS) judge();
    else setTimeout(judge, PAUSES_TOLD_MS).unref();
  }

  /** What was asked since the last look. */
  #takeNames(): readonly string[] {
    if (this.#asked.size === 0) return NONE_ASKED;
    const names = [...this.#asked].map(([name, count]) => `${name} x${count}`);
    this.#asked.clear();
    return names;
  }

  /** @param names requests that began in the turn */
  #tell(turn: number, collecting: number, names: readonly string[]): void {
    this.#long += 1;
    if (!this.#gate.allows("turn")) return;
    const began = names.slice(0, MOST_NAMES).join(", ");
    this.#log.write("warning", "the main thread worked too long at a stretch", {
      ms: Math.round(turn),
      collectingMs: Math.round(collecting),
      requests: began === "" ? "none: work for the chain, or for what was asked before" : began,
    });
  }
}
