import assert from "node:assert/strict";
import { test } from "vitest";
import { toHex } from "../../../core/bytes/hex.ts";
import { type Address, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import { createAddress } from "../../../core/crypto/contract-address.ts";
import { baseGas } from "../../../core/execution/executive.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { accountTable } from "../../../core/storage/system-tables.ts";
import { bytesToRow } from "../../../core/storage/account-rows.ts";
import { grant, withAccountRow } from "../../support/execution/added-rows.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  SUITE,
  type TestChain,
} from "../../support/execution/test-chain.ts";

// rules: execution 3.3-5, 3.9

const LIMIT = 300_000_000n;
const STOP = assemble("stop");

function values(chain: TestChain, address: Address, key: string): (string | undefined)[] {
  const table = accountTable(address, chain.version);
  return storedRows(chain.store, table, key).map((row) => row.columns.get("value"));
}

test("what a failing constructor did elsewhere is undone, and its sender's nonce stays used", async () => {
  const chain = await openTestChain();
  const target = await chain.deploy(assemble("1 0 sstore"));
  const touch = `0 0 0 0 0 ${BigInt(target)} gas call`;
  const failed = await chain.send({ input: assemble(`${touch} 0 0 revert`) });
  assert.equal(failed.status, 22);
  assert.deepEqual(values(chain, target, "0"), []);
  assert.deepEqual(values(chain, ALICE, "nonce"), ["2"]);
  const made = await chain.send({ input: assemble(touch) });
  assert.equal(made.contractAddress, createAddress(ALICE, 2, SUITE.hash));
  assert.deepEqual(values(chain, target, "0"), ["1"]);
});

test("a creation of nothing leaves an account without code", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ input: "" });
  const address = createAddress(ALICE, 0, SUITE.hash);
  assert.deepEqual([receipt.status, receipt.contractAddress], [0, address]);
  assert.equal(receipt.gasUsed, baseGas({ to: null, input: new Uint8Array(0) }));
  assert.deepEqual(values(chain, address, "nonce"), ["0"]);
  assert.equal((await chain.ledger.code(address)).length, 0);
});

for (const row of [
  { key: "nonce", value: "1" },
  { key: "codeHash", value: "another hash than that of nothing" },
]) {
  test(`a creation at an account that has a ${row.key} ends with status 24 and no gas left`, async () => {
    const open = await openTestChain();
    await open.deploy(STOP);
    const chain = await withAccountRow(open, createAddress(ALICE, 1, SUITE.hash), row);
    const { status, gasUsed, contractAddress } = await chain.send({ input: STOP });
    assert.deepEqual([status, gasUsed, contractAddress], [24, LIMIT, ZERO_ADDRESS]);
    // The nonce is counted before the check, so the next creation finds room.
    assert.equal((await chain.send({ input: STOP })).status, 0);
  });
}

