/** Worker thread: executes and writes the blocks of the nodes that have a place in it. */
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { bodyKey } from "../../../core/ledger/keys.ts";
import { createSuiteCache } from "../machine/chain-suite.ts";
import { serveSlots } from "./executor-service.ts";
import type { BlockWriter } from "./executor-service.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { sealInBackground } from "../../shared/checksums/sealing.ts";
import { pause } from "../store/pause.ts";
import { openLevelStore } from "../store/store.ts";

/**
 * Bound of the row cache when the setup names none: several nodes share a process and its memory,
 * and four times as much saved no time in blocks that write new rows only.
 */
const ROW_CACHE_BYTES = 8 * 1024 * 1024;

/** One engine per suite for all ledgers of the thread. */
const suiteNamed = createSuiteCache();

async function open(setup: LedgerSetup, interrupted: () => boolean): Promise<BlockWriter> {
  const { folder, opened, suite: name = "standard", ...ledger } = setup;
  const suite = await suiteNamed(name);
  const store = await openLevelStore(folder, { create: false, joined: true, opened });
  const processor = createBlockProcessor({
    rowCacheBytes: ROW_CACHE_BYTES,
    ...ledger,
    store,
    suite,
    interrupted,
    steady: () => performance.now(),
    hasBody: (unexecuted) => store.has(bodyKey(unexecuted)),
  });
  const stopSealing = sealInBackground(store, pause);
  return {
    execute: (request, onHeavy) => processor.execute(request, onHeavy),
    write: (hash, seals) => processor.write(hash, seals),
    async close() {
      stopSealing();
      await processor.close();
      await store.close();
    },
  };
}

serveSlots(open);
