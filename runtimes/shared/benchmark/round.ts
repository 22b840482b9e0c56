/**
 * One worker's round: asks the rate, submits, counts, and ends in time whatever the chain does.
 * Source: benchmark 4, 5, 6
 */
import { type BenchClock, SleepEnd } from "./bench-clock.ts";
import { BenchmarkFault } from "./benchmark-fault.ts";
import type {
  RateContext,
  RateController,
  RateHost,
  RateSpec,
  RoundShare,
} from "./rate/rate-controller.ts";
import { openRate } from "./rate/rate-controllers.ts";
import { RoundProgress } from "./round-progress.ts";
import { RoundStatistics, type StatisticsData } from "./statistics.ts";
import { RoundSut, type SubmitCall, type SutSender, type TxListener } from "./sut.ts";
import type { TxStatus } from "./tx-status.ts";
import type { Workload } from "./workload-module.ts";

/** What one worker is to do. */
export interface RoundTask {
  readonly share: RoundShare;
  readonly rateControl: RateSpec;
  /** Results (by number) or seconds (by duration) that are left out, of this worker. */
  readonly trim: number;
  readonly roundArguments: Readonly<Record<string, unknown>>;
  /** How long a transaction may take. */
  readonly timeoutMs: number;
}

/** What a round is run with. */
export interface RoundParts {
  readonly workload: Workload;
  readonly sender: SutSender;
  readonly clock: BenchClock;
  readonly host: RateHost;
  readonly listener?: TxListener;
  /** What modules get as context. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Most transactions on their way at one time. */
  readonly mostPending?: number;
}

/** What became of it. */
export interface RoundOutcome {
  readonly statistics: StatisticsData;
  /** What ended the round early, as it was thrown; undefined when nothing did. */
  readonly cause: unknown;
  /** How long the worker did not send because too much was on its way. */
  readonly heldBackMs: number;
}

/** Enough for any rate that one worker keeps; connections hold 10,000 receipts. */
export const MOST_PENDING = 9_000;
/** Submissions, and milliseconds, after which answers have their turn. */
const BURST = 32;
const BURST_MS = 3;
/** How often the wait for the last transactions looks. */
const LAST_LOOK_MS = 50;
const EXPIRY_LOOK_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** A round that is prepared: the module is initialised, nothing has been sent. */
export class WorkerRound {
  readonly #task: RoundTask;
  readonly #parts: RoundParts;
  readonly #statistics = new RoundStatistics();
  readonly #ending = new SleepEnd();
  #progress = new RoundProgress(0);
  readonly #sut: RoundSut;
  #calls = 0;
  #done = 0;
  #error: unknown;
  #heldBackMs = 0;
  #wake: (() => void) | undefined;

