/**
 * `npm run simulate -- [--whole [--partial]] [--protocol pbft|raft] [--seeds N] [--from S]
 * [--seed S] [--mutate RULE] [--json] [--workers 1|2] [--resume FILE] [--keep-going]`: many
 * schedules of a consensus core, or with `--whole` of whole nodes; or one again with its log. It
 * ends at the first seed for which a property does not hold, or with `--keep-going` lists all such
 * seeds; either way it exits with 1.
 */
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { type Failure, type RangeResult, runRange } from "./batch.ts";
import { ACTS, drawOptions, LATER_ACTS, MUTATIONS } from "./options.ts";
import { RAFT_REQUIRED, runRaftRange } from "./raft/batch.ts";
import { drawRaftOptions, RAFT_MUTATIONS } from "./raft/options.ts";
import { runRaftSchedule } from "./raft/schedule.ts";
import { runSchedule } from "./schedule.ts";
import { addTotals, noTotals, type Totals } from "./sights.ts";
import { PARTIAL_REQUIRED, runWholeRange, WHOLE_REQUIRED } from "./whole/batch.ts";
import { drawPartialOptions, drawWholeOptions, WHOLE_MUTATIONS } from "./whole/options.ts";
import { runWholeSchedule } from "./whole/schedule.ts";

/** Schedules given to a worker at a time. */
const BATCH = 250;
const WHOLE_BATCH = 50;
/** Progress is reported this often. */
const PROGRESS_MS = 5_000;
/** No kind of fault may be seen in fewer schedules than this share. */
const LEAST_SHARE = 0.05;
const WHOLE_LEAST_SHARE = 0.02;
/** Runs shorter than this say nothing about shares. */
const SHARES_FROM = 1_000;
/** What a run must have seen. */
const REQUIRED = [
  "viewChange",
  "crash",
  "tornWrite",
  "partition",
  "pause",
  "muted",
  "roleChange",
  "twoLocks",
  ...ACTS,
  ...LATER_ACTS,
];
const PROTOCOLS = ["pbft", "raft"] as const;
type Protocol = (typeof PROTOCOLS)[number];
const DEFAULT_SEEDS = 500;
/** Exit code for a command line that makes no sense. */
const USAGE_ERROR = 2;

const USAGE = `Usage: npm run simulate -- [options]
  --protocol pbft|raft  the consensus whose core is simulated (pbft)
  --whole               whole nodes instead of a core
  --partial             with --whole: some sealers hear each other through others only
  --seeds N             this many schedules (${DEFAULT_SEEDS}); --from S: the first of them (1)
  --seed S              one schedule, with its log
  --mutate RULE         plants a fault; a wrong name lists them
  --workers 1|2         threads (1)
  --resume FILE         keeps how far it is, and goes on from there
  --keep-going          lists all seeds that fail instead of ending at the first
  --json                for machines
`;

/** A run that can be continued. */
interface Progress {
  next: number;
  totals: Totals;
  longestRecoveryMs: number;
  /** Seeds that failed, in the order in which they were found. */
  failures: Failure[];
}

/** Seeds of one protocol, one of its rules possibly off. */
interface Range {
  readonly whole: boolean;
  readonly partial: boolean;
  readonly protocol: Protocol;
  /** The protocol of whole nodes; each seed draws one where none was named. */
  readonly named: Protocol | undefined;
  readonly from: number;
  readonly count: number;
  readonly mutation: string | undefined;
}

interface Arguments {
  readonly whole: boolean;
  readonly partial: boolean;
  readonly protocol: Protocol;
  /** The protocol of whole nodes; each seed draws one where none was named. */
  readonly named: Protocol | undefined;
  readonly from: number;
  readonly seeds: number;
  readonly mutation: string | undefined;
  readonly json: boolean;
  readonly workers: number;
  readonly resume: string | undefined;
  readonly keepGoing: boolean;
  readonly seed: number | undefined;
}

/** Undefined when only they are asked for. */
function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      whole: { type: "boolean", default: false },
      partial: { type: "boolean", default: false },
      protocol: { type: "string" },
      seeds: { type: "string" },
      seed: { type: "string" },
      from: { type: "string" },
      mutate: { type: "string" },
      json: { type: "boolean" },
      workers: { type: "string" },
      resume: { type: "string" },
      "keep-going": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const named = PROTOCOLS.find((name) => name === values.protocol);
  if (values.protocol !== undefined && !named)
    throw new RangeError(`--protocol is one of ${PROTOCOLS.join(", ")}`);
  const protocol = named ?? "pbft";
  const rules = rulesOf(values.whole, protocol);
  const mutation = rules.find((name) => name === values.mutate);
  if (values.mutate !== undefined && !mutation) {
    throw new RangeError(`--mutate is one of ${rules.join(", ")}`);
  }
  return {
    whole: values.whole,
    partial: values.whole && values.partial,
    protocol,
    named,
    from: readNumber("from", values.from, 1),
    seeds: readNumber("seeds", values.seeds, DEFAULT_SEEDS),
    mutation,
    json: values.json ?? false,
    workers: Math.min(2, Math.max(1, readNumber("workers", values.workers, 1))),
    resume: values.resume,
    keepGoing: values["keep-going"],
    seed: values.seed === undefined ? undefined : readNumber("seed", values.seed, 1),
  };
}