const CODE_SIZES = [
  { supported: version(2, 0, 0), size: 0x6000, status: 0 },
  { supported: version(2, 0, 0), size: 0x6001, status: 12 },
  { supported: version(2, 1, 0), size: 0x6001, status: 0 },
  { supported: NEWEST_VERSION, size: 0x40000, status: 0 },
  { supported: NEWEST_VERSION, size: 0x40001, status: 12 },
] as const;
for (const { supported, size, status } of CODE_SIZES) {
  test(`code of ${size} bytes ends its creation with status ${status} at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const input = assemble(`1 0 sstore ${size} 0 return`);
    const receipt = await chain.send({ input });
    const address = createAddress(ALICE, 0, SUITE.hash);
    assert.equal(receipt.status, status);
    assert.equal(receipt.contractAddress, status === 0 ? address : ZERO_ADDRESS);
    assert.equal((await chain.ledger.code(address)).length, status === 0 ? size : 0);
    // What the constructor stored goes with it; a deposit that is not due is not paid.
    assert.deepEqual(values(chain, address, "0"), status === 0 ? ["1"] : []);
    assert.equal(receipt.gasUsed > 200n * BigInt(size), status === 0);
  });
}

test("code whose deposit is not covered ends its creation with what the constructor left", async () => {
  const input = assemble("100 0 return");
  const base = baseGas({ to: null, input });
  // Two pushes and four words of memory.
  const initGas = 3n + 3n + 12n;
  for (const [left, status] of [
    [20_000n, 0],
    [19_999n, 12],
  ] as const) {
    const chain = await openTestChain({ genesis: { gasLimit: base + initGas + left } });
    const receipt = await chain.send({ input });
    const paid = status === 0 ? 20_000n : 0n;
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, base + initGas + paid]);
  }
});

test("what a contract creates has its address by the nonce of that contract", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("0 0 0 create 0 mstore 32 0 return"));
  const made = [await chain.send({ to }), await chain.send({ to })].map(
    ({ output }) => `0x${toHex(output, 12, 32)}`,
  );
  assert.deepEqual(
    made,
    [0, 1].map((nonce) => createAddress(to, nonce, SUITE.hash)),
  );
});

test("revert data whose deposit is not covered stays the output of a creation", async () => {
  const input = assemble("0x5a 0 mstore8 100 0 revert");
  const base = baseGas({ to: null, input });
  // Four pushes, the store, and four words of memory.
  const initGas = 12n + 3n + 12n;
  const data = `5a${"00".repeat(99)}`;
  for (const { gasLimit, status, gasUsed } of [
    { gasLimit: base + initGas + 20_000n, status: 22, gasUsed: base + initGas + 20_000n },
    { gasLimit: base + initGas + 19_999n, status: 12, gasUsed: base + initGas },
  ]) {
    const chain = await openTestChain({ genesis: { gasLimit } });
    const receipt = await chain.send({ input });
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, gasUsed]);
    assert.equal(receipt.contractAddress, ZERO_ADDRESS);
    assert.equal(toHex(receipt.output), data);
  }
});

test("code whose deposit is not covered is no output", async () => {
  const input = assemble("0x5a 0 mstore8 100 0 return");
  const gasLimit = baseGas({ to: null, input }) + 5_000n;
  const chain = await openTestChain({ genesis: { gasLimit } });
  const receipt = await chain.send({ input });
  assert.deepEqual([receipt.status, receipt.output.length], [12, 0]);
});

test("in free storage revert data must be covered too, and is not paid", async () => {
  const input = assemble("0x5a 0 mstore8 400 0 revert");
  for (const { gasLimit, status } of [
    { gasLimit: 100_054n, status: 22 },
    { gasLimit: 100_053n, status: 12 },
  ]) {
    const chain = await openTestChain({ genesis: { gasLimit, freeStorage: true } });
    const receipt = await chain.send({ input });
    // The flat base, four pushes, the store, and thirteen words of memory.
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, 20_000n + 12n + 3n + 39n]);
    assert.equal(receipt.output.length, 400);
  }
});

test("a caller sees revert data whose deposit was not covered", async () => {
  const init = assemble("0x5a 0 mstore8 100 0 revert");
  const load = `${BigInt(`0x${toHex(init)}`)} 0 mstore`;
  const chain = await openTestChain();
  const create = `${load} ${init.length} ${32 - init.length} 0 create pop`;
  const show = "returndatasize 0 0 returndatacopy returndatasize 0 return";
  const creates = await chain.deploy(assemble(`${create} ${show}`));
  // Enough for the creation itself, not for the deposit.
  const to = await chain.deploy(assemble(`0 0 0 0 0 ${BigInt(creates)} 40000 call pop ${show}`));
  const { output } = await chain.send({ to });
  assert.equal(toHex(output), `5a${"00".repeat(99)}`);
});

/**
 * Creates with CREATE2, always at the same address: an account without code the first time, for the
 * init code stores something and returns nothing. From the second time on it ends as told.
 */
async function createdAgain(chain: TestChain, ending: string): Promise<[Address, Address]> {
  const init = assemble(`0 sload @again jumpi 1 0 sstore stop again: ${ending}`);
  const words = toHex(init).padEnd(128, "0").match(/.{64}/g);
  const load = words?.map((word, i) => `0x${word} ${32 * i} mstore`).join(" ");
  const create = `7 ${init.length} 0 0 create2`;
  const factory = await chain.deploy(assemble(`${load} ${create} 0 mstore 32 0 return`));
  const { output, status } = await chain.send({ to: factory });
  assert.equal(status, 0);
  return [factory, `0x${toHex(output, 12, 32)}` as Address];
}

/** Numbers of the blocks that changed code and code hash. */
function changes(chain: TestChain, address: Address): number[] {
  const table = accountTable(address, chain.version);
  return ["code", "codeHash"].flatMap((key) =>
    storedRows(chain.store, table, key).map((row) => row.number),
  );
}

for (const supported of [version(2, 4, 0), NEWEST_VERSION]) {
  test(`revert data becomes the code of an account that was there before at ${supported}`, async () => {
    const chain = await openTestChain({ version: supported });
    const [factory, address] = await createdAgain(chain, "0x5a 0 mstore8 3 0 revert");
    assert.equal((await chain.ledger.code(address)).length, 0);
    const again = await chain.send({ to: factory });
    // The creation has failed all the same.
    assert.deepEqual([again.status, toHex(again.output)], [0, "0".repeat(64)]);
    assert.equal(toHex(await chain.ledger.code(address)), "5a0000");
    const hash = bytesToRow(SUITE.hash(Uint8Array.of(0x5a, 0, 0)), supported);
    assert.deepEqual(values(chain, address, "codeHash"), [hash]);
    assert.deepEqual(values(chain, address, "0"), ["1"]);
    // The address is used now.
    await chain.send({ to: factory });
    const number = chain.ledger.head().number;
    assert.deepEqual(changes(chain, address), [number - 1, number - 1]);
  });
}

for (const ending of ["invalid", "pop", "1 jump", "0 0 revert"]) {
  test(`init code that ends with ${ending} rewrites the code of an older account with nothing`, async () => {
    const chain = await openTestChain();
    const [factory, address] = await createdAgain(chain, ending);
    await chain.send({ to: factory });
    const { number } = chain.ledger.head();
    assert.deepEqual(changes(chain, address), [number, number]);
    assert.equal((await chain.ledger.code(address)).length, 0);
  });
}

for (const supported of [version(2, 5, 0), version(2, 6, 0), NEWEST_VERSION]) {
  test(`a store that is not permitted leaves the code of an older account alone at ${supported}`, async () => {
    const open = await openTestChain({ version: supported });
    const [factory, address] = await createdAgain(open, "2 0 sstore");
    const { number } = open.ledger.head();
    const chain = await grant(open, accountTable(address, supported), BOB);
    assert.equal((await chain.send({ to: factory })).status, 0);
    assert.deepEqual(changes(chain, address), [number, number]);
  });
}

test("a store that is not permitted further inside does not keep the data of a failure", async () => {
  const open = await openTestChain();
  const guarded = await open.deploy(assemble("1 0 sstore"));
  const call = `0 0 0 0 0 ${BigInt(guarded)} gas call`;
  const [factory, address] = await createdAgain(open, `${call} 3 0 revert`);
  const chain = await grant(open, accountTable(guarded, open.version), BOB);
  await chain.send({ to: factory });
  assert.deepEqual(values(chain, guarded, "0"), []);
  assert.equal(toHex(await chain.ledger.code(address)), "000000");
});