  constructor(task: RoundTask, parts: RoundParts) {
    this.#task = task;
    this.#parts = parts;
    this.#sut = new RoundSut({
      sender: parts.sender,
      clock: parts.clock,
      listener: parts.listener ?? {},
      onFinished: (status, call) => this.#count(status, call),
    });
  }

  get progress(): RoundProgress {
    return this.#progress;
  }

  /** Transactions on their way. */
  get pending(): number {
    return this.#sut.pending;
  }

  /** Statistics so far; of seconds those that have changed since the last question. */
  takeChanges(): StatisticsData {
    return this.#statistics.takeChanges();
  }

  /** Initialises the module. @throws what the module throws */
  async prepare(): Promise<void> {
    const { share, roundArguments } = this.#task;
    await this.#parts.workload.initialize({
      workerIndex: share.workerIndex,
      totalWorkers: share.workers,
      roundIndex: share.roundIndex,
      roundArguments,
      sut: this.#sut,
      context: this.#parts.context ?? {},
    });
  }

  /** Ends the round early; what is on its way is waited for as always. */
  stop(): void {
    this.#ending.abort();
    this.#wake?.();
  }

  /** Runs to the end. Never rejects: what went wrong is in the outcome. */
  async run(): Promise<RoundOutcome> {
    const { clock, workload } = this.#parts;
    try {
      // What initialising sent is not of the round.
      await this.#settled();
      this.#progress = new RoundProgress(clock.now(), this.#task.share.roundIndex);
      this.#sut.begin(this.#progress);
      const controller = await openRate(this.#task.rateControl, this.#rateContext());
      void this.#endInTime();
      await this.#submitAll(controller);
      await this.#settled();
      await controller.end();
    } catch (cause) {
      this.#error ??= cause;
    } finally {
      this.#ending.abort();
    }
    try {
      await workload.cleanUp();
    } catch (cause) {
      this.#error ??= cause;
    }
    return {
      statistics: this.#statistics.data(),
      cause: this.#error,
      heldBackMs: this.#heldBackMs,
    };
  }

  #rateContext(): RateContext {
    const { clock, host } = this.#parts;
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, this.#ending);
    return { clock, sleep, progress: this.#progress, share: this.#task.share, host };
  }

  async #endInTime(): Promise<void> {
    const { durationMs } = this.#task.share;
    if (durationMs === undefined) return;
    await this.#parts.clock.sleep(durationMs, this.#ending);
    this.stop();
  }

  #goesOn(): boolean {
    const { number } = this.#task.share;
    if (this.#error !== undefined || this.#ending.aborted) return false;
    return number === undefined || this.#progress.planned < number;
  }

  async #submitAll(controller: RateController): Promise<void> {
    const { clock, mostPending = MOST_PENDING } = this.#parts;
    let burst = 0;
    let turnAt = clock.now();
    let lookedAt = turnAt;
    while (this.#goesOn()) {
      const told = controller.applyRateControl();
      const due = told instanceof Promise ? await told : told;
      if (!this.#goesOn()) return;
      if (this.#sut.pending >= mostPending) await this.#waitForRoom(mostPending);
      const now = clock.now();
      this.#submit(typeof due === "number" ? due : undefined, now);
      if (now - lookedAt > EXPIRY_LOOK_MS) {
        this.#sut.expire(this.#task.timeoutMs);
        lookedAt = now;
      }
      if (++burst < BURST && now - turnAt < BURST_MS) continue;
      await clock.sleep(0);
      burst = 0;
      turnAt = clock.now();
    }
  }

  async #waitForRoom(mostPending: number): Promise<void> {
    const { clock } = this.#parts;
    const before = clock.now();
    while (this.#sut.pending >= mostPending && this.#goesOn()) {
      await clock.sleep(LAST_LOOK_MS / 10);
      this.#sut.expire(this.#task.timeoutMs);
    }
    this.#heldBackMs += clock.now() - before;
  }

  #submit(intended: number | undefined, created: number): void {
    const call: SubmitCall = { intended, created, sent: false, failed: false };
    this.#calls++;
    const { workload } = this.#parts;
    const sut = this.#sut;
    let submitted: unknown;
    try {
      submitted = sut.run(call, () => workload.submit());
    } catch (cause) {
      this.#fail(call, cause);
      return;
    }
    Promise.resolve(submitted).then(
      (result) => {
        sut.adopt(result, call);
        sut.settle(call);
        this.#end();
      },
      (cause) => this.#fail(call, cause),
    );
  }

  /** A module that throws because its transaction failed goes on: that is counted already. */
  #fail(call: SubmitCall, cause: unknown): void {
    const isMistake = cause instanceof BenchmarkFault || isProgrammingError(cause);
    if (!call.failed || isMistake) this.#error ??= cause ?? new Error("rejected without a reason");
    this.#sut.abandon(call);
    this.#end();
  }

  #end(): void {
    this.#done++;
    if (this.#done === this.#calls) this.#wake?.();
  }

  /** Waits until all that was sent has ended, at most as long as a transaction may take. */
  async #settled(): Promise<void> {
    const { clock } = this.#parts;
    const end = clock.now() + this.#task.timeoutMs;
    while (this.#sut.pending > 0 || this.#done < this.#calls) {
      const left = end - clock.now();
      if (left <= 0) break;
      await this.#lastEnded(Math.min(LAST_LOOK_MS, left));
      this.#sut.expire(this.#task.timeoutMs);
    }
    this.#sut.expireAll();
  }

  async #lastEnded(ms: number): Promise<void> {
    const woken = new SleepEnd();
    this.#wake = () => woken.abort();
    await this.#parts.clock.sleep(ms, woken);
    this.#wake = undefined;
  }

  #count(status: TxStatus, call: SubmitCall | undefined): void {
    const { startMs, finished } = this.#progress;
    const { trim, share } = this.#task;
    const finishedMs = status.GetTimeFinal() - startMs;
    const isTrimmed =
      share.number === undefined ? finishedMs < trim * MS_PER_SECOND : finished <= trim;
    if (isTrimmed && trim > 0) {
      this.#statistics.trim();
      return;
    }
    this.#statistics.add({
      createdMs: status.GetTimeCreate() - startMs,
      finishedMs,
      intendedMs: call?.intended === undefined ? undefined : call.intended - startMs,
      error: status.IsCommitted() ? undefined : status.GetErrMsg() || "failed without a reason",
    });
  }
}

function isProgrammingError(cause: unknown): boolean {
  const kinds = [TypeError, ReferenceError, SyntaxError, RangeError];
  return kinds.some((kind) => cause instanceof kind);
}
