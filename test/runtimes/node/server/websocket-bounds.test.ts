/** What clients of the WebSocket endpoint can make a node hold or run at most. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { connect, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { GroupApi } from "../../../../core/api/node-api.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { type HttpServer, serve } from "../../../../runtimes/node/server/http-server.ts";
import { LAST_WORD_MS } from "../../../../runtimes/node/server/http-server.ts";
import { SocketMemory } from "../../../../core/limits/memory-account.ts";
import {
  MAX_RUNNING,
  MAX_UNREAD_OF_PONG,
  WebSocketClient,
} from "../../../../runtimes/node/server/websocket-client.ts";
import { ReadingRounds } from "../../../../runtimes/node/server/reading-rounds.ts";
import { FrameWatch } from "../../../../runtimes/node/server/websocket-frames.ts";
import { createWebSocketEnd, type WebSockets } from "../../../../runtimes/node/server/websocket.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const HOST = "127.0.0.1";
const opened: HttpServer[] = [];

afterAll(async () => {
  for (const server of opened) await server.close();
});

let last: WebSockets;

async function open(
  changes: Partial<GroupApi> = {},
  maxHeldBytes?: number,
  maxSockets?: number,
): Promise<number> {
  const places = maxSockets === undefined ? {} : { maxSockets };
  const bound = maxHeldBytes === undefined ? places : { maxHeldBytes };
  const log = { write: () => undefined };
  const rpc = { node: rpcNode({}, changes), maxBodyBytes: 8_000_000, log, ...bound };
  const end = createWebSocketEnd({ onBlock: () => undefined }, rpc, createNodeClock());
  const server = await serve(() => new Response(), { host: HOST, port: 0 }, undefined, end);
  opened.push(server);
  last = end;
  return server.port;
}

async function settle(ms = 20): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "call",
  params: [1, { from: `0x${"1".repeat(40)}`, to: `0x${"2".repeat(40)}`, data: "0x" }],
});

test("requests that come in one piece run this many at a time, and all are answered", async () => {
  const running: (() => void)[] = [];
  let most = 0;
  const port = await open({
    call: () =>
      new Promise((resolve) => {
        running.push(() => resolve({ number: 1, status: 0, output: new Uint8Array(0) }));
        most = Math.max(most, running.length);
      }),
  });
  const socket = new WebSocket(`ws://${HOST}:${port}`, {});
  await once(socket, "open");
  let answers = 0;
  socket.on("message", () => answers++);
  for (let i = 0; i < 1_000; i++) socket.send(CALL);
  const deadline = performance.now() + 240_000;
  while (answers < 1_000 && performance.now() < deadline) {
    await settle(2);
    for (const finish of running.splice(0)) finish();
  }
  assert.deepEqual([answers, most], [1_000, MAX_RUNNING]);
  socket.close();
});

test("others have turns between messages that came together, and each message counts", async () => {
  const memory = new SocketMemory(100_000_000);
  const socket = new EventEmitter() as WebSocket & { readyState: number };
  Object.assign(socket, { readyState: WebSocket.OPEN, bufferedAmount: 0 });
  Object.assign(socket, { pause: () => undefined, resume: () => undefined });
  let asked = 0;
  const nextTurns: (() => void)[] = [];
  // Every tenth has to wait.
  const pace = () =>
    ++asked % 10 === 0 ? new Promise<void>((resolve) => nextTurns.push(resolve)) : undefined;
  const terms = { memory, onCut: () => undefined, address: HOST, pace };
  const client = new WebSocketClient(socket, new PassThrough(), terms);
  let answers = 0;
  client.serve(async () => void answers++);
  for (let i = 0; i < 1_000; i++) socket.emit("message", Buffer.alloc(0), false);
  assert.ok(memory.heldBytes > 400_000, `${memory.heldBytes} bytes for empty messages`);
  let turns = 0;
  for (; answers < 1_000; turns++) {
    await settle(0);
    for (const begin of nextTurns.splice(0)) begin();
  }
  assert.ok(turns > 50, `${turns} turns`);
  assert.equal(memory.heldBytes, 0);
});

test("connections and subscriptions are counted, and those that are refused", async () => {
  const port = await open();
  const end = last;
  const socket = new WebSocket(`ws://${HOST}:${port}`, {});
  await once(socket, "open");
  const params = [1, "blocks"];
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params }));
  await once(socket, "message");
  const outsider = new WebSocket(`ws://${HOST}:${port}/other`, {});
  await once(outsider, "error");
  const counted = { connections: 1, subscriptions: 1, opened: 1, refused: 1 };
  assert.deepEqual(end.counters(), counted);
  socket.close();
  const deadline = performance.now() + 240_000;
  while (end.counters().connections > 0 && performance.now() < deadline) await settle(5);
  assert.deepEqual(end.counters(), { ...counted, connections: 0, subscriptions: 0 });
});

/** However it ends. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Connections that a server still has, once there are none or some time is over. */
async function connectionsLeft(server: Server, ms: number): Promise<number> {
  const deadline = performance.now() + ms;
  for (;;) {
    const count = await new Promise<number>((resolve) =>
      server.getConnections((_cause, found) => resolve(found)),
    );
    if (count === 0 || performance.now() > deadline) return count;
    await settle(20);
  }
}

