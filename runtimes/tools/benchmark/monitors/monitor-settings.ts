/**
 * The monitors that a benchmark file asks for, of either generation, as one list.
 * Source: benchmark 4, 7; interface 2.7
 */
import type { ChartOptions } from "./monitor.ts";
import type { ProcessPattern } from "./process-monitor.ts";
import type { PrometheusQuery } from "./prometheus-monitor.ts";
import { type Refuse, type Section, sectionOf } from "../../../shared/benchmark/section.ts";

/** One monitor as it is wanted. */
export type MonitorSettings =
  | (Common & { readonly type: "process"; readonly patterns: readonly ProcessPattern[] })
  | (Common & {
      readonly type: "docker";
      readonly names: readonly string[];
      readonly isCpuNormalized: boolean;
    })
  | (Common & {
      readonly type: "prometheus";
      readonly url: string;
      readonly include: readonly string[];
      readonly queries: readonly PrometheusQuery[];
    })
  | (Common & { readonly type: "chain"; readonly endpoints: readonly string[] });

interface Common {
  /** Undefined: what `caliper-monitor-interval` says. */
  readonly intervalMs: number | undefined;
  readonly charts: readonly ChartOptions[];
}

const TYPES = ["process", "docker", "prometheus", "chain"] as const;
type Type = (typeof TYPES)[number];
const OUTPUTS = ["avg", "sum"] as const;
const STATISTICS = ["min", "max", "avg", "sum"] as const;
const CHARTS = ["bar", "polar"] as const;
/** Shortest interval: below, looking is what is measured. */
const LEAST_INTERVAL_S = 0.01;

function patternOf(section: Section): ProcessPattern {
  return {
    command: section.pattern("command"),
    arguments: section.has("arguments") ? section.pattern("arguments") : "",
    multiOutput: section.has("multiOutput") ? section.oneOf("multiOutput", OUTPUTS) : "sum",
  };
}

function queryOf(section: Section): PrometheusQuery {
  return {
    name: section.text("name"),
    query: section.text("query"),
    step: section.has("step") ? section.number("step", 0.001) : 1,
    label: section.textOr("label", ""),
    statistic: section.has("statistic") ? section.oneOf("statistic", STATISTICS) : "avg",
    multiplier: section.has("multiplier") ? section.number("multiplier") : 1,
  };
}

function chartsOf(section: Section): ChartOptions[] {
  if (!section.has("charting")) return [];
  const charting = section.section("charting");
  return charting.keys().map((key): ChartOptions => {
    const kind = CHARTS.find((known) => known === key);
    if (kind === undefined) return charting.refuse(key, `is no chart: ${CHARTS.join(", ")}`);
    const metrics = charting.section(kind).texts("metrics");
    return { kind, metrics: metrics.includes("all") ? "all" : metrics };
  });
}

function intervalOf(section: Section): number | undefined {
  if (!section.has("interval")) return undefined;
  return section.number("interval", LEAST_INTERVAL_S) * 1000;
}

/** @param lists the keys of processes and containers, which the generations name differently */
function settingsOf(
  type: Type,
  section: Section,
  lists: { readonly processes: string; readonly containers: string },
  common: Common,
): MonitorSettings {
  if (type === "process") {
    const patterns = section.sections(lists.processes).map(patternOf);
    return { ...common, type, patterns };
  }
  if (type === "docker") {
    const isCpuNormalized = section.has("cpuUsageNormalization")
      ? section.flag("cpuUsageNormalization")
      : false;
    return { ...common, type, names: section.texts(lists.containers), isCpuNormalized };
  }
  if (type === "chain") return { ...common, type, endpoints: section.urls("endpoints") };
  const metrics = section.has("metrics") ? section.section("metrics") : undefined;
  const include = metrics?.has("include") ? metrics.patterns("include") : [];
  const queries = metrics?.has("queries") ? metrics.sections("queries").map(queryOf) : [];
  return { ...common, type, url: section.url("url"), include, queries };
}

function typeOf(name: string, refuse: (sentence: string) => never): Type | undefined {
  if (name === "none") return undefined;
  const type = TYPES.find((known) => known === name);
  return type ?? refuse(`is no monitor: ${[...TYPES, "none"].join(", ")}`);
}

/**
 * The `monitor` section of a file of the first generation.
 * @param refuse is told the path in the file and the sentence, and throws
 */
export function monitorsOfG1(value: unknown, refuse: Refuse): MonitorSettings[] {
  const monitor = sectionOf(value, ["monitor"], refuse);
  const names = monitor.has("type") ? monitor.texts("type") : [];
  return names.flatMap((name) => {
    const type = typeOf(name, (sentence) => monitor.refuse("type", `"${name}" ${sentence}`));
    if (type === undefined) return [];
    const lists = { processes: "process", containers: "name" };
    // Of processes the section is the list itself.
    const section = type === "process" ? monitor : monitor.section(type);
    const common = { intervalMs: intervalOf(monitor), charts: chartsOf(monitor) };
    return [settingsOf(type, section, lists, common)];
  });
}

/** The `monitors.resource` list of a file of the second generation. */
export function monitorsOfG2(value: unknown, refuse: Refuse): MonitorSettings[] {
  const monitors = sectionOf(value, ["monitors"], refuse);
  if (!monitors.has("resource")) return [];
  return monitors.sections("resource").flatMap((entry) => {
    const name = entry.text("module");
    const type = typeOf(name, (sentence) => entry.refuse("module", `"${name}" ${sentence}`));
    if (type === undefined) return [];
    const section = entry.section("options");
    const lists = { processes: "processes", containers: "containers" };
    const common = { intervalMs: intervalOf(section), charts: chartsOf(section) };
    return [settingsOf(type, section, lists, common)];
  });
}
