/** Long answers: the same text as ever, made in turns, one after the other. */
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import * as fc from "fast-check";
import { test } from "vitest";
import type { Block } from "../../../core/model/block.ts";
import { MAX_COMPRESSED_JSON } from "../../../core/rpc/batch-receipts.ts";
import { ALL_LEAVE, dispatch, type DispatchOptions } from "../../../core/rpc/dispatch.ts";
import type { Json } from "../../../core/rpc/json.ts";
import { markStored } from "../../../core/bytes/stored-bytes.ts";
import { farBytes, farList } from "../../../core/rpc/far-values.ts";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import { answerOf, jsonText, oneByOne, wholeText } from "../../../core/rpc/long-answer.ts";
import { STEP_BYTES } from "../../../core/rpc/zlib.ts";
import { BLOCKS, rpcGroup, rpcNode } from "../../support/rpc-node.ts";
import { smallTransaction } from "../../support/ledger/small-chain.ts";

/** Counts how often others had a turn. */
function counted() {
  let turns = 0;
  const pace = async () => void turns++;
  return { pace, turns: () => turns };
}

test("the text of any value is that of the platform", async () => {
  const item = fc.jsonValue({ maxDepth: 2 });
  const lists = fc.array(item, { maxLength: 60, size: "max" });
  const values = fc.oneof(item, lists, fc.dictionary(fc.string(), fc.oneof(item, lists)));
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      assert.equal(await jsonText(value as Json, () => undefined), JSON.stringify(value));
    }),
  );
});

test("a long list is made twice and never held: to be measured, and to be sent", async () => {
  let made = 0;
  const item = { name: "x".repeat(1_000) };
  const list = (most?: number) =>
    farList(async function* () {
      for (let i = 0; i < 1_000; i++) yield [{ ...item, i: made++ % 10 }];
    }, most);
  const { pace, turns } = counted();
  const answer = await answerOf({ list: list() }, pace);
  assert.ok(typeof answer !== "string" && turns() >= 1_000);
  assert.equal(made, 1_000);
  const pieces: string[] = [];
  for await (const piece of answer.pieces()) pieces.push(piece);
  const longest = Math.max(...pieces.map(({ length }) => length));
  assert.ok(longest < 34_000, `${longest} characters`);
  // 33 items of 1,018 characters are gathered; the first and the last piece stand around the list.
  assert.equal(pieces.length, 2 + Math.ceil(1_000 / 33));
  const text = pieces.join("");
  const items = Array.from({ length: 1_000 }, (_, i) => ({ ...item, i: i % 10 }));
  assert.equal(text, JSON.stringify({ list: items }));
  assert.equal(answer.bytes, text.length);
  const tooLong = async () => answerOf(list(500_000), pace);
  await assert.rejects(tooLong, /lists and batches have at most 500000/);
});

test("a short list is made once, as a text", async () => {
  let made = 0;
  const list = farList(async function* () {
    for (let i = 0; i < 10; i++) yield [made++, { i: [] }];
  });
  assert.match(String(await answerOf([list], undefined)), /^\[\[0,\{"i":\[\]\},1,.*\]\]$/);
  assert.equal(made, 10);
});

test("of long bytes of a record nothing is held: a piece is read when it is sent", async () => {
  const record = Uint8Array.from({ length: 400_000 }, (_, i) => i % 251);
  let reads = 0;
  markStored(record, async () => {
    reads++;
    return record.slice();
  });
  const view = record.subarray(1_000, 301_000);
  const answer = await answerOf(
    { data: farBytes(view), more: farBytes(view.subarray(0, 3)) },
    undefined,
  );
  assert.ok(typeof answer !== "string");
  assert.equal(reads, 0);
  const text = await wholeText(answer);
  const digits = Buffer.from(view).toString("hex");
  assert.equal(text, `{"data":"0x${digits}","more":"0x${digits.slice(0, 6)}"}`);
  assert.equal(answer.bytes, text.length);
  assert.equal(reads, 10);
});

test("long work of a node begins when the last has ended, well or not", async () => {
  const order: string[] = [];
  const work = (name: string, fails: boolean) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
  const [node, other] = [rpcNode(), rpcNode()];
  const all = await Promise.allSettled([
    oneByOne(node, undefined, work("a", true)),
    oneByOne(node, undefined, work("b", false)),
    oneByOne(other, undefined, work("c", false)),
  ]);
  assert.deepEqual(
    all.map(({ status }) => status),
    ["rejected", "fulfilled", "fulfilled"],
  );
  const ofNode = order.filter((line) => !line.startsWith("c"));
  assert.deepEqual(ofNode, ["a begins", "a ends", "b begins", "b ends"]);
  assert.ok(order.indexOf("c begins") < order.indexOf("a ends"));
});

test("clients have their turns at long work", async () => {
  const node = rpcNode();
  const order: string[] = [];
  const ask = (address: string) =>
    oneByOne(node, new AskingConnection(address), async () => void order.push(address));
  await Promise.all(["many", "many", "many", "one"].map(ask));
  assert.deepEqual(order, ["many", "one", "many", "many"]);
});

type Asked = Pick<DispatchOptions, "pace" | "onGrown">;

async function textOf(
  node: ReturnType<typeof rpcNode>,
  [method, params]: readonly [method: string, params: readonly unknown[]],
  asked: Asked = {},
): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", method, params, id: 1 });
  return await dispatch(node, body, { ...ALL_LEAVE, ...asked });
}