/** The server of a port, known by its next connection. */
function serverOf(port: number): Promise<Server> {
  return new Promise((resolve) => {
    const seen = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket & { readonly server: Server } };
      if (socket.localPort !== port) return;
      unsubscribe("net.server.socket", seen);
      resolve(socket.server);
    };
    subscribe("net.server.socket", seen);
  });
}

/** What is sent to be refused, and how it is answered. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", /404/],
  ["GET / HTTP/1.1\r\nno header\r\n\r\n", /400/],
];

async function refuse(request: string, answer: RegExp): Promise<void> {
  const port = await open();
  const found = serverOf(port);
  const leaving = connect(port, HOST);
  leaving.on("error", () => undefined);
  leaving.write(request);
  const server = await found;
  const [bytes] = (await once(leaving, "data")) as [Buffer];
  assert.match(bytes.toString(), answer);
  await settle(50);
  leaving.write("x");
  leaving.end();
  assert.equal(await connectionsLeft(server, LAST_WORD_MS - 1_000), 0);
  const staying = connect({ port, host: HOST, allowHalfOpen: true });
  staying.on("error", () => undefined);
  staying.write(request);
  await once(staying, "data");
  // One that stays for ever goes on until the runner ends the test.
  assert.equal(await connectionsLeft(server, Number.POSITIVE_INFINITY), 0);
  staying.destroy();
}

/** A connection that speaks frames by hand. */
async function raw(port: number): Promise<Socket> {
  const socket = connect(port, HOST);
  socket.on("error", () => undefined);
  socket.write(
    [
      "GET / HTTP/1.1",
      `Host: ${HOST}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "",
      "",
    ].join("\r\n"),
  );
  await once(socket, "data");
  return socket;
}

// This one and the next mostly wait, in parallel.
// Who was refused is cut in the test below.
inFull("a connection that is refused does not stay, even when its client does", async () => {
  await Promise.all(REFUSED.map(([request, answer]) => refuse(request, answer)));
});

test.concurrent("who was refused is not listened to, and is cut when it does not hang up", async () => {
  let calls = 0;
  const port = await open({
    call: async () => {
      calls++;
      return { number: 1, status: 0, output: new Uint8Array(0) };
    },
  });
  const socket = await raw(port);
  socket.resume();
  socket.write(Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1]));
  const text = Buffer.from(CALL);
  socket.write(Buffer.concat([Buffer.from([0x81, 0xfe, 0, text.length, 0, 0, 0, 0]), text]));
  // The library would cut it too, later, but without a call of this.
  const cuts = vi.spyOn(WebSocket.prototype, "terminate");
  await closed(socket);
  const cut = cuts.mock.calls.length;
  cuts.mockRestore();
  assert.deepEqual([calls, cut], [0, 1]);
});

/** Text of this many bytes, of which some are sent; the mask is zero. */
function unfinished(total: number, sent: number): Buffer {
  const header = Buffer.alloc(14);
  header[0] = 0x81;
  header[1] = 0xff;
  header.writeBigUInt64BE(BigInt(total), 2);
  return Buffer.concat([header, Buffer.alloc(sent, 0x20)]);
}

test("unfinished messages count, and the peer that holds most is cut", async () => {
  const port = await open({}, 4_000_000);
  const [small, large] = [await raw(port), await raw(port)];
  small.write(unfinished(7_000_000, 1_500_000));
  await settle(50);
  large.write(unfinished(7_000_000, 3_000_000));
  await closed(large);
  assert.equal(small.readyState, "open");
  const other = new WebSocket(`ws://${HOST}:${port}`, {});
  await once(other, "open");
  other.send('{"jsonrpc":"2.0","id":1,"method":"getGroupList","params":[]}');
  const [answer] = (await once(other, "message")) as [Buffer];
  assert.match(answer.toString(), /"result":\[1\]/);
  small.destroy();
  other.close();
});

/** Text frames of one byte, none of them the last of its message; the mask is zero. */
function fragments(count: number): Buffer {
  const bytes = Buffer.alloc(count * 7, Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20]));
  bytes[0] = 0x01;
  return bytes;
}

