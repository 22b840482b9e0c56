/** Work that gas does not pay for: what is counted, and how a transaction of nothing else ends. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { sm2PublicKey, sm2Sign } from "../../../core/crypto/sm2.ts";
import { sm3 } from "../../../core/crypto/sm3.ts";
import { BESIDE_GAS_LIMIT } from "../../../core/execution/evm/message.ts";
import { version, type Version } from "../../../core/model/version.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { callsOf } from "../../support/execution/contract-calls.ts";
import { ALICE, BOB, openTestChain, SUITE } from "../../support/execution/test-chain.ts";

// rules: README 21

/** A chain that tells the work of its newest transaction without what gas paid for. */
async function openCounted(chainVersion?: Version) {
  let work = 0;
  const processor = { reportWork: (_: number, spent: number) => (work = spent) };
  const options = chainVersion === undefined ? {} : { version: chainVersion };
  const chain = await openTestChain({ ...options, processor });
  return { chain, work: () => work };
}

/** Code that makes the call whose data follows it, again and again while gas is left. */
function repeating(to: number, data: Uint8Array): Uint8Array {
  const words = Math.ceil(data.length / 32);
  const stores = Array.from({ length: words }, (_, i) => {
    const word = toHex(data.slice(32 * i, 32 * i + 32)).padEnd(64, "0");
    return `0x${word} ${32 * i} mstore`;
  });
  const call = `0 0 ${data.length} 0 0 ${to} gas call pop`;
  return assemble(`${stores.join(" ")} again: ${call} @again jump`);
}

test("a transaction that makes objects without end is out of gas and leaves nothing", async () => {
  const { chain, work } = await openCounted();
  const tables = callsOf(0x1001);
  await tables.code(chain, "createTable(string,string,string)", ["t", "k", "v"]);
  const to = await chain.deploy(
    repeating(0x1001, encodeCall("openTable(string)", ["t"], SUITE.hash)),
  );
  const receipt = await chain.send({ to });
  assert.deepEqual([receipt.status, receipt.gasUsed], [12, 21_000n]);
  // 160,000 of them keep what a transaction may keep.
  assert.ok(work() > 160_000 * 4_000, `${work()}`);
  assert.ok(work() < BESIDE_GAS_LIMIT, `${work()}`);
  // The next one has a budget of its own.
  assert.equal((await tables.receipt(chain, "openTable(string)", ["t"])).status, 0);
});

test("rows that cost a word of output count when they are written and when they are read", async () => {
  const { chain, work } = await openCounted();
  const permission = callsOf(0x1005);
  const insert = "insert(string,string)";
  const values = (n: number) => ["t", `0x${String(n).padStart(40, "0")}`];
  const sendings = Array.from({ length: 50 }, (_, n) => permission.sending(insert, values(n)));
  await chain.block(permission.sending(insert, values(50)));
  const first = work();
  assert.ok(first > 4_000, `${first}`);
  await chain.block(...sendings);
  const { output } = await permission.receipt(chain, insert, values(60));
  assert.equal(BigInt(`0x${toHex(output)}`), 1n);
  // Each of the 51 is examined, and written again: what its columns say, and where it ends. The
  // work of a row covers the first thousand bytes.
  const row = "u_t".length + ADDRESS_TEXT + "1".length + 16;
  assert.equal(work() - first, 51 * (24 + row) - 1_000);
});
const ADDRESS_TEXT = 42;

test("each byte of the call data counts, also where it is free", async () => {
  const { chain, work } = await openCounted();
  const config = callsOf(0x1000);
  const set = async (value: string): Promise<number> => {
    await config.receipt(chain, "setValueByKey(string,string)", ["no_such_key", value]);
    return work();
  };
  assert.equal((await set("9".repeat(64_000))) - (await set("9".repeat(32_000))), 32_000);
});

