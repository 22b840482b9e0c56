/** WorkingSealerManager at 0x1011: when it rotates, whom it takes, and what it refuses. */
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { encodeCall, selectorOf } from "../../../../core/abi/encode.ts";
import { bytesOf, byteString } from "../../../../core/bytes/byte-string.ts";
import { bigintOfBytes, concatBytes } from "../../../../core/bytes/bytes.ts";
import { addressOfNumber, hexBytes } from "../../../../core/bytes/hex.ts";
import type { Address, NodeId } from "../../../../core/bytes/ids.ts";
import { stringsOutput } from "../../../../core/execution/precompiled/contract.ts";
import { version } from "../../../../core/model/version.ts";
import { nodesOf } from "../../../../core/ledger/state-rows.ts";
import { createRowCache } from "../../../../core/storage/row-cache.ts";
import { withRow } from "../../../support/execution/added-rows.ts";
import { openTestChain, SUITE, type TestChain } from "../../../support/execution/test-chain.ts";
import { proveVrf, type VrfProof } from "../../../support/execution/vrf-prover.ts";

// rules: precompiles 15, 15.1, 15.2, 15.3, 15.4, 15.5, 16

const MANAGER = addressOfNumber(0x1011);
const METHOD = "rotateWorkingSealer(std::string, std::string, std::string)";
const NODES = ["15", "42", "27", "93", "68"].map((pair) => pair.repeat(64) as NodeId);

/** A chain whose setting of the epoch comes from its newest block. */
async function openChain(
  epoch: number | string,
  blocks: number | string = 1_000,
): Promise<TestChain> {
  const chain = await openTestChain({ genesis: { sealers: NODES } });
  await configure(chain, "rpbft_epoch_block_num", blocks);
  await configure(chain, "rpbft_epoch_sealer_num", epoch);
  return chain;
}

async function configure(chain: TestChain, key: string, value: number | string): Promise<void> {
  const input = encodeCall("setValueByKey(string,string)", [key, String(value)], SUITE.hash);
  await chain.send({ to: addressOfNumber(0x1000), input });
}

function working(chain: TestChain): NodeId[] {
  return nodesOf(createRowCache(chain.store), chain.ledger.head().number, "wSealer");
}

interface Rotation {
  readonly from?: Address;
  readonly change?: (proof: VrfProof & { input: string }) => Partial<VrfProof & { input: string }>;
}

/** Sends a rotation with the right proof, or with a changed one; gives the proof's number. */
async function rotate(chain: TestChain, { from, change }: Rotation = {}) {
  const right = chain.ledger.head().hash.slice(2);
  const honest = { ...proveVrf("5ec3e7", right), input: right };
  const { publicKey, input, proof, random } = { ...honest, ...change?.(honest) };
  const data = concatBytes(
    selectorOf(METHOD, SUITE.hash),
    stringsOutput([publicKey, input, proof]),
  );
  const receipt = await chain.send({ to: MANAGER, input: data, ...(from && { from }) });
  assert.ok(receipt.status !== 0 || receipt.output.length === 0);
  return { status: receipt.status, text: byteString(receipt.output), random };
}

const accountOf = (node: NodeId): Address => SUITE.address(hexBytes(node));

/** The first of the list after the shuffle that the number gives. */
function drawn(list: readonly NodeId[], random: bigint, count: number): NodeId[] {
  const order = [...list].sort();
  for (let i = order.length - 1, next = random; i > 0; i--) {
    const j = Number(next % BigInt(i + 1));
    [order[i], order[j]] = [order[j] as NodeId, order[i] as NodeId];
    next = bigintOfBytes(keccak_256(bytesOf(String(j))));
  }
  return order.slice(0, count);
}

test("the selector is that of the reference's own spelling", () => {
  assert.deepEqual(selectorOf(METHOD, SUITE.hash), hexBytes("df04e6b2"));
});

test("a new size of the epoch draws working sealers by the random number", async () => {
  const chain = await openChain(3);
  const { status, random } = await rotate(chain);
  assert.equal(status, 0);
  assert.deepEqual(working(chain).sort(), drawn(NODES, random, 3).sort());
});

test("who works still seals: the set of sealers stays, the working ones come first", async () => {
  const chain = await openChain(2);
  await rotate(chain);
  const sealers = await chain.ledger.sealers();
  assert.deepEqual(sealers.slice(0, 2), working(chain));
  assert.deepEqual([...sealers].sort(), [...NODES].sort());
  assert.deepEqual(chain.ledger.groupConfig().sealers, sealers);
});

