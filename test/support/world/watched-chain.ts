/** A node of a memory chain that can be watched, over a clock that a test moves. */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { RunningNode } from "../../../core/node/create-node.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { devGenesis } from "../../../runtimes/shared/dev/dev-genesis.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { createMemoryFiles } from "../../../runtimes/shared/memory-files.ts";
import { createMemoryHub } from "../../../runtimes/shared/memory-network.ts";
import { createWatchPost } from "../../../runtimes/shared/theatre/live/watch-post.ts";
import { BUILD_INFO } from "../../../runtimes/shared/platform/build-info.ts";
import { createHandClock } from "./hand-clock.ts";
import { STANDARD_SUITE } from "../suites.ts";

const CHAIN_ID = 1;

/** Starts one node that seals alone, and its post. */
export async function startSmallChain(consensus: "pbft" | "raft" = "pbft") {
  const suite = STANDARD_SUITE;
  const privateKey = new Uint8Array(32).fill(5);
  const self = nodeIdOf(suite.publicKey(privateKey));
  const hand = createHandClock(1_000);
  const post = createWatchPost({ suite, chainId: CHAIN_ID, clock: hand });
  const store = openMemoryStore();
  const hub = createMemoryHub({ schedule: (run) => void setImmediate(run) });
  const rules = { suite, version: NEWEST_VERSION };
  const peer = { endpoint: "127.0.0.1:0", agency: "test", node: "node0", topics: [] };
  const node = new RunningNode(
    {
      build: BUILD_INFO,
      chainId: CHAIN_ID,
      supportedVersion: NEWEST_VERSION,
      suite,
      privateKey,
      inspect: post.gallery,
      groups: {
        folders: { config: "conf/", data: "data/" },
        format: jsonGroupFormat(),
        fixed: [devGenesis({ created: 1, consensus, sealers: [self] })],
      },
    },
    {
      clock: hand,
      entropy: { bytes: (count) => new Uint8Array(count) },
      log: { write: () => undefined },
      compute: createInlineCompute(suite),
      network: post.tap(hub.join(self, peer)),
      files: createMemoryFiles(),
      openStore: async () => store,
      openExecutor: async (genesis) => createBlockProcessor({ ...rules, genesis, store }),
    },
  );
  post.attach(node);
  await node.start();
  const clock = {
    /** Moves the time in small steps; what follows from each happens. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 50) {
        hand.move(50);
        await new Promise((resume) => setImmediate(resume));
      }
    },
    waiting: () => hand.waiting,
  };
  const stop = async () => {
    post.close();
    await node.stop();
  };
  return { post, node, clock, stop };
}
