/**
 * The workers of a run as the manager leads them: who is there, what they answer, who was lost.
 * Source: benchmark 2, 8
 */
import { setTimeout as sleep } from "node:timers/promises";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { StatisticsData } from "../../../shared/benchmark/statistics.ts";
import type { SecondData } from "../../../shared/benchmark/time-series.ts";
import {
  EVERYBODY,
  MANAGER,
  messageOf,
  type UpdateContent,
  type WorkerMessage,
} from "../worker/messages.ts";
import type { ManagerLink } from "../worker/worker-link.ts";

/** A worker. */
export interface PoolWorker {
  readonly id: string;
  readonly index: number;
  /** Its wall clock less the manager's, milliseconds; null on this machine. */
  clockOffsetMs: number | null;
  /** Why it is gone; undefined while it works. */
  lost: string | undefined;
  /** Where it stood when it last told. */
  update: UpdateContent | undefined;
  /** Seconds of the round so far, by number. */
  readonly seconds: Map<number, SecondData>;
}

/** What one worker answered: content, or why there is none. */
export interface PoolAnswer {
  readonly worker: PoolWorker;
  readonly content?: unknown;
  /** What went wrong at the worker. */
  readonly error?: string | undefined;
  /** It was lost instead of answering. */
  readonly lost?: string | undefined;
}

/** How long a worker that the manager started may take to say that it is there. */
const START_LIMIT_MS = 60_000;
/** How long a worker may take for anything but a round: it loads modules and opens connections. */
const ANSWER_LIMIT_MS = 120_000;

/** All workers. */
export class WorkerPool {
  readonly #link: ManagerLink;
  readonly #pollMs: number;
  readonly #workers: PoolWorker[] = [];
  readonly #waiters = new Map<
    string,
    { readonly type: string; readonly answer: (answer: PoolAnswer) => void }
  >();
  #wanted = 0;
  #isEnding = false;
  #assignedAt = 0;
  #lost: string | undefined;
  #joined: (() => void) | undefined;

  constructor(link: ManagerLink, pollMs: number) {
    this.#link = link;
    this.#pollMs = pollMs;
  }

  get type(): string {
    return this.#link.type;
  }

  /** All that ever joined, by index. */
  get workers(): readonly PoolWorker[] {
    return this.#workers;
  }

  get alive(): readonly PoolWorker[] {
    return this.#workers.filter(({ lost }) => lost === undefined);
  }

