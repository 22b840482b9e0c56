/** What the transactions of a proposal may keep in memory until it is written. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { Accounts, READ_SLOTS_LIMIT } from "../../../core/execution/accounts.ts";
import { LIMBS } from "../../../core/execution/evm/words.ts";
import { TRANSACTION_HELD_LIMIT } from "../../../core/execution/state-host.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { Overlay } from "../../../core/storage/overlay.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { encodeRows, openRows } from "../../../core/storage/row-codec.ts";
import {
  ACCESS_TABLE,
  accountTable,
  familyTable,
  rowsKey,
} from "../../../core/storage/system-tables.ts";
import { isLarge, type StoredRow } from "../../../core/storage/table.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { openOverlay } from "../../support/execution/overlays.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type RawTransaction,
  rawTransaction,
  SUITE,
  type TestChain,
} from "../../support/execution/test-chain.ts";
import { inFull } from "../../support/runner/in-full.ts";

// rules: pbft 16.3.8, execution 13, README 21

/** Stores as many fresh slots as the first word of the input says, from the second word on. */
const STORER = assemble(`
  32 calldataload 0 calldataload
  again: dup1 iszero @done jumpi
  1 swap1 sub
  dup2 dup1 swap1 sstore
  swap1 1 add swap1
  @again jump
  done: stop
`);
/** Logs as many zero bytes as the first word of the input says. */
const LOGGER = assemble("0 calldataload 0 log0 stop");

const word = (value: number) => value.toString(16).padStart(64, "0");
/** A call that stores slots that no other one stores. */
let nextSlot = 1;
function storing(slots: number): string {
  nextSlot += slots;
  return word(slots) + word(nextSlot);
}

const LIMIT = 100_000;

async function open() {
  const chain = await openTestChain({ processor: { heldLimit: LIMIT } });
  const storer = await chain.deploy(STORER);
  const logger = await chain.deploy(LOGGER);
  const store = (slots: number) => rawTransaction({ to: storer, input: storing(slots) });
  const log = (bytes: number) => rawTransaction({ to: logger, input: word(bytes) });
  const plain = () => rawTransaction({ to: BOB });
  return { chain, store, log, plain };
}

test("a proposal that would keep too much is refused, and names who passed the bound", async () => {
  const { chain, store, plain } = await open();
  const transactions = [plain(), store(40), store(40), store(40), store(40), plain()];
  const request = { ...chain.propose(transactions), undecided: true };
  const outcome = await chain.processor.execute(request);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: transactions[3]?.hash });
  // Those before it fit, and make a block.
  const fitting = { ...chain.propose(transactions.slice(0, 3)), undecided: true };
  assert.ok((await chain.processor.execute(fitting)).ok);
});

test("what is decided is executed whatever it keeps", async () => {
  const { chain, store } = await open();
  const outcome = await chain.processor.execute(chain.propose([store(200), store(200)]));
  assert.ok(outcome.ok);
  await chain.processor.write(outcome.block.hash, []);
  assert.equal(chain.ledger.refresh().number, 3);
});

test("one that keeps too much by itself is refused with others and executed alone", async () => {
  const { chain, store, plain } = await open();
  const large = store(400);
  const beside = { ...chain.propose([large, plain()]), undecided: true };
  const outcome = await chain.processor.execute(beside);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: large.hash });
  const alone = { ...chain.propose([large]), undecided: true };
  assert.ok((await chain.processor.execute(alone)).ok);
});

test("logs and outputs are kept too", async () => {
  const { chain, log, plain } = await open();
  const transactions = [log(20_000), log(20_000), log(20_000), plain()];
  const request = { ...chain.propose(transactions), undecided: true };
  const outcome = await chain.processor.execute(request);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: transactions[2]?.hash });
});

