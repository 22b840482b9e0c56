/** Checksums of a database's files: every overwritten byte is noticed, and the file is named. */
import assert from "node:assert/strict";
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { checkDatabaseFiles } from "../../../../../runtimes/node/store/level-files/database-files.ts";
import { createChecksum } from "../../../../../runtimes/node/store/level-files/file-look.ts";
import { LevelReader } from "../../../../../runtimes/node/store/level-files/level-reader.ts";
import {
  unpackBeginning,
  unpackSnappy,
} from "../../../../../runtimes/node/store/level-files/snappy.ts";
import { openLevelStore } from "../../../../../runtimes/node/store/store.ts";
import type { Defect } from "../../../../../runtimes/shared/ledger-check/defect.ts";
import { temporaryFolder } from "../../../../support/ledger/recorded-folder.ts";

let parent = "";
/** A database with tables of several blocks, some packed and some not, and a log. */
let whole = "";

/** Bytes that do not pack. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

beforeAll(async () => {
  parent = await temporaryFolder();
  whole = join(parent, "whole");
  const first = await openLevelStore(whole, { create: true });
  const texts = Array.from({ length: 3_000 }, (_, i) => ({
    key: `r_table_${`${i}`.padStart(6, "0")}`,
    value: new TextEncoder().encode(`the value of row ${i} `.repeat(4)),
  }));
  const bodies = Array.from({ length: 40 }, (_, i) => ({ key: `b${i}`, value: noise(9_000, i) }));
  await first.commit([...texts, ...bodies], { durable: true });
  await first.close();
  // Opening makes tables of the log.
  const second = await openLevelStore(whole, { create: false });
  for (let i = 0; i < 20; i++)
    await second.commit([{ key: `n${i}`, value: noise(3_000, i) }], { durable: true });
  await second.close();
});

afterAll(() => rm(parent, { recursive: true, force: true }));

/** A copy whose files can be damaged. */
async function copy(): Promise<string> {
  const folder = join(parent, "copy");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const name of await readdir(whole)) await copyFile(join(whole, name), join(folder, name));
  return folder;
}

async function found(folder: string) {
  const defects: Defect[] = [];
  const notes: string[] = [];
  const files = await checkDatabaseFiles({
    folder,
    report: (defect) => void defects.push(defect),
    note: (sentence) => void notes.push(sentence),
    progress: () => undefined,
  });
  return { files, notes, defects, says: defects.map(({ what }) => what).join("\n") };
}

async function namesOf(kind: RegExp): Promise<readonly string[]> {
  return (await readdir(whole)).filter((name) => kind.test(name));
}

/** Overwrites bytes by others. */
async function overwrite(path: string, offset: number, count: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    const { buffer } = await file.read(Buffer.alloc(count), 0, count, offset);
    const other = buffer.map((byte) => byte ^ 0x5a);
    await file.write(other, 0, other.length, offset);
  } finally {
    await file.close();
  }
}

test("all files of a whole database are examined, and nothing is found", async () => {
  const { files, notes, defects } = await found(whole);
  assert.deepEqual([notes, defects], [[], []]);
  const kept = await namesOf(/^(CURRENT|MANIFEST-.*|.*\.ldb|.*\.log)$/);
  assert.equal(files.count, kept.length);
  assert.ok((await namesOf(/\.ldb$/)).length > 0 && (await namesOf(/\.log$/)).length > 0);
});

const KINDS = [
  { kind: "a table", name: /\.ldb$/ },
  { kind: "the write-ahead log", name: /\.log$/ },
  { kind: "the manifest", name: /^MANIFEST-/ },
] as const;

for (const { kind, name: pattern } of KINDS) {
  test(`overwritten bytes anywhere in ${kind} are found, and the file is named`, async () => {
    const [name = ""] = await namesOf(pattern);
    const { length } = await readFile(join(whole, name));
    await fc.assert(
      fc.asyncProperty(fc.nat(length - 1), fc.integer({ min: 1, max: 16 }), async (at, count) => {
        const folder = await copy();
        await overwrite(join(folder, name), at, Math.min(count, length - at));
        const { says, notes } = await found(folder);
        assert.ok(`${says}\n${notes.join("\n")}`.includes(name), `${at}: ${says}`);
      }),
      {
        numRuns: 30,
        examples: [
          [0, 1],
          [4, 2],
          [length - 1, 1],
          [length - 48, 1],
          [length - 20, 1],
        ],
      },
    );
  });
}

/** Places of the blocks with rows in a table: of each the first byte and the length. */
function rowBlocks(table: Buffer): readonly (readonly [offset: number, bytes: number])[] {
  const footer = new LevelReader(table.subarray(-48));
  const [, , offset, size] = [0, 1, 2, 3].map(() => footer.varint());
  assert.ok(offset !== undefined && size !== undefined);
  const packed = table.subarray(offset, offset + size);
  const index = table[offset + size] === 0 ? packed : unpackSnappy(packed, 1_000_000);
  assert.ok(index);
  const restarts = new LevelReader(index.subarray(-4)).u32le();
  const reader = new LevelReader(index.subarray(0, -4 * (restarts + 1)));
  const places: [number, number][] = [];
  while (reader.remaining > 0) {
    assert.equal(reader.varint(), 0, "each key of an index is whole");
    const [own] = [reader.varint(), reader.varint()];
    reader.bytes(own ?? 0);
    places.push([reader.varint(), reader.varint() + 5]);
  }
  return places;
}

