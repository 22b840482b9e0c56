/**
 * Settings: `caliper-a-b-c` as a flag, `CALIPER_A_B_C` in the environment, `caliper.a.b.c` in
 * files. Source: benchmark 1
 */
import { existsSync } from "node:fs";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import { inWorkspace } from "./files/network-file.ts";
import { readPlaced } from "./files/placed-file.ts";

/** Defaults of the settings that have one. Source: benchmark 1 */
export const SETTING_DEFAULTS: Readonly<Record<string, string>> = {
  "caliper-workspace": "./",
  "caliper-report-path": "report.html",
  "caliper-report-options-flag": "w",
  "caliper-report-options-mode": "0666",
  "caliper-report-precision": "3",
  "caliper-report-charting-hue": "21",
  "caliper-report-charting-scheme": "triade",
  "caliper-report-charting-transparency": "0.6",
  "caliper-progress-reporting-enabled": "true",
  "caliper-progress-reporting-interval": "5000",
  "caliper-monitor-interval": "10000",
  "caliper-observer-internal-interval": "1000",
  "caliper-observer-prometheus-scrapeport": "3000",
  "caliper-observer-prometheuspush-interval": "10000",
  "caliper-worker-remote": "false",
  "caliper-worker-pollinterval": "500",
  "caliper-worker-communication-method": "process",
  "caliper-worker-communication-address": "mqtt://localhost:1883",
  "caliper-round-pause": "5000",
  "caliper-auth-prometheus-username": "",
  "caliper-auth-prometheus-password": "",
  "caliper-auth-prometheus-push-username": "",
  "caliper-auth-prometheus-push-password": "",
  "caliper-logging-template": "%timestamp% %level% [%label%] [%module%] %message% (%metadata%)",
  "caliper-logging-formats-timestamp": "YYYY.MM.DD-HH:mm:ss.SSS ZZ",
  "caliper-logging-formats-label": "caliper",
  "caliper-logging-formats-json": "false",
  "caliper-logging-formats-pad": "true",
  "caliper-logging-targets-console-enabled": "true",
  "caliper-logging-targets-console-options-level": "info",
  "caliper-logging-targets-file-enabled": "true",
  "caliper-logging-targets-file-options-level": "debug",
  "caliper-logging-targets-file-options-filename": "caliper.log",
  ...Object.fromEntries(
    ["start", "init", "install", "test", "end"].flatMap((step) => [
      [`caliper-flow-skip-${step}`, "false"],
      [`caliper-flow-only-${step}`, "false"],
    ]),
  ),
};

/** Where a setting may come from besides flags and environment, the strongest first. */
const FILES = ["userconfig", "projectconfig", "machineconfig"] as const;
/** Taken as the project file when none is named. */
const PROJECT_FILE = "caliper.yaml";
const PREFIX = "caliper-";

/** Where settings come from. */
export interface SettingSources {
  /** By their names without dashes in front: `caliper-workspace`. */
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Settings of a run. */
export class Settings {
  readonly #sources: SettingSources;
  readonly #files: readonly unknown[];

  /** @param files parsed settings files, the strongest first */
  constructor(sources: SettingSources, files: readonly unknown[] = []) {
    this.#sources = sources;
    this.#files = files;
  }

  /** Reads the files that flags or environment name. @throws BenchmarkFault `usage` */
  static async read(sources: SettingSources): Promise<Settings> {
    const first = new Settings(sources);
    const files: unknown[] = [];
    for (const kind of FILES) {
      const path = first.find(`caliper-${kind}`) ?? first.#projectFile(kind);
      if (path === undefined) continue;
      const placed = await readPlaced(`${kind} file`, inWorkspace(first.workspace, path));
      files.push(placed.value);
    }
    return new Settings(sources, files);
  }

  /** The folder that paths are relative to, absolute. */
  get workspace(): string {
    return inWorkspace(this.#sources.cwd, this.text("caliper-workspace"));
  }

  /** A setting; undefined when nothing says it. */
  find(key: string): string | undefined {
    return this.#given(key) ?? SETTING_DEFAULTS[key];
  }

  /** Whether nothing says a setting but its default. */
  isDefault(key: string): boolean {
    return this.#given(key) === undefined;
  }

  /** A setting that something has to say. @throws BenchmarkFault `usage` */
  text(key: string): string {
    const value = this.find(key);
    if (value !== undefined && value !== "") return value;
    const variable = key.toUpperCase().replaceAll("-", "_");
    throw new BenchmarkFault("usage", `${key} is missing: give --${key}, or ${variable}`);
  }

  /** A number within limits. @throws BenchmarkFault `usage` */
  number(key: string, least = 0, most = Number.MAX_VALUE): number {
    const text = this.text(key);
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    const limits = most === Number.MAX_VALUE ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new BenchmarkFault("usage", `${key} is "${text}": a number ${limits} is wanted`);
  }

  /** Yes or no. @throws BenchmarkFault `usage` */
  flag(key: string): boolean {
    const text = this.text(key).toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    throw new BenchmarkFault("usage", `${key} is "${text}": true or false is wanted`);
  }

  #given(key: string): string | undefined {
    const { flags, env } = this.#sources;
    const given = flags.get(key) ?? env[key.toUpperCase().replaceAll("-", "_")];
    if (given !== undefined) return given;
    for (const file of this.#files) {
      const value = valueIn(file, key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #projectFile(kind: (typeof FILES)[number]): string | undefined {
    if (kind !== "projectconfig") return undefined;
    return existsSync(inWorkspace(this.workspace, PROJECT_FILE)) ? PROJECT_FILE : undefined;
  }
}

/** `caliper.a.b.c` of a file, as text. */
function valueIn(file: unknown, key: string): string | undefined {
  if (!key.startsWith(PREFIX)) return undefined;
  let value = file;
  for (const part of key.split("-")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  if (typeof value === "object" || value === undefined) return undefined;
  return String(value);
}
