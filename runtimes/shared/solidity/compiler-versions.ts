/** Which compiler a source asks for, and what the chain can run of what it makes. */
import { parseVersion, version } from "../../../core/model/version.ts";

/** A compiler that the node offers, or could offer. */
export interface OfferedCompiler {
  /** `0.8.11`. */
  readonly version: string;
  readonly installed: boolean;
  readonly bytes: number;
  /** The command that installs it, where it is not. */
  readonly install: string;
}

/** Opcodes that the compiler may use. */
export type EvmVersion = "byzantium" | "constantinople" | "istanbul";

const NUMBER = /^v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?$/;

type Triple = readonly [number, number, number];

function tripleOf(text: string): Triple {
  const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
  return [major, minor, patch];
}

function compare(a: Triple, b: Triple): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** From (included) and to (excluded) of a number with wildcards or parts left out. */
function spanOf(text: string): { readonly from: Triple; readonly to: Triple } | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const parts = match.slice(1, 4).map((it) => (it === undefined ? Number.NaN : Number(it)));
  const [major = Number.NaN, minor = Number.NaN, patch = Number.NaN] = parts;
  if (Number.isNaN(major)) return { from: [0, 0, 0], to: [Infinity, 0, 0] };
  if (Number.isNaN(minor)) return { from: [major, 0, 0], to: [major + 1, 0, 0] };
  if (Number.isNaN(patch)) return { from: [major, minor, 0], to: [major, minor + 1, 0] };
  return { from: [major, minor, patch], to: [major, minor, patch + 1] };
}

/** The first version that a caret no longer admits: the leftmost part that is not zero grows. */
function caretEnd([major, minor, patch]: Triple): Triple {
  if (major > 0) return [major + 1, 0, 0];
  return minor > 0 ? [0, minor + 1, 0] : [0, 0, patch + 1];
}

function admitsOne(comparator: string, wanted: Triple): boolean {
  const [, operator = "", number = ""] = /^(\^|~|>=|<=|>|<|=)?(.*)$/.exec(comparator) ?? [];
  const span = spanOf(number);
  if (span === undefined) return false;
  const isFrom = compare(wanted, span.from) >= 0;
  const isBefore = compare(wanted, span.to) < 0;
  switch (operator) {
    case "^":
      return isFrom && compare(wanted, caretEnd(span.from)) < 0;
    case "~":
      return isFrom && compare(wanted, [span.from[0], span.from[1] + 1, 0]) < 0;
    case ">=":
      return isFrom;
    case ">":
      return compare(wanted, span.to) >= 0;
    case "<":
      return compare(wanted, span.from) < 0;
    case "<=":
      return isBefore;
    default:
      return isFrom && isBefore;
  }
}

/** Whether a range, such as `^0.5.0` or `>=0.4.22 <0.9.0 || 1.x`, admits a version. */
export function admits(range: string, wanted: string): boolean {
  return range.split("||").some((alternative) => {
    const hyphen = alternative.trim().replace(/^(\S+)\s+-\s+(\S+)$/, ">=$1 <=$2");
    const comparators = hyphen.replace(/(\^|~|>=|<=|>|<|=)\s+/g, "$1").split(/\s+/);
    const given = comparators.filter((it) => it !== "");
    return given.length > 0 && given.every((it) => admitsOne(it, tripleOf(wanted)));
  });
}

const COMMENTS_AND_TEXTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** The source without comments; texts stay. */
export function withoutComments(source: string): string {
  return source.replace(COMMENTS_AND_TEXTS, (found) =>
    found.startsWith("/") ? found.replace(/[^\n]/g, " ") : found,
  );
}

/** The ranges that a source asks for. */
export function rangesOf(source: string): readonly string[] {
  const pragmas = withoutComments(source).matchAll(/\bpragma\s+solidity\s+([^;]+);/g);
  return [...pragmas].map(([, range = ""]) => range.replaceAll(/["']/g, "").trim());
}

/** The newest of the versions that all ranges admit. */
export function newestFor(
  ranges: readonly string[],
  versions: readonly string[],
): string | undefined {
  const fitting = versions.filter((it) => ranges.every((range) => admits(range, it)));
  return fitting.sort((a, b) => compare(tripleOf(b), tripleOf(a)))[0];
}

/**
 * The newest opcodes that both the compiler knows and the chain runs: later ones do not exist here,
 * and below 2.6.0 not even those of Istanbul. Source: execution 1
 *
 * @param supported `Supported Version` of the chain
 */
export function evmVersionFor(compiler: string, supported: string): EvmVersion {
  const [, minor] = tripleOf(compiler);
  if (minor < 5) return "byzantium";
  if (compare(tripleOf(compiler), [0, 5, 13]) < 0) return "constantinople";
  const chain = parseVersion(supported.replace(/ ?gm$/i, ""));
  return chain !== undefined && chain < version(2, 6, 0) ? "constantinople" : "istanbul";
}
