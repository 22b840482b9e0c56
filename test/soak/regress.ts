/**
 * What a test run looks at in small, in full: every case of every property and simulator in tests,
 * longer ranges of the simulators, and more faults on real processes. Run before an issue is
 * resolved; 30 to 45 minutes. It goes on where an earlier run of the same commit was stopped.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CASES_VARIABLE, SEED_VARIABLE } from "../support/cases.ts";
import { endWithUs } from "../support/own-children.ts";
import { numberOption, type Soak } from "./soak.ts";

const FOLDER = ".cache";
/** Test files that are given to the runner at a time: what is done is not done again. */
const FILES_AT_ONCE = 12;
const MOST_SEED = 2 ** 31 - 1;
/** A file that takes cases by number, or properties as they come. */
const HAS_CASES = /support\/cases\.ts"|from "fast-check"/;

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
  name: `${name} ${args.join(" ")}`.trim(),
  args: ["build.mjs", "soak", name, ...args],
});
const simulate = (...args: readonly string[]): Step => ({
  name: `simulate ${args.join(" ")}`,
  args: ["build.mjs", "simulate", ...args, "--workers", "2"],
});

/** Longer ranges and more faults than any test has. */
const LONGER: readonly Step[] = [
  simulate("--seeds", "20000"),
  simulate("--protocol", "raft", "--seeds", "20000"),
  simulate("--whole", "--seeds", "300"),
  soak("fuzz-evm", "--programs", "20000"),
  soak("ledgers", "--transactions", "10000"),
  soak("ledgers", "--mutants"),
  soak("kill", "--kills", "25"),
  soak("power", "--seeds", "6"),
  soak("rounds", "--rounds", "12"),
  soak("cuts", "--rounds", "8"),
];

function testFiles(): readonly string[] {
  return readdirSync("test", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(".", join(entry.parentPath, entry.name)))
    .filter((path) => HAS_CASES.test(readFileSync(path, "utf8")))
    .sort();
}

/** The tests that take cases, some files at a time. */
function testSteps(): readonly Step[] {
  const files = testFiles();
  const runner = join("node_modules", "vitest", "vitest.mjs");
  const starts = files.flatMap((_, index) => (index % FILES_AT_ONCE === 0 ? [index] : []));
  return starts.map((start) => {
    const some = files.slice(start, start + FILES_AT_ONCE);
    return { name: `tests ${some.join(" ")}`, args: [runner, "run", ...some] };
  });
}

function commitNow(): string {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return stdout.trim();
}

function readProgress(file: string, commit: string, seed: number): Progress {
  try {
    const found = JSON.parse(readFileSync(file, "utf8")) as Progress;
    if (found.commit === commit) return found;
  } catch {
    // There is none yet.
  }
  return { commit, seed, done: [] };
}

async function runStep({ name, args }: Step, seed: number): Promise<void> {
  const variables = { [CASES_VARIABLE]: "all", [SEED_VARIABLE]: String(seed) };
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { stdio: "inherit", env });
  endWithUs(child);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`with --seed ${seed} it ended with ${code}: ${name}`);
}

/** Every case. */
export const regressSoak: Soak = {
  about:
    "every case of what tests look at in small, before an issue is resolved; --seed N, resumable",
  async run(args, say) {
    const file = join(FOLDER, "regress.json");
    mkdirSync(FOLDER, { recursive: true });
    const drawn = Math.floor(Math.random() * MOST_SEED);
    let progress = readProgress(file, commitNow(), numberOption(args, "seed", drawn));
    const steps = [...testSteps(), ...LONGER];
    for (const [index, step] of steps.entries()) {
      if (progress.done.includes(step.name)) continue;
      say(`${index + 1} of ${steps.length}: ${step.name}`);
      await runStep(step, progress.seed);
      progress = { ...progress, done: [...progress.done, step.name] };
      writeFileSync(file, JSON.stringify(progress));
    }
    say(`${steps.length} parts held with seed ${progress.seed}`);
  },
};
