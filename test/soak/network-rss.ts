/**
 * Memory of four nodes in processes of their own at a steady load: it must not grow once caches
 * are full and the tables of the ledger are mapped.
 */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { type ChainClient, openChainClient } from "../bench/chain-client.ts";
import { type HttpConnection, openConnection } from "../bench/http-client.ts";
import { type IdleMemory, memoryOf } from "../bench/idle.ts";
import { MEMORY_KINDS, type MemoryKinds, memoryKindsOf } from "../bench/memory-kinds.ts";
import { type BenchChain, initBenchChain, startAll } from "../bench/process-chain.ts";
import { table } from "../bench/report.ts";
import { slopeOfLowest } from "../support/runner/lowest-line.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

const MINUTES = 60;
const RATE = 200;
const BLOCK_TIME_MS = 500;
const NODES = 4;
/** Connections, evenly over the nodes. */
const LANES = 8;
/** The last part of the run, over which the slope is taken. */
const SETTLED_SHARE = 0.75;
const MOST_MIB_PER_HOUR = 10;
const SAMPLE_MS = 10_000;
const REPORT_EVERY = 5;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** For what was admitted last to reach a block. */
const DRAIN_MS = 60_000;

/** The memory of all nodes at a minute of the run. */
interface Sample {
  readonly minute: number;
  readonly nodes: readonly IdleMemory[];
  /** What each node's is made of. */
  readonly kinds: readonly MemoryKinds[];
}

interface Load {
  readonly client: ChainClient;
  readonly connections: readonly HttpConnection[];
  readonly rate: number;
  sent: number;
  refused: number;
}

const sleep = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));

/** Sends the transactions of a second, each lane one after the other. */
async function sendSecond(load: Load): Promise<void> {
  const { client, connections, rate } = load;
  const submissions = await client.prepare(rate, connections.length);
  const lane = async (connection: HttpConnection, first: number) => {
    for (let i = first; i < submissions.length; i += connections.length) {
      const answer = await connection.post(submissions[i]?.body ?? "");
      if (answer.includes('"error"')) load.refused += 1;
      else load.sent += 1;
    }
  };
  await Promise.all(connections.map(lane));
}

/** In MiB per hour. */
function slopeOf(samples: readonly Sample[], mebibytes: (at: Sample) => number): number {
  const points = samples.map((at) => ({ x: at.minute, y: mebibytes(at) }));
  return slopeOfLowest(points, 1) * MINUTES;
}

/** What grows, where something does: first and last MiB, and MiB per hour. */
function kindsTable(samples: readonly Sample[]): string {
  const [first, last] = [samples.at(0), samples.at(-1)];
  const rows = MEMORY_KINDS.map((kind) => {
    const of = (node: number) => (at: Sample | undefined) => at?.kinds[node]?.[kind] ?? Number.NaN;
    const cells = (first?.nodes ?? []).map((_, node) => {
      const [from, to] = [of(node)(first), of(node)(last)].map((mebibytes) => mebibytes.toFixed(1));
      return `${from} to ${to}: ${slopeOf(samples, of(node)).toFixed(2)}`;
    });
    return [kind, ...cells];
  });
  const heads = ["kind", ...(first?.nodes ?? []).map(({ name }) => name)];
  return table(heads, rows);
}

function rowOf({ minute, nodes }: Sample, { sent, refused }: Load, height: number): string[] {
  const cells = nodes.map(({ rssMiB, ownMiB }) => `${rssMiB.toFixed(1)} (${ownMiB.toFixed(1)})`);
  return [minute.toFixed(0), `${sent}`, `${refused}`, `${height}`, ...cells];
}

interface Run {
  readonly chain: BenchChain;
  readonly load: Load;
  readonly minutes: number;
  /** Where every sample is kept, a line of JSON each. */
  readonly samplesFile: string | undefined;
  readonly say: (line: string) => void;
}

/** Keeps the rate until the time is over; a late second is not made up for. */
async function drive({ chain, load, minutes, samplesFile, say }: Run): Promise<Sample[]> {
  const samples: Sample[] = [];
  const rows: string[][] = [];
  const heads = ["minute", "sent", "refused", "height", ...chain.nodes.map(({ name }) => name)];
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  for (let sampleAt = 0, reportAt = 0; elapsed() < minutes * MINUTE_MS; ) {
    const second = elapsed();
    if (elapsed() >= sampleAt) {
      const nodes = chain.nodes.map(({ name, pid }) => memoryOf(name, pid));
      const kinds = chain.nodes.map(({ pid }) => memoryKindsOf(pid));
      const sample = { minute: elapsed() / MINUTE_MS, nodes, kinds };
      samples.push(sample);
      if (samplesFile) appendFileSync(samplesFile, `${JSON.stringify(sample)}\n`);
      sampleAt += SAMPLE_MS;
    }
    const latest = samples.at(-1);
    if (latest && elapsed() >= reportAt) {
      rows.push(rowOf(latest, load, await load.client.blockNumber()));
      say(table(heads, rows));
      reportAt += REPORT_EVERY * MINUTE_MS;
    }
    await sendSecond(load);
    await sleep(Math.max(0, SECOND_MS - (elapsed() - second)));
  }
  return samples;
}

/** Waits until everything that was admitted, and the deployment, is in a block. */
async function drained(load: Load): Promise<void> {
  const end = performance.now() + DRAIN_MS;
  while ((await load.client.transactionCount()) <= load.sent) {
    assert.ok(performance.now() < end, "admitted transactions are missing from the chain");
    await sleep(SECOND_MS);
  }
}

/** `npm run soak -- network-rss [--minutes N] [--rate TPS] [--samples FILE]`. */
export const networkRssSoak: Soak = {
  about:
    `memory of four processes at a steady load: [--minutes ${MINUTES}] [--rate ${RATE}] ` +
    "[--samples FILE]",
  async run(args, say) {
    const minutes = numberOption(args, "minutes", MINUTES);
    const rate = numberOption(args, "rate", RATE);
    const samplesFile = textOption(args, "samples");
    const suite = await createNodeSuite();
    const chain = await initBenchChain({
      ...{ nodes: NODES, blockTimeMs: BLOCK_TIME_MS },
      ...{ wasm: false, profile: undefined, nodeArgs: [] },
    });
    try {
      await startAll(chain);
      const urls = chain.nodes.map(({ url }) => url);
      const client = await openChainClient(suite, urls[0] ?? "");
      const connections = await Promise.all(
        Array.from({ length: LANES }, (_, i) => openConnection(urls[i % urls.length] ?? "")),
      );
      const load: Load = { client, connections, rate, sent: 0, refused: 0 };
      const samples = await drive({ chain, load, minutes, samplesFile, say });
      await drained(load);
      const settled = samples.filter(({ minute }) => minute >= minutes * (1 - SETTLED_SHARE));
      const slopes = chain.nodes.map(({ name }, node) => ({
        name,
        slope: slopeOf(settled, ({ nodes }) => nodes[node]?.rssMiB ?? Number.NaN),
      }));
      say(kindsTable(settled));
      for (const { name, slope } of slopes) {
        say(
          `${name}: ${slope.toFixed(2)} MiB per hour over the last ${minutes * SETTLED_SHARE} min`,
        );
      }
      say(`${load.sent} transactions, all in blocks; ${load.refused} refused`);
      for (const connection of connections) connection.close();
      client.close();
      for (const { name, slope } of slopes) assert.ok(slope < MOST_MIB_PER_HOUR, `${name} grows`);
    } finally {
      await chain.close();
    }
  },
};
