/** What the logs of nodes report: troubles of the last minute, and counts over a time. */
import type { Finding } from "./finding.ts";
import type { LogLine } from "./log-lines.ts";
import type { NodeFolder } from "../observe/node-folders.ts";

/** Kinds of trouble, the first that fits. Source: generator 10.3 (error classes) */
const TROUBLES: readonly { readonly what: string; fits(line: LogLine): boolean }[] = [
  { what: "view changes", fits: ({ message }) => message.includes("ViewChangeWarning") },
  {
    what: "refused connections",
    fits: ({ message }) => /refused|cannot be reached/i.test(message),
  },
  {
    what: "lost connections",
    fits: ({ message }) => /disconnect|socket closed|host is gone|is gone\b/i.test(message),
  },
  { what: "errors", fits: ({ level }) => level === "error" || level === "fatal" },
];
const SHOWN_CHARS = 120;

function shown(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, "?");
  return clean.length <= SHOWN_CHARS ? clean : `${clean.slice(0, SHOWN_CHARS)}...`;
}

/** How often each kind of trouble is told, with the last line of it. */
export async function findTroubles(
  { name }: NodeFolder,
  lines: AsyncIterable<LogLine>,
): Promise<readonly Finding[]> {
  const counts = new Map<string, { count: number; last: LogLine }>();
  for await (const line of lines) {
    const kind = TROUBLES.find(({ fits }) => fits(line))?.what;
    if (kind === undefined) continue;
    const { count = 0, last = line } = counts.get(kind) ?? {};
    counts.set(kind, { count: count + 1, last: line.at >= last.at ? line : last });
  }
  return [...counts].map(([what, { count, last }]) => ({
    node: name,
    ...(last.group === undefined ? {} : { group: last.group }),
    check: "log",
    says: `${what} in the last minute: ${count}, such as "${shown(last.message)}"`,
  }));
}

/** What a node has logged of a group. */
export interface GroupCounts {
  readonly node: string;
  readonly group: number;
  /** Proposals of this node. */
  readonly sealed: number;
  readonly written: number;
  /** Of the written blocks, by the index of their sealer. */
  readonly bySealer: Readonly<Record<string, number>>;
  readonly viewChanges: number;
  readonly warnings: number;
  readonly errors: number;
}

type Counter = { -readonly [Name in keyof GroupCounts]: GroupCounts[Name] };

const NOTHING = { sealed: 0, written: 0, bySealer: {}, viewChanges: 0, warnings: 0, errors: 0 };

function count(into: Counter, { level, message, sealer }: LogLine): void {
  if (message.includes("+++") && message.includes("sealed")) into.sealed++;
  if (message.includes("^^^^")) {
    into.written++;
    const index = `${sealer ?? "?"}`;
    into.bySealer = { ...into.bySealer, [index]: (into.bySealer[index] ?? 0) + 1 };
  }
  if (message.includes("ViewChangeWarning")) into.viewChanges++;
  if (level === "warning") into.warnings++;
  if (level === "error" || level === "fatal") into.errors++;
}

/** Counts of each group that the log of a node names. Source: generator 10.3 (statistics) */
export async function countLog(
  { name }: NodeFolder,
  lines: AsyncIterable<LogLine>,
  groups: readonly number[] | undefined,
): Promise<readonly GroupCounts[]> {
  const counts = new Map<number, Counter>();
  for await (const line of lines) {
    const { group } = line;
    if (group === undefined || groups?.includes(group) === false) continue;
    const into = counts.get(group) ?? { node: name, group, ...NOTHING };
    count(into, line);
    counts.set(group, into);
  }
  return [...counts.values()].sort((one, other) => one.group - other.group);
}
