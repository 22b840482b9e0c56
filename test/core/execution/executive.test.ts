import assert from "node:assert/strict";
import { test } from "vitest";
import { byteString, utf8Text } from "../../../core/bytes/byte-string.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import { logsBloom } from "../../../core/crypto/bloom.ts";
import { createAddress } from "../../../core/crypto/contract-address.ts";
import { baseGas } from "../../../core/execution/executive.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import { version } from "../../../core/model/version.ts";
import { grant } from "../../support/execution/added-rows.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { ALICE, BOB, initCode, openTestChain, SUITE } from "../../support/execution/test-chain.ts";

// rules: execution 2, 3, 4, 5, 8, tx-block-codec 3, 5
// rules: execution 2.1-2, 2.4, 2.6-9, 3.6, 4.7, 11, README 21

const LIMIT = 300_000_000n;
const CALL_BASE = 21_000n;

/** The text of an `Error(string)` output. */
function errorText({ output }: Receipt): string {
  assert.equal(toHex(output, 0, 4), "08c379a0");
  const length = Number(`0x${toHex(output, 36, 68)}`);
  return utf8Text(output.subarray(68, 68 + length));
}

const BASES = [
  { to: null, input: [], gas: 53_000n },
  { to: ALICE, input: [], gas: 21_000n },
  { to: ALICE, input: [0, 0, 1], gas: 21_000n + 76n },
  { to: null, input: [255], gas: 53_000n + 68n },
] as const;
for (const { to, input, gas } of BASES) {
  const kind = to === null ? "creation" : "call";
  test(`base gas of a ${kind} with data [${input.join()}] is ${gas}`, () => {
    assert.equal(baseGas({ to, input: Uint8Array.from(input) }), gas);
  });
}

test("a call of an account without code pays the base and says which address", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ to: BOB });
  assert.equal(receipt.status, 26);
  assert.equal(receipt.gasUsed, CALL_BASE);
  assert.equal(errorText(receipt), `Error address:${BOB.slice(2)}`);
});

test("before 2.3.0 a call of an account without code has no output", async () => {
  const chain = await openTestChain({ version: version(2, 2, 0) });
  const receipt = await chain.send({ to: BOB });
  assert.deepEqual([receipt.status, receipt.output.length], [26, 0]);
});

test("data that costs more than the limit is not executed and uses the whole limit", async () => {
  const chain = await openTestChain({ genesis: { gasLimit: 100_000n } });
  const receipt = await chain.send({ to: BOB, input: new Uint8Array(2_000).fill(1) });
  assert.deepEqual([receipt.status, receipt.gasUsed, receipt.output.length], [4, 100_000n, 0]);
});

test("free storage does not lift the limit on the normal base, so status 8 never comes up", async () => {
  for (const [gasLimit, status, gasUsed] of [
    [19_999n, 4, 19_999n],
    [20_999n, 4, 20_999n],
    [21_000n, 26, 20_000n],
  ] as const) {
    const chain = await openTestChain({ genesis: { gasLimit, freeStorage: true } });
    const receipt = await chain.send({ to: BOB });
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, gasUsed]);
  }
});

test("calls and creations start with the limit less their base, whatever the client says", async () => {
  const chain = await openTestChain();
  const code = assemble("gas 0 mstore 32 0 return");
  const seen = (word: Uint8Array): bigint => BigInt(`0x${toHex(word)}`);
  const input = Uint8Array.of(0, 255);
  const call = await chain.send({ to: await chain.deploy(code), input, gas: 5n });
  assert.equal(seen(call.output), LIMIT - baseGas({ to: BOB, input }) - 2n);
  const creation = await chain.send({ input: code, gas: 5n });
  const left = await chain.ledger.code(creation.contractAddress);
  assert.equal(seen(left), LIMIT - baseGas({ to: null, input: code }) - 2n);
});

test("contracts get addresses by the creator's account nonce, which failures use up too", async () => {
  const chain = await openTestChain();
  const address = (nonce: number): Address => createAddress(ALICE, nonce, SUITE.hash);
  const runtime = assemble("stop");
  const receipts = [
    await chain.send({ input: initCode(runtime) }),
    await chain.send({ input: assemble("0 0 revert") }),
    await chain.send({ input: initCode(runtime) }),
  ];
  assert.deepEqual(
    receipts.map(({ status, contractAddress }) => [status, contractAddress]),
    [
      [0, address(0)],
      [22, ZERO_ADDRESS],
      [0, address(2)],
    ],
  );
  assert.equal(byteString(await chain.ledger.code(address(0))), byteString(runtime));
});

test("a creation pays 200 gas per byte of code", async () => {
  const chain = await openTestChain();
  const [small, large] = [new Uint8Array(10).fill(1), new Uint8Array(42).fill(1)];
  const [first, second] = [
    await chain.send({ input: initCode(small) }),
    await chain.send({ input: initCode(large) }),
  ];
  // 32 more bytes: deposit, data, one word more of memory, one word more to copy.
  assert.equal(second.gasUsed - first.gasUsed, 32n * 200n + 32n * 68n + 3n + 3n);
});

