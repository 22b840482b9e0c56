/**
 * What workloads send through, whatever is behind it: each request gets a status, is counted as
 * submitted and finished, and ends in time. Source: benchmark 3 (request object), 5
 */
import type { BenchClock } from "./bench-clock.ts";
import { RoundProgress } from "./round-progress.ts";
import { UNFINISHED } from "./statistics.ts";
import { TxStatus } from "./tx-status.ts";

/** Arguments by name, in the order of insertion, or by position. */
export type RequestArguments = Readonly<Record<string, unknown>> | readonly unknown[];

/** One transaction or call, as a workload asks for it. */
export interface SutRequest {
  readonly contractId: string;
  /** Of older workloads: `transaction_type` among them is the function, `set(string)` or `set`. */
  readonly args?: RequestArguments | undefined;
  /** The function when `args` does not name it. */
  readonly contractFunction?: string | undefined;
  /** Older name of the same. */
  readonly verb?: string | undefined;
  /** Calls instead of sending a transaction. */
  readonly readOnly?: boolean | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

/** A way to the system under test. */
export interface SutSender {
  /** Name of the system: `fisco-bcos`. */
  readonly type: string;
  /**
   * Sends one request and sets its status to success or failed. Rejects only for what is wrong with
   * the request itself, which is a mistake of the workload.
   */
  send(request: SutRequest, status: TxStatus): Promise<void>;
}

/** A call of the workload's submit function. */
export interface SubmitCall {
  /** When the rate wanted it, by the clock; undefined without a plan. */
  readonly intended: number | undefined;
  readonly created: number;
  /** Whether it has sent anything. */
  sent: boolean;
  /** Whether anything that it sent failed. */
  failed: boolean;
}

/** Who learns of transactions, next to the statistics. */
export interface TxListener {
  txSubmitted?(count: number): void;
  txFinished?(status: TxStatus): void;
}

const MS_PER_SECOND = 1_000;

/** A transaction on its way. */
interface Pending {
  readonly call: SubmitCall | undefined;
  readonly status: TxStatus;
  /** Milliseconds that it may take by itself. */
  readonly limitMs?: number | undefined;
}

/** What a round's sending is made of. */
export interface RoundSutParts {
  readonly sender: SutSender;
  readonly clock: BenchClock;
  readonly listener: TxListener;
  /** Told of each transaction whose end is known, once. */
  readonly onFinished: (status: TxStatus, call: SubmitCall | undefined) => void;
}

/** One that this adapter has made, and counts; told by its class, which costs nothing. */
class OwnStatus extends TxStatus {}

/** The `sutAdapter` of workload modules for one round. */
export class RoundSut {
  readonly #parts: RoundSutParts;
  readonly #pending = new Set<Pending>();
  /** Calls that have sent nothing yet, the oldest first. */
  readonly #unsent = new Set<SubmitCall>();
  /** Statuses of modules' own that are counted. */
  readonly #adopted = new WeakSet<TxStatus>();
  #current: SubmitCall | undefined;
  #announced = 0;
  #progress = new RoundProgress(0);
  #isRound = false;

  constructor(parts: RoundSutParts) {
    this.#parts = parts;
  }

  /** Transactions on their way. */
  get pending(): number {
    return this.#pending.size;
  }

  /** From now on it counts for the round: what was sent before prepared it. */
  begin(progress: RoundProgress): void {
    this.#progress = progress;
    this.#isRound = true;
  }

  /** Name of the system under test. */
  getType(): string {
    return this.#parts.sender.type;
  }

