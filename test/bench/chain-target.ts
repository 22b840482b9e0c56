/** chain-node as a target: the built `chain-node dev` in a process of its own. */
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { openChainClient } from "./chain-client.ts";
import { startChild, stopChild } from "./child.ts";
import type { Target } from "./target.ts";

/** Options of the process under test. */
export interface ChainTargetOptions {
  readonly nodes: number;
  readonly port: number;
  /** Further arguments of `chain-node dev`. */
  readonly args: readonly string[];
  readonly shareRecovery: boolean;
  /** Folder for a CPU profile of each thread; absent for none. */
  readonly profile: string | undefined;
}

interface Ready {
  readonly rpc: readonly string[];
}

/** Arguments of Node that write a CPU profile of each thread. */
export function profiling(folder: string | undefined): readonly string[] {
  return folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`];
}

async function launch(options: ChainTargetOptions) {
  const fixed = ["dist/node/main.js", "dev", "--ephemeral", "--json", "--quiet"];
  const chosen = ["--nodes", `${options.nodes}`, "--port", `${options.port}`, ...options.args];
  const env = options.shareRecovery ? {} : { CHAIN_NODE_NO_SHARED_RECOVERY: "1" };
  const args = [...profiling(options.profile), ...fixed, ...chosen];
  const started = await startChild(process.execPath, args, /"ready":true.*\n/, env);
  const ready = JSON.parse(started.output().trim().split("\n")[0] ?? "{}") as Ready;
  const stop = async () => {
    const code = await stopChild(started.child);
    if (code !== 0) throw new Error(`chain-node dev ended with ${code}: ${started.errors()}`);
  };
  return { pid: started.child.pid ?? 0, ready, stop };
}

/** Starts `chain-node dev` on a fresh ephemeral folder and deploys HelloWorld. */
export async function startChain(suite: CryptoSuite, options: ChainTargetOptions): Promise<Target> {
  const { pid, ready, stop } = await launch(options);
  const { close, ...client } = await openChainClient(suite, ready.rpc[0] ?? "");
  const national = suite.name === "national" ? ", SM2 and SM3" : "";
  const sharing = options.shareRecovery ? "" : ", recovery not shared";
  return {
    name: `chain-node (${options.nodes} nodes${national}${sharing})`,
    pids: [pid],
    nodes: options.nodes,
    urls: ready.rpc,
    ...client,
    stop: async () => {
      close();
      await stop();
    },
  };
}
