/**
 * What a run tells people while it works: lines on standard error, and the same in the log of the
 * tool folder. Source: generator 1, 2
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

/** How a line begins. */
type Level = "INFO" | "WARN" | "ERROR";

/** Where a run's lines go. */
export interface Report {
  /** Something that was done or begins. */
  info(text: string): void;
  /** Something that may not be meant; the run goes on. */
  warn(text: string): void;
  /** Why the run ends; each line of the text is one line of the report. */
  error(text: string): void;
}

const LOG = "all.log";
/** Source: generator 1 */
const MOST_LOG_BYTES = 20 * 1024 * 1024;
const MOST_LOGS = 9;

/** The full log gets a number, and those that have one the next; the oldest goes. */
function rotate(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < MOST_LOG_BYTES) return;
  for (let number = MOST_LOGS - 1; number >= 1; number--) {
    const from = number === 1 ? path : `${path}.${number - 1}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`);
  }
}

/**
 * Appends lines to log/all.log of a tool folder; another folder gets none. A log that cannot be
 * written stops no work.
 */
export function toolLog(home: string, now: () => number): (line: string) => void {
  let isUsable = existsSync(join(home, "conf"));
  return (line) => {
    if (!isUsable) return;
    try {
      const folder = join(home, "log");
      mkdirSync(folder, { recursive: true });
      const path = join(folder, LOG);
      rotate(path);
      appendFileSync(path, `${new Date(now()).toISOString()} | ${line}\n`);
    } catch {
      isUsable = false;
    }
  };
}

/** Whether lines on standard error may be coloured. */
function isErrorColourful(): boolean {
  const { NO_COLOR = "", TERM = "" } = process.env;
  return process.stderr.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

/**
 * `INFO | text` and `ERROR | text` on standard error, errors in bold red on a terminal.
 * Source: generator 2
 */
export function createReport(
  write: (text: string) => void,
  log: (line: string) => void = () => undefined,
): Report {
  const isColourful = isErrorColourful();
  const say = (level: Level, text: string): void => {
    for (const each of text.split("\n").filter((line) => line !== "")) {
      const line = `${level} | ${each}`;
      const isRed = isColourful && level === "ERROR";
      write(`${isRed ? `\u001b[1;31m${line}\u001b[0m` : line}\n`);
      log(line);
    }
  };
  return {
    info: (text) => say("INFO", text),
    warn: (text) => say("WARN", text),
    error: (text) => say("ERROR", text),
  };
}
