/** The Compute port over workers of any platform: threads of Node, workers of a page. */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { InvariantFault, invariant } from "../../core/fault/invariant.ts";
import type { Compute, RecoverItem, RecoverOptions } from "../../core/ports/compute.ts";
import type { Log } from "../../core/ports/log.ts";
import { type ComputeFrame, packItems, readAnswers } from "./compute-frame.ts";
import { createInlineCompute } from "./inline-compute.ts";

/** Items in one message to a worker: some tens of milliseconds of work at most. */
const BATCH_ITEMS = 512;
/** Items below which a batch is not split over workers: the message would cost more. */
const SPLIT_ITEMS = 16;
/** Items that are sent without waiting for more. */
const ENOUGH_ITEMS = 32;
/** How long fewer items wait for company: waking a thread costs as much as a recovery. */
const GATHER_MS = 1;
/** Several callers at once show that more are coming: their items wait that much longer. */
const GATHER_MORE_MS = 3;
/** Urgent items that are recovered in place, where the engine is fast enough for that. */
const IN_PLACE_ITEMS = 16;
/** So few others are recovered in place there, too: a message to a thread and back costs more. */
const FEW_ITEMS = 2;
/** Items waiting for a worker; beyond it `recover` waits before it queues more. */
const QUEUE_ITEMS = 32_768;
/** Times a batch is given to a worker before it is recovered in place. */
const ATTEMPTS = 2;
/** Deaths of a worker in a row, without one answer between them, after which it stays dead. */
const MAX_DEATHS = 3;

/** A worker that is running. */
export interface PoolWorker {
  /** Hands it a batch; the buffer goes with it. */
  post(frame: ComputeFrame): void;
  end(): unknown;
}

/** What a worker tells the pool. */
export interface PoolWorkerEvents {
  onAnswer(frame: ComputeFrame): void;
  /** It cannot go on; `onEnd` follows. */
  onError(cause: unknown): void;
  /** It is gone. */
  onEnd(): void;
}

/** What a pool is made from. */
export interface ComputePoolOptions {
  /** Recovers in place when no worker can. */
  readonly suite: CryptoSuite;
  /** Number of threads, at least 1. */
  readonly workers: number;
  /**
   * Recover urgent items, and few others, on the calling thread: right with a native engine, where
   * one costs less than a message to a worker and back.
   */
  readonly urgentInPlace?: boolean;
  readonly log?: Log;
  readonly startWorker: (events: PoolWorkerEvents) => PoolWorker;
  /** Runs a function in a later turn of the event loop. */
  readonly schedule: (run: () => void) => void;
}

/** A Compute port that says how its threads are doing. */
export interface WorkerCompute extends Compute {
  /** Threads that are alive. */
  aliveWorkers(): number;
  /** Items that wait for a thread. */
  queuedItems(): number;
}

/** One caller's items and their answers so far. */
interface Job {
  readonly answers: (Uint8Array | undefined)[];
  missing: number;
  resolve(): void;
  reject(fault: unknown): void;
}

/** One queued item: where its answer goes. */
interface Entry {
  readonly item: RecoverItem;
  readonly job: Job;
  readonly at: number;
}

interface Batch {
  readonly entries: readonly Entry[];
  attempts: number;
}

interface Slot {
  worker: PoolWorker | undefined;
  batch: Batch | undefined;
  deaths: number;
}

function deliver(batch: Batch, answers: readonly (Uint8Array | undefined)[]): void {
  batch.entries.forEach(({ job, at }, index) => {
    job.answers[at] = answers[index];
    job.missing -= 1;
    if (job.missing === 0) job.resolve();
  });
}

