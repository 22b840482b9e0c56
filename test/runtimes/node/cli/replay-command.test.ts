/** `chain-node replay`: in a process of its own once, and in this one. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import { writeGenesisFile } from "../../../../runtimes/formats/config/genesis-file.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { RECORD_GENESIS, signedRecord } from "../../../support/ledger/signed-record.ts";

let folder = "";
let lines: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chain-node-replayed-"));
  lines = await signedRecord();
  await writeFile(join(folder, "mine.genesis"), writeGenesisFile(RECORD_GENESIS));
  await write("mine", lines);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: readonly string[]): Promise<string> {
  const path = join(folder, `${name}.jsonl.gz`);
  await writeFile(path, gzipSync(content.map((line) => `${line}\n`).join("")));
  return path;
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runHosted("replay", ...args);
  return { code, out: stdout, err: stderr };
}

test("an equal ledger ends with its sums and code 0", async () => {
  const { code, out } = await run(join(folder, "mine.jsonl.gz"));
  assert.equal(out, "4 blocks, 4 transactions, 0 differences\n");
  assert.equal(code, 0);
});

test("a difference is shown with both values, and counted", async () => {
  const changed = lines.map((line, i) => (i === 2 ? line.replace(/"gasUsed":"0x/g, "$&1") : line));
  const path = await write("changed", changed);
  const genesis = join(folder, "mine.genesis");
  const ran = await endOf(runProgram("replay", path, "--genesis", genesis));
  const { code, stdout: out } = ran;
  assert.equal(code, 1);
  assert.match(out, /^block 2: header\.hash\n {2}recorded 0x\w+\n {2}computed 0x\w+\n/);
  assert.match(out, /\nblock 2: receipts\[0\]\.gasUsed\n {2}recorded 0x1a/);
  assert.match(out, /\n4 blocks, 4 transactions, 4 differences\n$/);
  const json = JSON.parse((await run(path, "--genesis", genesis, "--json")).out);
  assert.equal(json.first[0].block, 2);
});

test("another version is another chain", async () => {
  const { code, out } = await run(join(folder, "mine.jsonl.gz"), "--supported-version", "2.1.0");
  assert.equal(code, 1);
  assert.match(out, /\nblock 0: header\.hash\n/);
  // The chain cannot go on over a block that is no block of that version.
  assert.match(
    out,
    /\nblock 1: block\n {2}recorded executed\n {2}computed wrongTransactionsRoot\n/,
  );
});

test("what cannot be replayed is reported in one sentence with the next step", async () => {
  const cut = join(folder, "cut.jsonl.gz");
  await writeFile(cut, gzipSync(lines.join("\n")).subarray(0, 900));
  const alone = await write("alone", lines);
  const genesis = ["--genesis", join(folder, "mine.genesis")];
  await writeFile(join(folder, "short.meta.json"), '{"blocks":4}');
  const cases: readonly [readonly string[], number, RegExp][] = [
    [[join(folder, "none.jsonl.gz")], 1, /none\.jsonl\.gz is not there/],
    [[join(folder, "mine.genesis")], 2, /ends with \.jsonl or \.jsonl\.gz is wanted/],
    [[alone], 1, /none of alone\.genesis, alone\.genesis\.txt lies next to it; .* --genesis/],
    [[cut, ...genesis], 1, /cut\.jsonl\.gz cannot be read to its end|line \d+: /],
    [[await write("empty", []), ...genesis], 1, /empty\.jsonl\.gz holds no block/],
    [
      [await write("short", lines.slice(0, 3)), ...genesis],
      1,
      /holds 3 blocks, but its meta file reports 4 blocks/,
    ],
    [[alone, ...genesis, "--supported-version", "3.0.0"], 2, /3\.0\.0 is not a version .* 2\.0\.0/],
  ];
  for (const [args, code, words] of cases) {
    const ran = await run(...args);
    assert.match(ran.err, words);
    assert.equal(ran.code, code, ran.err);
    assert.doesNotMatch(ran.err, /\n {4}at /);
  }
});
