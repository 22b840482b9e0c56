/** A ledger as a snapshot and back: the same rows and the same content hash on any store. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { ByteWriter } from "../../../../core/bytes/cursor.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { prepareGenesis } from "../../../../core/ledger/genesis-block.ts";
import { headerKey } from "../../../../core/ledger/keys.ts";
import { openLedger } from "../../../../core/ledger/ledger.ts";
import { decodeHeaderRecord, encodeHeaderRecord } from "../../../../core/ledger/records.ts";
import { encodeHeader } from "../../../../core/model/header.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { readAbstention } from "../../../../core/node/voting/abstention-store.ts";
import { encodeOffsetTable } from "../../../../core/model/offset-table.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { decodeRows, encodeRows } from "../../../../core/storage/row-codec.ts";
import { rowsKey } from "../../../../core/storage/system-tables.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { checkExecution } from "../../../../runtimes/shared/ledger-check/execution-check.ts";
import { checkLedger } from "../../../../runtimes/shared/ledger-check/ledger-check.ts";
import {
  CHUNK,
  MOST_BYTES,
  packChunk,
  readChunks,
  SnapshotFault,
} from "../../../../runtimes/shared/snapshot/chunk.ts";
import {
  ContentHash,
  decodeFacts,
  MOST_CELLS,
  readBlocks,
  readRows,
} from "../../../../runtimes/shared/snapshot/content.ts";
import { restoreSnapshot } from "../../../../runtimes/shared/snapshot/restore-snapshot.ts";
import { writeSnapshot } from "../../../../runtimes/shared/snapshot/write-snapshot.ts";
import { fillStore, temporaryFolder } from "../../../support/ledger/recorded-folder.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { RECORD_GENESIS } from "../../../support/ledger/signed-record.ts";

const suite = STANDARD_SUITE;
const rules = { suite, version: NEWEST_VERSION };
const ids = { chainId: 1, groupId: 1 };
const progress = () => undefined;
let folder = "";
let level: Store;
let file: Uint8Array;
let contentHash = "";

beforeAll(async () => {
  folder = await temporaryFolder();
  level = await openLevelStore(join(folder, "db"), { create: true });
  await fillStore(level);
  ({ file, contentHash } = await snapshotOf(level));
});

afterAll(async () => {
  await level.close();
  await rm(folder, { recursive: true, force: true });
});

async function snapshotOf(store: Store, consensusType: "pbft" | "raft" = "pbft") {
  const parts: Uint8Array[] = [];
  const pieces = writeSnapshot({ store, ...rules, ...ids, consensusType, progress });
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return { file: new Uint8Array(Buffer.concat(parts)), contentHash: value.contentHash };
    parts.push(value);
  }
}

/** A file in pieces of a size that fits nothing. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
}

async function restored(
  bytes: Uint8Array,
  admit = (_: unknown): void => undefined,
  genesis = RECORD_GENESIS,
) {
  const store = openMemoryStore();
  const options = { store, ...rules, genesis, admit, progress };
  const outcome = await restoreSnapshot(pieces(bytes), options);
  return { store, ...outcome };
}

/** Keys and values but those that only this node writes. */
async function recordsOf(store: Store): Promise<readonly string[]> {
  const entries = await store.range("", "\xff", 100_000);
  const own = entries.filter(({ key }) => key !== "msilence");
  return own.map(({ key, value }) => `${key} ${Buffer.from(value).toString("hex")}`);
}

test("a snapshot of a database restores into memory, record for record, and into itself", async () => {
  const { store, sums, facts } = await restored(file);
  assert.deepEqual(await recordsOf(store), await recordsOf(level));
  assert.deepEqual([sums.blocks, sums.transactions, facts.number], [4, 4, 3]);
  const again = await snapshotOf(store);
  assert.equal(again.contentHash, contentHash);
  assert.deepEqual(again.file, file);
  const found: unknown[] = [];
  const check = { ...rules, store, genesis: RECORD_GENESIS, progress };
  const report = (defect: unknown) => void found.push(defect);
  await checkLedger({ ...check, from: 0, report });
  const scratch = openMemoryStore();
  await checkExecution({ ...check, scratch, reconfirmCommittee: false, head: 3, report });
  assert.deepEqual(found, []);
});