test("a constructor that reverts pays for its data as if it were code", async () => {
  const chain = await openTestChain();
  const short = await chain.send({ input: assemble("0@2 0@2 revert") });
  const long = await chain.send({ input: assemble("32@2 0@2 revert") });
  // Word of memory and 32 bytes; one data byte of the second program is not zero.
  assert.equal(long.gasUsed - short.gasUsed, 32n * 200n + 3n + 64n);
  assert.deepEqual([short.status, long.status, long.contractAddress], [22, 22, ZERO_ADDRESS]);
});

test("free storage has a flat base and no deposit", async () => {
  const chain = await openTestChain({ genesis: { freeStorage: true } });
  const receipt = await chain.send({ input: initCode(new Uint8Array(100)) });
  assert.equal(receipt.status, 0);
  assert.ok(receipt.gasUsed < 20_100n, `${receipt.gasUsed}`);
  assert.equal((await chain.send({ to: BOB, input: "ffff" })).gasUsed, 20_000n);
});

test("a creation with a value ends with an address, no code and base gas", async () => {
  const chain = await openTestChain();
  const receipt = await chain.send({ input: initCode(assemble("stop")), value: 1n });
  const input = initCode(assemble("stop"));
  assert.equal(receipt.status, 0);
  assert.equal(receipt.contractAddress, createAddress(ALICE, 0, SUITE.hash));
  assert.equal(receipt.gasUsed, baseGas({ to: null, input }));
  assert.equal((await chain.ledger.code(receipt.contractAddress)).length, 0);
});

// rules: execution 10
const ENDINGS = [
  { name: "out of gas", code: "loop: @loop jump", status: 12, gasUsed: CALL_BASE },
  { name: "an undefined instruction", code: "invalid", status: 10, gasUsed: LIMIT },
  { name: "a bad jump", code: "5 jump", status: 11, gasUsed: LIMIT },
  { name: "a full stack", code: "loop: 1 @loop jump", status: 13, gasUsed: LIMIT },
  { name: "an empty stack", code: "add", status: 14, gasUsed: LIMIT },
  { name: "data that is not there", code: "1 0 0 returndatacopy", status: 1, gasUsed: LIMIT },
] as const;
for (const { name, code, status, gasUsed } of ENDINGS) {
  test(`a call that ends by ${name} has status ${status} and uses ${gasUsed} gas`, async () => {
    const limit = name === "out of gas" ? { gasLimit: 1_000_000n } : {};
    const chain = await openTestChain({ genesis: limit });
    const receipt = await chain.send({ to: await chain.deploy(assemble(code)) });
    assert.deepEqual([receipt.status, receipt.gasUsed], [status, gasUsed]);
  });
}

/** Slot 0 becomes 5 while it is 0, and 0 while it is not. */
const TOGGLE = "0 sload iszero 5 mul 0 sstore";

test("clearing a slot gives 15000 back, at most half of what the client's gas field leaves", async () => {
  const used = async (gas: bigint): Promise<bigint> => {
    const chain = await openTestChain();
    const to = await chain.deploy(assemble(TOGGLE));
    await chain.send({ to });
    return (await chain.send({ to, gas })).gasUsed;
  };
  const uncapped = await used(1n);
  // With a field equal to the limit the cap is half of the gas used before the refund.
  const capped = await used(LIMIT);
  const consumed = uncapped + 15_000n;
  assert.equal(capped, consumed - consumed / 2n);
});

test("a refund above the gas consumed wraps gasUsed below zero", async () => {
  const chain = await openTestChain();
  const stores = (value: number): string =>
    Array.from({ length: 6 }, (_, slot) => `${value} ${slot} sstore`).join(" ");
  const to = await chain.deploy(
    assemble(`calldatasize @clear jumpi ${stores(1)} stop clear: ${stores(0)}`),
  );
  await chain.send({ to });
  const receipt = await chain.send({ to, input: "01", gas: 1n });
  assert.equal(receipt.status, 0);
  assert.ok(receipt.gasUsed > 2n ** 255n, `${receipt.gasUsed}`);
});

test("a destroyed contract gives 24000 back, once", async () => {
  const chain = await openTestChain();
  const target = await chain.deploy(assemble("0 selfdestruct"));
  const destroy = `0 0 0 0 0 ${BigInt(target)} gas call pop`;
  const caller = await chain.deploy(assemble(`${destroy} ${destroy}`));
  const once = await chain.send({ to: await chain.deploy(assemble("0 selfdestruct")), gas: 1n });
  assert.equal(once.gasUsed, CALL_BASE + 3n + 5_000n - 24_000n);
  // Per call: six pushes, GAS, CALL, POP, and what the contract does.
  const work = 2n * (6n * 3n + 2n + 700n + 2n + 3n + 5_000n);
  const twice = await chain.send({ to: caller, gas: 1n });
  assert.equal(twice.gasUsed, CALL_BASE + work - 24_000n);
});

