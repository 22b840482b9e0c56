/** The last errors in the log of a node. */
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { logFiles, readEnd } from "../log/log-files.ts";
import { note, ok, type Verdict, warning } from "./verdict.ts";

/** What is read from the end of a file. */
const TAIL_BYTES = 256 * 1024;
/** Files that are examined, the newest first. */
const MOST_FILES = 3;
const MOST_SHOWN = 3;
const SHOWN_CHARS = 200;
/** A time without fractions of a second. */
const TIME_CHARS = "2026-11-21T06:14:05".length;
/** What the program writes of a start that failed. */
const FAILED_START = "the node cannot start";
const DAY_MS = 24 * 60 * 60 * 1_000;

/** An error in a log; the time is unknown in lines that do not carry it. */
interface LoggedError {
  readonly at: number | undefined;
  readonly text: string;
}

/** What a line says; undefined when it is no JSON. */
function fieldsOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A log may hold what others wrote, such as an object that cannot become a text. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "?";
  }
}

/** The error that a line of a log tells, in JSON or as it looks on a terminal. */
export function errorOf(line: string): LoggedError | undefined {
  if (line.startsWith("{")) {
    const { level, time, msg, ...fields } = fieldsOf(line) ?? {};
    if (level !== "error") return undefined;
    const more = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`);
    const at = typeof time === "number" ? time : Date.parse(textOf(time));
    return { at: Number.isNaN(at) ? undefined : at, text: `${textOf(msg)}${more.join("")}` };
  }
  const text = /^(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*\s+error\s+(.*)$/.exec(line)?.[1];
  return text === undefined ? undefined : { at: undefined, text };
}

/** Why the last start of a node failed; undefined when it did not, or nothing tells. */
export async function lastStartFault(
  home: string,
  config: NodeConfig,
): Promise<string | undefined> {
  const [newest] = await logFiles(home, config);
  const tail = newest ? await readEnd(newest.path, TAIL_BYTES).catch(() => "") : "";
  for (const line of tail.toString().split("\n").reverse()) {
    const { msg, cause } = fieldsOf(line) ?? {};
    if (msg === FAILED_START) return textOf(cause);
    if (/^the node (runs|starts|stops)$/.test(textOf(msg))) return undefined;
  }
  return undefined;
}

/** Whether log files show that this node has taken part in writing blocks of a group. */
export async function hasWrittenBlocks(
  home: string,
  config: NodeConfig,
  groupId: number,
): Promise<boolean> {
  const sealed = new RegExp(`\\[g:${groupId}\\].*(\\+\\+\\+\\+|\\^\\^\\^\\^)`);
  for (const { path } of (await logFiles(home, config)).slice(0, MOST_FILES)) {
    const tail = await readEnd(path, TAIL_BYTES).catch(() => "");
    if (sealed.test(tail.toString())) return true;
  }
  return false;
}

function shown(text: string): string {
  const clean = text.replaceAll(/\s*\n\s*/g, "; ").replace(/\p{Cc}/gu, "?");
  return clean.length <= SHOWN_CHARS ? clean : `${clean.slice(0, SHOWN_CHARS)}...`;
}

function shownError({ at, text }: LoggedError): string {
  const time = at === undefined ? "" : `${new Date(at).toISOString().slice(0, TIME_CHARS)}Z `;
  return `${time}${shown(text)}`;
}

/**
 * Errors of the last day, the newest three.
 * @param isStartTold whether failed starts are told elsewhere
 */
export async function checkLog(
  home: string,
  config: NodeConfig,
  now: number,
  isStartTold = false,
): Promise<readonly Verdict[]> {
  const files = (await logFiles(home, config)).slice(0, MOST_FILES);
  if (files.length === 0) return [note("log", "there is no log file")];
  const recent = files.filter(({ writtenAt }) => now - writtenAt < DAY_MS);
  const found: { readonly path: string; readonly error: LoggedError }[] = [];
  for (const { path } of recent) {
    const tail = await readEnd(path, TAIL_BYTES).catch(() => "");
    const lines = tail.toString().split("\n");
    for (const error of lines.map(errorOf))
      if (
        error &&
        !(isStartTold && error.text.startsWith(FAILED_START)) &&
        now - (error.at ?? now) < DAY_MS
      )
        found.push({ path, error });
  }
  if (found.length === 0) return [ok("log", "no error in the last 24 hours")];
  found.sort((left, right) => (left.error.at ?? 0) - (right.error.at ?? 0));
  const last = found.slice(-MOST_SHOWN);
  const more = found.length - last.length;
  const next = (path: string) => `Read what was written around it in ${path}.`;
  const verdicts = last.map(({ path, error }) => warning("log", shownError(error), next(path)));
  return more === 0 ? verdicts : [note("log", `${more} earlier errors`), ...verdicts];
}