test("after a restore the key is silent, and votes of before are not in the file", async () => {
  const source = openMemoryStore((await level.range("", "\xff", 1e6)).map((e) => [e.key, e.value]));
  await source.commit([{ key: "c", value: new Uint8Array(9) }], { durable: true });
  const { file: other, contentHash: same } = await snapshotOf(source);
  assert.equal(same, contentHash);
  const { store } = await restored(other);
  assert.deepEqual(readAbstention(store), { mode: "silent", cause: "copied", since: 3 });
  assert.equal(store.get("c"), undefined);
});

test("members that keep other seals of a block have the same content hash", async () => {
  const source = openMemoryStore((await level.range("", "\xff", 1e6)).map((e) => [e.key, e.value]));
  const { hash } = openLedger({ store: source, ...rules }).head();
  const bytes = source.get(headerKey(hash));
  assert.ok(bytes);
  const { header, ...record } = decodeHeaderRecord(bytes);
  const sealed = { ...record, headerRlp: encodeHeader(header), seals: [] };
  const value = encodeHeaderRecord(sealed);
  await source.commit([{ key: headerKey(hash), value }], { durable: true });
  const other = await snapshotOf(source);
  assert.equal(other.contentHash, contentHash);
  assert.notDeepEqual(other.file, file);
  await assert.rejects(restored(other.file), /the seals of block 3: tooFewSeals/);
  const { file: unsealed } = await snapshotOf(source, "raft");
  await assert.rejects(restored(unsealed), /the seals of block 3: tooFewSeals/, "by its own word");
});

test("blocks are sealed by those whom the group's own genesis names, not by whom they name", async () => {
  const others = { ...RECORD_GENESIS, sealers: ["ab".repeat(64) as NodeId] };
  await assert.rejects(restored(file, undefined, others), /block 1 names other sealers/);
});

test("a key is silent even over block 0, for it may have voted for block 1 before", async () => {
  const source = openMemoryStore();
  await prepareGenesis(source, { ...rules, genesis: RECORD_GENESIS });
  const { store } = await restored((await snapshotOf(source)).file);
  assert.deepEqual(readAbstention(store), { mode: "silent", cause: "copied", since: 0 });
});

test("a file may have very many chunks, but none that could not be read again", async () => {
  const hash = new Uint8Array(32).fill(7);
  const [content, expected] = [new ContentHash(), createHash("sha256")];
  for (let i = 0; i < 150_000; i++) {
    content.add({ kind: CHUNK.rows, hash });
    expected.update(Uint8Array.of(CHUNK.rows)).update(hash);
  }
  assert.equal(await content.digest(), `0x${expected.digest("hex")}`);
  const tooLarge = new Uint8Array(MOST_BYTES + 1);
  await assert.rejects(packChunk(CHUNK.rows, tooLarge), /^SnapshotFault: .* have more than/);
});

test("a byte altered anywhere, or an end that is missing, restores nothing", async () => {
  for (let at = 0; at < file.length; at += Math.ceil(file.length / (TAKES_ALL_CASES ? 60 : 30))) {
    const altered = file.slice();
    altered[at] = (altered[at] ?? 0) ^ 4;
    const { name } = await restored(altered).then(
      () => assert.fail(`byte ${at}`),
      (cause: Error) => cause,
    );
    assert.equal(name, "SnapshotFault");
    await assert.rejects(restored(file.subarray(0, at)), /^SnapshotFault: /);
  }
  await assert.rejects(restored(Buffer.concat([file, Buffer.of(0)])), /more follows/);
  const newer = file.slice();
  newer[9] = 2;
  await assert.rejects(restored(newer), /newer program \(version 2; this program knows 1\)/);
});

