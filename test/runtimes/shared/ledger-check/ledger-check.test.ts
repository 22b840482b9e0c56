/** A byte altered in any kind of record of a real database is named with its block and kind. */
import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { hashOf } from "../../../../core/bytes/hex.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import {
  bodyKey,
  headerKey,
  noncesKey,
  numberKey,
  receiptsKey,
} from "../../../../core/ledger/keys.ts";
import { decodeHeaderRecord } from "../../../../core/ledger/records.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import type { Store, StoreKey } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { rowsKey } from "../../../../core/storage/system-tables.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import type { Defect } from "../../../../runtimes/shared/ledger-check/defect.ts";
import { checkExecution } from "../../../../runtimes/shared/ledger-check/execution-check.ts";
import { genesisOfMark } from "../../../../runtimes/shared/ledger-check/genesis-mark.ts";
import { checkLedger } from "../../../../runtimes/shared/ledger-check/ledger-check.ts";
import { fillStore, temporaryFolder } from "../../../support/ledger/recorded-folder.ts";
import { RECORD_GENESIS } from "../../../support/ledger/signed-record.ts";

const suite = STANDARD_SUITE;
const rules = { suite, version: NEWEST_VERSION };
let folder = "";

beforeAll(async () => {
  folder = await temporaryFolder();
  const store = await openLevelStore(join(folder, "whole"), { create: true });
  await fillStore(store).finally(() => store.close());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Wanted {
  readonly execute?: boolean;
  readonly from?: number;
  readonly genesis?: GenesisConfig | undefined;
}

async function check(store: Store, { execute = false, from = 0, ...rest }: Wanted = {}) {
  const defects: Defect[] = [];
  const report = (defect: Defect) => void defects.push(defect);
  const base = { store, ...rules, report, progress: () => undefined };
  const genesis = "genesis" in rest ? rest.genesis : RECORD_GENESIS;
  const found = await checkLedger({ ...base, genesis, from });
  if (execute && genesis) {
    const scratch = openMemoryStore();
    const { head } = found;
    await checkExecution({ ...base, scratch, genesis, reconfirmCommittee: false, head });
  }
  return { found, defects };
}

/** Works on a copy of the database. */
async function inCopy<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const copy = join(folder, "copy");
  await cp(join(folder, "whole"), copy, { recursive: true });
  const store = await openLevelStore(copy, { create: false });
  try {
    return await work(store);
  } finally {
    await store.close();
    await rm(copy, { recursive: true, force: true });
  }
}

type Place = (store: Store) => Promise<StoreKey>;

function hashAt(store: Store, number: number) {
  return hashOf(store.get(numberKey(number)) ?? new Uint8Array(32));
}

const header: Place = async (store) => headerKey(hashAt(store, 2));
const body: Place = async (store) => {
  const bytes = store.get(await header(store));
  assert.ok(bytes);
  return bodyKey(decodeHeaderRecord(bytes).unexecuted);
};

/** The key of a range at which the value passes. */
function firstIn(from: string, to: string, accepts: (value: Uint8Array) => boolean): Place {
  return async (store) => {
    const found = (await store.range(from, to, 1_000)).find(({ value }) => accepts(value));
    assert.ok(found);
    return found.key;
  };
}

const systemRow = (table: string, key: string): Place => {
  return async () => rowsKey(table, key);
};

function placeIn(value: Uint8Array, at: number | string): number {
  if (typeof at === "string") return value.lastIndexOf(at.charCodeAt(0));
  return at < 0 ? value.length + at : at;
}

const SEALS_FROM_END = 32 + 4 + 10;
const always = () => true;
/**
 * Name, key, place of the altered byte (from the start; negative: from the end; the last such
 * letter), what is found.
 */
const ALTERATIONS: readonly (readonly [
  string,
  Place,
  number | string,
  number | undefined,
  string,
])[] = [
  ["hash of a number", async () => numberKey(2), 5, 2, "number"],
  ["header", header, 60, 2, "header"],
  ["seal", header, -SEALS_FROM_END, 2, "seals"],
  ["hash as proposed", header, -10, 2, "header"],
  ["transaction", body, 60, 2, "transactions"],
  ["sender", body, -3, 2, "senders"],
  ["receipt", async (store) => receiptsKey(hashAt(store, 2)), 60, 2, "receipts"],
  ["place of a transaction", firstIn("t", "u", (value) => value[7] === 2), 11, 2, "index"],
  ["nonces", async () => noncesKey(2), 1, 2, "nonces"],
  ["number of the head", systemRow("_sys_current_state_", "current_number"), "3", 3, "counter"],
  [
    "counted transactions",
    systemRow("_sys_current_state_", "total_transaction_count"),
    "4",
    3,
    "counter",
  ],
  ["sealer list", systemRow("_sys_consensus_", "node"), -20, 0, "row"],
  ["key of a row", systemRow("_sys_config_", "tx_gas_limit"), -1, 0, "row"],
  ["length of a row", firstIn("rc_", "rd", always), 0, undefined, "row"],
];
for (const [name, place, at, block, kind] of ALTERATIONS) {
  test(`one byte altered in the ${name} is named with its block`, async () => {
    const { defects } = await inCopy(async (store) => {
      const key = await place(store);
      const value = store.get(key)?.slice();
      assert.ok(value);
      const index = placeIn(value, at);
      value[index] = (value[index] ?? 0) ^ 1;
      await store.commit([{ key, value }], { durable: false });
      return check(store);
    });
    const shown = JSON.stringify(defects);
    assert.ok(
      defects.some((defect) => defect.kind === kind && defect.block === block),
      shown,
    );
    const blocks = defects.flatMap((defect) => defect.block ?? []);
    if (block !== undefined) assert.equal(Math.min(...blocks), block, shown);
  });
}

test("a whole ledger has no defect, with and without its genesis file, and executes alike", async () => {
  await inCopy(async (store) => {
    assert.deepEqual((await check(store, { execute: true })).defects, []);
    const { found, defects } = await check(store, { genesis: undefined });
    assert.deepEqual(defects, []);
    assert.deepEqual([found.head, found.blocks, found.transactions], [3, 4, 4]);
    assert.ok(found.keys > 10);
    assert.deepEqual((await check(store, { from: 2 })).found, {
      ...found,
      blocks: 2,
      transactions: 3,
      keys: 0,
    });
    assert.deepEqual(await genesisOfMark({ store, ...rules }), RECORD_GENESIS);
  });
});

test("a changed value in a row, a lost and a foreign row are found by executing anew", async () => {
  const gas = rowsKey("_sys_config_", "tx_gas_limit");
  const alter = (change: (value: Uint8Array) => Uint8Array | undefined) =>
    inCopy(async (store) => {
      const value = store.get(gas)?.slice();
      assert.ok(value);
      await store.commit([{ key: gas, value: change(value) }], { durable: false });
      assert.deepEqual((await check(store)).defects, []);
      return (await check(store, { execute: true })).defects;
    });
  const [changed] = await alter((value) => value.with(value.indexOf(0x33), 0x34));
  assert.deepEqual([changed?.block, changed?.kind], [0, "row"]);
  assert.match(changed?.what ?? "", /_sys_config_ tx_gas_limit/);
  assert.match(`${changed?.stored} ${changed?.expected}`, /value=400000000 .*value=300000000/);
  const [lost] = await alter(() => undefined);
  assert.deepEqual([lost?.kind, lost?.stored], ["row", "(absent)"]);
});

test("what belongs to no block is named", async () => {
  const other = hashOf(new Uint8Array(32).fill(9));
  const keys: readonly (readonly [StoreKey, RegExp])[] = [
    [numberKey(4), /^hash of block 4$/],
    [noncesKey(9), /^nonces of block 9$/],
    [headerKey(other), /^header 0x09/],
    [receiptsKey(other), /^receipts 0x09/],
    [bodyKey(other), /^body 0x09/],
    [`t${"\t".repeat(32)}`, /^places of transactions$/],
    [rowsKey("u_gone", "k"), /^table u_gone$/],
  ];
  for (const [key, what] of keys) {
    const { defects } = await inCopy(async (store) => {
      const bytes = key.startsWith("n") ? new Uint8Array(32) : new Uint8Array(12);
      await store.commit([{ key, value: bytes }], { durable: false });
      return check(store);
    });
    const found = defects.filter(({ kind }) => kind === "orphan").map((defect) => defect.what);
    const isNamed = found.some((name) => what.test(name));
    // A number above the head may be the head: then the counter is wrong and the block is missing.
    const isHead = key === numberKey(4) && defects.some(({ block }) => block === 4);
    assert.ok(isNamed || isHead, JSON.stringify(defects));
  }
});

test("a ledger of another genesis is told from the first block on", async () => {
  const genesis = { ...RECORD_GENESIS, gasLimit: 1n };
  const { defects } = await inCopy((store) => check(store, { genesis }));
  assert.deepEqual([defects[0]?.block, defects[0]?.kind], [0, "genesis"]);
  const empty = await check(openMemoryStore());
  assert.deepEqual([empty.found.head, empty.defects[0]?.kind], [-1, "number"]);
});
