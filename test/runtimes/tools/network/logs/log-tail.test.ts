/** The log of a node is followed whatever becomes of its files. */
// rules: groups 8
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { readNodeConfig } from "../../../../../runtimes/formats/config/node-config.ts";
import { LogTail } from "../../../../../runtimes/tools/network/logs/log-tail.ts";

const { value: CONFIG } = readNodeConfig("[log]\nlog_path=.\n", "config.ini");

let home: string;
let tail: LogTail;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "chain-log-tail-"));
  tail = new LogTail(home, CONFIG);
});

afterEach(async () => {
  await tail.close();
  rmSync(home, { recursive: true, force: true });
});

const at = (name: string) => join(home, name);

test("the last lines, and then whole ones that are added", async () => {
  writeFileSync(at("a.log"), "one\ntwo\nthree\nfo");
  assert.deepEqual(await tail.last(2), ["two", "three"]);
  assert.deepEqual(await tail.next(), []);
  appendFileSync(at("a.log"), "ur\nfi");
  assert.deepEqual(await tail.next(), ["four"]);
  assert.deepEqual(await tail.next(), []);
});

test("a line of megabytes does not stop what follows", async () => {
  writeFileSync(at("a.log"), "one\n");
  await tail.last(0);
  appendFileSync(at("a.log"), `${"x".repeat(3 * 1024 * 1024)}\nafter\n`);
  const lines = await tail.next();
  assert.equal(lines.at(-1), "after");
  assert.equal(lines.join("").length, 3 * 1024 * 1024 + "after".length);
});

test("of a file of which only the end is read the first line is whole too", async () => {
  const line = "ü".repeat(50_000);
  writeFileSync(at("a.log"), `${line}\n`.repeat(60));
  const lines = await tail.last(100);
  assert.ok(lines.length > 30 && lines.length < 60);
  assert.ok(lines.every((each) => each === line));
  appendFileSync(at("a.log"), "next\n");
  assert.deepEqual(await tail.next(), ["next"]);
});

test("a file that was cut is read from its beginning", async () => {
  writeFileSync(at("a.log"), "one\ntwo\n");
  await tail.last(0);
  truncateSync(at("a.log"));
  appendFileSync(at("a.log"), "new\n");
  assert.deepEqual(await tail.next(), ["new"]);
});

test("a file that was renamed, and the one in its place, are read to their ends", async () => {
  writeFileSync(at("a.log"), "one\n");
  await tail.last(0);
  appendFileSync(at("a.log"), "last of the first\n");
  renameSync(at("a.log"), at("a.1.log"));
  writeFileSync(at("a.log"), "first of the next\n");
  assert.deepEqual(await tail.next(), ["last of the first", "first of the next"]);
  rmSync(at("a.1.log"));
  appendFileSync(at("a.log"), "more\n");
  assert.deepEqual(await tail.next(), ["more"]);
});

test("without a log there is what the process wrote, until there is one", async () => {
  assert.deepEqual(await tail.last(5), []);
  writeFileSync(at("nohup.out"), "starting\n");
  assert.deepEqual(await tail.next(), ["starting"]);
  writeFileSync(at("a.log"), "running\n");
  assert.deepEqual(await tail.next(), ["running"]);
});
