/** The command line of `npm run bench`. */
import { parseArgs } from "node:util";

/** Its help. */
export const USAGE = `npm run bench -- [options]
  --count N         transactions (30000; with --rate 20 s of them)
  --nodes N         nodes of the chain (4)
  --concurrency N   transactions on their way at a time (9000; with --channel 320)
  --rate TPS        fixed rate instead of as many as go
  --processes       each node in a process of its own over TCP, the load twice on the same chain
                    (cold, warm); then the last node begins anew and downloads the chain. With
                    --rate: latency at 500 and 100 ms minimum block time, cold and warm, next to
                    one process
  --wasm            with --processes: signatures are recovered in WebAssembly, not natively
  --vs anvil        the same calls against anvil in the same run, and the ratio
  --sm              one process: a chain of the national algorithms; also with --micro
  --no-share        one process: every node recovers each signature itself
  --channel         transactions until their receipt is known: pushed over the channel, and
                    asked for over HTTP, in one run, with the ratio
  --browser         chains in a tab of Chromium: throughput of one node and of four, the load from
                    the tab and from another one; and the sizes of what a page loads
  --page            the page in Chromium: first paint, and long tasks of a session with a chain of
                    100,000 blocks that grows
  --edge            the gateway in workerd: processor time at start and for each method next to the
                    free plan of edge platforms, requests per second next to Node, memory
  --idle            memory and CPU of four processes that have nothing to do
  --start           four processes that start together on a ledger, until they are connected and
                    until they vote; then sealers that are killed under load, until they vote again
  --rounds N        with --start: starts of all four (5)
  --kills N         with --start: kills after each (4)
  --vs-build DIR    with --start: the same in turn with the build in another dist folder
  --micro           micro-benchmarks only: recover, hash, EVM call, block write
  --families        calls per CPU second of each family of contracts in blocks, with the five
                    hottest functions
  --generator       the benchmark tool as users run it, on four processes: its CPU per transaction
                    next to theirs; fails unless it is below a third
  --rates           rate controllers at 200 per second without a chain: what they reach, a trace
                    recorded and replayed, percentiles next to a direct computation; fails when one
                    is not kept
  --for MS          with --families: measure each for so long (1000); with --rates (60000)
  --block-time MS   minimum block time of the chain (100)
  --profile DIR     write a CPU profile of each thread of the chain
  --node-args=ARGS  with --processes: arguments of Node for each of them
  --json            one JSON object on stdout
`;

/** What was asked for. */
export type BenchOptions = ReturnType<typeof readOptions>;

const DEFAULT_COUNT = 30_000;
/** A run at a fixed rate takes so long. */
const RATE_SECONDS = 20;

function wrong(text: string): never {
  process.stderr.write(`${text}\n`);
  return process.exit(2);
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return wrong(`--${name} takes a positive integer, not ${text}`);
}

const OPTIONS = {
  count: { type: "string" },
  nodes: { type: "string", default: "4" },
  concurrency: { type: "string" },
  rate: { type: "string" },
  processes: { type: "boolean", default: false },
  wasm: { type: "boolean", default: false },
  vs: { type: "string" },
  sm: { type: "boolean", default: false },
  "no-share": { type: "boolean", default: false },
  channel: { type: "boolean", default: false },
  browser: { type: "boolean", default: false },
  page: { type: "boolean", default: false },
  edge: { type: "boolean", default: false },
  idle: { type: "boolean", default: false },
  start: { type: "boolean", default: false },
  rounds: { type: "string", default: "5" },
  kills: { type: "string", default: "4" },
  "vs-build": { type: "string" },
  micro: { type: "boolean", default: false },
  families: { type: "boolean", default: false },
  generator: { type: "boolean", default: false },
  rates: { type: "boolean", default: false },
  for: { type: "string" },
  "block-time": { type: "string" },
  profile: { type: "string" },
  "node-args": { type: "string", default: "" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (cause) {
    return wrong(`${cause instanceof Error ? cause.message : cause}; see npm run bench -- --help`);
  }
}

/** Reads the arguments; ends the process for wrong ones and for `--help`. */
export function readOptions(args = process.argv.slice(2)) {
  const { help, vs, ...values } = parsed(args);
  if (help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  if (vs !== undefined && vs !== "anvil") wrong(`--vs knows anvil, not ${vs}`);
  if (values.wasm && !values.processes) wrong("--wasm goes with --processes");
  if (values.sm && (values.processes || vs)) wrong("--sm goes without --processes and --vs");
  if (values.sm && values.families) wrong("--families measures the standard suite");
  const given = (name: "rate" | "block-time" | "count" | "concurrency" | "for") => {
    const text = values[name];
    return text === undefined ? undefined : integer(name, text);
  };
  const rate = given("rate");
  return {
    ...values,
    count: given("count") ?? (rate === undefined ? DEFAULT_COUNT : rate * RATE_SECONDS),
    nodes: integer("nodes", values.nodes),
    concurrency: given("concurrency"),
    rate,
    vsAnvil: vs === "anvil",
    share: !values["no-share"],
    rounds: integer("rounds", values.rounds),
    kills: integer("kills", values.kills),
    vsBuild: values["vs-build"],
    forMs: given("for"),
    blockTimeMs: given("block-time"),
    nodeArgs: values["node-args"].split(" ").filter(Boolean),
  };
}
