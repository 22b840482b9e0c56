/** The threads and backends of a process. */
import { availableParallelism } from "node:os";
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import type { Compute } from "../../../core/ports/compute.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createNativeSignatures } from "../machine/backends.ts";
import { type CallHost, createCallHost } from "./call-host.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createWorkerCompute } from "./compute.ts";
import { createNodeEntropy } from "../machine/entropy.ts";
import { createExecutorThreads, type ExecutorThreads } from "./executor-threads.ts";
import type { PassPace } from "../../shared/checksums/background-pass.ts";
import type { Undo } from "../machine/undo.ts";

/** Recovery threads of a process in WebAssembly; a native engine is as fast with one. */
const MOST_COMPUTE_WORKERS = 2;
/** Threads that execute blocks; the nodes and groups of the process share them. */
const MOST_EXECUTOR_THREADS = 4;

/** What the nodes of a process share. */
export interface Machinery {
  readonly suite: CryptoSuite;
  readonly entropy: Entropy;
  readonly compute: Compute;
  readonly calls: CallHost;
  readonly threads: ExecutorThreads;
  /** Of the looks through stores in the background; as in a node when absent. */
  readonly pace?: PassPace | undefined;
}

/** Starts the threads for chains of one suite; `undo` ends them. */
export async function startMachinery(
  log: Log,
  undo: Undo,
  suiteName: SuiteName = "standard",
): Promise<Machinery> {
  const suite = await createChainSuite(suiteName, log);
  const urgentInPlace = suiteName === "standard" && createNativeSignatures() !== undefined;
  const workers = urgentInPlace ? 1 : Math.min(MOST_COMPUTE_WORKERS, availableParallelism());
  const compute = createWorkerCompute({ suite, workers, urgentInPlace, log });
  undo.add(() => compute.close());
  const calls = createCallHost({ log });
  undo.add(() => calls.close());
  // One core is the main thread's: two cores with two such threads gave a tenth less throughput.
  const spare = Math.max(1, availableParallelism() - 1);
  const threads = createExecutorThreads(Math.min(MOST_EXECUTOR_THREADS, spare));
  return { suite, entropy: createNodeEntropy(), compute, calls, threads };
}
