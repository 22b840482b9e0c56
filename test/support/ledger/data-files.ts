/**
 * The vectors and recordings of test/data, by their names there without the `.gz` of those that are
 * stored compressed. The bundles of recordings-bundle.ts have another module in its place.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../runner/root.ts";

const DATA = join(ROOT, "test", "data");

/** The text of a file, for example `golden/replay/group1.jsonl`. */
export function readData(name: string): string {
  const path = join(DATA, name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  return gunzipSync(readFileSync(`${path}.gz`)).toString("utf8");
}

/** The values of a file that has one in each line. */
export function readDataLines<Value>(name: string): readonly Value[] {
  const lines = readData(name).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Value);
}

/** Names of all files below a folder, in order. */
export function dataNames(folder: string): readonly string[] {
  const entries = readdirSync(join(DATA, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(DATA.length + 1))
    .map((path) => path.replaceAll("\\", "/").replace(/\.gz$/, ""))
    .sort();
}
