/** Every row of the sequences of calls of system contracts, in both suites. */
// rules: precompiles 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15
import assert from "node:assert/strict";
import { afterAll, test } from "vitest";
import { type AbiValue, encodeCall } from "../../core/abi/encode.ts";
import { decodeAbi } from "../../core/abi/decode.ts";
import { parseAbiTypes } from "../../core/abi/type.ts";
import { addressOfNumber, hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { version } from "../../core/model/version.ts";
import { type CallPlace, openPlace } from "../support/ledger/call-place.ts";
import { readVectors } from "./shared-vectors.ts";
import { NATIONAL, STANDARD, versionOf } from "./vector-suites.ts";

interface After {
  readonly table?: string;
  readonly key?: string;
  readonly nodeId?: string;
  readonly rows?: number;
  readonly rowsForAddress?: { readonly address: string; readonly keys: readonly string[] };
  readonly selector?: string;
  readonly [column: string]: unknown;
}

interface Expected {
  readonly int?: number;
  readonly output?: string;
  readonly abi?: readonly string[];
  readonly values?: readonly (string | boolean | null)[];
  readonly entriesSize?: number;
  readonly exception?: string;
  readonly jsonArrayLength?: number;
  readonly jsonKeyCount?: number;
  readonly jsonContains?: Readonly<Record<string, unknown>>;
  readonly jsonNoEntriesUnder?: readonly string[];
}

interface Step {
  readonly to: string;
  readonly fn: string;
  readonly args: readonly (string | number)[];
  readonly input?: string;
  readonly selectorSm?: string;
  readonly origin?: Address;
  readonly blockNumber?: number;
  readonly supportedVersion?: string;
  readonly note?: string;
  readonly expect: Expected;
  readonly after?: After;
}

interface CallCase {
  readonly name: string;
  readonly blockNumber?: number;
  readonly supportedVersion?: string;
  readonly pre?: string;
  readonly steps: readonly Step[];
}

/** Rows that are not run, with the reason. */
const SKIPPED: Readonly<Record<string, string>> = {
  "HelloWorld sample contract": "no address is registered for the class",
};
/** Rows of a time when a rule was another; the newest version otherwise. */
const VERSIONS: Readonly<Record<string, string>> = {
  // An update might name the key column before 2.7.0.
  "CRUD service: full sequence with error paths": "2.6.0",
  // From 2.5.0 on only managers of a contract say who may write it.
  "permission: grantWrite on missing and existing contract, queryPermission": "2.4.0",
};

const ACCESS = "_sys_table_access_";
const FROZEN = "0x420f853b49838bd3e9466c85a4cc3428c960dde1";
const WRITER = "0x420f853b49838bd3e9466c85a4cc3428c960dde2";
const CONTRACT_TABLE = "c_420f853b49838bd3e9466c85a4cc3428c960dde1";

function permit(place: CallPlace, table: string, address: string): void {
  const columns: [string, string][] = [
    ["address", address],
    ["enable_num", "0"],
  ];
  place.scope.overlay.systemTable(ACCESS).insert(table, columns);
}

function registerAccount(place: CallPlace): void {
  const schema = { name: CONTRACT_TABLE, keyField: "key", fields: ["value"], hashed: true };
  place.scope.overlay.register(schema);
}

/** Calls with ABI values as arguments, and the one word that comes back. */
function ask(place: CallPlace, to: Address, fn: string, ...values: AbiValue[]): Uint8Array {
  const input = encodeCall(fn, values, place.suite.hash);
  const { status, output } = place.call({ to, input });
  assert.equal(status, 0, fn);
  return output;
}

function addressAsked(...asked: Parameters<typeof ask>): Address {
  return `0x${toHex(ask(...asked)).slice(-40)}` as Address;
}

const TABLES = addressOfNumber(0x1001);
const KEY_VALUES = addressOfNumber(0x1010);
const CREATE = "createTable(string,string,string)";

/** Objects of a block, as the file names them. */
class Objects {
  readonly #place: CallPlace;
  readonly #table: Address;

  constructor(place: CallPlace, factory: Address) {
    this.#place = place;
    this.#table = addressAsked(place, factory, "openTable(string)", "t");
  }

  named(name: string): Address {
    if (/^<(KV)?Table instance>$/.test(name)) return this.#table;
    const condition = /^<(?:empty )?condition(?: (\w+) EQ (\w+))?>$/.exec(name);
    if (condition !== null) return this.#condition(condition[1], condition[2]);
    if (name === "<entry>") return this.entry([["name", "WangWu"]]);
    const entry = /^<(?:empty )?entry(?: (\w+)=(\w+))?>$/.exec(name);
    assert.ok(entry, name);
    const [, column, value = ""] = entry;
    return this.entry(column === undefined ? [] : [[column, value]]);
  }

  entry(columns: readonly (readonly [string, string])[]): Address {
    const entry = addressAsked(this.#place, this.#table, "newEntry()");
    for (const pair of columns) ask(this.#place, entry, "set(string,string)", ...pair);
    return entry;
  }

  #condition(column?: string, value = ""): Address {
    const condition = addressAsked(this.#place, this.#table, "newCondition()");
    if (column !== undefined) ask(this.#place, condition, "EQ(string,string)", column, value);
    return condition;
  }
}

const LONG = "adfasfjals;kdfjadlfasdfjadslkfhaskdlfjaislkdjifakldjfkal;fjakdl";

/** What the file says in words of the state before a case; objects when its steps need some. */
function prepare(place: CallPlace, { name }: CallCase): [CallPlace, Objects?, Address?] {
  const { version: at } = place.scope.rules;
  switch (name) {
    case "governance: an existing operator cannot become the first member":
      permit(place, "_sys_tables_", FROZEN);
      return [place];
    case "account governance: unfreeze and freeze by the committee":
      registerAccount(place);
      place.scope.overlay.open(CONTRACT_TABLE)?.insert("frozen", [["value", "true"]]);
      return [place];
    case "KVTable: get, set, get, newEntry":
      ask(place, KEY_VALUES, CREATE, "t", "key", "name");
      permit(place, "u_t", WRITER);
      return withObjects(place.at(at), KEY_VALUES);
    case "Table: operations without matching rows":
      ask(place, TABLES, CREATE, "t", "key", "name");
      return withObjects(place.at(at), TABLES);
    case "Table: remove then select in the same block, by version": {
      ask(place, TABLES, CREATE, "t", "key", "name");
      const objects = new Objects(place, TABLES);
      const entry = objects.entry([["name", "WangWu"]]);
      ask(place, objects.named("<Table instance>"), "insert(string,address)", "WangWu", entry);
      return withObjects(place.at(at), TABLES);
    }
    case "Entry: getBytes32 / getBytes64": {
      ask(place, TABLES, CREATE, "t", "key", "name");
      const objects = new Objects(place, TABLES);
      const columns = [["keyString", "1000"] as const, ["KeyString", LONG] as const];
      return [place, objects, objects.entry(columns)];
    }
    default:
      return [place];
  }
}

function withObjects(place: CallPlace, factory: Address): [CallPlace, Objects] {
  return [place, new Objects(place, factory)];
}

/** A case as it goes, with the place where the next step happens. */
class Run {
  #place: CallPlace;
  readonly #objects: Objects | undefined;
  readonly #entry: Address | undefined;

  constructor(place: CallPlace, row: CallCase) {
    [this.#place, this.#objects, this.#entry] = prepare(place, row);
  }

  step(step: Step, where: string): void {
    // The one step without a call says which table is registered.
    if (step.fn === undefined) return registerAccount(this.#place);
    if (step.supportedVersion !== undefined && this.#objects === undefined)
      this.#place = this.#place.at(versionOf(step.supportedVersion));
    const place =
      step.blockNumber === undefined ? this.#place : this.#place.above(step.blockNumber);
    const from = step.origin === undefined ? {} : { from: step.origin };
    const outcome = place.call({ ...from, to: this.#receiver(step), input: this.#input(step) });
    if (step.expect.exception !== undefined) {
      assert.equal(outcome.status, 21, where);
      return;
    }
    assert.equal(outcome.status, 0, where);
    this.#checkOutput(outcome.output, step.expect, where);
    if (step.after !== undefined) checkRows(place, step.after, where);
  }

  #receiver({ to }: Step): Address {
    if (to === "<Entry instance>" && this.#entry !== undefined) return this.#entry;
    if (!to.startsWith("<")) return to as Address;
    assert.ok(this.#objects, to);
    return this.#objects.named(to);
  }

  /** The input of the file, or the one that follows from objects of this block. */
  #input({ fn, args, input, selectorSm = "" }: Step): Uint8Array {
    const { hash } = this.#place.suite;
    if (input === undefined) {
      const values = args.map((it) => (/^</.test(String(it)) ? this.#named(String(it)) : `${it}`));
      return encodeCall(fn, values, hash);
    }
    const standard = hexBytes(input);
    if (this.#place.suite !== NATIONAL) return standard;
    return Uint8Array.from([...hexBytes(selectorSm), ...standard.subarray(4)]);
  }

  #named(name: string): Address {
    assert.ok(this.#objects, name);
    return this.#objects.named(name);
  }

  #checkOutput(output: Uint8Array, expect: Expected, where: string): void {
    if (expect.int !== undefined) assert.equal(int256(output), expect.int, where);
    if (expect.output !== undefined) assert.equal(toPrefixedHex(output), expect.output, where);
    if (expect.entriesSize !== undefined) {
      const entries = `0x${toHex(output).slice(-40)}` as Address;
      const size = int256(ask(this.#place, entries, "size()"));
      assert.equal(size, expect.entriesSize, where);
    }
    if (expect.abi !== undefined) this.#checkValues(output, expect, where);
    checkJson(output, expect, where);
  }

  #checkValues(output: Uint8Array, { abi = [], values = [] }: Expected, where: string): void {
    const found = decoded(abi, output);
    for (const [index, value] of values.entries()) {
      const entry = /^<entry with (\w+) = (\w+)>$/.exec(String(value));
      if (entry !== null) {
        const [, column = "", text] = entry;
        const shown = ask(this.#place, found[index] as Address, "getString(string)", column);
        assert.equal(decoded(["string"], shown)[0], text, where);
      } else if (value !== null) assert.equal(String(found[index]), String(value), where);
    }
  }
}

function decoded(abi: readonly string[], output: Uint8Array): readonly AbiValue[] {
  const result = decodeAbi(parseAbiTypes(abi) ?? [], output);
  assert.ok(result.ok, toHex(output));
  return result.values;
}

function int256(output: Uint8Array): number {
  assert.equal(output.length, 32);
  return Number(BigInt.asIntN(256, BigInt(toPrefixedHex(output))));
}

function checkJson(output: Uint8Array, expect: Expected, where: string): void {
  const { jsonArrayLength, jsonKeyCount, jsonContains, jsonNoEntriesUnder = [] } = expect;
  const isJson = jsonArrayLength !== undefined || jsonContains !== undefined;
  if (!isJson && jsonNoEntriesUnder.length === 0) return;
  const value: unknown = JSON.parse(String(decoded(["string"], output)[0]));
  if (jsonArrayLength !== undefined) {
    assert.equal((value as unknown[]).length, jsonArrayLength, where);
    return;
  }
  // No vote at all is shown as null.
  const object = (value ?? {}) as Readonly<Record<string, unknown[] | undefined>>;
  if (jsonKeyCount !== undefined) assert.equal(Object.keys(object).length, jsonKeyCount, where);
  for (const [name, entries] of Object.entries(jsonContains ?? {}))
    assert.deepEqual(object[name], entries, where);
  for (const name of jsonNoEntriesUnder) assert.equal(object[name]?.length ?? 0, 0, where);
}

let afterTable = "";
let afterKey = "";

/** What the file says of rows; a step may leave out the table that the one before named. */
function checkRows(place: CallPlace, after: After, where: string): void {
  const { table = afterTable, key = afterKey, nodeId, rows, rowsForAddress, ...named } = after;
  const columns = { ...named };
  // The selector of the registered function is given for the standard suite.
  if (place.suite === NATIONAL) delete columns.selector;
  [afterTable, afterKey] = [table, key];
  if (rowsForAddress !== undefined) {
    const { address, keys } = rowsForAddress;
    for (const rowKey of keys) {
      const addresses = place.rows(table, rowKey).map((row) => row.columns.get("address"));
      assert.deepEqual(addresses, [address], `${where}: ${rowKey}`);
    }
    return;
  }
  const found = place
    .rows(table, nodeId === undefined ? key || "parallel" : "node")
    .filter((row) => nodeId === undefined || row.columns.get("node_id") === nodeId);
  if (rows !== undefined) assert.equal(found.length, rows, where);
  for (const [name, value] of Object.entries(columns))
    assert.equal(found[0]?.columns.get(name), value, `${where}: ${name}`);
}

const suites = [
  ["standard", STANDARD],
  ["SM", NATIONAL],
] as const;
const tally = { ran: 0, skipped: 0 };

/** Versions that a case is run at from its beginning: those of its steps when objects are used. */
function runsOf(row: CallCase): readonly (string | undefined)[] {
  const named = row.steps.map((step) => step.supportedVersion).filter((it) => it !== undefined);
  const [first] = row.steps;
  if (first?.to === "<Table instance>" && named.length > 0) return named;
  return [VERSIONS[row.name] ?? row.supportedVersion];
}

const { cases } = readVectors<{ cases: readonly CallCase[] }>("exec-precompiled-calls.json");
for (const row of cases) {
  const skipped = SKIPPED[row.name];
  if (skipped !== undefined) {
    tally.skipped += 1;
    continue;
  }
  test(`exec-precompiled-calls: ${row.name}`, async () => {
    for (const [label, suite] of suites) {
      for (const at of runsOf(row)) {
        const chosen = at === undefined ? version(2, 11, 1) : versionOf(at);
        const parentNumber = row.blockNumber ?? 0;
        const place = await openPlace({ suite, version: chosen, parentNumber });
        const run = new Run(place, row);
        for (const [index, step] of row.steps.entries()) {
          const isOther = step.supportedVersion !== undefined && step.supportedVersion !== at;
          if (isOther && step.to === "<Table instance>") continue;
          run.step(step, `${label} ${at ?? "newest"}, step ${index + 1} ${step.fn ?? ""}`);
        }
      }
    }
    tally.ran += 1;
  });
}

test("every row of exec-precompiled-calls ran", () => {
  assert.deepEqual(tally, { ran: 23, skipped: 1 });
});

afterAll(() => console.log(`system contracts: ${tally.ran} rows ran, ${tally.skipped} skipped`));
