/**
 * Takes over what is new in a library of specifications, vectors and recordings: compares it with
 * the copies of this repository, which are the law, and writes only what changes no expectation.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";

/** Folders of the library and where their copies lie. */
const PLACES: Readonly<Record<string, string>> = {
  spec: "docs/spec",
  vectors: "test/data/vectors",
  golden: "test/data/golden",
};
/** JSON of this size and more is stored compressed; below it nothing would be saved. */
const COMPRESSED_FROM_BYTES = 4_096;

/**
 * How a file of the library and its copy compare.
 *
 * - `new`: there is no copy; `grown`: the copy's cases are all there, and others besides
 * - `changed`: something that the copy says is different; `gone`: only the copy is there
 */
const STATES = ["new", "grown", "changed", "same", "gone"] as const;

/** A file of the library and its copy. */
interface Row {
  readonly name: string;
  readonly state: (typeof STATES)[number];
  /** Names of what is added or changed. */
  readonly detail: string;
}

interface Options {
  readonly library: string;
  /** Where the copies are. */
  readonly root: string;
  readonly write: boolean;
  readonly json: boolean;
  /** Names of files that are taken over although they are changed. */
  readonly changed: readonly string[];
}

/** What the caller did wrong, in a message for a person. */
export class LibraryFault extends Error {}

/** Names below a folder, without the ending of compressed files, and the path of each. */
function filesBelow(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
  const nameOf = (path: string) => path.slice(folder.length + 1).replaceAll("\\", "/");
  return new Map(paths.sort().map((path) => [nameOf(path).replace(/\.gz$/, ""), path]));
}

function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** What a case of a vector file or an index may be called by. */
interface Case {
  readonly name?: string;
  readonly id?: string;
  readonly file?: string;
}

/** The cases of a vector file or an index, by name; undefined for other files. */
function casesOf(name: string, bytes: Buffer) {
  if (!name.endsWith(".json")) return undefined;
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  const { cases } = (Array.isArray(value) ? { cases: value } : value) as { cases?: Case[] };
  if (!Array.isArray(cases)) return undefined;
  const labelOf = ({ name, id, file }: Case, index: number) => name ?? id ?? file ?? `${index}`;
  const rest = Array.isArray(value) ? {} : { ...(value as object), cases: [] };
  return { rest, cases: new Map(cases.map((it, index) => [labelOf(it, index), it])) };
}

/** How a file differs from its copy. */
function difference(name: string, ours: Buffer, theirs: Buffer): Pick<Row, "state" | "detail"> {
  if (name.endsWith(".jsonl") && theirs.subarray(0, ours.length).equals(ours))
    return { state: "grown", detail: "more lines" };
  const [left, right] = [casesOf(name, ours), casesOf(name, theirs)];
  if (left === undefined || right === undefined) return { state: "changed", detail: "" };
  const changed = [...left.cases]
    .filter(([label, it]) => !isDeepStrictEqual(it, right.cases.get(label)))
    .map(([label]) => label);
  if (!isDeepStrictEqual(left.rest, right.rest)) changed.unshift("its head");
  if (changed.length > 0) return { state: "changed", detail: changed.join(", ") };
  const added = [...right.cases.keys()].filter((label) => !left.cases.has(label));
  return { state: "grown", detail: added.join(", ") };
}

function rowOf(name: string, ours: string | undefined, theirs: string | undefined): Row {
  if (theirs === undefined) return { name, state: "gone", detail: "" };
  if (ours === undefined) return { name, state: "new", detail: "" };
  const [left, right] = [contentOf(ours), contentOf(theirs)];
  if (left.equals(right)) return { name, state: "same", detail: "" };
  return { name, ...difference(name, left, right) };
}

/** What became of each file. */
function compare({ library, root }: Options): readonly Row[] {
  return Object.entries(PLACES).flatMap(([folder, place]) => {
    const theirs = filesBelow(join(library, folder));
    const ours = filesBelow(join(root, place));
    const names = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
    return names.map((name) => {
      const row = rowOf(name, ours.get(name), theirs.get(name));
      return { ...row, name: `${folder}/${name}` };
    });
  });
}

/** Writes the copy of a file: long JSON compressed, the rest, and what is compressed, as it is. */
function writeCopy(name: string, { library, root }: Options): void {
  const [folder = "", ...rest] = name.split("/");
  const inside = rest.join("/");
  const from = filesBelow(join(library, folder)).get(inside) ?? "";
  const bytes = readFileSync(from);
  const isPacked = from.endsWith(".gz");
  const packs = /\.jsonl?$/.test(name) && bytes.length >= COMPRESSED_FROM_BYTES;
  const to = join(root, PLACES[folder] ?? "", inside);
  mkdirSync(dirname(to), { recursive: true });
  for (const old of [to, `${to}.gz`]) rmSync(old, { force: true });
  if (packs && !isPacked) writeFileSync(`${to}.gz`, gzipSync(bytes, { level: 9 }));
  else writeFileSync(isPacked ? `${to}.gz` : to, bytes);
}

/** The table of a comparison; what is the same is counted only. */
function tableOf(rows: readonly Row[], taken: readonly string[]): readonly string[] {
  const lines = rows
    .filter(({ state }) => state !== "same")
    .map(({ name, state, detail }) => {
      const mark = taken.includes(name) ? "taken" : "";
      return `${state.padEnd(8)} ${mark.padEnd(6)} ${name}${detail === "" ? "" : `: ${detail}`}`;
    });
  const count = (wanted: Row["state"]) => rows.filter(({ state }) => state === wanted).length;
  const counts = STATES.map((it) => `${count(it)} ${it}`);
  return [...lines, `${counts.join(", ")}; ${taken.length} taken over`];
}

const USAGE = `Usage: node build.mjs take-over [FOLDER] [--write] [--changed NAME]... [--json]
  Compares FOLDER (../shared) with docs/spec and test/data. Without --write nothing changes.
  --write         takes over what is new and what only has more cases
  --changed NAME  takes over this file too, although something in it is different now
  --json          prints the comparison as JSON`;

function readArguments(args: readonly string[], root: string): Options {
  const options = { library: join(root, "..", "shared"), root, write: false, json: false };
  const changed: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--write") options.write = true;
    else if (word === "--json") options.json = true;
    else if (word === "--changed") changed.push(rest.shift() ?? "");
    else if (word.startsWith("-")) throw new LibraryFault(`There is no option ${word}.\n${USAGE}`);
    else options.library = word;
  }
  return { ...options, changed };
}

/**
 * Runs the command.
 *
 * @param args as on the command line
 * @param root where the copies are
 * @returns lines for stdout
 * @throws LibraryFault with a message for a person: no such folder, option or changed file
 */
export function takeOver(args: readonly string[], root: string): readonly string[] {
  const options = readArguments(args, root);
  const { library, write, json, changed } = options;
  if (!Object.keys(PLACES).some((folder) => existsSync(join(library, folder))))
    throw new LibraryFault(`${library} is no library: it has no folder spec, vectors or golden.`);
  const rows = compare(options);
  for (const name of changed)
    if (!rows.some((row) => row.name === name && row.state === "changed"))
      throw new LibraryFault(`--changed ${name}: no changed file has this name.`);
  const isTaken = ({ name, state }: Row) =>
    state === "new" || state === "grown" || changed.includes(name);
  const taken = write ? rows.filter(isTaken).map(({ name }) => name) : [];
  for (const name of taken) writeCopy(name, options);
  return json ? [JSON.stringify({ rows, taken })] : tableOf(rows, taken);
}
