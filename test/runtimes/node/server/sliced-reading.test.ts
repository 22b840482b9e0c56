/** What comes of a connection that sends more requests than are answered is parsed in slices. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { test, vi } from "vitest";
import { SocketMemory } from "../../../../core/limits/memory-account.ts";
import type { HttpBounds } from "../../../../runtimes/node/server/http-load.ts";
import { serve, type UpgradeHandler } from "../../../../runtimes/node/server/http-server.ts";
import type { ServerEnv } from "../../../../runtimes/shared/http-app.ts";
import { SlicedReading } from "../../../../runtimes/node/server/sliced-reading.ts";

const HERE = { host: "127.0.0.1", port: 0 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A server that answers nothing until it is told to, and then with what it got. */
async function open(bounds: HttpBounds = {}, upgrades?: UpgradeHandler) {
  let answerAll: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const echo = async (request: Request, { onBody }: ServerEnv) => {
    let text = "";
    const decoder = new TextDecoder();
    const pieces = request.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const piece of pieces ?? []) {
      onBody?.(piece.length);
      text += decoder.decode(piece, { stream: true });
    }
    await told;
    return new Response(`${text.length} ${text.slice(0, 8)};`);
  };
  const memory = new SocketMemory(100_000_000);
  const server = await serve(echo, { ...HERE, memory, ...bounds }, undefined, upgrades);
  return { server, memory: bounds.memory ?? memory, answerAll };
}

/** All that comes until the text ends like this. */
async function textUntil(socket: Socket, end: string): Promise<string> {
  let text = "";
  for await (const packet of socket) {
    text += String(packet);
    if (text.endsWith(end)) break;
  }
  return text;
}

