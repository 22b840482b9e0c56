/**
 * Where a worker's round stands: what rate controllers, of this tool and of users, look at.
 * Source: benchmark 6
 */

/** Counters of a round while it runs. */
export class RoundProgress {
  /** When the round began, by the clock of the round. */
  readonly startMs: number;
  readonly #roundIndex: number;
  submitted = 0;
  /** Calls of the workload that have sent nothing yet. */
  unsent = 0;
  #succeeded = 0;
  #failed = 0;
  #latencyMs = 0;

  constructor(startMs: number, roundIndex = 0) {
    this.startMs = startMs;
    this.#roundIndex = roundIndex;
  }

  /** What was sent, and what will be by calls that are under way. */
  get planned(): number {
    return this.submitted + this.unsent;
  }

  /** Transactions whose end is known. */
  get finished(): number {
    return this.#succeeded + this.#failed;
  }

  /** Transactions that succeeded. */
  get succeeded(): number {
    return this.#succeeded;
  }

  /** Latency of all that succeeded, milliseconds together. */
  get successLatencyMs(): number {
    return this.#latencyMs;
  }

  /** Counts an end. @param latencyMs of a transaction that succeeded; undefined for a failure */
  finish(latencyMs: number | undefined): void {
    if (latencyMs === undefined) {
      this.#failed++;
      return;
    }
    this.#succeeded++;
    this.#latencyMs += latencyMs;
  }

  /** As custom controllers ask: transactions that were sent. */
  getTotalSubmittedTx(): number {
    return this.submitted;
  }

  /** As custom controllers ask: transactions whose end is known. */
  getTotalFinishedTx(): number {
    return this.finished;
  }

  /** As custom controllers ask: transactions that succeeded. */
  getTotalSuccessfulTx(): number {
    return this.#succeeded;
  }

  /** As custom controllers ask: transactions that failed. */
  getTotalFailedTx(): number {
    return this.#failed;
  }

  /** As custom controllers ask: when the round began, milliseconds. */
  getRoundStartTime(): number {
    return this.startMs;
  }

  /** As custom controllers ask: which round it is, from 0. */
  getRoundIndex(): number {
    return this.#roundIndex;
  }
}
