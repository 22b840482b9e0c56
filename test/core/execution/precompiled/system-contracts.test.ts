import assert from "node:assert/strict";
import { test } from "vitest";
import { decodeAbiLeniently } from "../../../../core/abi/decode.ts";
import { encodeRevert, selectorOf } from "../../../../core/abi/encode.ts";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { int256Output, stringsOutput } from "../../../../core/execution/precompiled/contract.ts";
import { GasMeter } from "../../../../core/execution/precompiled/gas-meter.ts";
import { createRegistry } from "../../../../core/execution/precompiled/registry.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { version, type Version } from "../../../../core/model/version.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  SEALERS,
  SUITE,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 1, 2, 4, 7, execution 4.4, 6, storage 2

const SYSTEM_CONFIG = addressOfNumber(0x1000);
const CRUD = addressOfNumber(0x1002);
const CONSENSUS = addressOfNumber(0x1003);

/** Call data of a method whose arguments are all strings. */
function callData(signature: string, ...texts: string[]): Uint8Array {
  return concatBytes(selectorOf(signature, SUITE.hash), stringsOutput(texts));
}

function int256(output: Uint8Array): number {
  assert.equal(output.length, 32);
  return Number(BigInt.asIntN(256, BigInt(`0x${toHex(output)}`)));
}

async function answer(chain: TestChain, to: Address, input: Uint8Array): Promise<number> {
  const receipt = await chain.send({ to, input });
  assert.equal(receipt.status, 0);
  return int256(receipt.output);
}

const setValue = (key: string, value: string) =>
  callData("setValueByKey(string,string)", key, value);

const NEWEST = version(2, 11, 1);
const VALUES: readonly { key: string; value: string; since?: Version; ok: boolean }[] = [
  { key: "tx_count_limit", value: "1", ok: true },
  { key: "TX_Count_Limit", value: "+7", ok: true },
  { key: "tx_count_limit", value: "0", ok: false },
  { key: "tx_count_limit", value: "-5", ok: false },
  { key: "tx_count_limit", value: "9223372036854775807", ok: true },
  { key: "tx_count_limit", value: "9223372036854775808", ok: false },
  { key: "tx_count_limit", value: "10000000000000000000", ok: false },
  { key: "tx_count_limit", value: `+${"0".repeat(40)}5`, ok: true },
  { key: "tx_count_limit", value: "9".repeat(40), ok: false },
  { key: "tx_count_limit", value: " 5", ok: false },
  { key: "tx_count_limit", value: "5x", ok: false },
  { key: "tx_count_limit", value: "", ok: false },
  { key: "tx_gas_limit", value: "100000", ok: true },
  { key: "tx_gas_limit", value: "99999", ok: false },
  { key: "rpbft_epoch_sealer_num", value: "1", ok: true },
  { key: "rpbft_epoch_block_num", value: "1", ok: false },
  { key: "rpbft_epoch_block_num", value: "1", since: version(2, 5, 0), ok: true },
  { key: "consensus_timeout", value: "3", ok: true },
  { key: "consensus_timeout", value: "2", ok: false },
  { key: "consensus_timeout", value: "4294966", ok: true },
  { key: "consensus_timeout", value: "4294967", ok: false },
  { key: "consensus_timeout", value: "3", since: version(2, 5, 0), ok: false },
  { key: "enable_charge_mgr", value: "on", ok: true },
  { key: "enable_charge_mgr", value: "yes", ok: false },
  { key: "enable_charge_mgr", value: "on", since: version(2, 8, 0), ok: false },
  { key: "notify_rotate", value: "1", ok: false },
  { key: "charger_list", value: "1", ok: false },
];
for (const { key, value, since = NEWEST, ok } of VALUES) {
  test(`setValueByKey ${key}=${JSON.stringify(value)} at ${since} is ${ok ? "taken" : "refused"}`, async () => {
    const chain = await openTestChain({ version: since });
    const code = await answer(chain, SYSTEM_CONFIG, setValue(key, value));
    assert.equal(code, ok ? 1 : -51_300);
    assert.equal((await chain.ledger.systemConfig(key.toLowerCase())) === value, ok);
  });
}

test("a new gas limit counts from the next block on", async () => {
  const chain = await openTestChain();
  const fails = { to: await chain.deploy(assemble("invalid")) };
  const change = { to: SYSTEM_CONFIG, input: setValue("tx_gas_limit", "100000") };
  const { receipts } = await chain.block(change, fails);
  assert.equal(receipts[1]?.gasUsed, 300_000_000n);
  assert.equal((await chain.send(fails)).gasUsed, 100_000n);
});

const COUNTS = [
  { value: "+7", limit: 7 },
  { value: "0010", limit: 10 },
  { value: "9223372036854775807", limit: Number.MAX_SAFE_INTEGER },
] as const;
for (const { value, limit } of COUNTS) {
  test(`tx_count_limit=${value} allows ${limit} transactions`, async () => {
    const chain = await openTestChain();
    assert.equal(await answer(chain, SYSTEM_CONFIG, setValue("tx_count_limit", value)), 1);
    assert.equal(chain.ledger.groupConfig().txCountLimit, limit);
  });
}

