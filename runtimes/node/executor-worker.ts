/** Worker thread: executes and writes the blocks of one node. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../core/fault/invariant.ts";
import { createBlockProcessor } from "../../core/execution/block-processor.ts";
import { bodyKey } from "../../core/ledger/keys.ts";
import { createNodeSuite } from "./backends.ts";
import { cancelFlag } from "./executor-frame.ts";
import type { ExecutorWorkerData } from "./executor-host.ts";
import { serveExecutor } from "./executor-service.ts";
import type { BlockWriter } from "./executor-service.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { openLevelStore } from "./store.ts";

/**
 * Bound of the row cache when the setup names none: several nodes share a process and its memory,
 * and four times as much saved no time in blocks that write new rows only.
 */
const ROW_CACHE_BYTES = 8 * 1024 * 1024;

const { setup, cancel } = workerData as ExecutorWorkerData<LedgerSetup>;
const port = parentPort;
invariant(port, "executor-worker runs as a worker thread");

async function open(interrupted: () => boolean): Promise<BlockWriter> {
  const suite = await createNodeSuite();
  const { folder, ...ledger } = setup;
  const store = await openLevelStore(folder, { create: false, joined: true });
  const processor = createBlockProcessor({
    rowCacheBytes: ROW_CACHE_BYTES,
    ...ledger,
    store,
    suite,
    interrupted,
    hasBody: (unexecuted) => store.has(bodyKey(unexecuted)),
  });
  return {
    execute: (request) => processor.execute(request),
    write: (hash, seals) => processor.write(hash, seals),
    async close() {
      await processor.close();
      await store.close();
    },
  };
}

await serveExecutor({ port, flag: cancelFlag(cancel), open });
