/** The Compute port over workers of the browser. */
import {
  type ComputePoolOptions,
  createComputePool,
  type PoolWorker,
  type PoolWorkerEvents,
  type WorkerCompute,
} from "../shared/compute-pool.ts";
import type { ComputeFrame } from "../shared/compute-frame.ts";
import { nextTurn } from "./turn.ts";

/** More workers than this find nothing to do. */
const MOST_WORKERS = 4;

/** One core is the node's own. */
export function computeWorkers(cores: number = navigator.hardwareConcurrency): number {
  return Math.max(1, Math.min(MOST_WORKERS, cores - 1));
}

interface TabComputeOptions extends Pick<ComputePoolOptions, "suite" | "log"> {
  /** Where compute-worker.js lies. */
  readonly url: URL;
  readonly workers?: number;
}

function startWorker(url: URL, events: PoolWorkerEvents): PoolWorker {
  const worker = new Worker(url, { type: "module", name: "compute" });
  worker.onmessage = ({ data }: MessageEvent<ComputeFrame>) => events.onAnswer(data);
  // A worker goes on after an error, but the batch is lost, and a script that is not there is too.
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    events.onError(event.message ?? "its script cannot be loaded");
    events.onEnd();
  };
  return {
    post: (frame) => worker.postMessage(frame, [frame.buffer]),
    end: () => worker.terminate(),
  };
}

/** Recovers signatures in workers; in place when they keep failing. */
export function createTabCompute(options: TabComputeOptions): WorkerCompute {
  const { suite, log, url, workers = computeWorkers() } = options;
  const own = new URL(`?suite=${suite.name}`, url);
  return createComputePool({
    suite,
    workers,
    ...(log ? { log } : {}),
    schedule: nextTurn,
    startWorker: (events) => startWorker(own, events),
  });
}