/** Two accounts over stored slots: slot `n` of each holds `n` times a factor of its own. */
function storedSlots(chainVersion = NEWEST_VERSION) {
  const asked: string[] = [];
  const names = new Map<string, bigint>();
  const source = {
    rows: (table: string, key: string): StoredRow[] => {
      const factor = names.get(table);
      if (factor === undefined || !/^[0-9]+$/.test(key)) return [];
      asked.push(key);
      const value = String(BigInt(key) * factor);
      const columns = new Map([
        ["key", key],
        ["value", value],
      ]);
      return [{ id: Number(key), number: 1, status: 0, columns }];
    },
  };
  const overlay = new Overlay({ source, version: chainVersion, parentNumber: 5 });
  const accounts = new Accounts(overlay, SUITE);
  const make = (address: Address, factor: bigint) => {
    const account = accounts.create(address, "0");
    names.set(account.table.schema.name, factor);
    const words = new Uint32Array(2 * LIMBS);
    return {
      read(slot: number): number {
        words.fill(0);
        words[0] = slot;
        account.loadSlot(words, 0);
        return words[0] ?? 0;
      },
      store(slot: number, value: number): void {
        words.fill(0);
        [words[0], words[LIMBS]] = [slot, value];
        account.storeSlot(words, 0, LIMBS);
      },
    };
  };
  return { asked, overlay, one: make(BOB, 3n), other: make(ALICE, 5n) };
}

for (const chainVersion of [NEWEST_VERSION, version(2, 4, 0)]) {
  test(`slots that were only read are forgotten at a limit, changed ones are not (${chainVersion})`, () => {
    const { asked, overlay, one, other } = storedSlots(chainVersion);
    one.store(1, 77);
    const before = overlay.savepoint();
    one.store(1, 78);
    other.read(2);
    for (let slot = 2; slot <= READ_SLOTS_LIMIT + 10; slot++)
      assert.equal(one.read(slot), 3 * slot);
    asked.length = 0;
    assert.equal(one.read(1), 78);
    assert.deepEqual(asked, [], "the changed slot is still known");
    overlay.rollback(before);
    assert.equal(one.read(1), 77, "and its change can be undone");
    one.read(READ_SLOTS_LIMIT + 10);
    assert.deepEqual(asked, [], "so is what was read last");
    assert.deepEqual([one.read(2), other.read(2)], [6, 10]);
    assert.deepEqual(asked, ["2", "2"]);
    // What was forgotten is changed as what was not.
    one.store(3, 99);
    overlay.rollback(before);
    assert.deepEqual([one.read(3), one.read(1)], [9, 77]);
  });
}

test("a row that a block changes counts with its whole text, a shared text once", () => {
  const long = "x".repeat(50_000);
  const rows = [1, 2].map((id) => ({ id, key: "key", columns: { a: long, b: "" } }));
  const overlay = openOverlay(rows);
  const table = overlay.open("u_t");
  assert.ok(table);
  const heldBy = (change: () => void): number => {
    const before = overlay.held;
    change();
    return overlay.held - before;
  };
  const row = 1_000;
  // What is stored under the key is written again, once, whichever of its rows change.
  const written = 2 * (16 + 50_000 + "key".length) - row;
  assert.equal(
    heldBy(() => table.insert("key", [["a", long]])),
    row + 50_000 + written,
  );
  const copies = heldBy(() => table.update("key", [["b", "yy"]]));
  assert.equal(copies, 2 * (row + 50_000 + "key".length) + 2);
  assert.equal(
    heldBy(() => table.update("key", [["b", "yy"]])),
    2,
    "they are copied once",
  );
  assert.equal(
    heldBy(() => table.update("other", [["b", "yy"]])),
    0,
  );
});

/** Calls of objects that one block makes: a table, an entry of it, and so on. */
const OBJECTS = [1, 2, 3].map((index) => `0x${(0x10000 + index).toString(16).padStart(40, "0")}`);
const [TABLE, ENTRY] = OBJECTS as Address[];
const FACTORY = `0x${"1001".padStart(40, "0")}` as Address;
const callOf = (to: Address | undefined, signature: string, args: readonly AbiValue[] = []) =>
  rawTransaction({ to: to ?? BOB, input: encodeCall(signature, args, SUITE.hash) });

test("the objects of a block and the text in them are kept too", async () => {
  const { chain, plain } = await open();
  const create = callOf(FACTORY, "createTable(string,string,string)", ["t", "k", "v"]);
  await commit(chain, [create]);
  const fill = () => callOf(ENTRY, "set(string,string)", ["v", "x".repeat(35_000)]);
  const transactions = [
    callOf(FACTORY, "openTable(string)", ["t"]),
    callOf(TABLE, "newEntry()"),
    ...[fill(), fill(), fill(), plain()],
  ];
  const request = { ...chain.propose(transactions), undecided: true };
  const outcome = await chain.processor.execute(request);
  assert.deepEqual(outcome, { ok: false, reason: "tooHeavy", heavy: transactions[4]?.hash });
});