  /**
   * Sends a request, or several at one time; gives its status, or theirs. A transaction that fails
   * does not reject.
   * @throws what the sender says of a request that cannot be
   */
  async sendRequests(requests: SutRequest): Promise<TxStatus>;
  async sendRequests(requests: readonly SutRequest[]): Promise<readonly TxStatus[]>;
  async sendRequests(
    requests: SutRequest | readonly SutRequest[],
  ): Promise<TxStatus | readonly TxStatus[]> {
    if (!isList(requests)) {
      const call = this.#claim(1);
      return await this.#send(requests, call);
    }
    const call = this.#claim(requests.length);
    return await Promise.all(requests.map((request) => this.#send(request, call)));
  }

  /** Runs a submit function; what it sends at once, or first of all that wait, is of this call. */
  run<T>(call: SubmitCall, submit: () => T): T {
    this.#unsent.add(call);
    this.#progress.unsent = this.#unsent.size;
    this.#current = call;
    try {
      return submit();
    } finally {
      this.#current = undefined;
    }
  }

  /** The submit function has ended; one that sent nothing is counted by itself. */
  settle(call: SubmitCall, error?: string): void {
    const isEmpty = this.#unsent.delete(call);
    this.#progress.unsent = this.#unsent.size;
    if (!isEmpty) return;
    const { clock } = this.#parts;
    const status = new TxStatus(undefined, call.created);
    this.#count(1);
    if (error !== undefined) status.SetErrMsg(error);
    if (error === undefined) status.SetStatusSuccess(clock.now());
    else status.SetStatusFail(clock.now());
    this.#finish({ call, status });
  }

  /** Forgets a call that ended the round. */
  abandon(call: SubmitCall): void {
    this.#unsent.delete(call);
    this.#progress.unsent = this.#unsent.size;
  }

  /** Counts what a module of the first generation sends by itself. */
  announce(count: number): void {
    this.#claimCall();
    this.#announced += count;
    this.#count(count);
  }

  /** Counts statuses that a module made by itself; those of this adapter are counted already. */
  adopt(result: unknown, call: SubmitCall | undefined): void {
    for (const status of isList(result) ? result.flat() : [result]) {
      if (!(status instanceof TxStatus) || status instanceof OwnStatus) continue;
      if (this.#adopted.has(status)) continue;
      this.#adopted.add(status);
      if (this.#announced === 0) this.announce(1);
      this.#announced--;
      this.#finish({ call, status });
    }
  }

  /** Fails what was sent longer ago than the limit, or than its own. */
  expire(limitMs: number): void {
    const now = this.#parts.clock.now();
    for (const pending of this.#pending) {
      const { status, limitMs: own = limitMs } = pending;
      if (now - status.GetTimeCreate() >= Math.min(own, limitMs)) this.#fail(pending, now);
    }
  }

  /** Fails all that is on its way. */
  expireAll(): void {
    const now = this.#parts.clock.now();
    for (const pending of [...this.#pending]) this.#fail(pending, now);
    for (const call of [...this.#unsent]) this.settle(call, UNFINISHED);
  }

  #fail(pending: Pending, now: number): void {
    pending.status.SetErrMsg(UNFINISHED);
    pending.status.SetStatusFail(now);
    this.#pending.delete(pending);
    this.#finish(pending);
  }

  #count(count: number): void {
    this.#progress.submitted += count;
    if (this.#isRound) this.#parts.listener.txSubmitted?.(count);
  }

  #claimCall(): SubmitCall | undefined {
    const [oldest] = this.#unsent;
    const call = this.#current ?? oldest;
    if (call && !call.sent) {
      call.sent = true;
      this.#unsent.delete(call);
      this.#progress.unsent = this.#unsent.size;
    }
    return call;
  }

  #claim(count: number): SubmitCall | undefined {
    const call = this.#claimCall();
    // What was announced and comes through this adapter after all is one transaction, not two.
    const announced = Math.min(this.#announced, count);
    this.#announced -= announced;
    if (announced < count) this.#count(count - announced);
    return call;
  }

  async #send(request: SutRequest, call: SubmitCall | undefined): Promise<TxStatus> {
    const { sender, clock } = this.#parts;
    const status = new OwnStatus(undefined, clock.now());
    const limitMs = request.timeout === undefined ? undefined : request.timeout * MS_PER_SECOND;
    const pending = { call, status, limitMs };
    this.#pending.add(pending);
    try {
      await sender.send(request, status);
    } catch (cause) {
      if (this.#pending.delete(pending)) {
        status.SetErrMsg(cause instanceof Error ? cause.message : String(cause));
        status.SetStatusFail(clock.now());
        this.#finish(pending);
      }
      throw cause;
    }
    // What has been given up stays failed, whenever its end becomes known.
    if (this.#pending.delete(pending)) this.#finish(pending);
    return status;
  }

  #finish({ call, status }: Pending): void {
    const { listener, onFinished } = this.#parts;
    const succeeded = status.IsCommitted();
    this.#progress.finish(succeeded ? status.GetTimeFinal() - status.GetTimeCreate() : undefined);
    if (!succeeded && call) call.failed = true;
    if (!this.#isRound) return;
    onFinished(status, call);
    listener.txFinished?.(status);
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
