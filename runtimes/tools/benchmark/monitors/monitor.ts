/** What every monitor is to the manager, and the loop in which most of them look. */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import type { MonitorChart, MonitorResult } from "../../../shared/benchmark/round-result.ts";

/** Examines something for the length of a round. A new one is made for each round. */
export interface Monitor {
  /** Begins to look; what cannot be seen becomes a warning of the result, never an error. */
  start(): Promise<void>;
  stop(): Promise<MonitorResult>;
}

/** Charts of the page that a file asks for. `all` stands for every column. */
export interface ChartOptions {
  readonly kind: MonitorChart["kind"];
  readonly metrics: "all" | readonly string[];
}

/** Sentences about what cannot be seen: each once, however often it is found out. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  list(): readonly string[] {
    return [...this.#texts];
  }
}

/** Looks again and again with a pause between; a slow look delays the next and overlaps none. */
export class LookLoop {
  readonly #clock: BenchClock;
  readonly #intervalMs: number;
  readonly #look: () => Promise<void>;
  readonly #end = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(clock: BenchClock, intervalMs: number, look: () => Promise<void>) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#look = look;
  }

  /** The first look is over when this ends, so that a short round has one. */
  async start(): Promise<void> {
    await this.#look();
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    let next = this.#clock.now() + this.#intervalMs;
    while (!signal.aborted) {
      await this.#clock.sleep(Math.max(0, next - this.#clock.now()), signal);
      if (signal.aborted) return;
      await this.#look();
      // Looks that were missed are not made up for.
      next = Math.max(next + this.#intervalMs, this.#clock.now());
    }
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
    await this.#look();
  }
}

/** What an error says, with its cause: `fetch failed` alone helps nobody. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const inner =
    cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : "";
  return inner === "" ? error.message : `${error.message}: ${inner}`;
}