function rulesOf(whole: boolean, protocol: Protocol): readonly string[] {
  if (whole) return WHOLE_MUTATIONS;
  return protocol === "raft" ? RAFT_MUTATIONS : MUTATIONS;
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`--${name} is not a number`);
  return value;
}

function replayCommand(seed: number, { whole, partial, named, mutation }: Arguments): string {
  const what = whole ? ` --whole${partial ? " --partial" : ""}` : "";
  const chosen = named ? `${what} --protocol ${named}` : what;
  return `npm run simulate --${chosen} --seed ${seed}${mutation ? ` --mutate ${mutation}` : ""}`;
}

/** One schedule with its log on standard output. */
async function replay(seed: number, options: Arguments): Promise<number> {
  const { whole, protocol, mutation } = options;
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const run = protocol === "raft" ? replayRaft : replayPbft;
  const failure = whole ? await replayWhole(seed, options, write) : run(seed, mutation, write);
  write(failure ? `FAILED ${failure}` : "every property held");
  return failure ? 1 : 0;
}

function replayPbft(
  seed: number,
  mutation: string | undefined,
  write: (line: string) => void,
): string | undefined {
  const options = drawOptions(
    seed,
    MUTATIONS.find((name) => name === mutation),
  );
  write(JSON.stringify({ ...options, acts: [...options.acts] }));
  return runSchedule(options, write).failure;
}

function replayRaft(
  seed: number,
  mutation: string | undefined,
  write: (line: string) => void,
): string | undefined {
  const options = drawRaftOptions(
    seed,
    RAFT_MUTATIONS.find((name) => name === mutation),
  );
  write(JSON.stringify(options));
  return runRaftSchedule(options, write).failure;
}

async function replayWhole(
  seed: number,
  { named, mutation, partial }: Arguments,
  write: (line: string) => void,
): Promise<string | undefined> {
  const broken = WHOLE_MUTATIONS.find((name) => name === mutation);
  const options = partial ? drawPartialOptions(seed) : drawWholeOptions(seed, named, broken);
  const { acts, graph } = options;
  write(JSON.stringify({ ...options, acts: [...acts], absent: [...graph.absent] }));
  return (await runWholeSchedule(options, write)).failure;
}

async function runProtocol({
  whole,
  partial,
  named,
  protocol,
  mutation,
  ...range
}: Range): Promise<RangeResult> {
  if (whole) {
    const broken = WHOLE_MUTATIONS.find((name) => name === mutation);
    return runWholeRange({ ...range, partial, protocol: named, mutation: broken });
  }
  if (protocol === "raft") {
    const rule = RAFT_MUTATIONS.find((name) => name === mutation);
    return runRaftRange({ ...range, mutation: rule });
  }
  return runRange({ ...range, mutation: MUTATIONS.find((name) => name === mutation) });
}

/** Runs a range here, or hands it to a worker thread. */
type RunRange = (range: Range) => Promise<RangeResult>;

/** Whole nodes leave much behind that is soon forgotten: it is collected less often. */
const WORKER_LIMITS = { maxYoungGenerationSizeMb: 96 };

function createRunners(
  count: number,
  whole: boolean,
): { runners: RunRange[]; close(): Promise<void> } {
  if (count === 1 && !whole) return { runners: [runProtocol], close: async () => {} };
  const options = whole ? { resourceLimits: WORKER_LIMITS } : {};
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL(import.meta.url), options),
  );
  const runners = workers.map(
    (worker): RunRange =>
      async (range) => {
        const answered = once(worker, "message");
        worker.postMessage(range);
        const [result] = await answered;
        return result as RangeResult;
      },
  );
  return {
    runners,
    close: async () => void (await Promise.all(workers.map((w) => w.terminate()))),
  };
}

function readProgress({ resume, from }: Arguments): Progress {
  const progress = { next: from, totals: noTotals(), longestRecoveryMs: 0, failures: [] };
  if (resume === undefined || !existsSync(resume)) return progress;
  return { ...progress, ...(JSON.parse(readFileSync(resume, "utf8")) as Progress) };
}

/** Runs the seeds of a range, behind the first one that fails as well when all are wanted. */
async function runThrough(run: RunRange, range: Range, isWhole: boolean): Promise<RangeResult[]> {
  const result = await run(range);
  const { failure } = result;
  if (!isWhole || !failure) return [result];
  const from = failure.seed + 1;
  const count = range.from + range.count - from;
  return count === 0
    ? [result]
    : [result, ...(await runThrough(run, { ...range, from, count }, true))];
}

