/** Nodes in processes of their own over TCP, as `chain-node init` writes them. */
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { request } from "../support/process/dev-process.ts";
import { initProcessChain, type ProcessChain } from "../support/process/node-processes.ts";
import { profiling } from "./chain-target.ts";
import { openHello, rpcAddress } from "./hello-chain.ts";
import type { Target } from "./target.ts";

/** How the chain is made. */
export interface ProcessOptions {
  readonly nodes: number;
  readonly blockTimeMs: number;
  /** Recover signatures in WebAssembly, as where the native package has no binary. */
  readonly wasm: boolean;
  readonly profile?: string | undefined;
  /** Arguments of Node. */
  readonly nodeArgs: readonly string[];
}

/** Module that hides the native package from a process and its threads. */
const WITHOUT_NATIVE = `
import Module from "node:module";
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === "secp256k1/bindings.js") throw new Error("hidden by the benchmark");
  return load.call(this, request, ...rest);
};`;

function moduleUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** Writes the folders of a chain; nothing is started. */
export async function initBenchChain(options: ProcessOptions): Promise<ProcessChain> {
  const { nodes, blockTimeMs: pauseMs, wasm, profile, nodeArgs } = options;
  const hiding = wasm ? ["--import", moduleUrl(WITHOUT_NATIVE)] : [];
  const run = {
    args: ["--log-level", "warning"],
    nodeArgs: [...hiding, ...profiling(profile), ...nodeArgs],
    env: NODE_ENVIRONMENT,
  };
  const chain = await initProcessChain({ nodes, pauseMs, run });
  const close = async () => {
    // In order, so that profiles are written.
    await Promise.all(chain.nodes.map((node) => node.end("SIGTERM")));
    await chain.close();
  };
  return { ...chain, close };
}

/** Starts all nodes and waits until each is connected to all others. */
export async function startAll({ nodes }: ProcessChain): Promise<void> {
  // All of them, so that none is still starting when a failure stops the others.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
  for (const { url } of nodes) {
    const peers = async () => ((await request(url, "getPeers", [1])) as unknown[]).length;
    while ((await peers()) < nodes.length - 1) await new Promise((ok) => setTimeout(ok, 50));
  }
}

/** Starts the nodes and deploys HelloWorld. */
export async function startProcesses(
  options: ProcessOptions,
): Promise<{ readonly target: Target; readonly chain: ProcessChain }> {
  const chain = await initBenchChain(options);
  try {
    await startAll(chain);
    const { close, ...hello } = await openHello(rpcAddress(chain.nodes.map(({ url }) => url)));
    const engine = options.wasm ? ", WASM" : "";
    const target: Target = {
      name: `chain-node (${options.nodes} processes${engine}, ${options.blockTimeMs} ms)`,
      pids: chain.nodes.map(({ pid }) => pid),
      nodes: options.nodes,
      ...hello,
      stop: async () => {
        await close();
        await chain.close();
      },
    };
    return { target, chain };
  } catch (cause) {
    await chain.close().catch(() => undefined);
    throw cause;
  }
}