test("blocks of one size that changed places are damage, though each has its checksum", async () => {
  for (const name of await namesOf(/\.ldb$/)) {
    const folder = await copy();
    const table = await readFile(join(folder, name));
    const blocks = rowBlocks(table);
    const pairs = blocks.flatMap(([at, bytes], i) =>
      blocks.slice(i + 1).flatMap((other) => (other[1] === bytes ? [[at, other[0], bytes]] : [])),
    );
    assert.ok(pairs.length > 0, `${name} has no two blocks of one size`);
    for (const [first = 0, second = 0, bytes = 0] of [pairs[0], pairs.at(-1)].map(
      (it) => it ?? [],
    )) {
      const swapped = Buffer.from(table);
      table.copy(swapped, first, second, second + bytes);
      table.copy(swapped, second, first, first + bytes);
      await writeFile(join(folder, name), swapped);
      const { says } = await found(folder);
      assert.match(says, new RegExp(`^${name}: block of`));
    }
  }
});

test("an overwritten length in a log is damage, and a log that was cut off is none", async () => {
  const [name = ""] = await namesOf(/\.log$/);
  const path = join(whole, name);
  const { length } = await readFile(path);
  const lengthened = await copy();
  await overwrite(join(lengthened, name), 4, 2);
  assert.match((await found(lengthened)).says, /\.log: record at byte 0/);
  const cut = await copy();
  await truncate(join(cut, name), length - 100);
  const { defects, notes } = await found(cut);
  assert.deepEqual(defects, []);
  assert.match(notes.join("\n"), /\.log ends with \d+ bytes of a write that was cut short/);
  const zeros = await copy();
  await truncate(join(zeros, name), length + 5_000);
  assert.deepEqual((await found(zeros)).defects, []);
});

test("a log whose batches come twice is damage: LevelDB would end the process over it", async () => {
  const [name = ""] = await namesOf(/\.log$/);
  const folder = await copy();
  const bytes = await readFile(join(folder, name));
  // Records begin anew at a block of the log: what is between is filled with zeros.
  const pad = Buffer.alloc((32_768 - (bytes.length % 32_768)) % 32_768);
  await writeFile(join(folder, name), Buffer.concat([bytes, pad, bytes]));
  const { says } = await found(folder);
  assert.match(says, new RegExp(`^${name}: a batch`, "m"));
});

test("a lost table, one of another length and a manifest that is none are named", async () => {
  const [table = ""] = await namesOf(/\.ldb$/);
  const lost = await copy();
  await rm(join(lost, table));
  assert.equal((await found(lost)).says, `${table}: the file`);
  const longer = await copy();
  await truncate(join(longer, table), 100);
  assert.equal((await found(longer)).says, `${table}: its length`);
  const current = await copy();
  await writeFile(join(current, "CURRENT"), "MANIFEST-9\n");
  assert.equal((await found(current)).says, "CURRENT: its text");
  const [manifest = ""] = await namesOf(/^MANIFEST-/);
  const empty = await copy();
  await truncate(join(empty, manifest), 0);
  assert.equal((await found(empty)).says, `${manifest}: its content`);
});

test("the checksum is CRC-32C, masked", async () => {
  const checksum = await createChecksum();
  // CRC-32C of these digits is 0xe3069283: the check value of the algorithm.
  const turned = ((0xe306_9283 >>> 15) | (0xe306_9283 << 17)) + 0xa282_ead8;
  assert.equal(checksum(new TextEncoder().encode("123456789")), turned >>> 0);
});

test("packed bytes that make no sense unpack to nothing", () => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ["more than is allowed", [0xff, 0xff, 0x7f, 0]],
    ["a copy before the beginning", [4, 0b0000_0001, 9]],
    ["less than was reported", [9, 0, 65]],
    ["a literal that is cut off", [3, 0b0000_1000, 65]],
  ];
  for (const [what, bytes] of cases)
    assert.equal(unpackSnappy(Uint8Array.from(bytes), 1_000), undefined, what);
  // A literal of two bytes, then a copy of them twice over.
  const good = Uint8Array.from([6, 0b0000_0100, 65, 66, 0b0000_0001, 2]);
  assert.deepEqual(unpackSnappy(good, 1_000), Uint8Array.from([65, 66, 65, 66, 65, 66]));
  for (const [bytes, length] of [
    [1, 1],
    [3, 3],
    [9, 6],
  ] as const)
    assert.deepEqual(unpackBeginning(good, bytes), unpackSnappy(good, 9)?.subarray(0, length));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.ok((unpackSnappy(bytes, 1_000)?.length ?? 0) <= 1_000);
    }),
  );
});
