/** One line of JSON for each transaction. Source: benchmark 7 */
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import type { LogLevel } from "../log.ts";
import type { ObservedRound, TxObserver } from "./observer.ts";

/** What the observer is made with. */
export interface LoggingOptions {
  /** `messageLevel` of the file: `info` unless it says otherwise. */
  readonly level: LogLevel;
  /** Writes a line at a level. */
  readonly write: (level: LogLevel, line: string) => void;
}

class LoggingObserver implements TxObserver {
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

/** An observer that writes each transaction down. */
export function loggingObserver(options: LoggingOptions): TxObserver {
  return new LoggingObserver(options);
}
