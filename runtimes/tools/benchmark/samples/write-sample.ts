/** Writes the files of a ready workload. */
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { writeAll } from "../../../folder/whole-files.ts";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";
import { SAMPLES, samplesText } from "./all-samples.ts";
import type { ChainPlace } from "./chain-place.ts";
import type { Sample } from "./sample.ts";

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

/** The benchmark file of a sample, in the second generation's form. */
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