test("a message in ever more tiny fragments ends its connection, and costs little", async () => {
  const port = await open();
  const socket = await raw(port);
  const got: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => got.push(bytes));
  const { heapUsed } = process.memoryUsage();
  socket.write(fragments(20_000));
  const further = Buffer.alloc(7 * 10_000, fragments(2).subarray(7));
  const sending = setInterval(() => socket.write(further), 1);
  await closed(socket);
  clearInterval(sending);
  const [first = Buffer.alloc(4)] = got;
  assert.deepEqual([first[0], first.readUInt16BE(2)], [0x88, 1008], "a close frame");
  const grown = process.memoryUsage().heapUsed - heapUsed;
  assert.ok(grown < 16_000_000, `${grown} bytes more`);
});

test("fragments count by what each costs, however small they are", async () => {
  const port = await open({}, 1_000_000);
  const [few, many] = [await raw(port), await raw(port)];
  few.write(fragments(1_000));
  await settle(50);
  many.write(fragments(10_000));
  await closed(many);
  assert.equal(few.readyState, "open");
  few.destroy();
});

test("a message in fragments is answered, with control frames between them", async () => {
  const port = await open();
  const socket = await raw(port);
  const text = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"getGroupList","params":[]}');
  const zeroMask = [0, 0, 0, 0];
  const pieces = [...text].map((byte, i) => {
    const first = (i === 0 ? 0x01 : 0) | (i === text.length - 1 ? 0x80 : 0);
    return Buffer.from([first, 0x81, ...zeroMask, byte, 0x89, 0x80, ...zeroMask]);
  });
  const answers: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => answers.push(bytes));
  const bytes = Buffer.concat(pieces);
  for (let at = 0; at < bytes.length; at += 5) {
    socket.write(bytes.subarray(at, at + 5));
    if (at % 100 === 0) await settle(1);
  }
  const deadline = performance.now() + 240_000;
  const isAnswered = () => Buffer.concat(answers).includes('"result":[1]');
  while (!isAnswered() && performance.now() < deadline) await settle(2);
  assert.ok(isAnswered());
  socket.destroy();
});

test("frames are followed in any pieces: what is whole is not counted", () => {
  const frames = new FrameWatch();
  const masked = (first: number, length: readonly number[], bytes: number) =>
    Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), Buffer.alloc(bytes)]);
  const start = masked(0x01, [0xfe, 1, 0], 256);
  frames.read(start);
  const { heldBytes } = frames;
  assert.ok(heldBytes > 256 && heldBytes < 1_000, String(heldBytes));
  assert.equal(frames.fragments, 1);
  frames.read(masked(0x89, [0x85], 5).subarray(0, 4));
  frames.read(masked(0x89, [0x85], 5).subarray(4));
  assert.equal(frames.fragments, 1);
  const end = masked(0x80, [0xff, 0, 0, 0, 0, 0, 1, 0, 0], 65_536);
  for (const byte of end.subarray(0, -1)) frames.read(Buffer.of(byte));
  assert.ok(frames.heldBytes > 65_000 * 128, "a piece costs too");
  assert.equal(frames.fragments, 2);
  frames.read(end.subarray(-1));
  assert.deepEqual([frames.fragments, frames.heldBytes], [0, 0]);
  frames.read(Buffer.concat([start, end, masked(0x81, [0x80], 0)]));
  assert.deepEqual([frames.fragments, frames.heldBytes], [0, 0]);
});

test("memory is given back, and one that was removed is not counted", () => {
  const cut: string[] = [];
  const memory = new SocketMemory(100);
  const holder = (name: string) => {
    const made = { heldBytes: 0, cut: () => void cut.push(name) };
    memory.add(made);
    return made;
  };
  const [a, b] = [holder("a"), holder("b")];
  memory.change(a, 60);
  memory.change(b, 40);
  memory.change(b, -70);
  assert.deepEqual([memory.heldBytes, b.heldBytes], [60, 0]);
  memory.change(b, 50);
  assert.deepEqual([cut, memory.heldBytes], [["a"], 50]);
  memory.change(a, -60);
  memory.change(a, 60);
  assert.equal(memory.heldBytes, 50);
  memory.remove(b);
  assert.equal(memory.heldBytes, 0);
});

