import assert from "node:assert/strict";
import { test } from "vitest";
import { byteString } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import { accountTable } from "../../../core/storage/system-tables.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { version } from "../../../core/model/version.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  initCode,
  openTestChain,
  SUITE,
  type TestChain,
} from "../../support/execution/test-chain.ts";

// rules: storage 3, 4, 4.1, execution 3, 4, 5, 7, 7.1

/** Runs code in a contract of its own and gives the words it returns. */
async function words(chain: TestChain, code: string): Promise<string[]> {
  const receipt = await chain.send({ to: await chain.deploy(assemble(code)) });
  assert.equal(receipt.status, 0);
  const digits = toHex(receipt.output);
  return Array.from({ length: digits.length / 64 }, (_, word) =>
    digits.slice(word * 64, word * 64 + 64),
  );
}

function rows(chain: TestChain, address: Address, key: string): (string | undefined)[] {
  const table = accountTable(address, chain.version);
  return storedRows(chain.store, table, key).map((row) => row.columns.get("value"));
}

// rules: execution 3.7
test("a new contract has its five rows and the sender as manager", async () => {
  const chain = await openTestChain();
  const address = await chain.deploy(assemble("stop"));
  const expected = {
    balance: ["0"],
    nonce: ["0"],
    alive: ["true"],
    code: ["\0"],
    codeHash: [byteString(SUITE.hash(assemble("stop")))],
    authority: [ALICE.slice(2)],
  };
  for (const [key, values] of Object.entries(expected))
    assert.deepEqual(rows(chain, address, key), values);
  assert.deepEqual(rows(chain, ALICE, "nonce"), ["1"]);
  assert.deepEqual(rows(chain, BOB, "nonce"), []);
});

// rules: execution 3.8
test("a contract made by a contract has the managers of its maker", async () => {
  const chain = await openTestChain();
  const maker = await chain.deploy(assemble("0 0 0 create 0 mstore 32 0 return"));
  const receipt = await chain.send({ from: BOB, to: maker });
  const made = `0x${toHex(receipt.output, 12, 32)}` as Address;
  assert.deepEqual(rows(chain, made, "authority"), [ALICE, BOB].map((it) => it.slice(2)).sort());
  assert.deepEqual(rows(chain, maker, "nonce"), ["1"]);
  const own = await chain.send({ from: ALICE, to: maker });
  const second = `0x${toHex(own.output, 12, 32)}` as Address;
  assert.deepEqual(rows(chain, second, "authority"), [ALICE.slice(2)], "nobody is listed twice");
});

test("below 2.3.0 contracts have no managers", async () => {
  const chain = await openTestChain({ version: version(2, 2, 0) });
  assert.deepEqual(rows(chain, await chain.deploy(assemble("stop")), "authority"), []);
});

test("slots are decimal text, and one that is cleared keeps its row", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("255 7 sstore 0 calldataload 8 sstore"));
  await chain.send({ to, input: "ff".repeat(32) });
  assert.deepEqual(rows(chain, to, "7"), ["255"]);
  assert.deepEqual(rows(chain, to, "8"), [String(2n ** 256n - 1n)]);
  await chain.send({ to });
  assert.deepEqual(rows(chain, to, "8"), ["0"]);
});

test("a store of the current value leaves no trace in the state root", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("calldatasize 0 sstore 0 1 sstore"));
  assert.notEqual((await chain.block({ to, input: "01" })).header.stateRoot, zero());
  assert.equal((await chain.block({ to, input: "02" })).header.stateRoot, zero());
  assert.deepEqual(rows(chain, to, "1"), []);
});

function zero(): Hash {
  return `0x${"0".repeat(64)}` as Hash;
}

test("a store that was rolled back still counts for the state root, with the old value", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(
    assemble("calldatasize 0 sstore calldatasize 2 eq @bad jumpi stop bad: 0 0 revert"),
  );
  await chain.send({ to, input: "01" });
  const reverted = await chain.block({ to, input: "0102" });
  const unchanged = await chain.block({ to, input: "03" });
  assert.notEqual(reverted.header.stateRoot, zero());
  assert.equal(unchanged.header.stateRoot, zero());
  assert.deepEqual(rows(chain, to, "0"), ["1"]);
});