test("what a failed frame destroyed can be destroyed again, and counts then", async () => {
  const chain = await openTestChain();
  const target = await chain.deploy(assemble("0 selfdestruct"));
  const destroy = (address: string) => `0 0 0 0 0 ${BigInt(address)} gas call pop`;
  const failing = await chain.deploy(assemble(`${destroy(target)} 0 0 revert`));
  const none = await chain.send({ to: await chain.deploy(assemble(destroy(failing))), gas: 1n });
  assert.notEqual((await chain.ledger.code(target)).length, 0);
  const both = `${destroy(failing)} ${destroy(target)} ${destroy(target)}`;
  const receipt = await chain.send({ to: await chain.deploy(assemble(both)), gas: 1n });
  assert.equal((await chain.ledger.code(target)).length, 0);
  const direct = 2n * (6n * 3n + 2n + 700n + 2n + 3n + 5_000n);
  assert.equal(receipt.gasUsed, none.gasUsed + direct - 24_000n);
});

test("a destroyed contract has code until the end of its transaction and none after", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("0 selfdestruct"));
  const { receipts } = await chain.block({ to }, { to });
  assert.deepEqual(
    receipts.map(({ status }) => status),
    [0, 26],
  );
  assert.equal((await chain.ledger.code(to)).length, 0);
});

test("logs of a call that fails are dropped, and its bloom is empty", async () => {
  const chain = await openTestChain();
  const logs = await chain.send({ to: await chain.deploy(assemble("7 0 0 log1")) });
  assert.equal(logs.logs.length, 1);
  assert.ok(logs.logsBloom.some((byte) => byte !== 0));
  const fails = await chain.send({ to: await chain.deploy(assemble("7 0 0 log1 0 0 revert")) });
  assert.equal(fails.logs.length, 0);
  assert.ok(fails.logsBloom.every((byte) => byte === 0));
});

test("every receipt of a block has the state root after all of its transactions", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("calldatasize 0 sstore"));
  const { header, receipts } = await chain.block({ to, input: "01" }, { to, input: "0102" });
  assert.deepEqual(
    receipts.map(({ root }) => root),
    [header.stateRoot, header.stateRoot],
  );
});

test("a transaction that is undone to its start does not undo the one before it", async () => {
  const open = await openTestChain();
  const to = await open.deploy(assemble("0 sload 0 mstore calldatasize 0 sstore 32 0 return"));
  const chain = await grant(open, "_sys_tables_", ALICE);
  const { receipts } = await chain.block(
    { from: BOB, to, input: "010203" },
    { from: BOB, input: initCode(assemble("stop")) },
    { from: BOB, to },
  );
  assert.deepEqual(
    receipts.map(({ status }) => status),
    [0, 25, 0],
  );
  assert.equal(receipts[2]?.output[31], 3);
});

test("a log has its contract, its topics and its data; all but the data are in the bloom", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(assemble("0xabcd 0 mstore 4 3 2 1 2 30 log4"));
  const { logs, logsBloom: bloom } = await chain.send({ to });
  const topics = [1, 2, 3, 4].map((topic) => `0x${String(topic).padStart(64, "0")}` as Hash);
  assert.deepEqual(logs, [{ address: to, topics, data: Uint8Array.of(0xab, 0xcd) }]);
  assert.deepEqual(bloom, logsBloom([{ address: to, topics }], SUITE.hash));
});

test("below 2.9.0 gasUsed adds up over the block", async () => {
  const blocks = [];
  for (const chainVersion of [version(2, 8, 0), version(2, 9, 0)]) {
    const chain = await openTestChain({ version: chainVersion });
    const { receipts } = await chain.block({ to: BOB }, { to: BOB }, { to: BOB });
    blocks.push(receipts.map(({ gasUsed }) => gasUsed));
  }
  assert.deepEqual(blocks, [
    [21_000n, 42_000n, 63_000n],
    [21_000n, 21_000n, 21_000n],
  ]);
});

test("calls that hand their gas back again and again end at the bound of work", async () => {
  let work = 0;
  const chain = await openTestChain({
    genesis: { gasLimit: 1_000_000n },
    processor: { reportWork: (_, spent) => (work = spent) },
  });
  // Each frame calls itself twice and then runs out of gas, which gives all of it back.
  const self = "0 0 0 0 0 address gas call pop";
  const to = await chain.deploy(assemble(`1 0 sstore ${self} ${self} loop: @loop jump`));
  const receipt = await chain.send({ to });
  assert.deepEqual([receipt.status, receipt.gasUsed], [12, CALL_BASE]);
  assert.ok(work > 4_000_000 && work < 4_100_000, `work ${work}`);
});

test("the accounts of two senders do not mix", async () => {
  const chain = await openTestChain();
  const { receipts } = await chain.block(
    { from: ALICE, input: initCode(assemble("stop")) },
    { from: BOB, input: initCode(assemble("stop")) },
  );
  assert.deepEqual(
    receipts.map(({ contractAddress }) => contractAddress),
    [ALICE, BOB].map((creator) => createAddress(creator, 0, SUITE.hash)),
  );
});