test("what is stored under a key is kept once by all selections of it", () => {
  const rows = [1, 2].map((id) => ({ id, key: "key", columns: { a: "x".repeat(5_000) } }));
  const overlay = openOverlay(rows);
  const table = overlay.open("u_t");
  assert.ok(table);
  const pinned = (key: string, count: number): number => {
    const before = overlay.held;
    table.pin(key, table.select("key").slice(0, count));
    return overlay.held - before;
  };
  assert.equal(pinned("key", 0), 0);
  assert.equal(pinned("key", 1), 16 + 2 * (300 + 5_000 + "key".length));
  assert.equal(pinned("key", 2), 32);
  assert.equal(pinned("other", 0), 0);
});

test("who refers to rows refers to the copy that was counted", () => {
  const rows = [{ id: 1, key: "key", columns: { a: "text" } }];
  const overlay = openOverlay([...rows, { id: 2, key: "other", columns: { a: "text" } }]);
  const table = overlay.open("u_t");
  assert.ok(table);
  const look = (key: string) => {
    const found = table.select(key);
    table.pin(key, found);
    return found[0];
  };
  // Each look at the source gives rows of its own, as without a cache.
  const [first, other, again] = [look("key"), look("other"), look("key")];
  assert.ok(first !== undefined && again === first && other !== first);
});

test("selections count what they found", async () => {
  const { chain, plain } = await open();
  await commit(chain, [callOf(FACTORY, "createTable(string,string,string)", ["t", "k", "v"])]);
  const begin = [callOf(FACTORY, "openTable(string)", ["t"]), callOf(TABLE, "newEntry()")];
  const fill = callOf(ENTRY, "set(string,string)", ["v", "x".repeat(15_000)]);
  const insert = (key: string) => callOf(TABLE, "insert(string,address)", [key, ENTRY ?? ""]);
  const keys = Array.from({ length: 12 }, (_, index) => `key${index}`);
  for (const key of keys) await commit(chain, [...begin, fill, insert(key)]);
  const select = (key: string) => callOf(TABLE, "select(string,address)", [key, ENTRY ?? ""]);
  const looks = [
    callOf(FACTORY, "openTable(string)", ["t"]),
    callOf(TABLE, "newCondition()"),
    ...keys.flatMap((key) => [select(key), select(key)]),
    plain(),
  ];
  const outcome = await chain.processor.execute({ ...chain.propose(looks), undecided: true });
  assert.ok(!outcome.ok && outcome.reason === "tooHeavy");
  const place = looks.findIndex(({ hash }) => hash === outcome.heavy);
  // Six keys fit, each of which is selected twice.
  assert.ok(place > 2 + 8 && place <= 2 + 12, `${place}`);
});

test("a key of large rows is written and read on, though nobody keeps them", async () => {
  const chain = await openTestChain();
  await commit(chain, [callOf(FACTORY, "createTable(string,string,string)", ["t", "k", "v"])]);
  const begin = [callOf(FACTORY, "openTable(string)", ["t"]), callOf(TABLE, "newEntry()")];
  const fill = callOf(ENTRY, "set(string,string)", ["v", "x".repeat(40_000)]);
  const insert = callOf(TABLE, "insert(string,address)", ["key", ENTRY ?? ""]);
  for (let block = 0; block < 3; block++) {
    await commit(chain, [...begin, fill, insert]);
  }
  const rows = storedRows(chain.store, familyTable("user", "t", chain.version), "key");
  assert.deepEqual(
    rows.map(({ columns }) => columns.get("v")?.length),
    [40_000, 40_000, 40_000],
  );
  assert.equal(new Set(rows.map(({ id }) => id)).size, 3);
});

const CRUD = `0x${"1002".padStart(40, "0")}` as Address;
const crud = (name: string, ...texts: string[]) => {
  const types = texts.map(() => "string").join(",");
  return callOf(CRUD, `${name}(${types})`, texts);
};

