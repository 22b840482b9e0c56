import assert from "node:assert/strict";
import { test } from "vitest";
import { toHex } from "../../../core/bytes/hex.ts";
import { type Address, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import { createAddress } from "../../../core/crypto/contract-address.ts";
import { baseGas } from "../../../core/execution/executive.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { accountTable } from "../../../core/storage/system-tables.ts";
import { withAccountRow } from "../../support/added-rows.ts";
import { assemble } from "../../support/assembler.ts";
import { ALICE, openTestChain, SUITE, type TestChain } from "../../support/test-chain.ts";

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
