/** A log that keeps its lines. */
import type { Log, LogFields, LogLevel } from "../../core/ports/log.ts";

/** A line. */
export interface CollectedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log and what was written to it. */
export interface CollectedLog extends Log {
  readonly lines: readonly CollectedLine[];
  /** Messages of that severity. */
  messages(level: LogLevel): string[];
}

/** A log that keeps everything. */
export function collectLog(): CollectedLog {
  const lines: CollectedLine[] = [];
  return {
    lines,
    write: (level, message, fields = {}) => void lines.push({ level, message, fields }),
    messages: (level) => lines.filter((line) => line.level === level).map((line) => line.message),
  };
}
