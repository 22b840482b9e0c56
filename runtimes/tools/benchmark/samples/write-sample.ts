/** Writes the files of a ready workload. */
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { writeAll } from "../../../folder/whole-files.ts";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";
import { type ChainPlace, chainPlace, DEV_CHAIN } from "./chain-place.ts";
import type { Sample } from "./sample.ts";
import { CRUD } from "./crud.ts";
import { ERC20 } from "./erc20.ts";
import { EMPTY, EVENTS, SKELETON } from "./events.ts";
import { HELLO, MIXED_SAMPLE } from "./hello.ts";
import { MEMBERS } from "./members.ts";
import { DAG_TRANSFER, GROUPS, TRANSFER } from "./transfer.ts";
import { type CommandWords, wordsBehind } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunIo } from "../run-io.ts";

/** Names of the two files in the folder of a benchmark. */
export const BENCHMARK_FILE = "benchmark.yaml";
/** Its network file. */
export const NETWORK_FILE = "network.json";
/** The section of the chain, which Caliper's connector has by the same name. */
const BLOCKCHAIN = "fisco-bcos";
/** Command lines of nodes that run from this package. */
const NODE_PROCESSES = { command: "node", arguments: "main\\.js start", multiOutput: "sum" };
const INTERVAL_S = 1;
const TIMEOUT_MS = 100_000;

/** The sample of a name. @throws BenchmarkFault `usage` with all there are */
export function sampleNamed(name: string): Sample {
  const sample = SAMPLES.find((one) => one.name === name);
  if (sample) return sample;
  const near = nearestName(
    name,
    SAMPLES.map((one) => one.name),
  );
  const meant = near === undefined ? "there are" : `did you mean ${near}? There are`;
  throw new BenchmarkFault("usage", `there is no workload "${name}"; ${meant}\n${samplesText()}`);
}

function benchmarkText({ name, says, workers, rounds }: Sample, place: ChainPlace): string {
  const resource: object[] = [
    { module: "process", options: { interval: INTERVAL_S, processes: [NODE_PROCESSES] } },
  ];
  if (place.metrics.length > 0) {
    const options = { interval: INTERVAL_S, endpoints: place.metrics };
    resource.push({ module: "chain", options });
  }
  const file = {
    test: {
      name,
      description: says,
      workers: { number: workers },
      rounds: rounds.map(({ label, description, txNumber, tps, module, arguments: given }) => ({
        label,
        description,
        txNumber,
        rateControl: { type: "fixed-rate", opts: { tps } },
        workload: { module, ...(given === undefined ? {} : { arguments: given }) },
      })),
    },
    monitors: { resource },
  };
  return stringify(file);
}

/** The network file of a sample. */
export function networkText({ groups, contracts }: Sample, place: ChainPlace): string {
  const { nodes, authentication, info } = place;
  const file = {
    caliper: { blockchain: BLOCKCHAIN, command: { start: "", end: "" } },
    [BLOCKCHAIN]: {
      network: {
        nodes,
        ...(authentication === undefined ? {} : { authentication }),
        groupID: groups.length === 1 ? groups[0] : groups,
        timeout: TIMEOUT_MS,
      },
      smartContracts: contracts,
    },
    info: { Version: BUILD_INFO.version, ...info },
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

async function isEmpty(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.length === 0;
}

/** The files of a sample that do not depend on a chain. */
function ownFiles(sample: Sample) {
  return Object.entries(sample.files).map(([path, text]) => ({ path, text, use: "text" as const }));
}

/**
 * Writes a sample into a folder that is new or empty.
 * @throws BenchmarkFault `usage` when something is there already
 */
export async function writeSample(
  sample: Sample,
  folder: string,
  place: ChainPlace,
): Promise<void> {
  if (!(await isEmpty(folder)))
    throw new BenchmarkFault("usage", `${folder} is not empty: name a new folder`);
  await writeBenchmark(sample, folder, place);
}

/** Writes a sample over what is there. */
export async function writeBenchmark(
  sample: Sample,
  folder: string,
  place: ChainPlace,
): Promise<void> {
  await writeAll(resolve(folder), [
    ...ownFiles(sample),
    { path: BENCHMARK_FILE, text: benchmarkText(sample, place), use: "text" },
    { path: NETWORK_FILE, text: networkText(sample, place), use: "text" },
  ]);
}

/** In the order in which they are listed. */
export const SAMPLES: readonly Sample[] = [
  SKELETON,
  HELLO,
  TRANSFER,
  DAG_TRANSFER,
  CRUD,
  ERC20,
  MIXED_SAMPLE,
  EVENTS,
  MEMBERS,
  GROUPS,
  EMPTY,
];

/** Which workloads there are, a line for each. */
export function samplesText(): string {
  const width = Math.max(...SAMPLES.map(({ name }) => name.length));
  return SAMPLES.map(({ name, says }) => `  ${name.padEnd(width)}  ${says}\n`).join("");
}

/**
 * `benchmark new [NAME] [FOLDER] [--chain FOLDER]`; without a name it lists what there is.
 * @throws BenchmarkFault `usage`
 */
export async function newCommand(
  { words, flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  const [name, given, tooMany] = wordsBehind("new", words);
  if (tooMany !== undefined)
    throw new BenchmarkFault("usage", `"${tooMany}" is too much: benchmark new NAME FOLDER`);
  if (name === undefined) {
    io.stdout(samplesText());
    return EXIT.done;
  }
  const sample = sampleNamed(name);
  const folder = resolve(io.cwd, given ?? name);
  const chain = flags.get("chain");
  const place = chain === undefined ? DEV_CHAIN : await chainPlace(resolve(io.cwd, chain), folder);
  await writeSample(sample, folder, place);
  io.stdout(`${folder}\n`);
  const where = `--caliper-workspace ${given ?? name}`;
  const files = `--caliper-benchconfig ${BENCHMARK_FILE} --caliper-networkconfig ${NETWORK_FILE}`;
  const node = place.nodes[0];
  io.stderr(
    `${NETWORK_FILE} names ${place.nodes.length} node(s), the first at ` +
      `${node?.ip}:${node?.rpcPort}; to run it:\n  bench run ${where} ${files}\n`,
  );
  return EXIT.done;
}
