/** State roots of the shared vectors: the rows of a block in, its root out. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { byteString, utf8ByteString } from "../../core/bytes/byte-string.ts";
import { hexBytes, toHex } from "../../core/bytes/hex.ts";
import { legacyStateHash } from "../../core/crypto/legacy-state-hash.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { version, VERSION_RC2, type Version } from "../../core/model/version.ts";
import { type RootTable, stateRoot, tableHash } from "../../core/storage/state-root.ts";
import type { RowView } from "../../core/storage/table.ts";
import { suiteOf } from "./vector-suites.ts";
import { readVectors, vectorTests } from "./shared-vectors.ts";

// rules: storage 5, tx-block-codec 12.4, 12.5, 12.6

type FieldText = string | { readonly hex: string };
type Fields = Readonly<Record<string, FieldText>>;

/** A case of exec-state-root.json. */
interface ExecCase {
  readonly name: string;
  readonly suite: string;
  readonly supportedVersion: string;
  readonly stateRoot: string;
  readonly tables: readonly {
    readonly name: string;
    readonly key: string;
    readonly dirtyRows?: readonly { readonly columns: Fields }[];
    readonly newRows?: readonly { readonly columns: Fields }[];
    readonly hash: string;
  }[];
}

/** A case of state-root.json. */
interface CodecCase {
  readonly id: string;
  readonly suite: string;
  readonly rule: keyof typeof VERSION_OF_RULE;
  readonly stateRoot: string;
  readonly tableHashes?: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, CodecTable>>;
}

interface UpdatedRow {
  readonly id: number;
  readonly status: number;
  readonly fields: Fields;
}

interface CodecTable {
  readonly keyField: string;
  readonly openedOnly?: boolean;
  readonly inserted?: readonly Fields[];
  readonly insertedByKey?: unknown;
  readonly updated?: readonly UpdatedRow[];
}

const VERSION_OF_RULE = {
  cv25: version(2, 5, 0),
  "cv22-24": version(2, 4, 0),
  "rc2-leveldb": VERSION_RC2,
} as const;

function row(fields: Fields, id = 0, status = 0): RowView {
  const columns = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? utf8ByteString(value) : byteString(hexBytes(value.hex)),
  ]);
  return { id, status, columns: new Map(columns) };
}

interface ExpectedRoots {
  readonly suite: CryptoSuite;
  readonly root: string;
  readonly hashes: Readonly<Record<string, string>>;
}

function assertRoots(
  tables: readonly RootTable[],
  chainVersion: Version,
  expected: ExpectedRoots,
): void {
  const { suite } = expected;
  const hash = chainVersion >= version(2, 5, 0) ? suite.hash : legacyStateHash(suite);
  const rules = { version: chainVersion, hash };
  for (const table of tables) {
    const wanted = expected.hashes[table.name];
    if (wanted !== undefined) assert.equal(toHex(tableHash(table, rules)), wanted, table.name);
  }
  assert.equal(toHex(stateRoot(tables, rules)), expected.root);
}

const execTally = vectorTests(({ row: declare }) => {
  const { cases } = readVectors<{ readonly cases: readonly ExecCase[] }>("exec-state-root.json");
  for (const vector of cases) {
    declare(`exec-state-root: ${vector.name}`, () => {
      const [, major, minor, patch] = /(\d+)\.(\d+)\.(\d+)/.exec(vector.supportedVersion) ?? [];
      const tables = vector.tables.map((table) => ({
        name: table.name,
        keyField: table.key,
        touched: table.dirtyRows !== undefined || table.newRows !== undefined,
        // The vectors give dirty rows in the order of their ids.
        dirty: (table.dirtyRows ?? []).map(({ columns }, index) => row(columns, index + 1)),
        inserted: (table.newRows ?? []).map(({ columns }) => row(columns)),
      }));
      assertRoots(tables, version(Number(major), Number(minor), Number(patch)), {
        suite: suiteOf(vector.suite),
        root: vector.stateRoot,
        hashes: Object.fromEntries(vector.tables.map(({ name, hash }) => [name, hash])),
      });
    });
  }
});

/** Rows of an rc2 table: keys with their rows. */
function rowsByKey(byKey: unknown): RowView[] {
  const groups = Array.isArray(byKey)
    ? (byKey as readonly { readonly rows: readonly Fields[] }[]).map(({ rows }) => rows)
    : Object.values(byKey as Readonly<Record<string, readonly Fields[]>>);
  return groups.flat().map((fields) => row(fields));
}

const codecTally = vectorTests(({ row: declare }) => {
  const { cases } = readVectors<{ readonly cases: readonly CodecCase[] }>("state-root.json");
  for (const vector of cases) {
    declare(`state-root: ${vector.id}`, () => {
      const tables = Object.entries(vector.tables).map(([name, table]) => ({
        name,
        keyField: table.keyField,
        touched: table.openedOnly !== true,
        dirty: (table.updated ?? []).map(({ fields, id, status }) => row(fields, id, status)),
        inserted:
          table.insertedByKey === undefined
            ? (table.inserted ?? []).map((fields) => row(fields))
            : rowsByKey(table.insertedByKey),
      }));
      assertRoots(tables, VERSION_OF_RULE[vector.rule] ?? version(2, 11, 1), {
        suite: suiteOf(vector.suite),
        root: vector.stateRoot,
        hashes: vector.tableHashes ?? {},
      });
    });
  }
});

const FILES = [
  { file: "exec-state-root.json", tally: execTally },
  { file: "state-root.json", tally: codecTally },
];
for (const { file, tally } of FILES) {
  test(`every row of ${file} ran`, () => {
    const { cases } = readVectors<{ readonly cases: readonly unknown[] }>(file);
    assert.equal(tally.ran, cases.length);
  });
}