  /**
   * Waits for this many workers, numbers and initialises them.
   * @throws BenchmarkFault `engine` when they do not come
   */
  async start(wanted: number): Promise<void> {
    this.#wanted = wanted;
    await this.#link.start(wanted, {
      onMessage: (message) => this.#take(message),
      onLost: (id, reason) => this.#lose(id, reason),
    });
    await this.#register();
    await this.#assign();
    for (const { worker, error, lost } of await this.all("initialize", "ready", () => ({}))) {
      const why = error ?? lost;
      if (why !== undefined) throw new BenchmarkFault("engine", `worker ${worker.id}: ${why}`);
    }
  }

  /**
   * Tells all workers something, and waits until each has answered or was lost.
   * @param limitMs how long one may take; a worker that takes longer counts as lost
   */
  async all(
    type: string,
    answerType: string,
    contentFor: (worker: PoolWorker) => unknown,
    limitMs = ANSWER_LIMIT_MS,
  ): Promise<readonly PoolAnswer[]> {
    const { alive } = this;
    const answers = alive.map((worker) => this.#wait(worker, answerType, limitMs));
    for (const worker of alive) this.#send([worker.id], type, contentFor(worker));
    return await Promise.all(answers);
  }

  /** Forgets what workers told of an earlier round. */
  resetUpdates(): void {
    for (const worker of this.#workers) {
      worker.update = undefined;
      worker.seconds.clear();
    }
  }

  /** Waits for nobody any more. */
  abandon(reason: string): void {
    this.#lose(undefined, reason);
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#send([EVERYBODY], "exit", {});
    await this.#link.stop();
  }

  #send(recipients: readonly string[], type: string, content: unknown): void {
    this.#link.send(messageOf({ sender: MANAGER, recipients, type }, content));
  }

  async #register(): Promise<void> {
    const end = performance.now() + START_LIMIT_MS;
    while (this.#workers.length < this.#wanted) {
      const reason = this.#lost ?? this.#workers.find(({ lost }) => lost !== undefined)?.lost;
      if (reason !== undefined)
        throw new BenchmarkFault("engine", `a worker could not be started: ${reason}`);
      // Workers elsewhere are started by people: they are waited for as long as it takes.
      if (!this.#link.isRemote && performance.now() > end) {
        const there = `${this.#workers.length} of ${this.#wanted} workers are there`;
        throw new BenchmarkFault("engine", `${there} after ${START_LIMIT_MS / 1_000} s`);
      }
      this.#send([EVERYBODY], "register", {});
      await this.#orJoined(this.#pollMs);
    }
  }

  async #orJoined(ms: number): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.#joined = resolve;
    });
    const end = new AbortController();
    const pause = sleep(ms, undefined, { signal: end.signal }).catch(() => undefined);
    await Promise.race([joined, pause]);
    end.abort();
  }

  async #assign(): Promise<void> {
    this.#assignedAt = Date.now();
    const answers = await this.all("assignId", "assigned", ({ index }) => ({ workerIndex: index }));
    for (const { worker, error, lost } of answers) {
      const why = error ?? lost;
      if (why !== undefined) throw new BenchmarkFault("engine", `worker ${worker.id}: ${why}`);
    }
  }

  #wait(worker: PoolWorker, type: string, limitMs: number): Promise<PoolAnswer> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(limitMs)
        ? setTimeout(() => this.#lose(worker.id, `no answer in ${limitMs / 1_000} s`), limitMs)
        : undefined;
      const answer = (told: PoolAnswer): void => {
        clearTimeout(timer);
        this.#waiters.delete(worker.id);
        resolve(told);
      };
      this.#waiters.set(worker.id, { type, answer });
    });
  }

  #take(message: WorkerMessage): void {
    const { sender, type, content, error } = message;
    if (type === "connected") return this.#join(sender);
    if (type === "lost") return this.#lose(sender, error ?? "its connection ended");
    const worker = this.#workers.find(({ id }) => id === sender);
    if (worker === undefined) return;
    if (type === "txUpdate") return this.#update(worker, content as UpdateContent);
    // A worker of this machine has this machine's clock.
    if (type === "assigned" && this.#link.isRemote) {
      const middle = (this.#assignedAt + Date.now()) / 2;
      worker.clockOffsetMs = Date.parse(message.date) - middle;
    }
    const waiter = this.#waiters.get(sender);
    if (waiter?.type === type) waiter.answer({ worker, content, error });
  }

  #join(id: string): void {
    const isKnown = this.#workers.some((worker) => worker.id === id);
    if (isKnown || this.#workers.length >= this.#wanted) return;
    const index = this.#workers.length;
    const fresh = { clockOffsetMs: null, lost: undefined, update: undefined };
    this.#workers.push({ id, index, ...fresh, seconds: new Map() });
    this.#joined?.();
  }

  #update(worker: PoolWorker, update: UpdateContent): void {
    worker.update = update;
    for (const second of update.stats.seconds) worker.seconds.set(second.second, second);
  }

  #lose(id: string | undefined, reason: string): void {
    if (this.#isEnding) return;
    if (id === undefined) {
      this.#lost = reason;
      for (const worker of this.alive) this.#lose(worker.id, reason);
      this.#joined?.();
      return;
    }
    const worker = this.#workers.find((each) => each.id === id);
    if (worker === undefined) this.#lost = `${id}: ${reason}`;
    else worker.lost ??= reason;
    this.#joined?.();
    if (worker) this.#waiters.get(id)?.answer({ worker, lost: reason });
  }
}

/** What is known of the round of a worker that was lost, or that failed. */
export function partialStatistics({ update, seconds }: PoolWorker): StatisticsData | undefined {
  return update && { ...update.stats, seconds: [...seconds.values()] };
}
