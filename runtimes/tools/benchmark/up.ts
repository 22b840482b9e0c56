/** `benchmark up N`: a workload against a fresh network of this many nodes on this host. */
import { shellWord } from "../../folder/node-scripts.ts";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setValue } from "../../formats/config/ini-edit.ts";
import { parseBasePorts } from "../../folder/chain-layout.ts";
import type { FoundNode } from "../../folder/chain-reader.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import { tryPort } from "../../node/observe/keyed-ports.ts";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import type { LiveNetwork } from "../network/live-network.ts";
import { readNetwork } from "../network/classic-files.ts";
import { isWell } from "../network/network-state.ts";
import { forEachNode, stopNode } from "../network/node-processes.ts";
import { bringUp, writeMissing } from "../network/up.ts";
import { type CommandWords, wordsBehind } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { runCommand } from "./run-command.ts";
import type { RunIo } from "./run-io.ts";
import { chainPlace } from "./samples/chain-place.ts";
import type { Sample } from "./samples/sample.ts";
import {
  BENCHMARK_FILE,
  NETWORK_FILE,
  sampleNamed,
  writeBenchmark,
} from "./samples/write-sample.ts";

const CHAIN_FILE = "chain.yaml";
const CHAIN_NAME = "chain";
/** Four nodes bear one that fails; more than this on one machine measure the machine. */
const MOST_NODES = 16;
const USUAL_SAMPLE = "hello";
const WAIT_MS = 120_000;
/** Where ports for metrics begin. */
const METRICS_PORT = 9_300;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const LOOPBACK = "127.0.0.1";
const METRICS_SPAN = 1_000;

/** @param ports where automatic ports begin; undefined for the usual place */
function chainText(count: number, { groups }: Sample, ports: string | undefined): string {
  const names = Array.from({ length: count }, (_, index) => `node${index}`);
  const nodes = names.map((name) => `  - { name: ${name}, agency: agency }`);
  const ids = groups.map((id) => `  - id: ${id}`);
  return [
    "# The network of a benchmark: chain-node network up, down and clean know it too.",
    `chain: { name: ${CHAIN_NAME}${ports === undefined ? "" : `, ports: "${ports}"`} }`,
    "agencies: [agency]",
    "nodes:",
    ...nodes,
    "groups:",
    ...ids,
    "",
  ].join("\n");
}

interface UpOrder {
  readonly count: number;
  readonly sample: Sample;
  readonly ports: string | undefined;
}

function portsOf(text: string | undefined): string | undefined {
  if (text !== undefined) parseBasePorts(text);
  return text;
}

function countOf(text: string | undefined): number {
  const count = Number(text ?? "4");
  if (Number.isInteger(count) && count >= 1 && count <= MOST_NODES) return count;
  throw new BenchmarkFault("usage", `"${text}" is no number of nodes: from 1 to ${MOST_NODES}`);
}

/** A port that nothing listens on, from a place on. */
async function freePort(from: number): Promise<number> {
  for (let port = from; port < METRICS_PORT + METRICS_SPAN; port += 1) {
    if ((await tryPort({ host: LOOPBACK, port })) === undefined) return port;
  }
  throw new BenchmarkFault("engine", `no port is free above ${METRICS_PORT}`);
}

/** Gives nodes without one a port for their metrics: the chain monitor reads them. */
async function openMetrics(nodes: readonly FoundNode[]): Promise<void> {
  let next = METRICS_PORT;
  for (const { folder, config, text } of nodes) {
    if (config.metrics !== undefined) continue;
    const port = await freePort(next);
    next = port + 1;
    const edited = setValue(text, { section: "metrics", key: "listen_port", value: String(port) });
    await writeWhole(folder, { path: "config.ini", text: edited, use: "text" });
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Writes the network where there is none yet, starts it, and waits until it can write. */
async function startNetwork(folder: string, order: UpOrder, io: RunIo) {
  const { count, sample, ports } = order;
  const report = (line: string) => io.stderr(`${line}\n`);
  const file = join(folder, CHAIN_FILE);
  const isNew = !(await exists(file));
  if (isNew) {
    const text = chainText(count, sample, ports);
    await writeWhole(folder, { path: CHAIN_FILE, text, use: "text" });
  }
  const spec = await readNetwork(file);
  if (spec.nodes.length !== count) {
    const what = `${folder} holds a network of ${spec.nodes.length} nodes, not of ${count}`;
    throw new BenchmarkFault("usage", `${what}: name another folder by --folder`);
  }
  const network = await writeMissing(spec, report);
  if (isNew) await openMetrics(network.chain.nodes);
  return { network, spec, report };
}

/** Signals wait until nodes can be stopped: nobody else would. */
function holdSignals(io: RunIo): { readonly isEnding: () => boolean; release(): void } {
  let isEnding = false;
  const note = () => {
    isEnding = true;
    io.stderr("ends as soon as the nodes can be stopped\n");
  };
  for (const signal of SIGNALS) process.on(signal, note);
  return {
    isEnding: () => isEnding,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, note);
    },
  };
}

async function stopNetwork({ nodes }: LiveNetwork): Promise<void> {
  await forEachNode(nodes, async ({ folder }) => {
    await stopNode(folder);
  });
}

/** Runs what was written, with options added to those of the command line. */
async function runIn(folder: string, given: CommandWords, args: readonly string[], io: RunIo) {
  const files = [
    ["caliper-workspace", folder],
    ["caliper-benchconfig", BENCHMARK_FILE],
    ["caliper-networkconfig", NETWORK_FILE],
  ] as const;
  const flags = new Map([...given.flags, ...files]);
  // Workers read the command line themselves.
  const all = [...args, ...files.map(([key, value]) => `--${key}=${value}`)];
  return await runCommand({ ...given, flags }, all, io);
}

/**
 * `benchmark up [N] [--sample NAME] [--folder FOLDER] [--ports RPC,CHANNEL,P2P] [--keep]`: the exit
 * code is that of the run.
 * @throws BenchmarkFault `usage`; FolderFault, ConfigFault of the network
 */
export async function upCommand(
  given: CommandWords,
  args: readonly string[],
  io: RunIo,
): Promise<number> {
  const { words, flags } = given;
  const count = countOf(wordsBehind("up", words)[0]);
  const sample = sampleNamed(flags.get("sample") ?? USUAL_SAMPLE);
  const folder = resolve(io.cwd, flags.get("folder") ?? `bench-${sample.name}`);
  const order = { count, sample, ports: portsOf(flags.get("ports")) };
  const { network, spec, report } = await startNetwork(folder, order, io);
  const signals = holdSignals(io);
  try {
    const { state } = await bringUp(spec, WAIT_MS, report);
    if (signals.isEnding()) return EXIT.engine;
    if (!isWell(state)) {
      io.stderr(`error: the network in ${folder} has no consensus; its logs are in the nodes\n`);
      return EXIT.engine;
    }
    const place = await chainPlace(join(folder, CHAIN_NAME), folder);
    await writeBenchmark(sample, folder, place);
    return await runIn(folder, given, args, io);
  } finally {
    if (flags.has("keep")) {
      io.stderr(
        `the nodes run on: chain-node network down ${shellWord(join(folder, CHAIN_FILE))}\n`,
      );
    } else await stopNetwork(network);
    signals.release();
  }
}
