/** The observers of a worker as one. */
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import type { LogLevel } from "../log.ts";
import type { ObservedRound, ObserverTerms, TxObserver } from "./observer.ts";
import type { ObserverSettings } from "./observer-settings.ts";
import { OtlpObserver } from "./otlp-observer.ts";
import { PushedObserver, ScrapedObserver } from "./prometheus-observer.ts";

/** What a worker gives its observers. */
export interface WorkerTerms extends ObserverTerms {
  readonly workerIndex: number;
  /** `caliper-observer-prometheus-scrapeport`. */
  readonly scrapePort: number;
  /** `caliper-observer-prometheuspush-interval`. */
  readonly pushIntervalMs: number;
  readonly write: (level: LogLevel, line: string) => void;
  /** Loads a module of the user's by its path. @throws what is wrong with it */
  readonly load: (path: string) => Promise<unknown>;
}

/** An observer of the user's: the reference's names, all but the first optional. */
interface UserObserver {
  activate?(workerIndex: number, roundIndex: number, roundLabel: string): unknown;
  deactivate?(): unknown;
  txSubmitted?(count: number): void;
  txFinished?(results: TxStatus): void;
}

function userObserver(made: UserObserver): TxObserver {
  return {
    roundStarts: async ({ workerIndex, roundIndex, roundLabel }) => {
      await made.activate?.(workerIndex, roundIndex, roundLabel);
    },
    txSubmitted: (count) => made.txSubmitted?.(count),
    txFinished: (status) => made.txFinished?.(status),
    roundEnds: async () => {
      await made.deactivate?.();
    },
    close: async () => {},
  };
}

async function loadObserver(
  path: string,
  options: object,
  terms: WorkerTerms,
): Promise<TxObserver> {
  const module = (await terms.load(path)) as { createTxObserver?: unknown };
  const { createTxObserver: create } = module;
  if (typeof create !== "function") throw new Error(`${path} exports no createTxObserver`);
  const made: unknown = await create(options, undefined, terms.workerIndex);
  if (typeof made !== "object" || made === null) throw new Error(`${path} makes no observer`);
  return userObserver(made as UserObserver);
}

async function makeObserver(settings: ObserverSettings, terms: WorkerTerms): Promise<TxObserver> {
  switch (settings.type) {
    case "logging":
      return new LoggingObserver({ level: settings.level, write: terms.write });
    case "prometheus":
      return new ScrapedObserver({ ...settings, port: settings.port ?? terms.scrapePort });
    case "prometheus-push": {
      const intervalMs = settings.intervalMs ?? terms.pushIntervalMs;
      return new PushedObserver({ ...settings, intervalMs }, terms);
    }
    case "otlp":
      return new OtlpObserver(settings, terms);
    case "module":
      return await loadObserver(settings.path, settings.options, terms);
  }
}

/** All observers of a file as one; with none of them it does nothing. @throws of a user's module */
export async function makeObservers(
  settings: readonly ObserverSettings[],
  terms: WorkerTerms,
): Promise<TxObserver> {
  const all = await Promise.all(settings.map((one) => makeObserver(one, terms)));
  const each = async (work: (observer: TxObserver) => Promise<void>) => {
    await Promise.all(all.map(work));
  };
  return {
    roundStarts: (round: ObservedRound) => each((observer) => observer.roundStarts(round)),
    txSubmitted: (count) => {
      for (const observer of all) observer.txSubmitted(count);
    },
    txFinished: (status) => {
      for (const observer of all) observer.txFinished(status);
    },
    roundEnds: () => each((observer) => observer.roundEnds()),
    close: () => each((observer) => observer.close()),
  };
}

/** What the observer is made with. */
export interface LoggingOptions {
  /** `messageLevel` of the file: `info` unless it says otherwise. */
  readonly level: LogLevel;
  readonly write: (level: LogLevel, line: string) => void;
}

/** An observer that writes each transaction down. Source: benchmark 7 */
export class LoggingObserver implements TxObserver {
  readonly #options: LoggingOptions;
  #round: ObservedRound = { workerIndex: 0, roundIndex: 0, roundLabel: "" };

  constructor(options: LoggingOptions) {
    this.#options = options;
  }

  async roundStarts(round: ObservedRound): Promise<void> {
    this.#round = round;
  }

  /** Only ends are logged. */
  txSubmitted(): void {}

  txFinished(status: TxStatus): void {
    const { level, write } = this.#options;
    const [create, final] = [status.GetTimeCreate(), status.GetTimeFinal()];
    const error = status.GetErrMsg();
    const fields = {
      id: status.GetID() ?? null,
      status: status.GetStatus(),
      time_create: create,
      time_final: final,
      latency_ms: Math.round((final - create) * 1000) / 1000,
      verified: status.IsVerified(),
      ...(error === "" ? {} : { error }),
      ...this.#round,
    };
    write(level, JSON.stringify(fields));
  }

  async roundEnds(): Promise<void> {}

  async close(): Promise<void> {}
}
