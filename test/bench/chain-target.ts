/** chain-node as a target: the built `chain-node dev` in a process of its own. */
import { startChannelProcess } from "../support/channel/channel-process.ts";
import { openHello, rpcAddress } from "./hello-chain.ts";
import type { BenchOptions } from "./options.ts";
import type { Target } from "./target.ts";

/** Arguments of Node that write a CPU profile of each thread. */
export function profiling(folder: string | undefined): readonly string[] {
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}

/** Starts `chain-node dev` on a fresh ephemeral folder and deploys HelloWorld. */
export async function startChain(options: BenchOptions): Promise<Target> {
  const { nodes, sm, blockTimeMs, share, profile } = options;
  const blockTime = blockTimeMs === undefined ? [] : ["--block-time", `${blockTimeMs}`];
  const dev = await startChannelProcess(nodes, [...blockTime, ...(sm ? ["--sm"] : [])], {
    nodeArgs: profiling(profile),
    env: share ? {} : { CHAIN_NODE_NO_SHARED_RECOVERY: "1" },
  });
  const { close, ...hello } = await openHello(rpcAddress(dev.urls));
  const national = sm ? ", SM2 and SM3" : "";
  const sharing = share ? "" : ", recovery not shared";
  return {
    name: `chain-node (${nodes} nodes${national}${sharing})`,
    pids: [dev.pid],
    nodes,
    ...hello,
    stop: async () => {
      await close();
      await dev.stop();
    },
  };
}
