/**
 * Long answers and bodies over each interface: whole, with no more than a piece of answers held.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createPace } from "../../../../core/limits/pace.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { type HttpServer, serve } from "../../../../runtimes/node/server/http-server.ts";
import { SocketMemory } from "../../../../core/limits/memory-account.ts";
import { BodyHost } from "../../../../runtimes/node/threads/body-host.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { open as openService, send, settle } from "../../../support/channel/channel-lines.ts";
import { BLOCKS, rpcGroup, rpcNode } from "../../../support/rpc-node.ts";

const [, , SECOND] = BLOCKS;
const [CALL] = SECOND?.transactions ?? [];
assert.ok(SECOND && CALL);
const LONG = Uint8Array.from({ length: 6_000_000 }, (_, i) => (i * 31) >> 4);
const group = rpcGroup();
const ledger = {
  ...group.ledger,
  receipt: async (hash: typeof CALL.hash) => {
    const located = await group.ledger.receipt(hash);
    return located && { ...located, receipt: { ...located.receipt, output: LONG } };
  },
};
const node = rpcNode({}, { ledger });
const ASK = JSON.stringify({
  jsonrpc: "2.0",
  id: "é",
  method: "getTransactionReceipt",
  params: [1, CALL.hash],
});
const OUTPUT = `0x${Buffer.from(LONG).toString("hex")}`;

/** A bound that holds no whole answer. */
const MOST_HELD = 2_000_000;
useBuiltWorkers();
const bodies = new BodyHost({ suite: "standard" });
const memory = new SocketMemory(MOST_HELD);
let cuts = 0;
let server: HttpServer;

beforeAll(async () => {
  const clock = createNodeClock();
  const pace = createPace(clock);
  const log = { write: () => undefined };
  const longBody = () => bodies.begin();
  const rpc = { node, maxBodyBytes: 1_000_000, maxHeldBytes: MOST_HELD, log, pace, longBody };
  const { app, posts } = createHttpApp(rpc);
  const end = createWebSocketEnd({ onBlock: () => undefined }, rpc, clock);
  const bounds = { memory, onCut: () => void cuts++, pace, longBody };
  server = await serve(app.fetch, { host: "127.0.0.1", port: 0, ...bounds }, posts, end);
});

afterAll(async () => {
  await server.close();
  await bodies.close();
});

function outputOf(text: string): string {
  const { id, result } = JSON.parse(text) as { id: string; result: { output: string } };
  assert.equal(id, "é");
  return result.output;
}

test("a long answer is whole over HTTP, also on a connection that is kept, and in a batch", async () => {
  for (let i = 0; i < 2; i++) {
    const answer = await fetch(server.url, { method: "POST", body: ASK });
    const text = await answer.text();
    assert.equal(answer.headers.get("content-length"), String(Buffer.byteLength(text)));
    assert.ok(outputOf(text) === OUTPUT);
  }
  const body = `[${ASK},${ASK},${ASK}]`;
  const batch = await (await fetch(server.url, { method: "POST", body })).json();
  const errors = (batch as { error?: { message: string } }[]).map(({ error }) => error?.message);
  assert.deepEqual(errors.slice(0, 2), [undefined, undefined]);
  assert.match(errors[2] ?? "", /has 12\d+ bytes; those of a batch have 33554432 together/);
});

test("a body of unknown length is answered in pieces too", async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(ASK));
      controller.close();
    },
  });
  const asked = { method: "POST", body, duplex: "half" } as RequestInit;
  assert.ok(outputOf(await (await fetch(server.url, asked)).text()) === OUTPUT);
});

test("clients that do not read hold a piece each: none is cut for it", async () => {
  const request = `POST / HTTP/1.1\r\nContent-Length: ${Buffer.byteLength(ASK)}\r\n\r\n${ASK}`;
  const asleep = Array.from({ length: 8 }, () => connect(server.port, "127.0.0.1"));
  for (const socket of asleep) {
    socket.pause();
    socket.on("error", () => undefined);
    socket.write(request);
  }
  const answer = await fetch(server.url, { method: "POST", body: ASK });
  assert.ok(outputOf(await answer.text()) === OUTPUT);
  assert.equal(cuts, 0);
  for (const socket of asleep) socket.destroy();
});

test("who hangs up while answers wait behind one that is not read leaves nothing behind", async () => {
  const request = `POST / HTTP/1.1\r\nContent-Length: ${Buffer.byteLength(ASK)}\r\n\r\n${ASK}`;
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(request.repeat(4));
  // A piece of each waits.
  await vi.waitFor(() => assert.ok(memory.heldBytes > 4 * 32_768), { timeout: 60_000 });
  socket.destroy();
  await vi.waitFor(() => assert.equal(memory.heldBytes, 0), { timeout: 60_000 });
});

test("over a WebSocket long and short answers come one after the other", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`, {});
  await once(socket, "open");
  const texts: string[] = [];
  socket.on("message", (data: Buffer) => texts.push(data.toString()));
  const short = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
  for (const text of [ASK, short, ASK, short]) socket.send(text);
  while (texts.length < 4) await once(socket, "message");
  const long = texts.filter((text) => text.length > 1_000_000);
  assert.equal(long.length, 2);
  for (const text of long) assert.ok(outputOf(text) === OUTPUT);
  socket.close();
});

test("a subscription is told a long receipt in pieces", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`, {});
  await once(socket, "open");
  const params = [1, "receipts", { transactionHash: CALL.hash }];
  const texts: string[] = [];
  socket.on("message", (data: Buffer) => texts.push(data.toString()));
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params }));
  while (texts.length < 2) await once(socket, "message");
  const told = JSON.parse(texts[1] ?? "") as { params: { result: { output: string } } };
  assert.ok(told.params.result.output === OUTPUT);
  socket.close();
});

test("over the channel a long answer is one frame of which a piece is counted", async () => {
  const { connect: connected, service } = openService({ heldBytes: MOST_HELD }, node);
  const { line, client } = connected();
  line.asleep = true;
  send(client, 0x12, Buffer.from(ASK).toString("latin1"));
  await settle();
  assert.ok(service.counters().heldBytes < 100_000, `${service.counters().heldBytes} held`);
  while (line.frames.length === 0) {
    line.wake();
    await settle();
  }
  assert.ok(outputOf(line.texts(0x12)[0] ?? "") === OUTPUT);
  assert.equal(service.counters().heldBytes, 0);
});

const PADDED = JSON.stringify({ ...(JSON.parse(ASK) as object), padding: "é".repeat(400_000) });

test("a long body is read in the thread over HTTP, of known length and not", async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(PADDED));
      controller.close();
    },
  });
  for (const sent of [PADDED, body]) {
    const asked = { method: "POST", body: sent, duplex: "half" } as RequestInit;
    assert.ok(outputOf(await (await fetch(server.url, asked)).text()) === OUTPUT);
  }
});

test("a long message over a WebSocket is read in the thread, a longer one ends it", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`, {});
  await once(socket, "open");
  socket.send(PADDED);
  const [answer] = (await once(socket, "message")) as [Buffer];
  assert.ok(outputOf(answer.toString()) === OUTPUT);
  socket.send("x".repeat(1_000_001));
  assert.equal((await once(socket, "close"))[0], 1009);
});

test("a text that is no UTF-8 ends its WebSocket with 1007, be it short or long", async () => {
  for (const length of [10, 500_000]) {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}`, {});
    await once(socket, "open");
    socket.send(Buffer.alloc(length, 0xff), { binary: false });
    assert.equal((await once(socket, "close"))[0], 1007, `${length} bytes`);
  }
});
