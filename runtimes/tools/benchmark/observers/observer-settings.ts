/** The observers that a benchmark file asks for. Source: benchmark 4, 7 */
import { type Refuse, type Section, sectionOf } from "../../../shared/benchmark/section.ts";
import { LOG_LEVELS, type LogLevel } from "../log.ts";
import { type BucketOptions, DEFAULT_BUCKETS } from "./tx-metrics.ts";

/** What the two Prometheus observers have in common. */
interface MetricsSettings {
  readonly buckets: BucketOptions;
  readonly labels: Readonly<Record<string, string>>;
  readonly hasProcessMetrics: boolean;
}

/** One observer as it is wanted; undefined is what the settings of the command line say. */
export type ObserverSettings =
  | { readonly type: "logging"; readonly level: LogLevel }
  | (MetricsSettings & {
      readonly type: "prometheus";
      readonly port: number | undefined;
      readonly host: string;
      readonly path: string;
    })
  | (MetricsSettings & {
      readonly type: "prometheus-push";
      readonly url: string;
      readonly intervalMs: number | undefined;
    })
  | {
      readonly type: "otlp";
      readonly url: string;
      readonly ratio: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "module";
      readonly path: string;
      readonly options: Readonly<Record<string, unknown>>;
    };

const LOOPBACK = "127.0.0.1";
/** One transaction of a hundred. */
const DEFAULT_RATIO = 0.01;
const BUCKETS = ["explicit", "linear", "exponential"] as const;

function wordsOf(section: Section, key: string): Record<string, string> {
  if (!section.has(key)) return {};
  const words = section.section(key);
  return Object.fromEntries(words.keys().map((name) => [name, words.text(name)]));
}

function explicitOf(buckets: Section): BucketOptions {
  const bounds = buckets.numbers("explicit");
  const isRising = bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0));
  return isRising ? { kind: "explicit", bounds } : buckets.refuse("explicit", "does not rise");
}

function bucketsOf(section: Section): BucketOptions {
  if (!section.has("histogramBuckets")) return DEFAULT_BUCKETS;
  const buckets = section.section("histogramBuckets");
  const kind = BUCKETS.find((one) => buckets.has(one));
  if (kind === undefined)
    return section.refuse("histogramBuckets", `has none of ${BUCKETS.join(", ")}`);
  if (kind === "explicit") return explicitOf(buckets);
  const own = buckets.section(kind);
  const [start, count] = [own.number("start", 0), own.number("count", 1)];
  if (kind === "linear") return { kind, start, width: own.number("width", 0), count };
  return { kind, start, factor: own.number("factor", 1), count };
}

function metricsOf(section: Section): MetricsSettings {
  return {
    buckets: bucketsOf(section),
    labels: wordsOf(section, "defaultLabels"),
    hasProcessMetrics: section.has("processMetricCollectInterval"),
  };
}

function observerOf(entry: Section): ObserverSettings {
  const type = entry.text("module");
  const options = entry.has("options") ? entry.section("options") : entry.empty("options");
  switch (type) {
    case "logging":
      return {
        type,
        level: options.has("messageLevel") ? options.oneOf("messageLevel", LOG_LEVELS) : "info",
      };
    case "prometheus":
      return {
        type,
        ...metricsOf(options),
        port: options.has("scrapePort") ? options.number("scrapePort", 1) : undefined,
        host: options.textOr("host", LOOPBACK),
        path: options.textOr("metricPath", "/metrics"),
      };
    case "prometheus-push":
      return {
        type,
        ...metricsOf(options),
        url: options.url("pushUrl"),
        intervalMs: options.has("pushInterval") ? options.number("pushInterval", 1) : undefined,
      };
    case "otlp": {
      const ratio = options.has("ratio") ? options.number("ratio", 0) : DEFAULT_RATIO;
      if (ratio > 1) options.refuse("ratio", "is above 1");
      return { type, url: options.url("url"), ratio, headers: wordsOf(options, "headers") };
    }
    default: {
      const pairs = options.keys().map((key) => [key, options.value(key)]);
      return { type: "module", path: type, options: Object.fromEntries(pairs) };
    }
  }
}

/**
 * The `monitors.transaction` list of a file of the second generation.
 * @param refuse is told the path in the file and the sentence, and throws
 */
export function observersOfG2(value: unknown, refuse: Refuse): ObserverSettings[] {
  const monitors = sectionOf(value, ["monitors"], refuse);
  return monitors.has("transaction") ? monitors.sections("transaction").map(observerOf) : [];
}

/** The observer of a file of the first generation: how progress is told. */
export interface ProgressSettings {
  readonly type: "none" | "local" | "prometheus";
  /** Undefined: what the settings of the command line say. */
  readonly intervalMs: number | undefined;
  /** Of the push gateway, `monitor.prometheus.push_url`. */
  readonly pushUrl: string | undefined;
}

/** The `observer` section of a file of the first generation. */
export function progressOfG1(
  observer: unknown,
  monitor: unknown,
  refuse: Refuse,
): ProgressSettings {
  if (observer === undefined) return { type: "local", intervalMs: undefined, pushUrl: undefined };
  const section = sectionOf(observer, ["observer"], refuse);
  const type = section.oneOf("type", ["none", "local", "prometheus"]);
  const intervalMs = section.has("interval") ? section.number("interval", 0.01) * 1000 : undefined;
  if (type !== "prometheus") return { type, intervalMs, pushUrl: undefined };
  const pushUrl = sectionOf(monitor, ["monitor"], refuse).section("prometheus").url("push_url");
  return { type, intervalMs, pushUrl };
}