test("what is kept of a list while it is measured is counted, and ends with its caller", async () => {
  const list = (count: number) =>
    farList(async function* () {
      for (let i = 0; i < count; i++) yield ["x".repeat(1_000)];
    });
  let [held, most] = [0, 0];
  const hold = (bytes: number): boolean => {
    held += bytes;
    most = Math.max(most, held);
    return true;
  };
  for (const count of [100, 1_000]) {
    most = 0;
    const answer = await answerOf({ list: list(count) }, undefined, hold);
    const bytes = typeof answer === "string" ? answer.length : answer.bytes;
    assert.ok(most > 95_000 && most <= Math.min(bytes, 128 * 1024), `${most} of ${bytes}`);
    assert.equal(held, 0);
  }
  const told: number[] = [];
  const gone = async () =>
    answerOf({ list: list(1_000) }, undefined, (bytes) => {
      told.push(bytes);
      return false;
    });
  await assert.rejects(gone, /The caller has gone/);
  assert.deepEqual(told.length, 2);
  assert.equal(told[0], -(told[1] ?? 0));
});

test("a request tells of what is kept for its answer", async () => {
  const told: number[] = [];
  const onGrown = (bytes: number): boolean => {
    told.push(bytes);
    return true;
  };
  await textOf(nodeWithReceipts(100, 100), PLAIN, { onGrown });
  assert.ok(Math.max(...told) > 30_000, `${told.join()}`);
  assert.equal(
    told.reduce((sum, bytes) => sum + bytes, 0),
    0,
  );
});

/** A node whose block 2 has many receipts. */
function nodeWithReceipts(count: number, outputBytes: number) {
  const [, , small] = BLOCKS;
  const [receipt] = small?.receipts ?? [];
  const [transaction] = small?.transactions ?? [];
  assert.ok(small && receipt && transaction);
  const output = Uint8Array.from({ length: outputBytes }, (_, i) => (i * i) >> 3);
  const block: Block = {
    ...small,
    receipts: Array.from({ length: count }, () => ({ ...receipt, output })),
    transactions: Array.from({ length: count }, () => transaction),
  };
  const { ledger } = rpcGroup();
  return rpcNode({}, { ledger: { ...ledger, block: async () => block } });
}

// rules: rpc-semantics 13
const METHOD = "getBatchReceiptsByBlockNumberAndRange";
const PACKED = [METHOD, [1, "2", "0", "-1", true]] as const;
const PLAIN = [METHOD, [1, "2", "0", "-1", false]] as const;

test("compressed receipts are the same in turns, and others have many", async () => {
  const node = nodeWithReceipts(300, 500);
  const { pace, turns } = counted();
  const text = await textOf(node, PACKED, { pace });
  assert.equal(text, await textOf(node, PACKED));
  const { result } = JSON.parse(text) as { result: string };
  const json = inflateSync(Buffer.from(result, "base64")).toString("utf8");
  const plain = JSON.parse(await textOf(node, PLAIN)) as { result: object };
  assert.equal(json, `${JSON.stringify(plain.result)}\n`);
  // To present each receipt, to write 16 of them, to encode, compress and write each step.
  const steps = 2 * Math.floor(json.length / STEP_BYTES);
  assert.ok(turns() > 300 + 18 + steps, `${turns()} turns, ${json.length} characters`);
});

test("other requests are answered while receipts are compressed", async () => {
  const node = nodeWithReceipts(50, 500);
  const pace = () => new Promise<void>((resolve) => void setImmediate(resolve));
  let isDone = false;
  const packed = textOf(node, PACKED, { pace }).finally(() => {
    isDone = true;
  });
  let answered = 0;
  while (!isDone) {
    await textOf(node, ["getBlockNumber", [1]], { pace });
    answered++;
    await pace();
  }
  await packed;
  assert.ok(answered > 50, `${answered}`);
});

test("receipts that are too long together are not compressed, and their number helps", async () => {
  const bytes = 1024 * 1024;
  const node = nodeWithReceipts(Math.ceil(MAX_COMPRESSED_JSON / bytes / 2), bytes);
  const { error } = JSON.parse(await textOf(node, PACKED));
  assert.equal(error.code, -32603);
  assert.match(error.message, /lists and batches have at most 33554432$/);
  const { result } = JSON.parse(await textOf(node, [METHOD, [1, "2", "0", "1", true]]));
  assert.equal(typeof result, "string");
});

test("pending transactions are those of the moment, in turns", async () => {
  let pending = Array.from({ length: 200 }, (_, i) => smallTransaction({ nonce: BigInt(i) }));
  const node = rpcNode({}, { pendingTransactions: () => [...pending] });
  const whole = await textOf(node, ["getPendingTransactions", [1]]);
  let turns = 0;
  const pace = async () => {
    if (++turns === 20) pending = pending.slice(150);
  };
  assert.equal(await textOf(node, ["getPendingTransactions", [1]], { pace }), whole);
  assert.ok(turns >= 200, `${turns}`);
  const { result } = JSON.parse(await textOf(node, ["getPendingTransactions", [1]], { pace }));
  assert.equal((result as unknown[]).length, 50);
});

test("no long answer is made for a client that has gone while it waited", async () => {
  let asked = 0;
  const pendingTransactions = () => {
    asked++;
    return [];
  };
  const node = rpcNode({}, { pendingTransactions });
  const { pace } = counted();
  let isThere = true;
  const onGrown = () => isThere;
  const first = textOf(node, ["getPendingTransactions", [1]], { pace });
  const second = textOf(node, ["getPendingTransactions", [1]], { pace, onGrown });
  isThere = false;
  await Promise.all([first, second]);
  assert.equal(asked, 1);
});
