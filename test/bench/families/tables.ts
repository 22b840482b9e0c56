/** Tables: their objects, the CRUD service and key-value tables. */
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { Sending, TestChain } from "../../support/execution/test-chain.ts";
import { callOf, type Family, numbers, plainFamily } from "./family.ts";

const SIZE = 200;
const [FACTORY, CRUD, KEY_VALUE] = [0x1001, 0x1002, 0x1010];
const CREATE = "createTable(string,string,string)";
const OPEN = "openTable(string)";
const SET = "set(string,string)";
/** Objects of a block in the order in which its head makes them. */
const [TABLE, ENTRY, CONDITION] = [1, 2, 3].map((n) => addressOfNumber(0x10000 + n)) as [
  Address,
  Address,
  Address,
];

const keyOf = (index: number): string => `key${index}`;

/** Opens the table; makes an entry with two values and an empty condition. */
const TABLE_HEAD: readonly Sending[] = [
  callOf(FACTORY, OPEN, ["t"]),
  callOf(TABLE, "newEntry()", []),
  callOf(TABLE, "newCondition()", []),
  callOf(ENTRY, SET, ["a", "one"]),
  callOf(ENTRY, SET, ["b", "two"]),
];

async function createTable(chain: TestChain): Promise<void> {
  await chain.send(callOf(FACTORY, CREATE, ["t", "k", "a,b"]));
}

/** The table with one row under each key. */
async function fillTable(chain: TestChain): Promise<void> {
  await createTable(chain);
  const inserts = numbers(SIZE).map((i) =>
    callOf(TABLE, "insert(string,address)", [keyOf(i), ENTRY]),
  );
  await chain.block(...TABLE_HEAD, ...inserts);
}

function tableFamily(
  name: string,
  prepare: (chain: TestChain) => Promise<void>,
  call: (index: number) => Sending,
): Family {
  const block = () => ({ head: TABLE_HEAD, calls: numbers(SIZE).map(call) });
  return { name, size: SIZE, prepare, block };
}

/** Opens the key-value table; makes an entry. */
const PAIR_HEAD: readonly Sending[] = [
  callOf(KEY_VALUE, OPEN, ["t"]),
  callOf(TABLE, "newEntry()", []),
  callOf(ENTRY, SET, ["a", "one"]),
];

async function createPairs(chain: TestChain): Promise<void> {
  await chain.send(callOf(KEY_VALUE, CREATE, ["t", "k", "a,b"]));
}

const put = (index: number) => callOf(TABLE, "set(string,address)", [keyOf(index), ENTRY]);

async function fillPairs(chain: TestChain): Promise<void> {
  await createPairs(chain);
  await chain.block(...PAIR_HEAD, ...numbers(SIZE).map(put));
}

const ROW = '{"a":"one","b":"two"}';
const FOUR = "(string,string,string,string)";

/** Families of tables. */
export const TABLE_FAMILIES: readonly Family[] = [
  tableFamily("Table: insert", createTable, (i) =>
    callOf(TABLE, "insert(string,address)", [keyOf(i), ENTRY]),
  ),
  tableFamily("Table: select", fillTable, (i) =>
    callOf(TABLE, "select(string,address)", [keyOf(i), CONDITION]),
  ),
  tableFamily("Table: update", fillTable, (i) =>
    callOf(TABLE, "update(string,address,address)", [keyOf(i), ENTRY, CONDITION]),
  ),
  tableFamily("Table: remove", fillTable, (i) =>
    callOf(TABLE, "remove(string,address)", [keyOf(i), CONDITION]),
  ),
  plainFamily(
    "CRUD: insert",
    SIZE,
    (i) => callOf(CRUD, `insert${FOUR}`, ["t", keyOf(i), ROW, ""]),
    createTable,
  ),
  plainFamily(
    "CRUD: select",
    SIZE,
    (i) => callOf(CRUD, `select${FOUR}`, ["t", keyOf(i), '{"a":{"eq":"one"}}', ""]),
    fillTable,
  ),
  {
    name: "KVTable: set",
    size: SIZE,
    prepare: createPairs,
    block: () => ({ head: PAIR_HEAD, calls: numbers(SIZE).map(put) }),
  },
  {
    name: "KVTable: get",
    size: SIZE,
    prepare: fillPairs,
    block: () => ({
      head: PAIR_HEAD.slice(0, 1),
      calls: numbers(SIZE).map((i) => callOf(TABLE, "get(string)", [keyOf(i)])),
    }),
  },
];
