/**
 * What a test run examines in small, in full: the tests that it leaves out, every case of every
 * property and simulator, longer ranges of the simulators, and more faults on real processes. Run
 * before an issue is resolved. It stops after 45 minutes, and goes on where an earlier run of the
 * same commit was stopped; a run after one that held begins anew, with another seed.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CASES_VARIABLE, SEED_VARIABLE } from "../support/runner/cases.ts";
import { endWithUs } from "../support/runner/own-children.ts";
import { REGRESS_FILES } from "../support/runner/regress-files.ts";
import { numberOption, type Soak } from "./soak.ts";

const FOLDER = join(".cache", "regress");
const PROGRESS = join(FOLDER, "progress.json");
/** After this it stops; the next call goes on. */
const MOST_MS = 45 * 60_000;
/** What does not end within this after that is killed. */
const GRACE_MS = 30_000;
/** Test files that are given to the runner at a time: what is done is not done again. */
const FILES_AT_ONCE = 12;
/** Leaves room for the ranges that begin at a seed. */
const MOST_SEED = 2 ** 30;
/**
 * A file that takes cases by number, also of what a ledger shows, has tests of this run alone, or
 * has properties as they come.
 */
const HAS_CASES = /\/(cases|in-full|replay-check)\.ts"|from "fast-check"/;

/** A part of the run; its name tells it from the others. */
interface Step {
  readonly name: string;
  readonly args: readonly string[];
}

/** What is kept between runs. */
interface Progress {
  readonly commit: string;
  readonly seed: number;
  readonly done: readonly string[];
}

const soak = (name: string, ...args: readonly string[]): Step => ({
  name: `${name} ${args.join(" ")}`,
  args: ["build.mjs", "soak", name, ...args],
});
const simulate = (...args: readonly string[]): Step => ({
  name: `simulate ${args.join(" ")}`,
  args: ["build.mjs", "simulate", ...args, "--workers", "2"],
});
/** A long part notes here how far it is. */
const noted = (name: string): readonly string[] => ["--resume", join(FOLDER, `${name}.json`)];

/** Longer ranges and more faults than any test has, all from one seed on. */
export function longerSteps(from: number): readonly Step[] {
  const seed = String(from);
  const range = ["--from", seed];
  return [
    simulate("--seeds", "20000", ...range, ...noted("pbft")),
    simulate("--protocol", "raft", "--seeds", "20000", ...range, ...noted("raft")),
    simulate("--whole", "--seeds", "300", ...range, ...noted("whole")),
    simulate("--whole", "--partial", "--seeds", "300", ...range, ...noted("partial")),
    soak("fuzz-evm", "--programs", "20000", "--seed", seed, ...noted("fuzz-evm")),
    soak("ledgers", "--transactions", "10000", ...range, ...noted("ledgers")),
    // How soon planted faults are found is known for this range alone.
    soak("ledgers", "--mutants"),
    soak("kill", "--kills", "25", "--seed", seed),
    soak("power", "--seeds", "6", ...range),
    soak("rounds", "--rounds", "12", "--seed", seed),
    soak("cuts", "--rounds", "8", "--seed", seed),
  ];
}

function testFiles(): readonly string[] {
  return readdirSync("test", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(".", join(entry.parentPath, entry.name)))
    .filter((path) => path in REGRESS_FILES || HAS_CASES.test(readFileSync(path, "utf8")))
    .sort();
}

/** The tests that take cases, or are left out of a run, some files at a time. */
function testSteps(): readonly Step[] {
  const files = testFiles();
  const runner = join("node_modules", "vitest", "vitest.mjs");
  const starts = files.flatMap((_, index) => (index % FILES_AT_ONCE === 0 ? [index] : []));
  return starts.map((start) => {
    const some = files.slice(start, start + FILES_AT_ONCE);
    return { name: `tests ${some.join(" ")}`, args: [runner, "run", ...some] };
  });
}

/** The commit, and what of the working tree is not in it. @throws Error outside a clone */
function commitNow(): string {
  const git = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("git", args, {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`git ${args[0]} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const changes = git("diff", "HEAD") + git("ls-files", "--others", "--exclude-standard");
  const mark = createHash("sha256").update(changes).digest("hex").slice(0, 16);
  return `${git("rev-parse", "HEAD").trim()} ${mark}`;
}

/** An earlier run of the same commit, unless another seed is wanted. */
function readProgress(commit: string, wanted: number | undefined): Progress | undefined {
  try {
    const found = JSON.parse(readFileSync(PROGRESS, "utf8")) as Progress;
    const isSame = found.commit === commit && found.seed === (wanted ?? found.seed);
    return isSame ? found : undefined;
  } catch {
    // There is none yet.
    return undefined;
  }
}

function writeProgress(progress: Progress): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(PROGRESS, JSON.stringify(progress));
}

/** Goes on, or begins anew: what an earlier run noted is then stale. */
function takeUp(args: readonly string[]): Progress {
  const drawn = Math.floor(Math.random() * MOST_SEED);
  const seed = numberOption(args, "seed", drawn);
  const commit = commitNow();
  const found = readProgress(commit, args.includes("--seed") ? seed : undefined);
  if (found) return found;
  rmSync(FOLDER, { recursive: true, force: true });
  const progress = { commit, seed, done: [] };
  writeProgress(progress);
  return progress;
}

/** Whether it held; false when the time is over. */
async function runStep({ name, args }: Step, seed: number, endsAt: number): Promise<boolean> {
  const variables = { [CASES_VARIABLE]: "all", [SEED_VARIABLE]: String(seed) };
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { stdio: "inherit", env });
  endWithUs(child);
  let isOver = false;
  const stop = () => {
    isOver = true;
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  };
  const timer = setTimeout(stop, endsAt - performance.now());
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
  if (code === 0) return true;
  if (isOver) return false;
  throw new Error(`with --seed ${seed} it ended with ${code}: ${name}`);
}

/** Every case. */
export const regressSoak: Soak = {
  about: "every test with every case, before an issue is resolved; --seed N, resumable",
  async run(args, say) {
    const endsAt = performance.now() + MOST_MS;
    let progress = takeUp(args);
    const { seed } = progress;
    const steps = [...testSteps(), ...longerSteps(seed)];
    say(`seed ${seed}, ${progress.done.length} of ${steps.length} parts are done`);
    for (const [index, step] of steps.entries()) {
      if (progress.done.includes(step.name)) continue;
      say(`${index + 1} of ${steps.length}: ${step.name}`);
      if (!(await runStep(step, seed, endsAt)))
        throw new Error(`the time is over within part ${index + 1}: run it again to go on`);
      progress = { ...progress, done: [...progress.done, step.name] };
      writeProgress(progress);
    }
    rmSync(FOLDER, { recursive: true });
    say(`${steps.length} parts held with seed ${seed}`);
  },
};
