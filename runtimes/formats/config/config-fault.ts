/** What is wrong or worth knowing about a configuration file, with its place. Source: groups 8 */

/** Where in a file. */
export interface ConfigPlace {
  readonly file: string;
  /** Counted from 1; undefined for what is absent. */
  readonly line: number | undefined;
  readonly section: string;
  readonly key: string;
}

/** Why a file cannot be used. */
export type ConfigReason = "syntax" | "missing" | "notAllowed" | "notOffered";

/** One error. */
export interface ConfigProblem extends ConfigPlace {
  readonly reason: ConfigReason;
  /** As in the file, shortened; undefined for what is absent. */
  readonly value: string | undefined;
  /** What may stand there, or why what stands there is not offered. */
  readonly allowed: string;
}

/** Something that does not keep a node from starting. */
export interface ConfigWarning extends ConfigPlace {
  /** `info` says what was understood, `warning` that something was changed or not understood. */
  readonly level: "info" | "warning";
  readonly message: string;
}

/** A value that was read, and what is worth saying about the file. */
export interface Reading<T> {
  readonly value: T;
  readonly warnings: readonly ConfigWarning[];
}

/** Text of files is data: no more of a value than this is repeated. */
const SHOWN_LENGTH = 60;

/** A value as messages show it. */
export function shownValue(value: string): string {
  const printable = value.replace(/[^\x20-\x7e\u00a0-\ud7ff\uf900-\uffef]/g, "?");
  return printable.length <= SHOWN_LENGTH ? printable : `${printable.slice(0, SHOWN_LENGTH)}...`;
}

/** `file, line n, [section] key`. */
export function placeText({ file, line, section, key }: ConfigPlace): string {
  const parts = [file];
  if (line !== undefined) parts.push(`line ${line}`);
  if (section !== "" || key !== "")
    parts.push(`[${shownValue(section)}] ${shownValue(key)}`.trim());
  return parts.join(", ");
}

/** One error as a sentence. */
export function problemText(problem: ConfigProblem): string {
  const { reason, value, allowed } = problem;
  const place = placeText(problem);
  const shown = `"${value ?? ""}"`;
  if (reason === "missing") return `${place} is missing: ${allowed}`;
  if (reason === "notOffered") return `${place} = ${shown} is not offered: ${allowed}`;
  if (reason === "syntax") return `${place}: ${shown} cannot be read: ${allowed}`;
  return `${place} = ${shown} is not allowed: ${allowed}`;
}

/** A warning as a sentence. */
export function warningText(warning: ConfigWarning): string {
  return `${placeText(warning)}: ${warning.message}`;
}

/** A file that cannot be used. The message has one line for each problem. */
export class ConfigFault extends Error {
  override readonly name = "ConfigFault";
  readonly file: string;
  /** All that is wrong, in the order of the checks; at least one. */
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    super(problems.map(problemText).join("\n"));
    this.file = file;
    this.problems = problems;
  }
}
