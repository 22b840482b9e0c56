/**
 * `npm run bench`: load against a four-node chain, a peer in the same run, and micro-benchmarks.
 */
import { parseArgs } from "node:util";
import { createNodeSuite } from "../../runtimes/node/backends.ts";
import { startAnvil } from "./anvil-target.ts";
import { startChain } from "./chain-target.ts";
import { freePort } from "./child.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { runMicro } from "./micro.ts";
import { figure, table } from "./report.ts";
import type { Target } from "./target.ts";

const USAGE = `npm run bench -- [options]
  --count N         transactions (30000)
  --nodes N         nodes of the chain (4)
  --concurrency N   keep-alive connections (32)
  --rate TPS        fixed rate instead of a closed loop
  --vs anvil        the same calls against anvil in the same run, and the ratio
  --no-share        every node recovers each signature itself
  --micro           micro-benchmarks only: recover, hash, EVM call, block write
  --block-time MS   minimum block time of the chain (100)
  --profile DIR     write a CPU profile of each thread of the chain
  --json            one JSON object on stdout
`;

/** Below this anvil's own figure is not what it can do, and a ratio would flatter us. */
const ANVIL_FLOOR_TPS = 5_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "30000" },
    nodes: { type: "string", default: "4" },
    concurrency: { type: "string", default: "32" },
    rate: { type: "string" },
    vs: { type: "string" },
    "no-share": { type: "boolean", default: false },
    micro: { type: "boolean", default: false },
    "block-time": { type: "string" },
    profile: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function integer(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`--${name} takes a positive integer, not ${text}\n`);
  return process.exit(2);
}

const progress = (line: string) => process.stderr.write(`${line}\n`);

async function measure(target: Target): Promise<LoadResult> {
  try {
    return await runLoad(target, {
      count: integer("count", values.count),
      connections: integer("concurrency", values.concurrency),
      rate: values.rate === undefined ? undefined : integer("rate", values.rate),
      onProgress: progress,
    });
  } finally {
    await target.stop();
  }
}

function rowOf(result: LoadResult): string[] {
  return [
    result.target,
    figure(result.count),
    result.rate ? `${result.rate}/s` : "closed loop",
    figure(result.blocks),
    figure(result.tps),
    figure(result.p50Ms),
    figure(result.p99Ms),
    figure(result.cpuSeconds, 1),
    figure(result.cpuMsPerTransaction, 2),
    figure(result.rssMiB),
    figure(result.refused),
  ];
}

const HEADS = [
  "target",
  "transactions",
  "load",
  "blocks",
  "TPS",
  "p50 ms",
  "p99 ms",
  "CPU s",
  "CPU ms/tx",
  "RSS MiB",
  "refused",
];

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(USAGE);
  if (values.vs !== undefined && values.vs !== "anvil") {
    process.stderr.write(`--vs knows anvil, not ${values.vs}\n`);
    process.exit(2);
  }
  const suite = await createNodeSuite();
  if (values.micro) {
    const rows = await runMicro(suite, progress);
    process.stdout.write(
      values.json
        ? `${JSON.stringify(rows)}\n`
        : `${table(
            ["what", "us each", "per second"],
            rows.map((row) => [row.name, figure(row.micros, 2), figure(1e6 / row.micros)]),
          )}\n`,
    );
    return;
  }
  const results: LoadResult[] = [];
  const chain = await startChain(suite, {
    nodes: integer("nodes", values.nodes),
    port: await freePort(),
    args: values["block-time"] ? ["--block-time", values["block-time"]] : [],
    shareRecovery: !values["no-share"],
    profile: values.profile,
  });
  results.push(await measure(chain));
  if (values.vs)
    results.push(
      await measure(await startAnvil(suite, integer("concurrency", values.concurrency))),
    );
  const [ours, peer] = results;
  const ratio = ours && peer ? ours.tps / peer.tps : undefined;
  const isVoid = peer !== undefined && peer.tps < ANVIL_FLOOR_TPS;
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ results, ratio, void: isVoid })}\n`);
    return;
  }
  process.stdout.write(`${table(HEADS, results.map(rowOf))}\n`);
  if (ratio !== undefined) {
    process.stdout.write(`chain-node / anvil: ${figure(ratio, 2)}\n`);
    if (isVoid)
      process.stdout.write(
        `void: anvil stayed below ${ANVIL_FLOOR_TPS} TPS, the machine was busy; run again\n`,
      );
  }
}

await main();
