/** Words of the command line: commands and options. Source: benchmark 1 */
import { nearestName } from "../../formats/config/nearest-name.ts";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import { SETTING_DEFAULTS } from "./settings.ts";

/** What a command line says. */
export interface CommandWords {
  readonly words: readonly string[];
  /** Options by their names without dashes. */
  readonly flags: ReadonlyMap<string, string>;
  /** Values of the options that may be repeated. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** Options of this tool with a value; settings begin with `caliper-`. */
const OWN = ["assert", "fail-on-error-rate", "chain", "sample", "folder", "ports"];
const REPEATED = ["assert"];
const SWITCHES = ["json", "help", "version", "remove", "keep"];
const SHORT: Readonly<Record<string, string>> = { "-h": "--help", "-v": "--version" };

/** Whether an option stands for itself, so that the next word is not its value. */
function isSwitch(name: string): boolean {
  const fallback = SETTING_DEFAULTS[name];
  return SWITCHES.includes(name) || fallback === "true" || fallback === "false";
}

function isWordOfFlag(word: string | undefined): boolean {
  return word === "true" || word === "false";
}

/**
 * Reads the words after the program's name.
 * @throws BenchmarkFault `usage` for an option that is not known, is repeated or lacks its value
 */
export function readWords(args: readonly string[]): CommandWords {
  const words: string[] = [];
  const flags = new Map<string, string>();
  const lists = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const arg = SHORT[args[at] ?? ""] ?? args[at] ?? "";
    if (!arg.startsWith("--")) {
      words.push(arg);
      continue;
    }
    const [, name = "", joined] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!name.startsWith("caliper-") && ![...OWN, ...SWITCHES].includes(name)) {
      const near = nearestName(name, [...OWN, ...SWITCHES]);
      const meant = near === undefined ? "" : `did you mean --${near}? `;
      const what = `there is no option --${name}: ${meant}`;
      throw new BenchmarkFault("usage", `${what}bench --help lists all`);
    }
    let value = joined;
    if (value === undefined && isSwitch(name))
      value = isWordOfFlag(args[at + 1]) ? args[++at] : "true";
    value ??= args[++at];
    if (value === undefined) throw new BenchmarkFault("usage", `--${name} lacks its value`);
    if (REPEATED.includes(name)) lists.set(name, [...(lists.get(name) ?? []), value]);
    else if (flags.has(name)) throw new BenchmarkFault("usage", `--${name} is given twice`);
    else flags.set(name, value);
  }
  return { words, flags, lists };
}

/** The words behind those of a command; `benchmark` in front of it is optional. */
export function wordsBehind(name: string, words: readonly string[]): readonly string[] {
  const skipped = (words[0] === "benchmark" ? 1 : 0) + name.split(" ").length;
  return words.slice(skipped);
}