test("a gas limit with a sign is in force", async () => {
  const chain = await openTestChain();
  await answer(chain, SYSTEM_CONFIG, setValue("tx_gas_limit", "+100000"));
  assert.equal(chain.ledger.groupConfig().txGasLimit, 100_000n);
  assert.equal((await chain.send({ to: ALICE })).gasUsed, 21_000n);
});

test("a word of output is the whole cost of a system contract from 2.4.0 on", async () => {
  for (const [chainVersion, gas] of [
    [version(2, 3, 0), 0n],
    [version(2, 4, 0), 3n],
  ] as const) {
    const chain = await openTestChain({ version: chainVersion });
    const input = new Uint8Array(4);
    const receipt = await chain.send({ to: SYSTEM_CONFIG, input });
    assert.equal(receipt.gasUsed, 21_016n + gas);
    assert.equal(int256(receipt.output), 0);
  }
});

const OUTSIDER = "33".repeat(64);
const addSealer = (node: string) => callData("addSealer(string)", node);
const addObserver = (node: string) => callData("addObserver(string)", node);
const remove = (node: string) => callData("remove(string)", node);
const [FIRST = "", SECOND = ""] = SEALERS;

test("nodes become observers and sealers, and leave", async () => {
  const chain = await openTestChain();
  const roles = async () => [await chain.ledger.sealers(), await chain.ledger.observers()];
  assert.equal(await answer(chain, CONSENSUS, addObserver(OUTSIDER)), 1);
  assert.deepEqual(await roles(), [SEALERS, [OUTSIDER]]);
  assert.equal(await answer(chain, CONSENSUS, addSealer(OUTSIDER.toUpperCase())), 1);
  assert.deepEqual(await roles(), [[...SEALERS, OUTSIDER], []]);
  assert.equal(await answer(chain, CONSENSUS, addSealer(OUTSIDER)), 1);
  assert.equal(await answer(chain, CONSENSUS, remove(FIRST)), 1);
  assert.deepEqual(await roles(), [[SECOND, OUTSIDER], []]);
  assert.equal(await answer(chain, CONSENSUS, remove(FIRST)), 0);
});

// rules: execution 8
for (const { method, to, table, input } of [
  {
    method: "setValueByKey",
    to: SYSTEM_CONFIG,
    table: "_sys_config_",
    input: setValue("tx_count_limit", "5"),
  },
  { method: "addSealer", to: CONSENSUS, table: "_sys_consensus_", input: addSealer(OUTSIDER) },
  { method: "addObserver", to: CONSENSUS, table: "_sys_consensus_", input: addObserver(FIRST) },
  { method: "remove", to: CONSENSUS, table: "_sys_consensus_", input: remove(FIRST) },
]) {
  test(`${method} answers -50000 to who may not write ${table}, and changes nothing`, async () => {
    const chain = await grant(await openTestChain(), table, BOB);
    const before = chain.ledger.groupConfig();
    assert.equal(await answer(chain, to, input), -50_000);
    assert.deepEqual(chain.ledger.groupConfig(), { ...before, number: 1 });
  });
}

test("the last sealer stays a sealer", async () => {
  const chain = await openTestChain();
  assert.equal(await answer(chain, CONSENSUS, addObserver(FIRST)), 1);
  assert.equal(await answer(chain, CONSENSUS, addObserver(SECOND)), -51_101);
  assert.equal(await answer(chain, CONSENSUS, remove(SECOND)), -51_101);
  assert.deepEqual(chain.ledger.groupConfig().sealers, [SECOND]);
});

const NODE_IDS = [
  { text: "33".repeat(63), since: NEWEST, code: -51_100 },
  { text: "zz".repeat(64), since: NEWEST, code: -51_100 },
  { text: "zz".repeat(64), since: version(2, 9, 0), code: 1 },
  { text: "", since: NEWEST, code: -51_100 },
] as const;
for (const { text, since, code } of NODE_IDS) {
  test(`addSealer of "${text.slice(0, 4)}", ${text.length} long, at ${since} answers ${code}`, async () => {
    const chain = await openTestChain({ version: since });
    assert.equal(await answer(chain, CONSENSUS, addSealer(text)), code);
  });
}

test("letters that below 2.10.0 are added as a sealer name nobody, and blocks go on", async () => {
  const chain = await openTestChain({ version: version(2, 9, 0) });
  for (const text of ["zz".repeat(64), `0x${"33".repeat(63)}`, "\xe9".repeat(128)]) {
    assert.equal(await answer(chain, CONSENSUS, addSealer(text)), 1);
    assert.equal(await answer(chain, CONSENSUS, addObserver(OUTSIDER)), 1);
    const { sealers, observers } = chain.ledger.groupConfig();
    assert.deepEqual([sealers, observers], [SEALERS, [OUTSIDER]]);
    assert.equal(await answer(chain, CONSENSUS, remove(text)), 1);
  }
});

