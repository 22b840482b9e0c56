import assert from "node:assert/strict";
import { test } from "vitest";
import { selectorOf } from "../../../../core/abi/encode.ts";
import { version } from "../../../../core/model/version.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import { callsOf, errorText, outputs } from "../../../support/execution/contract-calls.ts";
import {
  BOB,
  openTestChain,
  SUITE,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 2, 3, 8, execution 6, 8

const cns = callsOf(0x1004);
const INSERT = "insert(string,string,string,string)";
const BY_NAME = "selectByName(string)";
const BY_VERSION = "selectByNameAndVersion(string,string)";
const FIND = "getContractAddress(string,string)";
const ADDRESS = { kind: "address" } as const;
const CONTRACT = "0xae519fc2ba8e6ffe6473195c092bf1bae986ff90";

const insert = (chain: TestChain, ...values: [string, string, string, string]) =>
  cns.code(chain, INSERT, values);

async function withNames(): Promise<TestChain> {
  const chain = await openTestChain();
  assert.equal(await insert(chain, "Hello", "1", CONTRACT, '[{"a":1}]'), 1);
  assert.equal(await insert(chain, "Hello", "2", CONTRACT.slice(2), "[]"), 1);
  assert.equal(await insert(chain, "Hello", "short", "0xab", ""), 1);
  return chain;
}

test("contracts are found by name, and by name and version", async () => {
  const chain = await withNames();
  const first = `{"abi":"[{\\"a\\":1}]","address":"${CONTRACT}","name":"Hello","version":"1"}`;
  const second = `{"abi":"[]","address":"${CONTRACT.slice(2)}","name":"Hello","version":"2"}`;
  const third = `{"abi":"","address":"0xab","name":"Hello","version":"short"}`;
  assert.equal(await cns.text(chain, BY_NAME, ["Hello"]), `[${first},${second},${third}]\n`);
  assert.equal(await cns.text(chain, BY_NAME, ["hello"]), "[]\n");
  assert.equal(await cns.text(chain, BY_VERSION, ["Hello", "2"]), `[${second}]\n`);
  assert.equal(await cns.text(chain, BY_VERSION, ["Hello", "3"]), "[]\n");
});

test("an address of another length is the zero address, none at all an error", async () => {
  const chain = await withNames();
  const find = async (name: string): Promise<unknown[]> =>
    outputs([ADDRESS], await cns.receipt(chain, FIND, ["Hello", name]));
  assert.deepEqual(await find("1"), [CONTRACT]);
  assert.deepEqual(await find("2"), [CONTRACT]);
  assert.deepEqual(await find("short"), [`0x${"0".repeat(40)}`]);
  const missing = await cns.receipt(chain, FIND, ["Hello", "3"]);
  assert.equal(errorText(missing), "Entries no exists: 0");
});

test("a registration is refused for its version, its address, and to others", async () => {
  const chain = await withNames();
  const long = "v".repeat(129);
  assert.equal(await insert(chain, "Hello", "1", CONTRACT, ""), -51_200);
  assert.equal(await insert(chain, "Hello", long, "x", ""), -51_201);
  assert.equal(await insert(chain, "Hello", long.slice(1), CONTRACT, ""), 1);
  assert.equal(await insert(chain, "Hello", "3", "0xzz", ""), -50_102);
  const guarded = await grant(chain, "_sys_cns_", BOB);
  assert.equal(await insert(guarded, "Hello", "3", "0xzz", ""), -50_102);
  assert.equal(await insert(guarded, "Hello", "3", CONTRACT, ""), -50_000);
  assert.equal(await cns.text(guarded, BY_VERSION, ["Hello", "3"]), "[]\n");
});

test("a name has 128 bytes at most from 2.7.0 on", async () => {
  const name = "n".repeat(129);
  const chain = await openTestChain();
  const refused = await cns.receipt(chain, INSERT, [name, "1", CONTRACT, ""]);
  assert.equal(errorText(refused), "size of value/key greater than128");
  assert.equal(await insert(chain, name.slice(1), "1", CONTRACT, ""), 1);
  // The name is not examined where the address is none.
  assert.equal(await insert(chain, name, "1", "0xzz", ""), -50_102);
  assert.equal(await insert(chain, name, "v".repeat(129), "0xzz", ""), -51_201);
  const old = await openTestChain({ version: version(2, 6, 0) });
  assert.equal(await insert(old, name, "1", CONTRACT, ""), 1);
});

test("before 2.2.0 any text is an address, and fails only when it is asked for", async () => {
  const chain = await openTestChain({ version: version(2, 1, 0) });
  assert.equal(await insert(chain, "Hello", "1", "nothing", ""), 1);
  assert.equal(errorText(await cns.receipt(chain, FIND, ["Hello", "1"])), "");
});

test("gas of the name service counts every row of a name", async () => {
  const chain = await withNames();
  // What a call costs beyond its data and the larger memory, of the data and of the output.
  const used = async (signature: string, values: readonly string[]): Promise<bigint> => {
    const { gasUsed, output } = await cns.receipt(chain, signature, values);
    const { input } = cns.sending(signature, values);
    assert.ok(input instanceof Uint8Array);
    const base = input.reduce((sum, byte) => sum + (byte === 0 ? 4n : 68n), 21_000n);
    const words = Math.ceil(Math.max(input.length, output.length) / 32);
    return gasUsed - base - 3n * BigInt(words);
  };
  // Opening costs 200, each of the three rows 200, the new one 10000.
  assert.equal(await used(INSERT, ["Hello", "4", CONTRACT, ""]), 10_800n);
  assert.equal(await used(INSERT, ["Hello", "4", CONTRACT, ""]), 1_000n);
  assert.equal(await used(BY_NAME, ["none"]), 200n);
  assert.equal(await used(BY_NAME, ["Hello"]), 212n);
  assert.equal(await used(BY_VERSION, ["Hello", "4"]), 403n);
  assert.equal(await used(FIND, ["Hello", "4"]), 400n);
  const unknown = await cns.receipt(chain, "nothing()", []);
  assert.equal(unknown.output.length, 0);
  assert.equal(unknown.gasUsed, 21_000n + 4n * 68n + 3n);
});

test("call data that ends early reads as empty texts", async () => {
  const chain = await openTestChain();
  const input = selectorOf(INSERT, SUITE.hash);
  const { status, output } = await chain.send({ to: cns.address, input });
  assert.deepEqual([status, output[31]], [0, 1]);
  const listed = await cns.text(chain, BY_NAME, [""]);
  assert.equal(listed, '[{"abi":"","address":"","name":"","version":""}]\n');
});
