/** Long bodies that are read in a thread of their own. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { afterAll, test, vi } from "vitest";
import {
  decodeTransaction,
  signingDigest,
  signTransaction,
} from "../../../../core/model/transaction.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import { ALL_LEAVE, dispatch, dispatchAnswer } from "../../../../core/rpc/dispatch.ts";
import { wholeText } from "../../../../core/rpc/long-answer.ts";
import { BodyHost, bodyHostOf } from "../../../../runtimes/node/threads/body-host.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { useBuiltWorkers } from "./built-workers.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import { smallTransaction } from "../../../support/ledger/small-chain.ts";

useBuiltWorkers();
const host = new BodyHost({ suite: "standard" });
afterAll(() => host.close());

const node = rpcNode();

async function read(text: string) {
  const body = host.begin();
  const bytes = Buffer.from(text);
  // Pieces of any size, across those that they are kept in.
  for (let at = 0; at < bytes.length; at += 70_001) body.add(bytes.subarray(at, at + 70_001));
  return { body, requests: await body.read("someone") };
}

const PADDING = "x".repeat(1_500_000);
const long = { jsonrpc: "2.0", method: "getBlockNumber", params: [1], padding: PADDING };
const BODIES = {
  "a request": JSON.stringify({ ...long, id: 1 }),
  "an id of 64 bits": `{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":9007199254740993,"p":"${PADDING}"}`,
  "a long id": JSON.stringify({ ...long, id: `a\ud800${"\u20ac\u{1f600}b".repeat(20_000)}` }),
  "a long id of an invalid request": JSON.stringify({ id: PADDING, method: 1 }),
  "a batch with a long id": JSON.stringify([
    { ...long, id: PADDING },
    { ...long, id: 2 },
  ]),
  "an unknown method": JSON.stringify({ ...long, method: "none", id: 2 }),
  "a batch": JSON.stringify([{ ...long, id: 1 }, 7, { ...long, id: "two", method: "none" }]),
  "an empty batch": `[${" ".repeat(300_000)}]`,
  "too many requests": JSON.stringify(Array.from({ length: 1_001 }, () => long.params)),
  "no JSON": `{"a":${PADDING}`,
  "a byte order mark": `\ufeff${JSON.stringify(long)}`,
  "too many values": `[${"1,".repeat(250_000)}1]`,
  "long names, an escape and other letters": JSON.stringify({
    ...long,
    id: `\u20ac${"\u{1f600}".repeat(3_000)}`,
    [PADDING]: "\\".repeat(9_999),
    method: "\u00e9".repeat(5_000),
    params: [1, { ["n".repeat(5_000)]: `"${"q".repeat(5_000)}\\"` }],
  }),
  "a control character in a long text": `{"id":1,"method":"a","p":"${PADDING}\n"}`,
  "a text without an end": `{"id":1,"method":"a","p":"${PADDING}\\"}`,
  "a call with an odd count of digits": JSON.stringify({
    ...long,
    id: 5,
    method: "call",
    params: [
      1,
      { from: `0x${"1".repeat(40)}`, to: `0x${"1".repeat(40)}`, data: `0x${"1".repeat(300_001)}` },
    ],
  }),
  "a batch of long texts": JSON.stringify(
    Array.from({ length: 20 }, (_, id) => ({
      ...long,
      padding: undefined,
      id: `${id}${"i".repeat(id * 4_000)}`,
      method: `${"m".repeat(id * 1_000)}`,
    })),
  ),
  "a wrong hash": JSON.stringify({
    ...long,
    id: 3,
    method: "getTransactionReceipt",
    params: [1, `0x${"z".repeat(70_000)}`],
  }),
  "bytes that are no transaction": JSON.stringify({
    ...long,
    id: 4,
    method: "sendRawTransaction",
    params: [1, `0x${"00".repeat(50_000)}`],
  }),
};

for (const [name, text] of Object.entries(BODIES)) {
  test(`${name} in a long body is answered as in a short one`, async () => {
    const { body, requests } = await read(text);
    const answer = await wholeText(await dispatchAnswer(node, requests, { ...ALL_LEAVE }));
    body.drop();
    assert.equal(answer, await dispatch(node, text, { ...ALL_LEAVE }));
  });
}

test("an id of megabytes is echoed in pieces", async () => {
  const { body, requests } = await read(JSON.stringify({ ...long, id: PADDING }));
  const answer = await dispatchAnswer(node, requests, { ...ALL_LEAVE });
  body.drop();
  assert.ok(typeof answer !== "string");
  let most = 0;
  for await (const { length } of answer.pieces()) most = Math.max(most, length);
  assert.ok(most < 100_000, `a piece of ${most} characters`);
});

test("a transaction arrives as bytes whose hashes are computed already", async () => {
  const input = new Uint8Array(100_000).fill(3);
  const { gas, to } = smallTransaction({ nonce: 1n });
  const numbers = {
    nonce: 1n,
    gasPrice: 1n,
    gas,
    blockLimit: 9n,
    value: 0n,
    chainId: 1n,
    groupId: 1n,
  };
  const fields = { ...numbers, to, input, extraData: new Uint8Array(0) };
  const { raw } = signTransaction(fields, new Uint8Array(32).fill(5), STANDARD_SUITE);
  const seen: Uint8Array[] = [];
  const submit = async (bytes: Uint8Array) => {
    seen.push(bytes);
    return { ok: false, refusal: "undecodable", reason: "BadRLP" } as const;
  };
  const taking: NodeApi = rpcNode({}, { submit });
  const params = [1, `0x${Buffer.from(raw).toString("hex")}`];
  const { requests } = await read(
    JSON.stringify({ ...long, id: 1, method: "sendRawTransaction", params }),
  );
  await dispatchAnswer(taking, requests, { ...ALL_LEAVE });
  const [bytes] = seen;
  assert.deepEqual(bytes, raw);
  let hashed = 0;
  const hash = (data: Uint8Array) => {
    hashed++;
    return STANDARD_SUITE.hash(data);
  };
  const counting = { ...STANDARD_SUITE, hash };
  const [own, other] = [bytes ?? raw, raw].map((it) => decodeTransaction(it, counting));
  assert.deepEqual(
    [hashed, signingDigest(bytes ?? raw, counting), hashed],
    [1, signingDigest(raw, STANDARD_SUITE), 1],
  );
  assert.ok(own?.ok && other?.ok);
  assert.equal(own.transaction.hash, other.transaction.hash);
});

test("a body that is dropped is not read, and others go on", async () => {
  const dropped = host.begin();
  dropped.add(Buffer.from(BODIES["a request"]));
  dropped.drop();
  await assert.rejects(dropped.read("a"), /no caller waits/);
  const { requests } = await read(BODIES["a request"]);
  assert.equal(requests.kind, "one");
});

test("a body holds whole pieces", () => {
  const body = host.begin();
  const piece = body.add(Uint8Array.of(1));
  assert.ok(piece > 1);
  assert.deepEqual([body.add(new Uint8Array(piece - 1)), body.add(Uint8Array.of(1))], [0, piece]);
  body.drop();
  assert.equal(body.add(Uint8Array.of(1)), 0);
});

test("the memory of a body is free when it was read, and when it is dropped", async () => {
  const part = Buffer.from(`[${"1,".repeat(500_000)}`);
  const memory: number[] = [process.memoryUsage.rss()];
  for (const isRead of [true, false])
    for (let bodies = 0; bodies < 15; bodies++) {
      const body = host.begin();
      for (let parts = 0; parts < 32; parts++) body.add(part);
      if (isRead) assert.equal((await body.read("a")).kind, "tooMany");
      body.drop();
      memory.push(process.memoryUsage.rss());
    }
  // One of them, and what else grows meanwhile.
  const most = (Math.max(...memory) - (memory[0] ?? 0)) / 1_000_000;
  assert.ok(most < 120, `${most.toFixed()} MB more`);
});

test("who waits for its turn waits no more once it is dropped", async () => {
  const first = read(BODIES["a request"]);
  const dropped = host.begin();
  dropped.add(Buffer.from(BODIES["a request"]));
  let isFirstRead = false;
  const whole = first.then(() => {
    isFirstRead = true;
  });
  const refused = assert.rejects(dropped.read("other"), /no caller waits/);
  dropped.drop();
  await refused;
  assert.ok(!isFirstRead);
  await whole;
});

test("a batch is dropped once its last request is answered", async () => {
  const { requests } = await read(BODIES["a batch"]);
  assert.ok(requests.kind === "batch");
  const { count, at } = requests;
  await dispatchAnswer(node, requests, { ...ALL_LEAVE });
  // A caller that asks for more finds the thread without it, and nobody else loses a body.
  const refused = assert.rejects(async () => at(count), /each is asked for once/);
  const other = read(BODIES["a request"]);
  await refused;
  assert.equal((await other).requests.kind, "one");
});

test("requests of a batch do not wait each until another body is read", async () => {
  const request = { ...long, padding: "x".repeat(500) };
  const text = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ ...request, id })));
  const { requests } = await read(text);
  const asked = vi.spyOn(Worker.prototype, "postMessage");
  const answer = await wholeText(await dispatchAnswer(node, requests, { ...ALL_LEAVE }));
  const { length } = asked.mock.calls.filter(([message]) => message.type === "next");
  asked.mockRestore();
  assert.equal(answer, await dispatch(node, text, { ...ALL_LEAVE }));
  assert.ok(length > 0 && length < 10, `asked ${length} times`);
});

test("what peers send is read in another thread than what clients do", () => {
  assert.notEqual(bodyHostOf("standard", "chain"), bodyHostOf("standard", "clients"));
});

test("very long bytes are hashed there, and stay here", async () => {
  // As the store gives them: the slices of a Buffer share its memory.
  for (const bytes of [new Uint8Array(3_000_000).fill(9), Buffer.alloc(3_000_000, 9)]) {
    const digest = STANDARD_SUITE.hash(bytes.subarray(5));
    assert.deepEqual(await host.hash(bytes.subarray(5)), digest);
    assert.equal(bytes.length, 3_000_000);
    assert.deepEqual(STANDARD_SUITE.hash(bytes.subarray(5)), digest);
  }
});

test("a very long transaction comes back with its hashes", async () => {
  const raw = smallTransaction({ nonce: 5n, input: new Uint8Array(300_000).fill(1) }).raw.slice();
  const given = raw.slice();
  const { raw: back, hashes } = await host.examine(given);
  assert.equal(given.length, 0, "it was handed over");
  assert.deepEqual(back, raw);
  assert.equal(hashes?.hash, smallTransactionHash(raw));
  assert.deepEqual(hashes?.signing, signingDigest(raw, STANDARD_SUITE));
  const broken = await host.examine(Uint8Array.of(1, 2, 3));
  assert.deepEqual([broken.raw, broken.hashes], [Uint8Array.of(1, 2, 3), undefined]);
});

function smallTransactionHash(raw: Uint8Array) {
  const decoded = decodeTransaction(raw, STANDARD_SUITE);
  assert.ok(decoded.ok);
  return decoded.transaction.hash;
}

/** Threads of this process that give way to others. */
function givingWay(): readonly string[] {
  return readdirSync("/proc/self/task").filter((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]) > 0;
  });
}

test("a thread that reads for clients gives way", async () => {
  const polite = new BodyHost({ suite: "standard", givesWay: true });
  try {
    await host.hash(new Uint8Array(1));
    const before = new Set(givingWay());
    await polite.hash(new Uint8Array(1));
    assert.ok(givingWay().some((task) => !before.has(task)));
    assert.ok(!givingWay().includes(`${process.pid}`));
  } finally {
    polite.close();
  }
});
