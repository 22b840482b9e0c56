/** Nodes in processes of their own over TCP, from the folders that `chain-node init` writes. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { openChainClient } from "./chain-client.ts";
import { steadyPorts } from "../support/process/dev-process.ts";
import { profiling } from "./chain-target.ts";
import { startChild, stopChild } from "./child.ts";
import { openConnection, rpc } from "./http-client.ts";
import type { Target } from "./target.ts";

/** How the chain is made. */
export interface ProcessOptions {
  readonly nodes: number;
  readonly blockTimeMs: number;
  /** Recover signatures in WebAssembly, as where the native package has no binary. */
  readonly wasm: boolean;
  readonly profile: string | undefined;
  /** Arguments of Node. */
  readonly nodeArgs: readonly string[];
}

/** One node. */
export interface BenchNode {
  readonly name: string;
  readonly url: string;
  /** Zero while it does not run. */
  readonly pid: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Removes its ledgers and votes; it must be stopped. */
  wipe(): Promise<void>;
}

/** A chain of processes. */
export interface BenchChain {
  readonly nodes: readonly BenchNode[];
  /** Stops all and removes their folders. */
  close(): Promise<void>;
}

/** A node as `chain-node init --json` tells it. */
export interface WrittenNode {
  readonly name: string;
  readonly folder: string;
  readonly nodeId: string;
  readonly ports: { readonly rpc: number };
}

interface Written {
  readonly nodes: readonly WrittenNode[];
}

/** RPC, channel and peers. */
const KINDS_OF_PORTS = 3;
const PROGRAM = "dist/node/main.js";
const READY = /"ready":true.*\n/;
const BLOCK_TIME = /^(\s*min_block_generation_time=).*$/m;
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

/** Writes the folders of so many nodes. */
export async function writeFolders(folder: string, nodes: number): Promise<Written> {
  const first = await steadyPorts(KINDS_OF_PORTS * nodes);
  const ports = Array.from({ length: KINDS_OF_PORTS }, (_, kind) => first + kind * nodes);
  const args = ["--json", "--nodes", `${nodes}`, "--base-ports", ports.join(",")];
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [PROGRAM, "init", folder, ...args]);
  return JSON.parse(stdout) as Written;
}

/** Sets the minimum block time of a node's first group. */
export async function setBlockTime(folder: string, blockTimeMs: number): Promise<void> {
  const path = join(folder, "conf/group.1.ini");
  const text = await readFile(path, "utf8");
  if (!BLOCK_TIME.test(text)) throw new Error(`${path} has no min_block_generation_time`);
  await writeFile(path, text.replace(BLOCK_TIME, `$1${blockTimeMs}`));
}

function nodeOf({ name, folder, ports }: WrittenNode, args: readonly string[]) {
  let running: Awaited<ReturnType<typeof startChild>> | undefined;
  const config = join(folder, "config.ini");
  const command = [...args, PROGRAM, "start", "-c", config, "--json", "--log-level", "warning"];
  const node: BenchNode = {
    name,
    url: `http://127.0.0.1:${ports.rpc}`,
    get pid() {
      return running?.child.pid ?? 0;
    },
    async start() {
      running = await startChild(process.execPath, command, READY, NODE_ENVIRONMENT);
    },
    async stop() {
      const stopped = running;
      running = undefined;
      if (!stopped) return;
      const code = await stopChild(stopped.child);
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${stopped.errors()}`);
    },
    wipe: () => rm(join(folder, "data"), { recursive: true, force: true }),
  };
  return node;
}

/** Writes the folders of a chain; nothing is started. */
export async function initBenchChain(options: ProcessOptions): Promise<BenchChain> {
  const folder = await mkdtemp(join(tmpdir(), "chain-bench-"));
  const written = await writeFolders(join(folder, "chain"), options.nodes);
  await Promise.all(written.nodes.map((one) => setBlockTime(one.folder, options.blockTimeMs)));
  const hiding = options.wasm ? ["--import", moduleUrl(WITHOUT_NATIVE)] : [];
  const args = [...hiding, ...profiling(options.profile), ...options.nodeArgs];
  const nodes = written.nodes.map((one) => nodeOf(one, args));
  const close = async () => {
    const ends = await Promise.allSettled(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true });
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  };
  return { nodes, close };
}

/** Starts all nodes and waits until each is connected to all others. */
export async function startAll({ nodes }: BenchChain): Promise<void> {
  // All of them, so that none is still starting when a failure stops the others.
  const starts = await Promise.allSettled(nodes.map((node) => node.start()));
  for (const start of starts) if (start.status === "rejected") throw start.reason;
  for (const { url } of nodes) {
    const connection = await openConnection(url);
    const peers = async () => ((await rpc(connection, "getPeers", [1])) as unknown[]).length;
    while ((await peers()) < nodes.length - 1) await new Promise((ok) => setTimeout(ok, 50));
    connection.close();
  }
}

/** Starts the nodes and deploys HelloWorld. */
export async function startProcesses(
  suite: CryptoSuite,
  options: ProcessOptions,
): Promise<{ readonly target: Target; readonly chain: BenchChain }> {
  const chain = await initBenchChain(options);
  try {
    await startAll(chain);
    const [first] = chain.nodes;
    const { close, ...client } = await openChainClient(suite, first?.url ?? "");
    const engine = options.wasm ? ", WASM" : "";
    const target: Target = {
      name: `chain-node (${options.nodes} processes${engine}, ${options.blockTimeMs} ms)`,
      pids: chain.nodes.map(({ pid }) => pid),
      nodes: options.nodes,
      urls: chain.nodes.map(({ url }) => url),
      ...client,
      stop: async () => {
        close();
        await chain.close();
      },
    };
    return { target, chain };
  } catch (cause) {
    await chain.close().catch(() => undefined);
    throw cause;
  }
}
