/** Reads benchmark files of both generations, key by key. Source: benchmark 4; interface 2.7 */
import type { RateSpec, RateTerms } from "../../../shared/benchmark/rate/rate-controller.ts";
import { readRate } from "../../../shared/benchmark/rate/rate-controllers.ts";
import type { FileGeneration } from "../../../shared/benchmark/round-result.ts";
import { monitorsOfG1, monitorsOfG2 } from "../monitors/monitor-settings.ts";
import { hasModuleIn } from "../modules.ts";
import { observersOfG2, progressOfG1 } from "../observers/observer-settings.ts";
import type { FilePath, Section } from "../../../shared/benchmark/section.ts";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import type { BenchmarkPlan, PlannedRound } from "./benchmark-plan.ts";
import { type PlacedFile, readPlaced } from "./placed-file.ts";

/** What a round without a rateControl of its own gets. Source: benchmark 4 */
const USUAL_RATE: RateSpec = { type: "fixed-rate", opts: { tps: 1 } };
const KNOWN_KEYS = {
  test: ["name", "description", "clients", "workers", "rounds"],
  round: [
    ...["label", "description", "txNumber", "txDuration", "rateControl", "trim"],
    ...["arguments", "callback", "workload"],
  ],
};

function generationOf(test: Section, rounds: readonly Section[]): FileGeneration {
  const isFirst = test.has("clients") || rounds.some((round) => round.has("callback"));
  const isSecond = test.has("workers") || rounds.some((round) => round.has("workload"));
  if (isFirst && isSecond) return "mixed";
  return isFirst ? "G1" : "G2";
}

function wholeAtLeast(section: Section, key: string, least: number): number {
  const number = section.number(key, least);
  return Number.isInteger(number) ? number : section.refuse(key, "is no whole number");
}

function workersOf(test: Section): number {
  for (const key of ["workers", "clients"]) {
    if (!test.has(key)) continue;
    const section = test.section(key);
    if (key === "clients" && section.has("type")) section.oneOf("type", ["local"]);
    return section.has("number") ? wholeAtLeast(section, "number", 1) : 1;
  }
  return 1;
}

/** The values of a key that may be a list. */
function numbersOf(round: Section, key: string): readonly number[] | undefined {
  if (!round.has(key)) return undefined;
  const value = round.value(key);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isWhole = key === "txNumber";
  const numbers = list.map((each) => {
    const number = typeof each === "string" && each.trim() !== "" ? Number(each) : each;
    const fits = typeof number === "number" && Number.isFinite(number) && number > 0;
    if (fits && (!isWhole || Number.isInteger(number))) return number;
    const wanted = isWhole ? "a whole number above 0" : "seconds above 0";
    return round.refuse(key, `has ${JSON.stringify(each)}: ${wanted} is wanted`);
  });
  return numbers.length > 0 ? numbers : round.refuse(key, "is an empty list");
}

type HasModule = (name: string) => boolean;
type RateKnowledge = Pick<RateTerms, "hasModule" | "onUnasked">;

function rateOf(rate: Section, terms: RateTerms): RateSpec {
  readRate(rate, terms);
  const opts = rate.has("opts") ? rate.section("opts").values() : undefined;
  return opts === undefined ? { type: rate.text("type") } : { type: rate.text("type"), opts };
}

/** The controllers of the sub-rounds; a single one is that of all. */
function ratesOf(
  round: Section,
  count: number,
  generation: FileGeneration,
  terms: RateTerms,
): readonly RateSpec[] {
  if (!round.has("rateControl")) {
    if (generation === "G2") round.refuse("rateControl", "is missing");
    return Array.from({ length: count }, () => USUAL_RATE);
  }
  if (!Array.isArray(round.value("rateControl"))) {
    const rate = rateOf(round.section("rateControl"), terms);
    return Array.from({ length: count }, () => rate);
  }
  const rates = round.sections("rateControl").map((rate) => rateOf(rate, terms));
  return Array.from({ length: count }, (_, index) => rates[index] ?? USUAL_RATE);
}

