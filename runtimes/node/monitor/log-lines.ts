/** Lines of nodes' logs, as the monitor reads them. Source: groups 8 (log); generator 10.4 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { logFiles } from "../log/log-files.ts";
import type { NodeFolder } from "../observe/node-folders.ts";

/** One line. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  readonly group?: number | undefined;
  /** Index of the sealer whose block it is about. */
  readonly sealer?: number | undefined;
}

function integer(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

function jsonLine(line: string): LogLine | undefined {
  try {
    const { level, time, msg, group, sealer } = JSON.parse(line) as Record<string, unknown>;
    const at = typeof time === "number" ? time : Date.parse(String(time));
    if (Number.isNaN(at)) return undefined;
    const fields = { group: integer(group), sealer: integer(sealer) };
    return { at, level: String(level), message: String(msg), ...fields };
  } catch {
    return undefined;
  }
}

/** `info|2026-11-28 01:02:03.123456|[g:1][p:...]++++ ...`, in local time. */
const CLASSIC = /^(\w+)\|(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\|\s*(.*)$/;

function classicLine(line: string): LogLine | undefined {
  const [, level = "", day = "", clock = "", fraction = "0", message = ""] =
    CLASSIC.exec(line) ?? [];
  const at = Date.parse(`${day}T${clock}.${fraction.padEnd(3, "0")}`);
  if (Number.isNaN(at)) return undefined;
  const group = /\[g:(\d+)\]/.exec(message)?.[1];
  return { at, level, message, group: group === undefined ? undefined : Number(group) };
}

/** A line taken apart; undefined for one without time and level. */
export function logLine(line: string): LogLine | undefined {
  return line.startsWith("{") ? jsonLine(line) : classicLine(line);
}

/** The lines of a node since a moment, file by file. */
export async function* linesSince(
  folder: NodeFolder,
  config: NodeConfig,
  since: number,
): AsyncGenerator<LogLine> {
  for (const { path, writtenAt } of await logFiles(folder.path, config)) {
    if (writtenAt < since) continue;
    const input = createReadStream(path, "utf8");
    // A file that was moved meanwhile has nothing more to say.
    input.on("error", () => input.destroy());
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const line = logLine(text);
      if (line && line.at >= since) yield line;
    }
  }
}
