/** The Compute port over worker threads. */
import type { Worker } from "node:worker_threads";
import type { ComputeFrame, ComputeWorkerData } from "../../shared/compute-frame.ts";
import {
  type ComputePoolOptions,
  createComputePool,
  type PoolWorker,
  type PoolWorkerEvents,
  type WorkerCompute,
} from "../../shared/compute-pool.ts";
import { endThread, type MakeWorker, startThread } from "./thread-end.ts";
import { workerUrl } from "./worker-url.ts";

/** Heap of a worker: it holds one batch and the crypto engine. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 };

interface WorkerComputeOptions extends Omit<ComputePoolOptions, "startWorker" | "schedule"> {
  /** The worker's file; the built one by default. */
  readonly url?: URL;
  /** Makes a thread; `new Worker` by default. It throws where the system has none left. */
  readonly makeWorker?: MakeWorker;
}

/** Has what the worker says told to the pool. */
function follow(worker: Worker, events: PoolWorkerEvents): Worker {
  worker.on("message", (frame: ComputeFrame) => {
    worker.unref();
    events.onAnswer(frame);
  });
  worker.on("error", (cause) => events.onError(cause));
  // An exit follows every error.
  worker.on("exit", () => events.onEnd());
  worker.unref();
  return worker;
}

/** Starts with its first batch: a node without transactions never needs the memory of a thread. */
function lateThread(make: () => Worker, events: PoolWorkerEvents): PoolWorker {
  let worker: Worker | undefined;
  return {
    post(frame) {
      try {
        worker ??= follow(make(), events);
      } catch (cause) {
        // No thread can be made, for want of processes or memory: a death like any other.
        events.onError(cause);
        return queueMicrotask(events.onEnd);
      }
      // A thread with work keeps the process alive; an idle one does not.
      worker.ref();
      worker.postMessage(frame, [frame.buffer]);
    },
    end: () => endThread(worker),
  };
}

/** Recovers signatures on worker threads; in place when they keep failing. */
export function createWorkerCompute(options: WorkerComputeOptions): WorkerCompute {
  const url = options.url ?? workerUrl("compute-worker");
  const workerData: ComputeWorkerData = { suite: options.suite.name };
  const how = { name: "compute", workerData, resourceLimits: WORKER_LIMITS };
  const make = () => startThread(url, how, options.makeWorker);
  return createComputePool({
    ...options,
    schedule: (run) => void setImmediate(run),
    startWorker: (events) => lateThread(make, events),
  });
}
