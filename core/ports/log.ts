/** Logging as a port: one line, structured fields. */

/** Severity, lowest first. Source: groups 8 */
export type LogLevel = "trace" | "debug" | "info" | "warning" | "error";
/** Values a log line may carry. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Takes log lines; never throws, never blocks. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
}
