/** The command that compares a library with the copies of the repository, on small folders. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, test } from "vitest";
import { takeOver } from "./take-over.ts";

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "take-over-"));
  write("shared/golden/README.md", "# Recordings\n");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), content);
}

function read(path: string): string {
  const bytes = readFileSync(join(top, "main", path));
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** Runs the command; its lines without that of the file that is always there. */
function run(...args: readonly string[]): readonly string[] {
  return takeOver([join(top, "shared"), ...args], join(top, "main")).filter(
    (line) => !line.includes("golden/README.md"),
  );
}

const cases = (...limits: readonly number[]) =>
  JSON.stringify({ source: "s", cases: limits.map((limit, i) => ({ name: `row ${i}`, limit })) });

test("what is new is shown, and written only when that is asked for", () => {
  write("shared/spec/pbft.md", "# PBFT\n");
  const lines = ["new             spec/pbft.md", "2 new, 0 grown, 0 changed, 0 same, 0 gone"];
  const [row, counts] = run();
  assert.equal(row, lines[0]);
  assert.equal(counts, `${lines[1]}; 0 taken over`);
  assert.ok(!existsSync(join(top, "main")));
  assert.match(run("--write").at(-1) ?? "", /^2 new.*; 2 taken over$/);
  assert.equal(read("docs/spec/pbft.md"), "# PBFT\n");
  assert.deepEqual(run(), ["0 new, 0 grown, 0 changed, 2 same, 0 gone; 0 taken over"]);
});

test("long JSON is stored compressed, and what is compressed stays as it is", () => {
  const long = `${"x".repeat(5_000)}`;
  const packed = gzipSync('{"number":0}\n', { level: 1 });
  write("shared/vectors/long.json", JSON.stringify({ long }));
  write("shared/vectors/long.md", long);
  write("shared/vectors/short.json", "{}");
  write("shared/golden/replay/a.jsonl.gz", packed);
  run("--write");
  assert.equal(read("test/data/vectors/long.json.gz"), JSON.stringify({ long }));
  assert.equal(read("test/data/vectors/long.md"), long);
  assert.equal(read("test/data/vectors/short.json"), "{}");
  const copy = readFileSync(join(top, "main/test/data/golden/replay/a.jsonl.gz"));
  assert.deepEqual(copy, packed);
  assert.deepEqual(run(), ["0 new, 0 grown, 0 changed, 5 same, 0 gone; 0 taken over"]);
});

test("a file with more cases or lines is taken over", () => {
  write("main/test/data/vectors/limit.json", cases(1, 2));
  write("shared/vectors/limit.json", cases(1, 2, 3));
  write("main/test/data/golden/a.jsonl", "{}\n");
  write("shared/golden/a.jsonl", "{}\n[]\n");
  const [vectors, golden, counts] = run("--write");
  assert.equal(vectors, "grown    taken  vectors/limit.json: row 2");
  assert.equal(golden, "grown    taken  golden/a.jsonl: more lines");
  assert.match(counts ?? "", /1 new, 2 grown, 0 changed, 0 same, 0 gone; 3 taken over/);
  assert.equal(read("test/data/vectors/limit.json"), cases(1, 2, 3));
});

test("a changed expectation stays until it is named", () => {
  write("main/test/data/vectors/limit.json", cases(1, 2));
  write("shared/vectors/limit.json", cases(1, 9, 3));
  const [row] = run("--write");
  assert.equal(row, "changed         vectors/limit.json: row 1");
  assert.equal(read("test/data/vectors/limit.json"), cases(1, 2));
  assert.throws(
    () => run("--write", "--changed", "vectors/other.json"),
    /no changed file has this/,
  );
  const [named] = run("--write", "--changed", "vectors/limit.json");
  assert.equal(named, "changed  taken  vectors/limit.json: row 1");
  assert.equal(read("test/data/vectors/limit.json"), cases(1, 9, 3));
});

test("a case that is gone is a change, and a file that is gone stays", () => {
  write("main/test/data/vectors/limit.json", cases(1, 2));
  write("shared/vectors/limit.json", cases(1));
  write("main/docs/spec/raft.md", "# Raft\n");
  const [told = ""] = takeOver([join(top, "shared"), "--write", "--json"], join(top, "main"));
  assert.deepEqual(JSON.parse(told).rows.slice(0, 2), [
    { name: "spec/raft.md", state: "gone", detail: "" },
    { name: "vectors/limit.json", state: "changed", detail: "row 1" },
  ]);
  assert.equal(read("docs/spec/raft.md"), "# Raft\n");
});

test("a folder that is no library is refused, and so is an unknown option", () => {
  assert.throws(() => takeOver([join(top, "none")], top), /none is no library: it has no folder/);
  assert.throws(() => run("--all"), /There is no option --all/);
});