// rules: execution 4.1
test("a slot written by several transactions of a block ends with the last value", async () => {
  const chain = await openTestChain();
  const code = "calldatasize 0 sstore calldatasize 3 eq @bad jumpi stop bad: 0 0 revert";
  const to = await chain.deploy(assemble(code));
  const input = (size: number) => ({ to, input: new Uint8Array(size) });
  const { receipts } = await chain.block(input(1), input(3), input(2), input(3));
  assert.deepEqual(
    receipts.map(({ status }) => status),
    [0, 22, 0, 22],
  );
  assert.deepEqual(rows(chain, to, "0"), ["2"]);
});

test("BLOCKHASH knows the blocks below the executing one and no other", async () => {
  const chain = await openTestChain();
  const code = [0, 1, 2, 3].map((number) => `${number} blockhash ${number * 32} mstore`).join(" ");
  const seen = await words(chain, `${code} 128 0 return`);
  const hashes = await Promise.all([0, 1].map((number) => chain.ledger.hashOf(number)));
  assert.deepEqual(seen, [
    ...hashes.map((hash) => hash?.slice(2)),
    zero().slice(2),
    zero().slice(2),
  ]);
});

const CODE_HASHES = [
  { version: version(2, 4, 0), readable: true },
  { version: version(2, 5, 0), readable: false },
  { version: version(2, 7, 0), readable: false },
  { version: version(2, 8, 0), readable: true },
  { version: version(2, 11, 1), readable: true },
] as const;
for (const row of CODE_HASHES) {
  test(`EXTCODEHASH at ${row.version} is ${row.readable ? "the code's hash" : "zero"}`, async () => {
    const chain = await openTestChain({ version: row.version });
    const code = assemble("stop");
    const target = await chain.deploy(code);
    const seen = await words(chain, `${BigInt(target)} extcodehash 0 mstore 32 0 return`);
    assert.deepEqual(seen, [row.readable ? toHex(SUITE.hash(code)) : zero().slice(2)]);
  });
}

test("EXTCODEHASH of a sender without code is that of nothing, of an unknown address zero", async () => {
  const chain = await openTestChain();
  const hash = (address: Address, at: number): string =>
    `${BigInt(address)} extcodehash ${at} mstore`;
  const seen = await words(chain, `${hash(ALICE, 0)} ${hash(BOB, 32)} 64 0 return`);
  assert.deepEqual(seen, [toHex(SUITE.hash(new Uint8Array(0))), zero().slice(2)]);
});

test("a second creation at an address taken by CREATE2 fails and takes all gas of the frame", async () => {
  const chain = await openTestChain();
  const init = initCode(assemble("stop"));
  const create = `7 ${init.length} 0 0 create2`;
  const to = await chain.deploy(
    assemble(`${init.length} 0 0 calldatacopy ${create} 0 mstore 32 0 return`),
  );
  const [first, second] = [
    await chain.send({ to, input: init }),
    await chain.send({ to, input: init }),
  ];
  assert.notEqual(BigInt(`0x${toHex(first.output)}`), 0n);
  assert.equal(BigInt(`0x${toHex(second.output)}`), 0n);
  assert.ok(second.gasUsed > 290_000_000n);
});

test("a contract whose creation failed earlier in the block is made without code", async () => {
  const chain = await openTestChain();
  const init = initCode(assemble("stop"));
  // Creates by CREATE2 what it is given; reverts when asked to by one more byte.
  const code = `${init.length} 0 0 calldatacopy 7 ${init.length} 0 0 create2 0 mstore
    calldatasize ${init.length} lt @bad jumpi 32 0 return bad: 0 0 revert`;
  const to = await chain.deploy(assemble(code));
  const longer = concatBytes(init, new Uint8Array(1));
  const { receipts } = await chain.block({ to, input: longer }, { to, input: init });
  assert.deepEqual(
    receipts.map(({ status }) => status),
    [22, 0],
  );
  const made = `0x${toHex(receipts[1]?.output ?? new Uint8Array(32), 12, 32)}` as Address;
  assert.notEqual(BigInt(made), 0n);
  assert.equal((await chain.ledger.code(made)).length, 0);
  assert.deepEqual(rows(chain, made, "nonce"), []);
  assert.deepEqual(rows(chain, made, "authority"), [ALICE.slice(2)]);
});
