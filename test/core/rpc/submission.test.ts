/** Submission: what is asked in which order, and how refusals of the pool are told. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash } from "../../../core/bytes/ids.ts";
import { POOL_REFUSALS } from "../../../core/fault/transaction-status.ts";
import type { GroupApi, SubmitOutcome, SubmitRefusal } from "../../../core/api/node-api.ts";
import { ask, rpcNode } from "../../support/rpc-node.ts";

// rules: rpc-semantics 8.1-6, README 11

const HASH = `0x77112432${"0".repeat(56)}` as Hash;
const METHODS = ["sendRawTransaction", "sendRawTransactionAndGetProof"];

function nodeThat(outcome: SubmitOutcome, changes: Partial<GroupApi> = {}) {
  const seen: Uint8Array[] = [];
  const submit = async (raw: Uint8Array): Promise<SubmitOutcome> => {
    seen.push(raw);
    return outcome;
  };
  return { node: rpcNode({}, { submit, ...changes }), seen };
}

function refused(refusal: SubmitRefusal): SubmitOutcome {
  return { ok: false, refusal, hash: HASH, blockLimit: 104n };
}

for (const method of METHODS) {
  test(`${method} hands the bytes on and answers with the hash`, async () => {
    for (const raw of ["0xF86d", "f86D"]) {
      const { node, seen } = nodeThat({ ok: true, hash: HASH });
      assert.equal((await ask(node, method, [1, raw])).result, HASH);
      assert.deepEqual(seen, [Uint8Array.of(0xf8, 0x6d)]);
    }
  });
}

test("an odd count of digits gives the first digit a byte of its own", async () => {
  const { node, seen } = nodeThat({ ok: true, hash: HASH });
  await ask(node, "sendRawTransaction", [1, "0x123"]);
  assert.deepEqual(seen, [Uint8Array.of(0x01, 0x23)]);
});

test("text that is no hexadecimal never reaches the pool", async () => {
  const { node, seen } = nodeThat({ ok: true, hash: HASH });
  for (const raw of ["zz", " f8", "f8\n", "0xg"]) {
    assert.equal((await ask(node, "sendRawTransaction", [1, raw])).error?.code, -32603);
  }
  assert.deepEqual(seen, []);
});

test("the group is asked for before the text is read", async () => {
  const { node } = nodeThat({ ok: true, hash: HASH });
  assert.equal((await ask(node, "sendRawTransaction", [9, "zz"])).error?.code, -40001);
});

test("bytes that are no transaction are told before membership", async () => {
  const outcome = { ok: false, refusal: "undecodable", reason: "BadRLP" } as const;
  const { node } = nodeThat(outcome, { isMember: () => false });
  const { error } = await ask(node, "sendRawTransaction", [1, "c0"]);
  assert.deepEqual([error?.code, error?.message], [-32603, "INTERNAL_ERROR: BadRLP"]);
});

test("membership is told before refusals of the pool", async () => {
  const { node } = nodeThat(refused("chainNonceUsed"), { isMember: () => false });
  assert.equal((await ask(node, "sendRawTransaction", [1, "c0"])).error?.code, -40009);
});

test("a node outside the group refuses as every method does", async () => {
  const { node } = nodeThat(refused("notInGroup"));
  assert.equal((await ask(node, "sendRawTransaction", [1, "c0"])).error?.code, -40009);
});

const WORDS: Readonly<Record<Exclude<SubmitRefusal, "notInGroup">, string>> = {
  overGroupMemoryLimit: "OverGroupMemoryLimit(0x2716): OverGroupMemoryLimit, ",
  txPoolIsFull: "TxPoolIsFull(0x1c): TransactionPoolIsFull, ",
  alreadyKnown: "AlreadyKnown(0x2710): TransactionAlreadyKown, ",
  alreadyInChain: "AlreadyInChain(0x2711): TransactionAlreadyInChain, ",
  chainNonceUsed: "NonceCheckFail(0xf): TransactionNonceCheckFail, ",
  poolNonceUsed: "NonceCheckFail(0xf): TxPoolNonceCheckFail, ",
  blockLimitCheckFail: "BlockLimitCheckFail(0x10): BlockLimitCheckFailed, txBlockLimit=104, ",
  malformedTx: "MalformedTx(0x2715): TransactionSubmitFailed, ",
  invalidChainId: "InvalidChainId(0x2712): InvalidChainId, ",
  invalidGroupId: "InvalidGroupId(0x2713): InvalidGroupId, ",
  nodeIsSyncing: "TransactionRefused(0x1d): ImportResult::NodeIsSyncing, ",
};
for (const [refusal, words] of Object.entries(WORDS)) {
  test(`${refusal} is reported as ${words}`, async () => {
    const { node } = nodeThat(refused(refusal as SubmitRefusal));
    const { error } = await ask(node, "sendRawTransaction", [1, "c0"]);
    assert.equal(error?.code, -32603);
    assert.equal(error.message, `INTERNAL_ERROR: ${words}txHash=77112432...`);
  });
}

test("every refusal of the pool has words here", () => {
  assert.deepEqual([...Object.keys(WORDS), "notInGroup"].sort(), Object.keys(POOL_REFUSALS).sort());
});
