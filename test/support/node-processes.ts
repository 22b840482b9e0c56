/** Nodes as processes of their own, from the folders that `chain-node init` writes. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { readGenesisFile, writeGenesisFile } from "../../runtimes/folder/genesis-file.ts";
import { replaceList } from "../../runtimes/folder/ini-edit.ts";
import { type Program, request, sleep, startProgram, steadyPorts } from "./dev-process.ts";
import { createLinks, type Links } from "./proxy.ts";
import { ROOT } from "./root.ts";

/** A node of the chain, running or not. */
export interface NodeProcess {
  readonly folder: string;
  readonly nodeId: string;
  readonly url: string;
  /** Where browsers reach it as a peer; empty without such a port. */
  readonly webSocket: string;
  /** Whether its chain is of the national suite. */
  readonly sm: boolean;
  readonly isRunning: boolean;
  start(): Promise<void>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  blockNumber(groupId?: number): Promise<number>;
  /** Lines of its log about views that ended by time-out. */
  viewChanges(): readonly string[];
  /** The last that it wrote to its log. */
  errors(): string;
}

/** A chain of processes. */
export interface ProcessChain {
  readonly folder: string;
  readonly nodes: readonly NodeProcess[];
  /** How the nodes reach each other, where that was asked for. */
  readonly links: Links | undefined;
  close(): Promise<void>;
}

/** What is made. */
export interface ProcessChainOptions {
  readonly nodes: number;
  /** As `--groups`. */
  readonly groups?: string;
  /** How many of them, the first ones, are sealers from the beginning; all if absent. */
  readonly sealers?: number;
  /** `min_block_generation_time` of the groups. */
  readonly pauseMs?: number;
  /** The nodes reach each other through proxies. */
  readonly linked?: boolean;
  /** The national algorithms. */
  readonly sm?: boolean;
  /** Ports for peers in browsers. */
  readonly webSocket?: boolean;
  /** `max_trans_num` of the groups. */
  readonly blockSize?: number;
}

/** A node as `chain-node init --json` tells it. */
interface WrittenNode {
  readonly folder: string;
  readonly nodeId: string;
  readonly ports: { readonly rpc: number; readonly p2p: number; readonly ws?: number };
}

const POLL_MS = 50;
const PAUSE_KEY = "min_block_generation_time";

class FolderNode implements NodeProcess {
  readonly folder: string;
  readonly nodeId: string;
  readonly url: string;
  readonly webSocket: string;
  readonly sm: boolean;
  #program: Program | undefined;

  constructor({ folder, nodeId, ports }: WrittenNode, sm: boolean) {
    this.sm = sm;
    this.folder = folder;
    this.nodeId = nodeId;
    this.url = `http://127.0.0.1:${ports.rpc}`;
    this.webSocket = ports.ws === undefined ? "" : `ws://127.0.0.1:${ports.ws}`;
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

  async blockNumber(groupId = 1): Promise<number> {
    return Number(await request(this.url, "getBlockNumber", [groupId]));
  }

  viewChanges(): readonly string[] {
    return this.#program?.marked() ?? [];
  }

  errors(): string {
    return this.#program?.errors() ?? "";
  }
}

/** Changes a file. */
export async function editFile(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

/** Sets a key of an ini file; a section that it lacks is added. */
export function setIni(path: string, section: string, [key, value]: readonly [string, string]) {
  return editFile(path, (text) => {
    const lines = text.split("\n").filter((line) => line.split("=")[0]?.trim() !== key);
    const head = lines.findIndex((line) => line.trim() === `[${section}]`);
    if (head < 0) return `${text}\n[${section}]\n${key}=${value}\n`;
    return [...lines.slice(0, head + 1), `${key}=${value}`, ...lines.slice(head + 1)].join("\n");
  });
}

/** What `init` has no option for: done as an operator would, in the files. */
async function adapt(nodes: readonly WrittenNode[], ids: readonly number[], o: Adaptation) {
  const sealers = nodes.slice(0, o.sealers).map(({ nodeId }) => nodeId);
  for (const [index, { folder }] of nodes.entries()) {
    const { links, pauseMs } = o;
    if (links) {
      const others = [...nodes.keys()].filter((other) => other !== index);
      const endpoints = others.map((other) => links.endpoint(index, other));
      const list = { section: "p2p", stem: "node." };
      await editFile(join(folder, "config.ini"), (text) => replaceList(text, list, endpoints));
    }
    for (const id of ids) {
      const path = join(folder, "conf", `group.${id}`);
      if (pauseMs !== undefined) {
        await setIni(`${path}.ini`, "consensus", [PAUSE_KEY, `${pauseMs}`]);
      }
      if (o.sealers === undefined && o.blockSize === undefined) continue;
      await editFile(`${path}.genesis`, (text) => {
        const { genesis } = readGenesisFile(text, path).value;
        const known = genesis.sealers.filter((sealer) => sealers.includes(sealer));
        const { blockSize: maxTransactions = genesis.maxTransactions } = o;
        return writeGenesisFile({ ...genesis, sealers: known, maxTransactions });
      });
    }
  }
}

interface Adaptation extends Pick<ProcessChainOptions, "sealers" | "pauseMs" | "blockSize"> {
  readonly links: Links | undefined;
}

async function runInit(home: string, options: ProcessChainOptions) {
  const { nodes, groups = "1:pbft", sm = false, webSocket = false } = options;
  const kinds = webSocket ? 4 : 3;
  const ports = await steadyPorts(kinds * nodes);
  const base = Array.from({ length: kinds }, (_, kind) => ports + kind * nodes);
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, "dist/node/main.js"),
    "init",
    home,
    "--json",
    ...(sm ? ["--sm"] : []),
    ...["--nodes", `${nodes}`],
    ...["--groups", groups],
    ...["--base-ports", base.join(",")],
  ]);
  const written = JSON.parse(stdout) as {
    readonly nodes: readonly WrittenNode[];
    readonly groups: readonly { readonly id: number }[];
  };
  return { written: written.nodes, ids: written.groups.map(({ id }) => id) };
}

/** Writes the folders of a chain on free ports; nothing is started. */
export async function initProcessChain(options: ProcessChainOptions): Promise<ProcessChain> {
  const folder = await mkdtemp(join(tmpdir(), "chain-processes-"));
  const { written, ids } = await runInit(join(folder, "chain"), options);
  const ports = written.map(({ ports: { p2p } }) => p2p);
  const links = options.linked ? await createLinks(ports) : undefined;
  await adapt(written, ids, { ...options, links });
  const nodes = written.map((node) => new FolderNode(node, options.sm ?? false));
  const close = async () => {
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    await links?.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder: join(folder, "chain"), nodes, links, close };
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
