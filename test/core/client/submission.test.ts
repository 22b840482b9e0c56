/** Handing in transactions and waiting for receipts, against nodes that do what nodes do. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { decodeTransaction, recoverSender } from "../../../core/model/transaction.ts";
import { hexBytes } from "../../../core/bytes/hex.ts";
import {
  AbortedFault,
  ReceiptFault,
  ReceiptTimeoutFault,
  RefusalFault,
  TransportFault,
  UsageFault,
} from "../../../core/client/client-fault.ts";
import type { Receipt } from "../../../core/client/rpc-objects.ts";
import { encodeRevert } from "../../../core/abi/encode.ts";
import { accountOf, hexOf } from "../../../core/client/account.ts";
import { HandedIn, MOST_HANDED_IN, type SubmissionParts } from "../../../core/client/submission.ts";
import { cases } from "../../support/runner/cases.ts";
import {
  CHAIN,
  receiptOf,
  refuse,
  type ToldClient,
  toldClient,
  unreachable,
} from "../../support/client/client-transport.ts";
import { ANYTHING, liesIn } from "../../support/client/lies.ts";
import { provedBlock } from "../../support/client/proved-block.ts";
import { NATIONAL_SUITE as NATIONAL, STANDARD_SUITE as STANDARD } from "../../support/suites.ts";

const CALL = { to: `0x${"c0".repeat(20)}`, data: "0x1234" } as const;
const found = ([, hash]: readonly string[]): Receipt => receiptOf(hash ?? "");

function sent({ transport }: ToldClient): readonly string[] {
  return transport.calls
    .filter(({ method }) => method === "sendRawTransaction")
    .map(({ params }) => String(params[1]));
}

for (const suite of [STANDARD, NATIONAL]) {
  test(`a transaction of the ${suite.name} suite decodes, and its sender is the account`, async () => {
    const version = { "Chain Id": "7", "FISCO-BCOS Version": "2.12.0" };
    const gm = suite === NATIONAL ? " gm" : "";
    const { client } = toldClient(
      { getClientVersion: { ...version, "FISCO-BCOS Version": `2.12.0${gm}` } },
      {},
      suite,
    );
    const made = await client.prepareTransaction({ ...CALL, extraData: "0x0a" });
    const decoded = decodeTransaction(hexBytes(made.raw), suite);
    assert.ok(decoded.ok);
    const { transaction } = decoded;
    assert.equal(transaction.hash, made.hash);
    assert.equal(recoverSender(transaction, suite), client.account?.address);
    assert.deepEqual(
      [transaction.chainId, transaction.groupId, transaction.blockLimit, transaction.to],
      [7n, 1n, 516n, CALL.to],
    );
    const other = await client.prepareTransaction(CALL);
    assert.notEqual(other.hash, made.hash);
    // A prepared one that is spread into a request is signed anew.
    const again = await client.prepareTransaction({ ...made, ...CALL, blockLimit: 900n });
    assert.notEqual(again.raw, made.raw);
  });
}

test("the height is asked again when it is five seconds old", async () => {
  const { client, transport, clock } = toldClient({ getBlockNumber: ["0x10", "0x20"] });
  const limits = [];
  for (const wait of [0, 4_999, 1]) {
    clock.move(wait);
    limits.push((await client.prepareTransaction(CALL)).blockLimit);
  }
  assert.deepEqual(limits, [516n, 516n, 532n]);
  assert.equal(transport.calls.filter(({ method }) => method === "getClientVersion").length, 1);
});

test("a client of the wrong suite is informed which one the chain has", async () => {
  const { client } = toldClient({
    getClientVersion: { "Chain Id": "1", "FISCO-BCOS Version": "2.12.0 gm" },
  });
  await assert.rejects(client.prepareTransaction(CALL), /give the client nationalSuite/);
});

test("an account of the other suite and a request without an account are refused", async () => {
  const { client } = toldClient({});
  const account = accountOf("22".repeat(32), NATIONAL);
  await assert.rejects(client.prepareTransaction(CALL, { account }), UsageFault);
  await assert.rejects(client.prepareTransaction({ to: "0x12" }), /0x12 is no address/);
  await assert.rejects(client.prepareTransaction({ data: "0x1" }), /pairs of digits/);
});

test("a receipt is asked for until it is there", async () => {
  const told = toldClient({
    sendRawTransaction: "0x",
    getTransactionReceipt: [null, null, unreachable, found],
  });
  const receipt = await told.finish(told.client.execute(CALL));
  assert.equal(receipt.status, "0x0");
  assert.equal(sent(told).length, 1);
});

test("while no node is reached the same bytes are handed in again", async () => {
  const told = toldClient({
    sendRawTransaction: [unreachable, unreachable, "0x"],
    getTransactionReceipt: found,
  });
  await told.finish(told.client.execute(CALL));
  assert.equal(sent(told).length, 3);
  assert.equal(new Set(sent(told)).size, 1);
});

test("when no node is reached in time the fault says so", async () => {
  const told = toldClient({ sendRawTransaction: unreachable });
  await assert.rejects(
    told.finish(told.client.execute(CALL, { timeoutMs: 2_000 })),
    TransportFault,
  );
  assert.equal(sent(told).length, 4);
});

const NONCE = "NonceCheckFail(0xf): TransactionNonceCheckFail, txHash=77112432...";
const KNOWN = "AlreadyKnown(0x2710): TransactionAlreadyKown, txHash=77112432...";

test("a transaction that is in the pool already is waited for", async () => {
  const told = toldClient({
    sendRawTransaction: refuse(KNOWN),
    getTransactionReceipt: [null, found],
  });
  assert.equal((await told.finish(told.client.execute(CALL))).status, "0x0");
});

test("a spent nonce after an attempt without an answer may be its own: it is waited for", async () => {
  const told = toldClient({
    sendRawTransaction: [unreachable, refuse(NONCE)],
    getTransactionReceipt: [null, null, found],
  });
  assert.equal((await told.finish(told.client.execute(CALL))).status, "0x0");
});

test("a transaction that was executed before is not refused when it is handed in again", async () => {
  const told = toldClient({
    sendRawTransaction: refuse(NONCE),
    getTransactionReceipt: found,
  });
  const made = await told.client.prepareTransaction(CALL);
  assert.equal((await told.finish(told.client.execute(made))).transactionHash, made.hash);
});

const REFUSALS = [
  [NONCE, "NonceCheckFail"],
  ["BlockLimitCheckFail(0x10): BlockLimitCheckFailed, txBlockLimit=9, ", "BlockLimitCheckFail"],
  ["TxPoolIsFull(0x1c): TransactionPoolIsFull, txHash=77112432...", "TxPoolIsFull"],
  // In the words of the reference node.
  [": \n[dev::tag_comment*] = InvalidChainId, txHash=77112432...\n", "InvalidChainId"],
] as const;
for (const [words, status] of REFUSALS) {
  test(`a refusal for ${status} is one, and nothing is sent again`, async () => {
    const told = toldClient({ sendRawTransaction: refuse(words), getTransactionReceipt: null });
    const fault = await told.finish(told.client.execute(CALL)).catch((cause: unknown) => cause);
    assert.ok(fault instanceof RefusalFault);
    assert.equal(fault.status, status);
    assert.equal(sent(told).length, 1);
  });
}

test("bytes that no node can read are an error of the node, not a refusal", async () => {
  const told = toldClient({ sendRawTransaction: refuse("BadRLP") });
  await assert.rejects(told.finish(told.client.sendTransaction(CALL)), { code: -32603 });
});

test("after a refusal for its block limit the height is asked anew", async () => {
  const told = toldClient({
    getBlockNumber: ["0x10", "0x30"],
    sendRawTransaction: refuse(REFUSALS[1][0]),
  });
  await assert.rejects(told.finish(told.client.sendTransaction(CALL)), RefusalFault);
  assert.equal((await told.client.prepareTransaction(CALL)).blockLimit, 548n);
});

test("a failed receipt is a fault with the reason of the revert", async () => {
  const output = hexOf(encodeRevert("not enough", STANDARD.hash));
  const told = toldClient({
    sendRawTransaction: "0x",
    getTransactionReceipt: ([, hash]: string[]) =>
      receiptOf(hash ?? "", { status: "0x16", output }),
  });
  const fault = await told.finish(told.client.execute(CALL)).catch((cause: unknown) => cause);
  assert.ok(fault instanceof ReceiptFault);
  assert.deepEqual([fault.status, fault.reason], ["RevertInstruction", "not enough"]);
  assert.match(fault.message, /failed: RevertInstruction, not enough$/);
});

test("a wait ends at its limit, and the transaction may still be executed", async () => {
  const told = toldClient({ sendRawTransaction: "0x", getTransactionReceipt: null });
  const began = told.clock.steady();
  const fault = await told
    .finish(told.client.execute(CALL, { timeoutMs: 3_000 }))
    .catch((cause: unknown) => cause);
  assert.ok(fault instanceof ReceiptTimeoutFault);
  assert.equal(fault.expired, false);
  assert.ok(told.clock.steady() - began < 3_100);
});

test("a wait ends as soon as the block limit has passed", async () => {
  const told = toldClient({
    getBlockNumber: ["0x10", "0x205"],
    sendRawTransaction: "0x",
    getTransactionReceipt: null,
  });
  const fault = await told.finish(told.client.execute(CALL)).catch((cause: unknown) => cause);
  assert.ok(fault instanceof ReceiptTimeoutFault);
  assert.equal(fault.expired, true);
  assert.ok(told.clock.steady() < 10_000);
});

test("a signal ends a wait at once", async () => {
  const told = toldClient({ sendRawTransaction: "0x", getTransactionReceipt: null });
  const controller = new AbortController();
  const work = told.client.execute(CALL, { signal: controller.signal });
  controller.abort(new Error("enough"));
  const fault = await told.finish(work).catch((cause: unknown) => cause);
  assert.ok(fault instanceof AbortedFault);
  assert.equal((fault.cause as Error).message, "enough");
  assert.equal(told.clock.waiting, 0);
});

test("who ends the wait for what was handed in is told the hash", async () => {
  const controller = new AbortController();
  const handIn = () => {
    controller.abort(new Error("enough"));
    return "0x";
  };
  const told = toldClient({ sendRawTransaction: handIn, getTransactionReceipt: null });
  const work = told.client.execute(CALL, { signal: controller.signal });
  const fault = await told.finish(work).catch((cause: unknown) => cause);
  assert.ok(fault instanceof AbortedFault);
  assert.match(fault.hash ?? "", /^0x[0-9a-f]{64}$/);
  assert.equal((fault.cause as Error).message, "enough");
});

function pushing(receipt: (hash: string) => Promise<Receipt>): ToldClient {
  const hashOf = (raw: string) => hexOf(STANDARD.hash(hexBytes(raw)));
  return toldClient(
    { getTransactionReceipt: null },
    {
      submit: async (_, raw) => ({ hash: hashOf(raw), receipt: receipt(hashOf(raw)) }),
    },
  );
}

test("a pushed receipt is taken without a question", async () => {
  const told = pushing(async (hash) => receiptOf(hash));
  assert.equal((await told.finish(told.client.execute(CALL))).status, "0x0");
  assert.deepEqual(
    told.transport.calls.map(({ method }) => method),
    ["getClientVersion", "getBlockNumber"],
  );
  assert.equal(told.clock.waiting, 0);
});

test("the receipt of another transaction is not taken for the own one", async () => {
  const outsider = receiptOf(`0x${"ab".repeat(32)}`);
  const answered = toldClient({
    sendRawTransaction: "0x",
    getTransactionReceipt: [() => outsider, found],
  });
  const pushed = toldClient(
    { getTransactionReceipt: found },
    { submit: async () => ({ hash: "0x", receipt: Promise.resolve(outsider) }) },
  );
  for (const told of [answered, pushed]) {
    const { transactionHash } = await told.finish(told.client.execute(CALL));
    assert.notEqual(transactionHash, outsider.transactionHash);
  }
});

test("a pushed refusal is one", async () => {
  const refused = receiptOf(`0x${"0".repeat(64)}`, { status: "0x1d" });
  const told = pushing(async () => refused);
  const fault = await told.finish(told.client.execute(CALL)).catch((cause: unknown) => cause);
  assert.ok(fault instanceof RefusalFault);
  assert.equal(fault.status, "TransactionRefused");
});

test("when the connection that was to push is lost, the receipt is asked for", async () => {
  const told = toldClient(
    { getTransactionReceipt: [null, found] },
    {
      submit: async () => ({
        hash: "0x",
        receipt: Promise.reject(new TransportFault("gone")),
      }),
    },
  );
  assert.equal((await told.finish(told.client.execute(CALL))).status, "0x0");
});

test("over a transport with subscriptions the receipt is subscribed to, then left", async () => {
  const subscribed: unknown[] = [];
  let stopped = 0;
  const told = toldClient(
    { sendRawTransaction: "0x", getTransactionReceipt: null },
    {
      subscribe: async (params, { onResult }) => {
        subscribed.push(params);
        const [, , filter] = params as [number, string, { transactionHash: string }];
        queueMicrotask(() => onResult(receiptOf(filter.transactionHash)));
        return { stop: async () => void stopped++ };
      },
    },
  );
  const { transactionHash } = await told.finish(told.client.execute(CALL));
  assert.deepEqual(subscribed, [[1, "receipts", { transactionHash }]]);
  assert.equal(stopped, 1);
});

test("a receipt that was pushed before anybody waited is kept", async () => {
  const told = pushing(async (hash) => receiptOf(hash));
  const prepared = await told.client.prepareTransaction(CALL);
  assert.equal(await told.finish(told.client.sendTransaction(prepared)), prepared.hash);
  for (const asked of [prepared, prepared.hash]) {
    assert.equal((await told.finish(told.client.waitForReceipt(asked))).status, "0x0");
  }
  assert.ok(!told.transport.calls.some(({ method }) => method === "getTransactionReceipt"));
});

test("a refusal that was pushed before anybody waited is told to who waits", async () => {
  const told = pushing(async () => receiptOf(`0x${"0".repeat(64)}`, { status: "0x1c" }));
  const hash = await told.finish(told.client.sendTransaction(CALL));
  const fault = await told.finish(told.client.waitForReceipt(hash)).catch((it: unknown) => it);
  assert.ok(fault instanceof RefusalFault);
  assert.equal(fault.status, "TxPoolIsFull");
});

test("only this many pushed receipts are kept; the others are asked for", async () => {
  const handed = { pushed: Promise.resolve(receiptOf("0x")), doubtful: false };
  const known = new HandedIn();
  const parts = { transport: {} } as SubmissionParts;
  const hashOf = (i: number) => `0x${i.toString(16)}` as const;
  for (let i = 0; i <= MOST_HANDED_IN; i++) known.add(hashOf(i), handed);
  assert.equal((await known.find(parts, hashOf(0))).pushed, undefined);
  assert.equal(await known.find(parts, hashOf(1)), handed);
});

test("a wait that ends without a receipt leaves no subscription behind", async () => {
  let isOpen = false;
  const told = toldClient(
    { sendRawTransaction: "0x", getTransactionReceipt: null },
    {
      subscribe: async () => {
        isOpen = true;
        const stop = async () => {
          isOpen = false;
        };
        return { stop };
      },
    },
  );
  const work = told.client.execute(CALL, { timeoutMs: 1_000 });
  await assert.rejects(told.finish(work), ReceiptTimeoutFault);
  assert.equal(isOpen, false);
});

test("who waits later over a transport with subscriptions is told by one", async () => {
  const told = toldClient(
    { sendRawTransaction: "0x", getTransactionReceipt: null },
    {
      subscribe: async (params, { onResult }) => {
        const [, , filter] = params as [number, string, { transactionHash: string }];
        queueMicrotask(() => onResult(receiptOf(filter.transactionHash)));
        return { stop: async () => undefined };
      },
    },
  );
  const hash = await told.finish(told.client.sendTransaction(CALL));
  assert.equal((await told.finish(told.client.waitForReceipt(hash))).transactionHash, hash);
});

/** Answers and pushes of every kind, and receipts in which one member is a lie. */
const LIES = fc.oneof(ANYTHING, liesIn(receiptOf(`0x${"12".repeat(32)}`)));
const FAULTS = [ReceiptFault, ReceiptTimeoutFault, RefusalFault, TransportFault, UsageFault];

