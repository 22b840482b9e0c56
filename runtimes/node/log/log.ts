/**
 * The Log port over pino: readable lines on a terminal, JSON lines elsewhere.
 * Source: groups 8 (log)
 */
import { pino, stdTimeFunctions } from "pino";
import type { DestinationStream } from "pino";
import type { Log, LogFields, LogLevel } from "../../../core/ports/log.ts";

/** Severities as numbers, in pino's own scale. Source: groups 8 */
const LEVELS: Readonly<Record<LogLevel, number>> = {
  trace: 10,
  debug: 20,
  info: 30,
  warning: 40,
  error: 50,
};

/** Where lines go: a stream of the process, or anything that takes text. */
interface LogTarget {
  write(text: string): unknown;
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
}

/** What a log writes, and where. */
export interface LogOptions {
  /** Lowest severity that is written; "off" for none. */
  readonly level: LogLevel | "off";
  readonly target: LogTarget;
  /** Readable lines instead of JSON; by default on a terminal. */
  readonly readable?: boolean;
}

/** A field as it looks in a readable line; text with blanks is quoted. */
function readableField([name, value]: [string, unknown]): string {
  const text = String(value);
  return `${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`;
}

/**
 * A JSON line of pino as a line for people: time, severity, message, fields. The time is the same
 * text in all lines: `2026-01-31T23:59:59.000Z`.
 */
export function readableLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const parts = Object.entries(fields).map(readableField);
  const line = [String(time), String(level).padEnd(7), String(msg), ...parts].join(" ");
  // Text from peers must not forge lines or steer the terminal.
  return `${line.replace(/\p{Cc}/gu, "?")}\n`;
}

/** A destination that never throws: a log that cannot be written is no reason to stop. */
function destination(target: LogTarget, readable: boolean): DestinationStream {
  return {
    write(line: string) {
      try {
        target.write(readable ? readableLine(line) : line);
      } catch {
        // The target is gone, for example a closed pipe.
      }
    },
  };
}

/** A log that writes lines of at least the given severity. */
export function createLog(options: LogOptions): Log {
  if (options.level === "off") return { write: () => {} };
  const logger = pino(
    {
      customLevels: LEVELS,
      useOnlyCustomLevels: true,
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination(options.target, options.readable ?? options.target.isTTY === true),
  );
  return {
    write(level, message, fields) {
      logger[level](fields ?? {}, message);
    },
  };
}

/** A log that adds the same fields to each line, for example the number of a node. */
export function logWith(log: Log, fields: LogFields): Log {
  return { write: (level, message, more) => log.write(level, message, { ...fields, ...more }) };
}

/** A log whose lines go to several. */
export function logToAll(logs: readonly Log[]): Log {
  return {
    write(level, message, fields) {
      for (const log of logs) log.write(level, message, fields);
    },
  };
}