/** Request number n: its body has a length of its own, some are long, some come in chunks. */
function post(n: number): string {
  const body = `${n}`.padEnd(8, ".") + "x".repeat(n % 50 === 7 ? 150_000 : (n * 37) % 900);
  if (n % 3 > 0) return `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const half = body.length >> 1;
  const chunks = [body.slice(0, half), body.slice(half)].map(
    (chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`,
  );
  return `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
}

function answerTo(n: number): string {
  const length = 8 + (n % 50 === 7 ? 150_000 : (n * 37) % 900);
  return `${length} ${`${n}`.padEnd(8, ".")};`;
}

test("requests of all kinds behind many others are answered in order", async () => {
  const { server, answerAll } = await open();
  const socket = connect(server.port, HERE.host);
  const numbers = Array.from({ length: 1_000 }, (_, n) => n);
  socket.write(numbers.map(post).join(""));
  const text = textUntil(socket, answerTo(999));
  for (let turns = 0; turns < 100; turns++) await turn();
  answerAll();
  const bodies = (await text).match(/\d+ \d+\.*;/g);
  assert.deepEqual(bodies, numbers.map(answerTo));
  await server.close();
});

test("of a packet no more is parsed than a slice once as many requests wait", async () => {
  const { server, memory, answerAll } = await open();
  const socket = connect(server.port, HERE.host);
  socket.write("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n".repeat(64));
  while (memory.heldBytes < 64 * 8_192) await turn();
  const before = memory.heldBytes;
  // 3,600 requests of 18 bytes.
  socket.write("GET / HTTP/1.1\r\n\r\n".repeat(3_600));
  while (memory.heldBytes === before) await turn();
  for (let turns = 0; turns < 100; turns++) await turn();
  assert.ok(memory.heldBytes < before + 65_536, `${memory.heldBytes - before} bytes more`);
  socket.destroy();
  answerAll();
  while (memory.heldBytes > 0) await turn();
  await server.close();
});

test("so it is for all while much is held, from their first packet on", async () => {
  const memory = new SocketMemory(10_000_000);
  const { server, answerAll } = await open({ memory });
  const holder = { heldBytes: 0, cut: () => undefined };
  memory.add(holder);
  memory.change(holder, 3_000_000);
  const first = connect(server.port, HERE.host);
  first.write("GET / HTTP/1.1\r\n\r\n");
  while (memory.heldBytes === 3_000_000) await turn();
  const before = memory.heldBytes;
  const socket = connect(server.port, HERE.host);
  socket.write("GET / HTTP/1.1\r\n\r\n".repeat(3_600));
  while (memory.heldBytes === before) await turn();
  for (let turns = 0; turns < 100; turns++) await turn();
  const most = 4_096 / 18 + 64;
  assert.ok(memory.heldBytes < before + most * 8_192 + 65_536, `${memory.heldBytes - before}`);
  for (const each of [first, socket]) each.destroy();
  answerAll();
  while (memory.heldBytes > 3_000_000) await turn();
  await server.close();
});

test("nothing waits for a turn whose client has gone", async () => {
  let turns = 0;
  const pace = () => {
    turns += 1;
    return undefined;
  };
  const { server, memory, answerAll } = await open({ pace });
  const socket = connect(server.port, HERE.host);
  socket.write("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n".repeat(500));
  while (memory.heldBytes < 64 * 8_192) await turn();
  socket.destroy();
  while (memory.heldBytes > 16 * 8_192) await turn();
  answerAll();
  while (memory.heldBytes > 0) await turn();
  assert.equal(turns, 0);
  await server.close();
});

test("a connection that is read in slices becomes a WebSocket", async () => {
  const memory = new SocketMemory(10_000_000);
  const heads: number[] = [];
  const held: number[] = [];
  const upgrade: UpgradeHandler["upgrade"] = ({ socket, head }) => {
    heads.push(head.length);
    const chunks: Uint8Array[] = [head];
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (bytes.length < 40_000) return;
      held.push(memory.heldBytes);
      socket.end(`HTTP/1.1 101 ok\r\n\r\n${bytes.every((byte, i) => byte === i % 251)}`);
    });
    return true;
  };
  const { server, answerAll } = await open({ memory }, { upgrade, close: async () => undefined });
  answerAll();
  const holder = { heldBytes: 0, cut: () => undefined };
  memory.add(holder);
  memory.change(holder, 3_000_000);
  // What came behind its request is read in order by the other reader.
  const behind = Buffer.from(Array.from({ length: 40_000 }, (_, i) => i % 251));
  const socket = connect(server.port, HERE.host);
  socket.write("GET / HTTP/1.1\r\n\r\n");
  await once(socket, "data");
  const head = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
  socket.write(Buffer.concat([Buffer.from(head), behind]));
  assert.match(await textUntil(socket, "e"), /true$/);
  assert.ok(heads[0] && heads[0] < 4_096, `a head of ${heads[0]} bytes`);
  assert.deepEqual(held, [3_000_000], "what waited for the parser is counted no more");
  await server.close();
});

for (const when of ["paused", "resumed in the same turn"])
  test(`a connection that is ${when} when its slices begin is read on`, async () => {
    const server = createServer((_, outgoing) => void outgoing.end("answer"));
    server.on("connection", async (socket: Socket) => {
      // As when others have their turn: at first the parser of the engine reads.
      await once(socket, "resume");
      socket.pause();
      if (when !== "paused") socket.resume();
      const nothing = () => undefined;
      new SlicedReading({ socket, isToWait: () => false, wait: nothing, hold: nothing });
      for (let turns = 0; turns < 10; turns++) await turn();
      socket.resume();
    });
    server.listen(0, HERE.host);
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, HERE.host);
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert.match(await textUntil(socket, "answer"), /200 OK/);
    server.close();
  });

test("another protocol behind unanswered requests ends their connection", async () => {
  const upgrades: UpgradeHandler = { upgrade: () => false, close: async () => undefined };
  const { server, memory, answerAll } = await open({}, upgrades);
  const socket = connect(server.port, HERE.host);
  const asks = "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n";
  socket.write(post(0) + post(1) + asks + post(2));
  await once(socket, "close");
  answerAll();
  await vi.waitFor(() => assert.equal(memory.heldBytes, 0));
  const answered = connect(server.port, HERE.host);
  answered.write(post(0));
  await once(answered, "data");
  answered.write(asks);
  assert.match(String(await once(answered, "data")), /200 OK/);
  await server.close();
});

test("connections of many short requests are not read in slices", async () => {
  const { server, answerAll } = await open();
  answerAll();
  const slices = vi.spyOn(SlicedReading.prototype, "isParserPaused", "get");
  const socket = connect(server.port, HERE.host);
  const texts = socket[Symbol.asyncIterator]();
  for (let requests = 0; requests < 200; requests++) {
    socket.write("POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\na body.\n");
    assert.match(String((await texts.next()).value), /8 a body\.\n;$/);
  }
  assert.equal(slices.mock.calls.length, 0);
  slices.mockRestore();
  socket.destroy();
  await server.close();
});

test("a body that nobody reads yet is not parsed further", async () => {
  const { server, answerAll } = await open();
  const socket = connect(server.port, HERE.host);
  const head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const pieces = "1\r\nx\r\n";
  // Its short pieces have it read in slices.
  socket.write(`${head}${pieces.repeat(200)}0\r\n\r\n`);
  socket.write("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n".repeat(15));
  socket.write(head + pieces.repeat(6_000_000));
  let before = Number.NaN;
  while (socket.writableLength !== before) {
    before = socket.writableLength;
    for (let turns = 0; turns < 300; turns++) await turn();
  }
  assert.ok(before > 10_000_000, `${before} bytes are left of 36,000,000`);
  socket.destroy();
  answerAll();
  await server.close();
});

test("slices that take long are short, and grow once they do not", async () => {
  const slices: number[] = [];
  let takesLong = true;
  let noted = 0;
  const socket = new Duplex({ read: () => undefined }) as Socket;
  socket.on("data", (slice: Buffer) => {
    slices.push(slice.length);
    for (const start = performance.now(); takesLong && performance.now() - start < 3; );
  });
  const wait = () => void noted++;
  new SlicedReading({ socket, isToWait: () => false, wait, hold: () => undefined });
  const packet = Buffer.alloc(65_536);
  socket.push(packet);
  while (slices.length < 16) await turn();
  assert.deepEqual([new Set(slices), noted], [new Set([4_096]), 16]);
  takesLong = false;
  for (let packets = 0; packets < 50; packets++) socket.push(packet);
  while (socket.readableLength > 0) await turn();
  assert.equal(Math.max(...slices), 16_384);
});

test("a body in very short pieces is read whole", async () => {
  const { server, memory, answerAll } = await open();
  const socket = connect(server.port, HERE.host);
  const head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const pieces = "1\r\nx\r\n";
  socket.write(head + pieces.repeat(100));
  while (memory.heldBytes < 100 * 257) await turn();
  socket.write(`${pieces.repeat(30_000)}0\r\n\r\n`);
  answerAll();
  assert.match(await textUntil(socket, ";"), /30100 xxxxxxxx;$/);
  await server.close();
});