test("of pings that come together the last is answered", async () => {
  const socket = new WebSocket(`ws://${HOST}:${await open()}`, {});
  await once(socket, "open");
  const pongs: string[] = [];
  socket.on("pong", (data: Buffer) => pongs.push(data.toString()));
  for (let i = 0; i < 50; i++) socket.ping(`${i}`);
  while (pongs.at(-1) !== "49") await once(socket, "pong");
  assert.ok(pongs.length < 50, `${pongs.length} pongs`);
  socket.close();
});

test("a client that does not read has no pong held for it", () => {
  const stream = new PassThrough();
  const sent: unknown[] = [];
  const socket = Object.assign(new EventEmitter(), {
    readyState: WebSocket.OPEN,
    bufferedAmount: MAX_UNREAD_OF_PONG + 1,
    pong: (data: unknown) => sent.push(data),
  });
  const memory = new SocketMemory(1_000);
  new WebSocketClient(socket as unknown as WebSocket, stream, {
    address: "",
    memory,
    onCut: () => undefined,
  });
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  try {
    socket.emit("ping", "a");
    vi.runAllTicks();
    vi.runAllTimers();
    socket.bufferedAmount = 0;
    socket.emit("ping", "b");
    vi.runAllTimers();
  } finally {
    vi.useRealTimers();
  }
  assert.deepEqual(sent, ["b"]);
});

test("the WebSocket that is idle longest gives way to a further one, who runs something does not", async () => {
  let finish: () => void = () => undefined;
  const call: GroupApi["call"] = () =>
    new Promise((resolve) => {
      finish = () => resolve({ number: 1, status: 0, output: new Uint8Array(0) });
    });
  const port = await open({ call }, undefined, 3);
  const connected = async () => {
    const socket = new WebSocket(`ws://${HOST}:${port}`, {});
    await once(socket, "open");
    return socket;
  };
  const [busy, asker, idle] = [await connected(), await connected(), await connected()];
  busy.send(CALL);
  asker.send('{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}');
  await once(asker, "message");
  const ended = once(idle, "close");
  const further = await connected();
  assert.equal((await ended)[0], 1013);
  finish();
  await once(busy, "message");
  for (const socket of [busy, asker, further]) socket.close();
});

test("what many connections send at once is read in many rounds of the event loop", async () => {
  const port = await open();
  const rounds: number[] = [];
  let round = 0;
  let isOver = false;
  const count = () => {
    round += 1;
    if (!isOver) setImmediate(count);
  };
  const { note } = ReadingRounds.prototype;
  const spy = vi.spyOn(ReadingRounds.prototype, "note").mockImplementation(function (
    this: ReadingRounds<never>,
  ) {
    rounds.push(round);
    note.call(this);
  });
  const sockets = Array.from({ length: 60 }, () => new WebSocket(`ws://${HOST}:${port}/`));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  rounds.length = 0;
  setImmediate(count);
  // Each takes the library about a millisecond.
  const pongs = Buffer.from("8a80" + "00000000", "hex");
  const many = Buffer.concat(Array.from({ length: 10_000 }, () => pongs));
  for (const socket of sockets) (socket as unknown as { _socket: Socket })._socket.write(many);
  while (rounds.length < 60) await settle(5);
  await settle(50);
  isOver = true;
  const used = new Set(rounds);
  assert.ok(used.size >= 2, `${rounds.length} reads in ${used.size} rounds`);
  spy.mockRestore();
  for (const socket of sockets) socket.terminate();
});

test("a client has turns while a long frame of it is read", async () => {
  let [asked, chunks] = [0, 0];
  const pace = () => void asked++;
  const longBody = () => ({
    add: () => chunks++ * 0,
    read: async () => ({ kind: "malformed" as const }),
    drop: () => undefined,
  });
  const log = { write: () => undefined };
  const rpc = { node: rpcNode({}, {}), maxBodyBytes: 16_000_000, log, pace, longBody };
  const end = createWebSocketEnd({ onBlock: () => undefined }, rpc, createNodeClock());
  const server = await serve(() => new Response(), { host: HOST, port: 0 }, undefined, end);
  opened.push(server);
  const socket = new WebSocket(`ws://${HOST}:${server.port}/`);
  await once(socket, "open");
  socket.send("x".repeat(8_000_000));
  await once(socket, "message");
  assert.ok(chunks > 20 && asked > chunks / 2, `${asked} turns in ${chunks} chunks`);
  socket.terminate();
});
