import assert from "node:assert/strict";
import { test } from "vitest";
import { selectorOf } from "../../../core/abi/encode.ts";
import { utf8Text } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { addressOfNumber, toHex } from "../../../core/bytes/hex.ts";
import { baseGas } from "../../../core/execution/executive.ts";
import { stringsOutput } from "../../../core/execution/precompiled/contract.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { freeze } from "../../support/execution/added-rows.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { ALICE, BOB, initCode, openTestChain, SUITE } from "../../support/execution/test-chain.ts";

// rules: execution 4.2-4, 4.6-7, 6

const LIMIT = 300_000_000n;
const BASE = 21_000n;
const SHA256 = addressOfNumber(2);
const MODEXP = addressOfNumber(5);
const CURVE_ADD = addressOfNumber(6);
const SYSTEM_CONFIG = addressOfNumber(0x1000);

/** x = 1, y = 1: no point of the curve. */
const NO_POINT = `${"1".padStart(64, "0")}${"1".padStart(64, "0")}${"0".repeat(128)}`;
const NO_POINT_BASE = BASE + 126n * 4n + 2n * 68n;

test("before 2.5.0 an account cannot be frozen", async () => {
  const open = await openTestChain({ version: version(2, 4, 0) });
  const to = await open.deploy(assemble("stop"));
  const chain = await freeze(open, ALICE);
  assert.equal((await chain.send({ from: ALICE, to })).status, 0);
  assert.equal((await chain.send({ from: ALICE, input: initCode(assemble("stop")) })).status, 0);
});

test("a call runs the code of its address with all gas above the base", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("gas 0 mstore address 32 mstore 64 0 return"));
  const { status, output } = await chain.send({ to, gas: 5n });
  assert.equal(status, 0);
  assert.equal(BigInt(`0x${toHex(output, 0, 32)}`), LIMIT - BASE - 2n);
  assert.equal(`0x${toHex(output, 44, 64)}`, to);
});

for (const [supported, cost] of [
  [version(2, 4, 0), 0n],
  [version(2, 5, 0), 60n],
  [NEWEST_VERSION, 60n],
] as const) {
  test(`hashing nothing by a call of address 2 costs ${cost} gas at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const receipt = await chain.send({ to: SHA256 });
    assert.deepEqual([receipt.status, receipt.gasUsed], [0, BASE + cost]);
    assert.equal(toHex(receipt.output, 0, 4), "e3b0c442");
  });
}

for (const { supported, status, gasUsed } of [
  { supported: version(2, 5, 0), status: 0, gasUsed: BASE + 3n * 68n },
  { supported: version(2, 6, 0), status: 22, gasUsed: LIMIT },
  { supported: NEWEST_VERSION, status: 22, gasUsed: LIMIT },
]) {
  test(`blake2 of three bytes has no price and ends with status ${status} at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const receipt = await chain.send({ to: addressOfNumber(9), input: "ffffff" });
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, gasUsed]);
    assert.equal(receipt.output.length, 0);
  });
}

test("an Ethereum contract that gas does not cover ends with status 8 and keeps the gas", async () => {
  const chain = await openTestChain();
  const input = "ff".repeat(96);
  const receipt = await chain.send({ to: MODEXP, input });
  assert.deepEqual([receipt.status, receipt.gasUsed], [8, BASE + 96n * 68n]);
  assert.equal(receipt.output.length, 0);
});

for (const [supported, status, gasUsed] of [
  [version(2, 5, 0), 0, NO_POINT_BASE + 150n],
  [version(2, 6, 0), 22, LIMIT],
  [NEWEST_VERSION, 22, LIMIT],
] as const) {
  test(`a point off the curve ends with status ${status} at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const receipt = await chain.send({ to: CURVE_ADD, input: NO_POINT });
    assert.deepEqual([receipt.status, receipt.output.length], [status, 0]);
    assert.equal(receipt.gasUsed, gasUsed);
  });
}

const setCount = concatBytes(
  selectorOf("setValueByKey(string,string)", SUITE.hash),
  stringsOutput(["tx_count_limit", "5"]),
);

test("a system contract that gas does not cover ends with status 21 and undoes its change", async () => {
  const base = baseGas({ to: SYSTEM_CONFIG, input: setCount });
  for (const [left, status] of [
    [2n, 21],
    [3n, 0],
  ] as const) {
    const chain = await openTestChain({ genesis: { gasLimit: base + left } });
    const receipt = await chain.send({ to: SYSTEM_CONFIG, input: setCount });
    assert.equal(receipt.status, status);
    assert.equal(await chain.ledger.systemConfig("tx_count_limit"), status === 0 ? "5" : "1000");
    if (status === 0) continue;
    assert.equal(receipt.gasUsed, base);
    const said = utf8Text(receipt.output.subarray(68));
    assert.match(said, /^OutOfGas when executing precompiled Contract, gasUsed: 3, leftGas:2\0*$/);
  }
});

test("a nested call of nobody pushes 0 and hands over the error, all gas comes back", async () => {
  const chain = await openTestChain();
  const nobody = `0 0 0 0 0 ${BigInt(BOB)} gas call 0 mstore returndatasize 32 mstore 64 0 return`;
  const { status, output, gasUsed } = await chain.send({
    to: await chain.deploy(assemble(nobody)),
  });
  assert.equal(status, 0);
  assert.deepEqual([output[31], output[63]], [0, 132]);
  assert.ok(gasUsed < BASE + 1_000n, `${gasUsed}`);
});
