/**
 * What the tool tells besides its results, at levels: to the terminal and to a file.
 * Source: benchmark 1 (logging)
 */
import { createWriteStream, type WriteStream } from "node:fs";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import { fileReason } from "./files/placed-file.ts";
import { inWorkspace } from "./files/network-file.ts";
import type { Settings } from "./settings.ts";

/** From what must not be missed to what nobody wants to read. */
export const LOG_LEVELS = ["error", "warn", "info", "http", "verbose", "debug", "silly"] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where sentences for the operator go. */
export interface Log {
  say(level: LogLevel, text: string): void;
  /** What was told is written when this ends. */
  close(): Promise<void>;
}

/** Who tells. */
export interface LogPlace {
  /** What stands for `%module%`. */
  readonly module: string;
  write(text: string): void;
  /** In front of lines without a template; empty for none. */
  readonly prefix?: string;
}

const TARGETS = ["console", "file"] as const;
const TEMPLATE = "caliper-logging-template";
const FORMATS = "caliper-logging-formats";
/** In front of lines of the terminal without a template. */
const PLAIN_WORDS: Partial<Record<LogLevel, string>> = { error: "error: ", warn: "warning: " };
const LONGEST_LEVEL = Math.max(...LOG_LEVELS.map((level) => level.length));

type FormatLine = (level: LogLevel, text: string) => string;

/** A time by a pattern such as `YYYY.MM.DD-HH:mm:ss.SSS ZZ`. */
export function timeText(pattern: string, date: Date): string {
  const pad = (value: number, digits = 2): string => String(value).padStart(digits, "0");
  const offset = -date.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const zone = (between: string) =>
    `${offset < 0 ? "-" : "+"}${pad(hours)}${between}${pad(minutes)}`;
  const parts: Readonly<Record<string, string>> = {
    YYYY: String(date.getFullYear()),
    MM: pad(date.getMonth() + 1),
    DD: pad(date.getDate()),
    HH: pad(date.getHours()),
    mm: pad(date.getMinutes()),
    ss: pad(date.getSeconds()),
    SSS: pad(date.getMilliseconds(), 3),
    ZZ: zone(""),
    Z: zone(":"),
  };
  return pattern.replace(/YYYY|MM|DD|HH|mm|SSS|ss|ZZ|Z/g, (token) => parts[token] ?? token);
}

/** Lines by the settings of template and formats. */
function formatOf(settings: Settings, { module }: LogPlace): FormatLine {
  const template = settings.text(TEMPLATE);
  const [timestamp, label] = [`${FORMATS}-timestamp`, `${FORMATS}-label`].map((key) => {
    const value = settings.find(key);
    return value === undefined || value === "false" ? "" : value;
  });
  const isPadded = settings.flag(`${FORMATS}-pad`);
  const attributes = (level: LogLevel, text: string): Readonly<Record<string, string>> => ({
    timestamp: timestamp ? timeText(timestamp, new Date()) : "",
    level,
    label: label ?? "",
    module,
    message: text,
  });
  if (settings.flag(`${FORMATS}-json`)) {
    return (level, text) => {
      const told = Object.entries(attributes(level, text)).filter(([, value]) => value !== "");
      return JSON.stringify(Object.fromEntries(told));
    };
  }
  const shapeOf = (name: string): string =>
    settings.find(`${FORMATS}-attributeformat-${name}`) ?? "%attribute%";
  return (level, text) => {
    const found = attributes(level, text);
    const shown = { ...found, level: isPadded ? level.padEnd(LONGEST_LEVEL) : level };
    // Nothing that is told here has metadata: its place and the signs around it stay empty.
    return template
      .replace(/\s*[[({]?%metadata%[\])}]?/, "")
      .replace(/%(\w+)%/g, (_, name: string) => {
        const value = (shown as Readonly<Record<string, string>>)[name] ?? "";
        return value === "" ? "" : shapeOf(name).replace("%attribute%", () => value);
      });
  };
}

function levelOf(settings: Settings, target: (typeof TARGETS)[number]): LogLevel {
  const key = `caliper-logging-targets-${target}-options-level`;
  const text = settings.text(key);
  const level = LOG_LEVELS.find((each) => each === text);
  if (level !== undefined) return level;
  throw new BenchmarkFault("usage", `${key} is "${text}": ${LOG_LEVELS.join(", ")}`);
}

/** A file that lines are added to; opened with the first of them. */
class LogFile {
  readonly #path: string;
  readonly #onFailure: (reason: string) => void;
  #stream: WriteStream | undefined;

  constructor(path: string, onFailure: (reason: string) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
  }

  write(line: string): void {
    this.#stream ??= this.#open();
    // A file that failed is reported once.
    if (!this.#stream.destroyed) this.#stream.write(`${line}\n`);
  }

  async close(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      stream.once("close", resolve);
      stream.end();
    });
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { flags: "a" });
    stream.on("error", (cause) => this.#onFailure(`${this.#path}: ${fileReason(cause)}`));
    return stream;
  }
}

/** Opens the log that settings ask for. @throws BenchmarkFault `usage` */
export function openLog(settings: Settings, place: LogPlace): Log {
  const format = formatOf(settings, place);
  // On a terminal sentences say enough, unless somebody asks for more.
  const isPlain = settings.isDefault(TEMPLATE) && settings.isDefault(`${FORMATS}-json`);
  const { prefix = "" } = place;
  const plain: FormatLine = (level, text) => `${prefix}${PLAIN_WORDS[level] ?? ""}${text}`;
  const consoleLine = isPlain ? plain : format;
  const limits = TARGETS.map((target) => {
    const isOn = settings.flag(`caliper-logging-targets-${target}-enabled`);
    return isOn ? LOG_LEVELS.indexOf(levelOf(settings, target)) : -1;
  });
  const [consoleLimit = -1, fileLimit = -1] = limits;
  const name = settings.text("caliper-logging-targets-file-options-filename");
  const file = new LogFile(inWorkspace(settings.workspace, name), (reason) => {
    place.write(`${consoleLine("warn", `the log cannot be written: ${reason}`)}\n`);
  });
  return {
    say(level, text) {
      const severity = LOG_LEVELS.indexOf(level);
      if (severity <= consoleLimit) place.write(`${consoleLine(level, text)}\n`);
      if (severity <= fileLimit) file.write(format(level, text));
    },
    close: () => file.close(),
  };
}
