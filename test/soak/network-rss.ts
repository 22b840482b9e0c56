/**
 * Memory of four nodes in processes of their own at a steady load: it must not grow once caches
 * are full and the tables of the ledger are mapped.
 */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import { openHello, rpcAddress } from "../bench/hello-chain.ts";
import { type IdleMemory, memoryOf } from "../bench/idle.ts";
import { MEMORY_KINDS, type MemoryKinds, memoryKindsOf } from "../bench/memory-kinds.ts";
import { initBenchChain, startAll } from "../bench/process-chain.ts";
import { table } from "../bench/report.ts";
import type { RunningLoad } from "../bench/signed-load.ts";
import type { ProcessChain } from "../support/process/node-processes.ts";
import { slopeOfLowest } from "../support/runner/lowest-line.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

const MINUTES = 60;
const RATE = 200;
const BLOCK_TIME_MS = 500;
const NODES = 4;
/** The last part of the run, over which the slope is taken. */
const SETTLED_SHARE = 0.75;
const MOST_MIB_PER_HOUR = 10;
const SAMPLE_MS = 10_000;
const REPORT_EVERY = 5;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** The memory of all nodes at a minute of the run. */
interface Sample {
  readonly minute: number;
  readonly nodes: readonly IdleMemory[];
  /** What each node's is made of. */
  readonly kinds: readonly MemoryKinds[];
}

const sleep = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));

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

function rowOf({ minute, nodes }: Sample, { progress }: RunningLoad, height: number): string[] {
  const cells = nodes.map(({ rssMiB, ownMiB }) => `${rssMiB.toFixed(1)} (${ownMiB.toFixed(1)})`);
  const { submitted, finished, succeeded } = progress;
  return [minute.toFixed(0), `${submitted}`, `${finished - succeeded}`, `${height}`, ...cells];
}

interface Run {
  readonly chain: ProcessChain;
  readonly load: RunningLoad;
  readonly height: () => Promise<number>;
  readonly minutes: number;
  /** Where every sample is kept, a line of JSON each. */
  readonly samplesFile: string | undefined;
  readonly say: (line: string) => void;
}

/** Looks on until the time is over. */
async function drive(run: Run): Promise<Sample[]> {
  const { chain, load, height, minutes, samplesFile, say } = run;
  const samples: Sample[] = [];
  const rows: string[][] = [];
  const names = chain.nodes.map(({ folder }) => basename(folder));
  const heads = ["minute", "sent", "failed", "height", ...names];
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  for (let sampleAt = 0, reportAt = 0; elapsed() < minutes * MINUTE_MS; ) {
    if (elapsed() >= sampleAt) {
      const nodes = chain.nodes.map(memoryOf);
      const kinds = chain.nodes.map(({ pid }) => memoryKindsOf(pid));
      const sample = { minute: elapsed() / MINUTE_MS, nodes, kinds };
      samples.push(sample);
      if (samplesFile) appendFileSync(samplesFile, `${JSON.stringify(sample)}\n`);
      sampleAt += SAMPLE_MS;
    }
    const latest = samples.at(-1);
    if (latest && elapsed() >= reportAt) {
      rows.push(rowOf(latest, load, await height()));
      say(table(heads, rows));
      reportAt += REPORT_EVERY * MINUTE_MS;
    }
    await sleep(SECOND_MS);
  }
  return samples;
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
    const chain = await initBenchChain({
      ...{ nodes: NODES, blockTimeMs: BLOCK_TIME_MS },
      ...{ wasm: false, nodeArgs: [] },
    });
    try {
      await startAll(chain);
      const hello = await openHello(rpcAddress(chain.nodes.map(({ url }) => url)));
      const load = await hello.keep(rate);
      const height = () => hello.blockNumber();
      const samples = await drive({ chain, load, height, minutes, samplesFile, say });
      load.stop();
      const { counts } = await load.end;
      await hello.close();
      const settled = samples.filter(({ minute }) => minute >= minutes * (1 - SETTLED_SHARE));
      const slopes = chain.nodes.map(({ folder }, node) => ({
        name: basename(folder),
        slope: slopeOf(settled, ({ nodes }) => nodes[node]?.rssMiB ?? Number.NaN),
      }));
      say(kindsTable(settled));
      for (const { name, slope } of slopes) {
        say(
          `${name}: ${slope.toFixed(2)} MiB per hour over the last ${minutes * SETTLED_SHARE} min`,
        );
      }
      say(`${counts.succeeded} transactions in blocks; ${counts.failed} failed`);
      assert.equal(counts.unfinished, 0, "admitted transactions are missing from the chain");
      for (const { name, slope } of slopes) assert.ok(slope < MOST_MIB_PER_HOUR, `${name} grows`);
    } finally {
      await chain.close();
    }
  },
};