/** A receipt comes, or a fault that is reported. */
async function endsWell(told: ToldClient, work: () => Promise<unknown>): Promise<void> {
  try {
    await told.finish(work());
  } catch (fault) {
    assert.ok(
      FAULTS.some((kind) => fault instanceof kind),
      String((fault as Error).stack),
    );
  }
}

const WAIT = { timeoutMs: 3_000 };

test("what is pushed in another form is asked for, whatever it is", async () => {
  for (const [name, lie] of [
    ["nothing", null],
    ["a number", 5],
    ["no logs", { status: "0x0" }],
  ]) {
    const submitting = toldClient(
      { getTransactionReceipt: found },
      { submit: async () => ({ hash: "0x", receipt: Promise.resolve(lie as Receipt) }) },
    );
    const subscribing = toldClient(
      { sendRawTransaction: "0x", getTransactionReceipt: found },
      {
        subscribe: async (_, { onResult }) => {
          queueMicrotask(() => onResult(lie));
          return { stop: async () => undefined };
        },
      },
    );
    for (const told of [submitting, subscribing]) {
      const receipt = await told.finish(told.client.execute(CALL, WAIT));
      assert.equal(receipt.status, "0x0", `${name}`);
    }
  }
});

test("whatever is pushed or answered for a receipt, only faults that are reported come", async () => {
  await fc.assert(
    fc.asyncProperty(LIES, LIES, async (pushed, answered) => {
      const told = toldClient(
        { getTransactionReceipt: () => answered, getBlockNumber: ["0x1", () => answered] },
        { submit: async () => ({ hash: "0x", receipt: Promise.resolve(pushed as Receipt) }) },
      );
      await endsWell(told, () => told.client.deploy({ abi: [], bytecode: "0x00", ...WAIT }));
    }),
    { numRuns: cases(200) },
  );
});

test("versions and heights of another form are faults that are reported", async () => {
  const truth = CHAIN["getClientVersion"];
  await fc.assert(
    fc.asyncProperty(fc.oneof(ANYTHING, liesIn(truth)), ANYTHING, async (version, height) => {
      const told = toldClient({ getClientVersion: () => version, getBlockNumber: () => height });
      await endsWell(told, () => told.client.prepareTransaction(CALL));
    }),
    { numRuns: cases(300) },
  );
  for (const version of [
    null,
    5,
    {},
    { "Chain Id": "x" },
    { "Chain Id": "1", "Supported Version": 5 },
  ]) {
    const { client } = toldClient({ getClientVersion: () => version });
    await assert.rejects(client.prepareTransaction(CALL), TransportFault);
  }
  for (const height of [null, "", "zz", {}, -1]) {
    const { header, sealers } = provedBlock(STANDARD, 1);
    const answers = { getBlockNumber: () => height, getBlockHeaderByNumber: header };
    const { client } = toldClient(answers);
    await assert.rejects(client.prepareTransaction(CALL), TransportFault);
    await assert.rejects(client.followSealers({ sealers }), TransportFault);
  }
});