/** The pool behind {@link createComputePool}; a class because it owns workers. */
class ComputePool {
  readonly #options: ComputePoolOptions;
  readonly #inline: Compute;
  readonly #slots: Slot[] = [];
  readonly #queue: Entry[] = [];
  /** Goes first: votes must not wait behind a flood of transactions. Bounded by its callers. */
  readonly #urgent: Entry[] = [];
  readonly #retries: Batch[] = [];
  readonly #waiting: (() => void)[] = [];
  #queueStart = 0;
  #pumpScheduled: "no" | "soon" | "later" = "no";
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: ComputePoolOptions) {
    invariant(options.workers >= 1, "a compute pool has at least one worker");
    this.#options = options;
    this.#inline = createInlineCompute(options.suite, { schedule: options.schedule });
    for (let i = 0; i < options.workers; i++) {
      const slot: Slot = { worker: undefined, batch: undefined, deaths: 0 };
      this.#slots.push(slot);
      this.#start(slot);
    }
  }

  get queued(): number {
    return this.#queue.length - this.#queueStart;
  }

  get alive(): number {
    return this.#slots.filter((slot) => slot.worker).length;
  }

  async recover(
    items: readonly RecoverItem[],
    { urgent = false }: RecoverOptions = {},
  ): Promise<readonly (Uint8Array | undefined)[]> {
    if (items.length === 0) return [];
    const inPlaceItems = urgent ? IN_PLACE_ITEMS : FEW_ITEMS;
    if (this.#options.urgentInPlace && items.length <= inPlaceItems && !this.#closed)
      return this.#inline.recover(items);
    while (!urgent && this.queued >= QUEUE_ITEMS && !this.#closed) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
    if (this.#closed) throw new InvariantFault("the compute pool is closed");
    return new Promise((resolve, reject) => {
      const answers = new Array<Uint8Array | undefined>(items.length).fill(undefined);
      const job: Job = { answers, missing: items.length, resolve: () => resolve(answers), reject };
      const queue = urgent ? this.#urgent : this.#queue;
      for (const [at, item] of items.entries()) queue.push({ item, job, at });
      this.#schedulePump(urgent || this.queued >= ENOUGH_ITEMS);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#gathering);
    const entries = [...this.#urgent, ...this.#queue.slice(this.#queueStart)];
    for (const batch of this.#retries) entries.push(...batch.entries);
    for (const slot of this.#slots) entries.push(...(slot.batch?.entries ?? []));
    const fault = new InvariantFault("the compute pool is closed");
    for (const { job } of entries) job.reject(fault);
    for (const resume of this.#waiting.splice(0)) resume();
    await Promise.all(this.#slots.map((slot) => slot.worker?.end()));
  }

  #start(slot: Slot): void {
    const worker = this.#options.startWorker({
      onAnswer: (frame) => {
        const { batch } = slot;
        slot.batch = undefined;
        slot.deaths = 0;
        if (batch) deliver(batch, readAnswers(frame));
        // A few items that are gathering wait for their company.
        if (this.#pumpScheduled !== "later") this.#pump();
      },
      onError: (cause) => {
        this.#options.log?.write("error", "compute worker failed", { reason: String(cause) });
      },
      onEnd: () => this.#replace(slot),
    });
    slot.worker = worker;
  }

  #replace(slot: Slot): void {
    slot.worker = undefined;
    if (this.#closed) return;
    slot.deaths += 1;
    const { batch } = slot;
    slot.batch = undefined;
    if (batch) this.#retries.push(batch);
    if (slot.deaths < MAX_DEATHS) this.#start(slot);
    else this.#options.log?.write("warning", "compute worker given up", { deaths: slot.deaths });
    this.#pump();
  }

  /**
   * What callers ask within a turn becomes one message; a few items wait a little longer, until
   * there are enough.
   */
  #schedulePump(soon: boolean): void {
    if (this.#pumpScheduled === "soon" || (this.#pumpScheduled === "later" && !soon)) return;
    clearTimeout(this.#gathering);
    const pump = () => {
      this.#pumpScheduled = "no";
      this.#pump();
    };
    this.#pumpScheduled = soon ? "soon" : "later";
    const pumpOrWait = () => {
      if (this.queued <= 1) pump();
      else this.#gathering = setTimeout(pump, GATHER_MORE_MS);
    };
    if (soon) this.#options.schedule(pump);
    else this.#gathering = setTimeout(pumpOrWait, GATHER_MS);
  }

  #pump(): void {
    if (this.#closed) return;
    const inPlace = this.#retries.filter((batch) => batch.attempts >= ATTEMPTS);
    const again = this.#retries.filter((batch) => batch.attempts < ATTEMPTS);
    this.#retries.length = 0;
    this.#retries.push(...again);
    for (const batch of inPlace) this.#recoverInPlace(batch);
    for (const slot of this.#slots) {
      if (!slot.worker || slot.batch) continue;
      const batch = this.#retries.shift() ?? this.#takeBatch();
      if (!batch) break;
      this.#send(slot, slot.worker, batch);
    }
    if (this.alive === 0) this.#drainInPlace();
  }

  #send(slot: Slot, worker: PoolWorker, batch: Batch): void {
    const items = batch.entries.map((entry) => entry.item);
    const frame = packItems(items, this.#options.suite.signatureBytes);
    batch.attempts += 1;
    slot.batch = batch;
    worker.post(frame);
  }

  /** The next entries: an equal share for each worker, so that one job uses all of them. */
  #takeBatch(): Batch | undefined {
    const urgent = this.#urgent.splice(0, this.#shareOf(this.#urgent.length));
    if (urgent.length > 0) return { entries: urgent, attempts: 0 };
    if (this.queued === 0) return undefined;
    const count = this.#shareOf(this.queued);
    const entries = this.#queue.slice(this.#queueStart, this.#queueStart + count);
    this.#queueStart += count;
    if (this.#queueStart >= BATCH_ITEMS) {
      this.#queue.splice(0, this.#queueStart);
      this.#queueStart = 0;
    }
    if (this.queued < QUEUE_ITEMS) for (const resume of this.#waiting.splice(0)) resume();
    return { entries, attempts: 0 };
  }

  #shareOf(waiting: number): number {
    const share = Math.ceil(waiting / Math.max(1, this.alive));
    return Math.min(waiting, BATCH_ITEMS, Math.max(SPLIT_ITEMS, share));
  }

  #drainInPlace(): void {
    const batches = this.#retries.splice(0);
    for (let batch = this.#takeBatch(); batch; batch = this.#takeBatch()) batches.push(batch);
    for (const batch of batches) this.#recoverInPlace(batch);
  }

  #recoverInPlace(batch: Batch): void {
    this.#inline.recover(batch.entries.map((entry) => entry.item)).then(
      (answers) => deliver(batch, answers),
      (fault) => {
        for (const { job } of batch.entries) job.reject(fault);
      },
    );
  }
}

/** Recovers signatures in workers; in place when they keep failing. */
export function createComputePool(options: ComputePoolOptions): WorkerCompute {
  const pool = new ComputePool(options);
  return {
    recover: (items, options) => pool.recover(items, options),
    close: () => pool.close(),
    aliveWorkers: () => pool.alive,
    queuedItems: () => pool.queued,
  };
}
