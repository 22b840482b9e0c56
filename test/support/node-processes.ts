/** Nodes as processes of their own, from the folders that `chain-node init` writes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, type Program, request, sleep, startProgram } from "./dev-process.ts";
import { ROOT } from "./root.ts";

/** A node of the chain, running or not. */
export interface NodeProcess {
  readonly folder: string;
  readonly url: string;
  readonly isRunning: boolean;
  start(): Promise<void>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  blockNumber(): Promise<number>;
  /** The last that it wrote to its log. */
  errors(): string;
}

/** A chain of processes. */
export interface ProcessChain {
  readonly folder: string;
  readonly nodes: readonly NodeProcess[];
  close(): Promise<void>;
}

/** What is made. */
export interface ProcessChainOptions {
  readonly nodes: number;
  /** As `--groups`. */
  readonly groups?: string;
}

interface Written {
  readonly nodes: readonly { readonly folder: string; readonly ports: { readonly rpc: number } }[];
}

const POLL_MS = 50;

class FolderNode implements NodeProcess {
  readonly folder: string;
  readonly url: string;
  #program: Program | undefined;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.url = `http://127.0.0.1:${port}`;
  }

  get isRunning(): boolean {
    return this.#program !== undefined;
  }

  async start(): Promise<void> {
    this.#program = await startProgram(["start", "-c", join(this.folder, "config.ini"), "--json"]);
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    await program?.end(signal);
  }

  async blockNumber(): Promise<number> {
    return Number(await request(this.url, "getBlockNumber", [1]));
  }

  errors(): string {
    return this.#program?.errors() ?? "";
  }
}

/** Writes the folders of a chain on free ports; nothing is started. */
export async function initProcessChain(options: ProcessChainOptions): Promise<ProcessChain> {
  const folder = await mkdtemp(join(tmpdir(), "chain-processes-"));
  const ports = [await freePort(), await freePort(), await freePort()];
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, "dist/node/main.js"),
    "init",
    join(folder, "chain"),
    "--json",
    ...["--nodes", `${options.nodes}`],
    ...["--groups", options.groups ?? "1:pbft"],
    ...["--base-ports", ports.join(",")],
  ]);
  const { nodes: written } = JSON.parse(stdout) as Written;
  const nodes = written.map(({ folder: home, ports: { rpc } }) => new FolderNode(home, rpc));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    await rm(folder, { recursive: true, force: true });
  };
  return { folder: join(folder, "chain"), nodes, close };
}

/** Waits until nodes stand at the same block, at or above a number. */
export async function untilEqual(
  nodes: readonly NodeProcess[],
  least: number,
  limitMs: number,
): Promise<number> {
  const end = performance.now() + limitMs;
  for (;;) {
    const numbers = await Promise.all(nodes.map((node) => node.blockNumber()));
    const [first = 0] = numbers;
    if (first >= least && numbers.every((number) => number === first)) return first;
    const seen = numbers.join(" ");
    const logs = nodes.map((node) => node.errors().slice(-600)).join("\n");
    assert.ok(performance.now() < end, `nodes stand at ${seen}, not at ${least}\n${logs}`);
    await sleep(POLL_MS);
  }
}
