/** Ledger files from anywhere: lines of every length, endings, damage. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import { ledgerLines } from "../../../../runtimes/node/store/ledger-lines.ts";
import { LedgerFileFault } from "../../../../runtimes/shared/ledger-file/ledger-file-fault.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chain-node-lines-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, content: Uint8Array | string, limit?: number) {
  const path = join(folder, name);
  await writeFile(path, content);
  const lines: string[] = [];
  for await (const line of ledgerLines(path, limit)) lines.push(line);
  return lines;
}

test("lines end with a line feed, a carriage return before it, or the file", async () => {
  const text = 'one\r\n\ntwo é\n\r\n{"three":"\u{1f600}"}';
  const expected = ["one", "two é", '{"three":"\u{1f600}"}'];
  assert.deepEqual(await read("plain.jsonl", text), expected);
  assert.deepEqual(await read("packed.jsonl.gz", gzipSync(text)), expected);
  assert.deepEqual(await read("empty.jsonl", ""), []);
});

test("letters across the pieces of a file stay whole", async () => {
  const line = "é".repeat(200_000);
  assert.deepEqual(await read("long.jsonl", `${line}\n${line}`), [line, line]);
});

test("a line that is too long is a fault with its number, before it is in memory", async () => {
  const bomb = gzipSync(`{}\n${"0".repeat(30_000_000)}`);
  assert.ok(bomb.length < 40_000);
  await assert.rejects(read("bomb.jsonl.gz", bomb, 1_000_000), (fault: Error) => {
    assert.ok(fault instanceof LedgerFileFault);
    assert.match(fault.message, /bomb\.jsonl\.gz: line 2 is longer than 1000000 bytes/);
    return true;
  });
});

test("a packed file that is cut or none is a fault that names it", async () => {
  const packed = gzipSync(Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 251)));
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, 40, 60);
  for (const [name, bytes] of [
    ["cut.jsonl.gz", packed.subarray(0, packed.length - 20)],
    ["none.jsonl.gz", Buffer.from("no gzip at all")],
    ["damaged.jsonl.gz", damaged],
  ] as const) {
    await assert.rejects(
      read(name, bytes),
      new RegExp(`^LedgerFileFault: .*${name} cannot be read`),
    );
  }
  await assert.rejects(async () => {
    for await (const line of ledgerLines(join(folder, "missing.jsonl"))) assert.fail(line);
  }, LedgerFileFault);
});