test("arguments that are cut off read as empty", async () => {
  const chain = await openTestChain();
  assert.equal(await answer(chain, CONSENSUS, addSealer(OUTSIDER).subarray(0, 50)), -51_100);
  assert.equal(await answer(chain, CONSENSUS, selectorOf("remove(string)", SUITE.hash)), -51_100);
});

// rules: README 22
for (const length of [0, 3]) {
  test(`a call with ${length} bytes of data fails: the reference's process ended`, async () => {
    const input = new Uint8Array(length);
    const chain = await openTestChain();
    const { status, output } = await chain.send({ to: CONSENSUS, input });
    const expected = encodeRevert("PrecompiledError", SUITE.hash);
    assert.deepEqual([status, toHex(output)], [21, toHex(expected)]);
    const old = await openTestChain({ version: version(2, 2, 0) });
    const before = await old.send({ to: CONSENSUS, input });
    assert.deepEqual([before.status, before.output.length], [21, 0]);
  });
}

function readStrings(data: Uint8Array, count: number): unknown[] {
  const types = Array.from({ length: count }, () => ({ kind: "string" }) as const);
  return decodeAbiLeniently(types, data.subarray(4));
}

test("string arguments are read up to the first defect", () => {
  const data = callData("f(string,string)", "one", "two");
  assert.deepEqual(readStrings(data, 2), ["one", "two"]);
  const cut = data.slice(0, data.length - 32);
  assert.deepEqual(readStrings(cut, 2), ["one", ""]);
  const wild = data.slice();
  // The lowest 64 bits of the first offset.
  wild[4 + 24] = 1;
  assert.deepEqual(readStrings(wild, 2), ["", ""]);
});

test("desc of a table that does not exist gives two empty texts", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ to: CRUD, input: callData("desc(string)", "x") });
  assert.deepEqual(receipt.output, stringsOutput(["", ""]));
  assert.equal(await answer(chain, CRUD, new Uint8Array(4)), -50_101);
});

const ADDRESSES = [
  { version: version(2, 0, 0), absent: [0x1007, 0x1008, 0x1009, 0x1010, 0x1011, 0x5006] },
  { version: version(2, 3, 0), absent: [0x1008, 0x1009, 0x1011, 0x5006] },
  { version: version(2, 5, 0), absent: [0x1009, 0x1011, 0x5006] },
  { version: version(2, 8, 0), absent: [0x1009] },
  { version: version(2, 9, 0), absent: [] },
] as const;
const KNOWN = [
  ...[0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009],
  ...[0x1010, 0x1011, 0x5002, 0x5003, 0x5004, 0x5005, 0x5006],
];
for (const row of ADDRESSES) {
  test(`version ${row.version} knows all system contracts but ${row.absent.length}`, () => {
    const absent: readonly number[] = row.absent;
    const registry = createRegistry(row.version);
    const expected = KNOWN.filter((number) => !absent.includes(number)).map(addressOfNumber);
    assert.deepEqual([...registry.keys()], expected);
    for (const number of [0x5001, 0x5007, 0x10001])
      assert.ok(!registry.has(addressOfNumber(number)));
  });
}

test("EXTCODESIZE is 1 for a system contract and 0 for an Ethereum one", async () => {
  const chain = await openTestChain();
  const size = (address: number): string => `${address} extcodesize`;
  const code = `${size(0x1001)} 0 mstore ${size(4)} 32 mstore 64 0 return`;
  const { output } = await chain.send({ to: await chain.deploy(assemble(code)) });
  assert.deepEqual([output[31], output[63]], [1, 0]);
});

test("the meter adds operations and the dearer of the memories", () => {
  const meter = new GasMeter(false);
  meter.add("select", 3);
  meter.noteMemory(100);
  meter.noteMemory(64);
  assert.equal(meter.total(32), 600 + 12);
  assert.equal(meter.total(1_024), 600 + 96 + 2);
  meter.setMemory(0);
  assert.equal(meter.total(0), 600);
  const free = new GasMeter(true);
  free.add("createTable");
  free.add("insert", 2);
  assert.equal(free.total(0), 500 + 400);
});

test("texts and codes have their ABI form", () => {
  assert.equal(int256(int256Output(-50_000)), -50_000);
  assert.equal(int256(int256Output(1)), 1);
  assert.deepEqual(readStrings(callData("f(string)", "x".repeat(33)), 1), ["x".repeat(33)]);
});

test("a precompiled contract can be called by a contract", async () => {
  const chain = await openTestChain();
  // Copies its call data, calls 0x1000 with it, returns the answer.
  const code = "calldatasize 0 0 calldatacopy 32 0 calldatasize 0 0 4096 gas call pop 32 0 return";
  const to = await chain.deploy(assemble(code));
  const receipt = await chain.send({ from: ALICE, to, input: setValue("tx_count_limit", "5") });
  assert.equal(int256(receipt.output), 1);
  assert.equal(await chain.ledger.systemConfig("tx_count_limit"), "5");
});