test("when the epoch ends one stops working and another begins", async () => {
  const chain = await openChain(2, 2);
  await rotate(chain);
  const before = working(chain);
  const idle = NODES.filter((node) => !before.includes(node));
  const from = accountOf(before[0] as NodeId);
  // Two blocks after the setting of the length, and again two blocks later.
  const { status, random } = await rotate(chain, { from });
  assert.equal(status, 0);
  const out = drawn(before, random, 1);
  const expected = [...before.filter((node) => !out.includes(node)), ...drawn(idle, random, 1)];
  assert.deepEqual(working(chain).sort(), expected.sort());
  const next = accountOf(expected[0] as NodeId);
  await rotate(chain, { from: next });
  assert.deepEqual(working(chain).sort(), expected);
  await rotate(chain, { from: next });
  assert.notDeepEqual(working(chain).sort(), expected);
});

test("a smaller epoch sends the difference away, a larger one fetches it", async () => {
  const chain = await openChain(4);
  await rotate(chain);
  const four = working(chain);
  await configure(chain, "rpbft_epoch_sealer_num", 1);
  const { random } = await rotate(chain, { from: accountOf(four[0] as NodeId) });
  const one = working(chain);
  assert.deepEqual(
    one,
    four.filter((node) => !drawn(four, random, 3).includes(node)),
  );
  await configure(chain, "rpbft_epoch_sealer_num", 9);
  await rotate(chain, { from: accountOf(one[0] as NodeId) });
  assert.deepEqual(working(chain).sort(), [...NODES].sort());
});

test("an epoch larger than numbers that are exact lets all of them work", async () => {
  const chain = await openChain("9223372036854775807", "9223372036854775807");
  assert.equal((await rotate(chain)).status, 0);
  assert.deepEqual(working(chain).sort(), [...NODES].sort());
});

test("all of them working need no rotation, and one sealer alone never does", async () => {
  const chain = await openChain(5, 2);
  await rotate(chain);
  const all = working(chain);
  for (let i = 0; i < 2; i++) {
    assert.equal((await rotate(chain, { from: accountOf(all[0] as NodeId) })).status, 0);
  }
  assert.deepEqual(working(chain), all);
  const lonely = await openTestChain({ genesis: { sealers: NODES.slice(0, 1) } });
  await configure(lonely, "rpbft_epoch_block_num", 2);
  await configure(lonely, "rpbft_epoch_sealer_num", 1);
  assert.equal((await rotate(lonely)).status, 0);
  assert.deepEqual(working(lonely), []);
});

test("what is not due changes nothing, whatever the proof", async () => {
  const chain = await openChain(2);
  await rotate(chain);
  const before = working(chain);
  assert.equal((await rotate(chain, { change: () => ({ proof: "none" }) })).status, 0);
  assert.deepEqual(working(chain), before);
});

test("a set flag rotates at once and is taken back", async () => {
  const open = await openChain(2);
  await rotate(open);
  const columns = { key: "notify_rotate", value: "1", enable_num: "0" };
  const chain = await withRow(open, { table: "_sys_config_", key: "notify_rotate", columns });
  const before = working(chain);
  assert.equal((await rotate(chain, { from: accountOf(before[0] as NodeId) })).status, 0);
  assert.notDeepEqual(working(chain), before);
  assert.equal(await chain.ledger.systemConfig("notify_rotate"), "0");
});

const REFUSED: Readonly<Record<string, Rotation>> = {
  "the VRF input is not the hash of the parent block": { change: () => ({ input: "00" }) },
  // Hexadecimal texts of contracts and rows have no prefix and no capital letters.
  "the VRF input is not the hash of the parent block, in this form": {
    change: ({ input }) => ({ input: `0x${input}` }),
  },
  "the VRF public key is invalid": { change: () => ({ publicKey: "ff".repeat(32) }) },
  "the VRF proof is invalid": { change: () => proveVrf("other", "input") },
};
for (const [reason, rotation] of Object.entries(REFUSED)) {
  test(`a rotation is refused when ${reason}`, async () => {
    const chain = await openChain(2);
    const { status, text } = await rotate(chain, rotation);
    assert.equal(status, 21);
    const [told = ""] = reason.split(",");
    assert.ok(text.includes(`rotateWorkingSealer exceptioned, error info:${told}`), text);
    assert.deepEqual(working(chain), []);
    assert.equal(await chain.ledger.systemConfig("notify_rotate"), undefined);
  });
}

test("only a working sealer may rotate once there is one", async () => {
  const chain = await openChain(2, 2);
  await rotate(chain);
  const { status, text } = await rotate(chain);
  assert.equal(status, 21);
  assert.match(text, /the origin is no working sealer/);
});

test("without the settings of rPBFT a rotation fails", async () => {
  const { status, text } = await rotate(await openTestChain());
  assert.equal(status, 21);
  assert.match(text, /rpbft_epoch_sealer_num is not set/);
});

test("before 2.6.0 nobody lives there; an unknown method answers nothing", async () => {
  for (const [chainVersion, status] of [
    [version(2, 5, 0), 26],
    [version(2, 6, 0), 0],
  ] as const) {
    const chain = await openTestChain({ version: chainVersion });
    const receipt = await chain.send({ to: MANAGER, input: "61c09bf7" });
    assert.equal(receipt.status, status);
    if (status === 0) assert.equal(receipt.output.length, 0);
  }
});