test("managers that a creation hands on count as the rows that they become", async () => {
  const { chain, work } = await openCounted();
  const cycle = callsOf(0x1007);
  const to = await chain.deploy(assemble("0 0 0 create pop stop"));
  await chain.send({ to, from: BOB });
  const before = work();
  const grant = "grantManager(address,address)";
  const managers = Array.from({ length: 20 }, (_, n) => `0x${String(n + 1).padStart(40, "0")}`);
  await chain.block(...managers.map((manager) => cycle.sending(grant, [to, manager], ALICE)));
  await chain.send({ to, from: BOB });
  assert.equal(work() - before, 20 * (4_000 + 24));
});

const NO_KEY = new Uint8Array(64).fill(1);
const PROOFS: Readonly<Record<string, readonly [number, string, readonly AbiValue[], number]>> = {
  "an SM2 signature": [
    0x5006,
    "sm2Verify(bytes32,bytes,bytes32,bytes32)",
    [NO_KEY.slice(32), NO_KEY, NO_KEY.slice(32), NO_KEY.slice(32)],
    500_000,
  ],
  "a VRF proof": [0x5006, "curve25519VRFVerify(string,string,string)", ["", "", ""], 1_000_000],
  "a text to hash": [0x5006, "sm3(bytes)", [new Uint8Array(10_000)], 80_000],
  "a malformed ring": [0x5005, "ringSigVerify(string,string,string)", ["x".repeat(4_000)], 64_000],
};
for (const [what, [to, method, values, least]] of Object.entries(PROOFS)) {
  test(`${what} counts ${least} units or little more, whatever comes of it`, async () => {
    const { chain, work } = await openCounted();
    await callsOf(to).receipt(
      chain,
      method,
      [...values, "", ""].slice(0, method.split(",").length),
    );
    assert.ok(work() >= least && work() < least + 25_000, `${work()}`);
  });
}

const POINT = `${"0".repeat(63)}1${"0".repeat(63)}2`;
const ETHEREUM: readonly (readonly [number, string, string, number])[] = [
  [1, "a recovery", "", 250_000],
  [2, "SHA-256 of a thousand bytes", "00".repeat(1_000), 4_200],
  [3, "RIPEMD-160 of a thousand bytes", "00".repeat(1_000), 5_000],
  [4, "a copy of a thousand bytes", "00".repeat(1_000), 1_000],
  [6, "a sum of points", POINT + POINT, 5_000],
  [7, "a multiple of a point", POINT + "f".repeat(64), 320_000],
  [8, "a pairing of no pairs", "", 3_000_000],
  [9, "a thousand rounds", `000003e8${"00".repeat(209)}`, 24_000],
];
for (const [number, what, data, units] of ETHEREUM) {
  test(`${what} counts ${units} units besides its gas`, async () => {
    const { chain, work } = await openCounted();
    const input = Buffer.from(data, "hex");
    const { gasUsed } = await chain.send({ to: callsOf(number).address, input });
    const base = input.reduce((sum, byte) => sum + (byte === 0 ? 4 : 68), 21_000);
    assert.equal(work() - (Number(gasUsed) - base), units);
  });
}

test("where these contracts are free of gas their work counts all the same", async () => {
  const { chain, work } = await openCounted(version(2, 4, 0));
  const receipt = await chain.send({ to: callsOf(1).address });
  assert.deepEqual([receipt.gasUsed, work()], [21_000n, 250_000]);
});

test("proofs answer on both suites as the reference does", async () => {
  const secret = new Uint8Array(32).fill(3);
  const digest = new Uint8Array(32).fill(9);
  const [key, signature] = [sm2PublicKey(secret), sm2Sign(digest, secret)];
  const values = [digest, key, signature.subarray(0, 32), signature.subarray(32)];
  const text = Uint8Array.of(1, 2, 3);
  const { chain } = await openCounted();
  const crypto = callsOf(0x5006);
  const { output } = await crypto.receipt(
    chain,
    "sm2Verify(bytes32,bytes,bytes32,bytes32)",
    values,
  );
  assert.equal(toHex(output.subarray(44)), toHex(sm3(key).subarray(12)));
  assert.deepEqual((await crypto.receipt(chain, "sm3(bytes)", [text])).output, sm3(text));
  const hashed = await crypto.receipt(chain, "keccak256Hash(bytes)", [text]);
  assert.deepEqual(hashed.output, keccak_256(text));
});