function recordOf(section: Section, key: string): Readonly<Record<string, unknown>> {
  if (!section.has(key)) return {};
  const value = section.value(key);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  return section.refuse(key, "is no section with keys");
}

function moduleOf(round: Section): Pick<PlannedRound, "module" | "arguments"> {
  if (round.has("workload")) {
    const workload = round.section("workload");
    return { module: workload.text("module"), arguments: recordOf(workload, "arguments") };
  }
  if (round.has("callback"))
    return { module: round.text("callback"), arguments: recordOf(round, "arguments") };
  return round.refuse("workload", "is missing: a section with module (or callback: a path)");
}

function roundsOf(
  round: Section,
  generation: FileGeneration,
  knowledge: RateKnowledge,
): readonly PlannedRound[] {
  const numbers = numbersOf(round, "txNumber");
  const durations = numbersOf(round, "txDuration");
  if (numbers && durations) round.refuse("txDuration", "and txNumber exclude each other");
  const values = numbers ?? durations;
  if (values === undefined) {
    const near = odd(round).find((key) => nearestName(key, ["txNumber", "txDuration"]));
    const hint = near === undefined ? "" : `; ${near} is not known`;
    return round.refuse("txNumber", `is missing, and txDuration too: one is wanted${hint}`);
  }
  const rates = ratesOf(round, values.length, generation, {
    endsBy: numbers ? "number" : "duration",
    ...knowledge,
  });
  const label = round.text("label");
  const description = round.textOr("description", "");
  const trim = round.has("trim") ? round.number("trim", 0) : 0;
  const common = { label, description, trim, ...moduleOf(round) };
  return values.map((value, index) => ({
    ...common,
    txNumber: numbers ? value : undefined,
    txDurationSeconds: numbers ? undefined : value,
    rateControl: rates[index] ?? USUAL_RATE,
  }));
}

/** Keys of a round that are none. */
function odd(round: Section): readonly string[] {
  return round.keys().filter((key) => !KNOWN_KEYS.round.includes(key));
}

/**
 * The plan of a file that was read.
 * @param hasModule whether there is a module of a name: rate controllers may be the user's
 * @throws BenchmarkFault that names line and key
 */
export function planOf(file: PlacedFile, hasModule: HasModule): BenchmarkPlan {
  const { data, refuse, value } = file;
  const test = data.section("test");
  const rounds = test.sections("rounds");
  if (rounds.length === 0) test.refuse("rounds", "is an empty list");
  const generation = generationOf(test, rounds);
  const unknown: FilePath[] = [
    ...test.keys().flatMap((key) => (KNOWN_KEYS.test.includes(key) ? [] : [["test", key]])),
    ...rounds.flatMap((round, index) => odd(round).map((key) => ["test", "rounds", index, key])),
  ];
  const knowledge = { hasModule, onUnasked: (path: FilePath) => void unknown.push(path) };
  const planned = rounds.flatMap((round) => roundsOf(round, generation, knowledge));
  return {
    generation,
    name: test.textOr("name", ""),
    description: test.textOr("description", ""),
    workers: workersOf(test),
    rounds: planned,
    monitors: [
      ...(data.has("monitor") ? monitorsOfG1(data.value("monitor"), refuse) : []),
      ...(data.has("monitors") ? monitorsOfG2(data.value("monitors"), refuse) : []),
    ],
    observers: data.has("monitors") ? observersOfG2(data.value("monitors"), refuse) : [],
    progress: progressOfG1(data.value("observer"), data.value("monitor"), refuse),
    warnings: unknown.map((path) => `${file.place(path)} is not known and has no effect`),
    value,
  };
}

/** Reads a benchmark file. @throws BenchmarkFault that names line and key */
export async function readBenchmarkFile(path: string, workspace: string): Promise<BenchmarkPlan> {
  const file = await readPlaced("benchmark file", path);
  return planOf(file, (name) => hasModuleIn(name, workspace));
}
