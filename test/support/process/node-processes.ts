/** Nodes on the folders that `chain-node init` writes: processes of their own, or in this one. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  readGenesisFile,
  writeGenesisFile,
} from "../../../runtimes/formats/config/genesis-file.ts";
import { replaceList } from "../../../runtimes/formats/config/ini-edit.ts";
import type { PassPace } from "../../../runtimes/shared/checksums/background-pass.ts";
import {
  growingPauses,
  type ProgramOptions,
  request,
  startProgram,
  steadyPorts,
} from "./dev-process.ts";
import { createHouse, type House } from "./hosted-nodes.ts";
import { createLinks, type Links } from "./proxy.ts";
import { type WrittenChainNode, writeChainFolder } from "./written-chain.ts";

/** A node of the chain, running or not. */
export interface NodeProcess {
  readonly folder: string;
  /** Zero while it has no process of its own. */
  readonly pid: number;
  readonly nodeId: string;
  readonly url: string;
  /** Where browsers reach it as a peer; empty without such a port. */
  readonly webSocket: string;
  /** Whether its chain is of the national suite. */
  readonly sm: boolean;
  readonly isRunning: boolean;
  /** Of chains with metrics. */
  readonly metricsUrl: string;
  /** @param run how its process is run this time, if not as the others of the chain */
  start(run?: ProcessChainOptions["run"]): Promise<void>;
  /** One in the test's process can only be stopped in order. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  blockNumber(groupId?: number): Promise<number>;
  /** Messages about consensus that it has sent; of chains with metrics. */
  consensusSent(): Promise<number>;
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
  /** Each node has a port for metrics. */
  readonly metrics?: boolean;
  /**
   * They run in this process, on the same ports and with the same protocol among them: for tests
   * that end no node in the middle of its work. A process of its own takes two CPU seconds. A
   * number: the last this many.
   */
  readonly hosted?: boolean | number;
  /** How fast those look through their stores. */
  readonly pace?: PassPace;
  /** How processes of their own are run, with further arguments of `start`. */
  readonly run?: ProgramOptions & { readonly args?: readonly string[] };
}

/** A node that runs. */
export interface RunningProgram {
  /** Of a process of its own. */
  readonly pid?: number;
  /** Lines of its log about views that ended by time-out. */
  marked(): readonly string[];
  /** The last that it wrote to its log. */
  errors(): string;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

const CONSENSUS_SENT = /^chain_node_p2p_messages_total\{.*class="consensus".*\} (\d+)$/;
const PAUSE_KEY = "min_block_generation_time";

/** Where a node has its metrics: behind all other ports of its chain. */
function metricsPort({ rpc, channel, p2p }: WrittenChainNode["ports"]): number {
  const nodes = channel - rpc;
  return p2p + 2 * nodes;
}

class FolderNode implements NodeProcess {
  readonly folder: string;
  readonly nodeId: string;
  readonly url: string;
  readonly webSocket: string;
  readonly sm: boolean;
  readonly #house: House | undefined;
  readonly #run: ProcessChainOptions["run"];
  readonly #metrics: string;
  #program: RunningProgram | undefined;

  constructor(
    { folder, nodeId, ports }: WrittenChainNode,
    { sm = false, run }: ProcessChainOptions,
    house: House | undefined,
  ) {
    this.#house = house;
    this.#run = run;
    this.#metrics = `http://127.0.0.1:${metricsPort(ports)}/metrics`;
    this.sm = sm;
    this.folder = folder;
    this.nodeId = nodeId;
    this.url = `http://127.0.0.1:${ports.rpc}`;
    this.webSocket = ports.ws === undefined ? "" : `ws://127.0.0.1:${ports.ws}`;
  }

  get metricsUrl(): string {
    return this.#metrics;
  }

  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#program !== undefined;
  }

  async start(run = this.#run): Promise<void> {
    const config = join(this.folder, "config.ini");
    const args = ["start", "-c", config, "--json", ...(run?.args ?? [])];
    this.#program = this.#house ? await this.#house.start(config) : await startProgram(args, run);
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    await program?.end(signal);
  }

  async blockNumber(groupId = 1): Promise<number> {
    return Number(await request(this.url, "getBlockNumber", [groupId]));
  }

  async consensusSent(): Promise<number> {
    const text = await (await fetch(this.#metrics)).text();
    const line = text.split("\n").find((it) => it.includes('"out"') && CONSENSUS_SENT.test(it));
    return Number(CONSENSUS_SENT.exec(line ?? "")?.[1] ?? 0);
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
async function adapt(nodes: readonly WrittenChainNode[], ids: readonly number[], o: Adaptation) {
  const sealers = nodes.slice(0, o.sealers).map(({ nodeId }) => nodeId);
  for (const [index, node] of nodes.entries()) {
    const { folder } = node;
    const { links, pauseMs } = o;
    if (o.metrics) {
      const section = `[metrics]\nlisten_port=${metricsPort(node.ports)}\n`;
      await editFile(join(folder, "config.ini"), (text) => text.replace("[metrics]\n", section));
    }
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

interface Adaptation
  extends Pick<ProcessChainOptions, "sealers" | "pauseMs" | "blockSize" | "metrics"> {
  readonly links: Links | undefined;
}

async function writeNodes(home: string, options: ProcessChainOptions) {
  const { nodes, groups = "1:pbft", sm = false, webSocket = false } = options;
  const first = await steadyPorts(5 * nodes);
  const basePorts = {
    rpc: first,
    channel: first + nodes,
    p2p: first + 2 * nodes,
    ...(webSocket ? { ws: first + 3 * nodes } : {}),
  };
  return writeChainFolder(home, { nodes, groups, sm, basePorts });
}

/** Writes the folders of a chain on free ports; nothing is started. */
export async function initProcessChain(options: ProcessChainOptions): Promise<ProcessChain> {
  const folder = await mkdtemp(join(tmpdir(), "chain-processes-"));
  const { nodes: written, ids } = await writeNodes(join(folder, "chain"), options);
  const ports = written.map(({ ports: { p2p } }) => p2p);
  const links = options.linked ? await createLinks(ports) : undefined;
  await adapt(written, ids, { ...options, links });
  const { hosted = false, sm = false, pace } = options;
  const house = hosted ? createHouse(sm ? "national" : "standard", pace) : undefined;
  const firstHosted = hosted === true ? 0 : written.length - Number(hosted);
  const isHosted = (index: number) => index >= firstHosted;
  const nodes = written.map(
    (node, index) => new FolderNode(node, options, isHosted(index) ? house : undefined),
  );
  const close = async () => {
    const ends = nodes.map((node, index) => node.end(isHosted(index) ? "SIGTERM" : "SIGKILL"));
    await Promise.all(ends);
    await house?.close();
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
  for (const pause = growingPauses(); ; await pause()) {
    const numbers = await Promise.all(nodes.map((node) => node.blockNumber()));
    const [first = 0] = numbers;
    if (first >= least && numbers.every((number) => number === first)) return first;
    const seen = numbers.join(" ");
    const logs = nodes.map((node) => node.errors().slice(-600)).join("\n");
    assert.ok(performance.now() < end, `nodes stand at ${seen}, not at ${least}\n${logs}`);
  }
}