// Selections count what they found, and large rows are written on, in the tests above.
inFull("of a key of 300,000 rows one can be found and added, all of them cannot", async () => {
  const chain = await openTestChain();
  await commit(chain, [callOf(FACTORY, "createTable(string,string,string)", ["t", "k", "v"])]);
  const place = rowsKey(familyTable("user", "t", chain.version), "key");
  const row = (index: number): StoredRow => {
    const columns = new Map([
      ["k", "key"],
      ["v", String(index)],
    ]);
    return { id: 200_000 + index, number: 1, status: 0, columns };
  };
  const rows = Array.from({ length: 300_000 }, (_, index) => row(index));
  await chain.store.commit([{ key: place, value: encodeRows("key", rows) }], { durable: true });

  const insert = crud("insert", "t", "key", '{"v":"added"}', "");
  await commit(chain, [insert]);
  assert.equal((await receiptOf(chain, insert)).status, 0);
  const found = crud("select", "t", "key", '{"v":{"eq":"added"}}', "");
  const all = crud("select", "t", "key", "{}", "");
  const gone = crud("remove", "t", "key", "{}", "");
  await commit(chain, [found, all, gone]);
  const text = new TextDecoder().decode((await receiptOf(chain, found)).output);
  assert.ok(text.includes('"added"'), text);
  assert.deepEqual(
    [(await receiptOf(chain, all)).status, (await receiptOf(chain, gone)).status],
    [12, 12],
  );
  const record = chain.store.get(place);
  assert.ok(record);
  const { length } = openRows("key", record);
  assert.equal(length, 300_001);
});

/** Logs as often as the first word of the input says. */
const OFTEN = assemble(`
  0 calldataload
  again: dup1 iszero @done jumpi 1 swap1 sub 0 0 log0 @again jump
  done: stop
`);

test("a call may keep less than a transaction", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(OFTEN);
  const statusOf = async (logs: number) => {
    const data = hexBytes(word(logs));
    return (await chain.processor.call({ from: ALICE, to, value: 0n, data })).status;
  };
  assert.deepEqual([await statusOf(75_000), await statusOf(90_000)], [0, 12]);
  assert.equal((await chain.send({ to, input: word(90_000) })).status, 0);
});

test("a transaction that keeps too much is out of gas and leaves nothing", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(OFTEN);
  const few = await chain.send({ to, input: word(TRANSACTION_HELD_LIMIT / 500 - 10_000) });
  assert.equal(few.status, 0);
  const many = await chain.send({ to, input: word(TRANSACTION_HELD_LIMIT / 500 + 10_000) });
  assert.deepEqual([many.status, many.logs.length], [12, 0]);
  assert.ok(many.gasUsed < 30_000n, "it pays the base");
});

test("what is looked up after a transaction that kept too much ends nothing", async () => {
  const chain = await openTestChain({ version: version(2, 4, 0) });
  const to = await chain.deploy(OFTEN);
  // This many permitted writers of the sender's own table that they are large rows.
  const name = accountTable(BOB, chain.version);
  await chain.send({ from: BOB, input: "00" });
  const writers = Array.from({ length: 10_000 }, (_, index) => ({
    id: 500_000 + index,
    number: 1,
    status: 0,
    columns: new Map([
      ["table_name", name],
      ["address", `0x${index.toString(16).padStart(40, "0")}`],
      ["enable_num", "1"],
    ]),
  }));
  const value = encodeRows(name, writers);
  assert.ok(isLarge(openRows(name, value)));
  await chain.store.commit([{ key: rowsKey(ACCESS_TABLE, name), value }], { durable: true });
  const logs = word(TRANSACTION_HELD_LIMIT / 500 + 10_000);
  const receipt = await chain.send({ from: BOB, to, input: logs });
  assert.deepEqual([receipt.status, receipt.logs.length], [12, 0]);
});

async function receiptOf(chain: TestChain, { hash }: RawTransaction): Promise<Receipt> {
  const block = await chain.ledger.block(chain.ledger.head().hash);
  const index = block?.transactions.findIndex((transaction) => transaction.hash === hash) ?? -1;
  const receipt = block?.receipts[index];
  assert.ok(receipt);
  return receipt;
}

async function commit(chain: TestChain, transactions: readonly RawTransaction[]): Promise<void> {
  const outcome = await chain.processor.execute(chain.propose(transactions));
  assert.ok(outcome.ok);
  await chain.processor.write(outcome.block.hash, []);
  chain.ledger.refresh();
}