test("damage is named with its chunk and its block", async () => {
  const altered = file.slice();
  altered[file.length >> 1] = (altered[file.length >> 1] ?? 0) ^ 1;
  await assert.rejects(restored(altered), /^SnapshotFault: chunk \d+ \((from block|rows|seals)/);
});

const FRAME_BYTES = 41;

/** Where the packed content of each chunk begins. */
function contentPlaces(): number[] {
  const places: number[] = [];
  const view = new DataView(file.buffer, file.byteOffset);
  for (let at = 10; at < file.length; at += FRAME_BYTES + view.getUint32(at + 1))
    places.push(at + FRAME_BYTES);
  return places;
}

test("a bit that flips anywhere is refused with its place, or the content is the same", async () => {
  // All of the frames, and as many places between them as there is time for.
  const frames = contentPlaces().flatMap((end) =>
    Array.from({ length: FRAME_BYTES }, (_, index) => end - FRAME_BYTES + index),
  );
  const step = TAKES_ALL_CASES ? 1 : Math.ceil(file.length / 60);
  const spread = Array.from({ length: Math.floor(file.length / step) }, (_, at) => at * step);
  const places = [...new Set([...frames, ...spread])];
  let same = 0;
  for (const [index, at] of places.entries()) {
    const altered = file.slice();
    altered[at] = (altered[at] ?? 0) ^ (1 << (index & 7));
    const told = await restored(altered).then(
      ({ sums }) => sums.contentHash,
      (cause: unknown) => cause,
    );
    if (told instanceof SnapshotFault) {
      assert.match(told.message, /chunk \d|\(from block|rows|file is no|newer|content has/);
      assert.notEqual(told.remedy, "");
      continue;
    }
    // What says when and where a chunk was packed is no part of what it holds.
    assert.equal(told, contentHash, `byte ${at}`);
    assert.ok(!frames.includes(at), `byte ${at} of a frame`);
    same += 1;
  }
  assert.ok(same * 20 < places.length, `${same} of ${places.length}`);
});

test("what hashes of its own cover is still checked against the chain", async () => {
  const bytes: Uint8Array[] = [file.subarray(0, 10)];
  for await (const { kind, content } of readChunks(pieces(file))) {
    const wrong = kind === CHUNK.blocks ? content.with(20, (content[20] ?? 0) ^ 1) : content;
    bytes.push((await packChunk(kind, wrong)).bytes);
  }
  await assert.rejects(restored(Buffer.concat(bytes)), /the snapshot is damaged \(from block 0/);
});

test("rows that blocks contradict are refused: counters, and the sealers of the newest block", async () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["_sys_current_state_", "total_transaction_count", /not true: counter total_tr.* is 9, not 4/],
    ["_sys_consensus_", "node", /not true: sealers of _sys_consensus_ is/],
  ];
  for (const [table, key, words] of cases) {
    const entries = await level.range("", "\xff", 1e6);
    const source = openMemoryStore(entries.map((entry) => [entry.key, entry.value]));
    const place = rowsKey(table, key);
    const rows = decodeRows(key, source.get(place) ?? new Uint8Array(0));
    const other = rows.map(({ columns, ...row }) => {
      const changed = new Map(columns).set(columns.has("value") ? "value" : "node_id", "9");
      return { ...row, columns: changed };
    });
    await source.commit([{ key: place, value: encodeRows(key, other) }], { durable: true });
    await assert.rejects(restored((await snapshotOf(source)).file), words);
  }
});

test("a chunk that says to hold more than it can is refused before it fills memory", async () => {
  const items = Array.from({ length: 50_000 }, () => new Uint8Array(0));
  const blocks = new ByteWriter().sized(new Uint8Array(3)).sized(encodeOffsetTable(items)).finish();
  assert.deepEqual([...readBlocks(blocks)], [undefined]);
  const name = new Uint8Array(1);
  const row = new ByteWriter().sized(name).sized(name).u32(1).u64(1).u64(1).u8(0);
  assert.deepEqual([...readRows(row.u32(MOST_CELLS).finish())], [undefined]);
  const manyRows = new ByteWriter().sized(name).sized(name).u32(0xffff_ffff).finish();
  assert.deepEqual([...readRows(manyRows)], [undefined]);
});

test("the facts come first, and who does not want them gets nothing", async () => {
  const refuse = (facts: unknown) => assert.fail(`${JSON.stringify(facts)}`);
  await assert.rejects(restored(file, refuse), /"groupId":1/);
  for await (const { kind, content } of readChunks(pieces(file))) {
    assert.equal(kind, CHUNK.facts);
    assert.equal(decodeFacts(content).suite, "standard");
    break;
  }
});