/**
 * Batches are counted in order, so that a run can be continued after the last one that is whole.
 */
async function runAll(options: Arguments, progress: Progress): Promise<void> {
  const { whole, partial, protocol, named, from, seeds, mutation, workers, resume, keepGoing } =
    options;
  const batch = whole ? WHOLE_BATCH : BATCH;
  const { runners, close } = createRunners(workers, whole);
  const end = from + seeds;
  // Failures of an earlier run that is gone on with end nothing.
  const known = progress.failures.length;
  const hasFailed = () => progress.failures.length > known;
  const isOver = () => progress.next >= end || (!keepGoing && hasFailed());
  let reportedAt = performance.now();
  while (!isOver()) {
    const ranges = runners
      .map((run, i) => ({ run, start: progress.next + i * batch }))
      .filter(({ start }) => start < end)
      .map(({ run, start }) => {
        const count = Math.min(batch, end - start);
        return { run, range: { whole, partial, protocol, named, from: start, count, mutation } };
      });
    const runs = ranges.map(({ run, range }) => runThrough(run, range, keepGoing));
    for (const result of (await Promise.all(runs)).flat()) {
      // Without --keep-going the first seed that fails is the last one that counts.
      if (!keepGoing && hasFailed()) continue;
      note(progress, result, options);
    }
    progress.next += ranges.reduce((sum, { range }) => sum + range.count, 0);
    const isWhole = keepGoing || !hasFailed();
    if (resume !== undefined && isWhole) saveProgress(resume, progress);
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    reportedAt = performance.now();
    process.stderr.write(`${progress.totals.schedules} schedules\n`);
  }
  await close();
}

function note(progress: Progress, result: RangeResult, options: Arguments): void {
  addTotals(progress.totals, result.totals);
  progress.longestRecoveryMs = Math.max(progress.longestRecoveryMs, result.longestRecoveryMs);
  const { failure } = result;
  if (!failure) return;
  progress.failures.push(failure);
  // A long run says it at once.
  if (options.keepGoing) process.stderr.write(`${failureLines(failure, options)}\n`);
}

function failureLines(failure: Failure, options: Arguments): string {
  return `seed ${failure.seed}: ${failure.text}\n${replayCommand(failure.seed, options)}`;
}

function saveProgress(file: string, progress: Progress): void {
  writeFileSync(`${file}.new`, JSON.stringify(progress));
  renameSync(`${file}.new`, file);
}

/** Kinds of fault that too few schedules saw. */
function rareSights({ schedules, seen }: Totals, options: Arguments): string[] {
  if (schedules < SHARES_FROM) return [];
  const share = options.whole ? WHOLE_LEAST_SHARE : LEAST_SHARE;
  return requiredOf(options).filter((sight) => (seen[sight] ?? 0) < share * schedules);
}

function requiredOf({ whole, partial, protocol }: Arguments): readonly string[] {
  if (partial) return PARTIAL_REQUIRED;
  if (whole) return WHOLE_REQUIRED;
  return protocol === "raft" ? RAFT_REQUIRED : REQUIRED;
}

function report(options: Arguments, progress: Progress): number {
  const { mutation, json } = options;
  const { totals, longestRecoveryMs, failures } = progress;
  const rare = mutation ? [] : rareSights(totals, options);
  if (json) {
    const [failure] = failures;
    const replay = failure && replayCommand(failure.seed, options);
    const result = { mutation, totals, longestRecoveryMs, rare, failure, failures, replay };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const { schedules, steps, blocks, persists } = totals;
    const lines = [
      `${schedules} schedules, ${steps} steps, ${blocks} blocks, ${persists} records`,
      `longest recovery ${(longestRecoveryMs / 1_000).toFixed(1)} s of virtual time`,
      ...Object.entries(totals.seen)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(
          ([sight, count]) => `  ${sight}: ${count} (${((100 * count) / schedules).toFixed(1)} %)`,
        ),
      ...rare.map((sight) => `${sight} was seen in too few schedules`),
      ...failures.map((failure) => failureLines(failure, options)),
      ...(failures.length === 0 ? ["every property held"] : []),
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return failures.length > 0 || rare.length > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  let options: Arguments | undefined;
  try {
    options = readArguments();
  } catch (cause) {
    process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
    return USAGE_ERROR;
  }
  if (!options) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.seed !== undefined) return replay(options.seed, options);
  const progress = readProgress(options);
  await runAll(options, progress);
  return report(options, progress);
}

if (isMainThread) {
  process.exitCode = await main();
} else {
  parentPort?.on("message", (range: Range) => {
    void runProtocol(range).then((result) => parentPort?.postMessage(result));
  });
}
