/** Calls know the connection that they come from, and that it has gone. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "vitest";
import { WebSocket } from "ws";
import type { GroupApi } from "../../../../core/api/node-api.ts";
import { RpcFault } from "../../../../core/fault/rpc-fault.ts";
import type { Asker } from "../../../../core/ports/asker.ts";
import { SocketMemory } from "../../../../core/limits/memory-account.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { serve } from "../../../../runtimes/node/server/http-server.ts";
import { MAX_RUNNING } from "../../../../runtimes/node/server/websocket-client.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

const HOST = "127.0.0.1";
const ACCOUNT = `0x${"1".repeat(40)}`;
const CALL = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "call",
  params: [1, { from: ACCOUNT, to: ACCOUNT }],
});
const POST = `POST / HTTP/1.1\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`;
const IN_CHUNKS =
  "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
  `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A port whose calls run until their client has gone. */
async function open() {
  const running = new Set<object>();
  const askers: (Asker | undefined)[] = [];
  const call: GroupApi["call"] = (request, asker) => {
    askers.push(asker);
    running.add(request);
    return new Promise((_, reject) => {
      asker?.whenGone(() => {
        running.delete(request);
        reject(new RpcFault("internalError"));
      });
    });
  };
  const memory = new SocketMemory(10_000_000);
  const log = { write: () => undefined };
  const options = { node: rpcNode({}, { call }), maxBodyBytes: 100_000, log, memory };
  const sockets = createWebSocketEnd({ onBlock: () => undefined }, options, createNodeClock());
  const { app, posts } = createHttpApp(options);
  const server = await serve(app.fetch, { host: HOST, port: 0, memory }, posts, sockets);
  /** Waits until this many calls run. */
  const untilRunning = async (count: number) => {
    while (running.size !== count) await turn();
  };
  return { server, askers, memory, untilRunning };
}

test("calls of one packet are given up with their connection, and nothing of them is held", async () => {
  const { server, askers, memory, untilRunning } = await open();
  const socket = connect(server.port, HOST, () => socket.write(POST.repeat(16)));
  await untilRunning(16);
  const [asker] = askers;
  assert.ok(asker?.address === HOST);
  assert.equal(new Set(askers).size, 1);
  socket.destroy();
  await untilRunning(0);
  while (memory.heldBytes > 0) await turn();
  await server.close();
});

test("calls in front of answers that wait for them are given up too", async () => {
  const { server, untilRunning } = await open();
  const socket = connect(server.port, HOST);
  const get = "GET /nowhere HTTP/1.1\r\n\r\n";
  const refused = `GET / HTTP/1.1\r\nOrigin: http://a\r\nHost: a.example\r\n\r\n`;
  const quick = POST.replace('"call"', '"none"');
  socket.write(POST.repeat(16) + (quick + get + refused).repeat(300));
  await untilRunning(16);
  socket.destroy();
  await untilRunning(0);
  await server.close();
});

test("of calls of one packet some run, and the others wait as they came", async () => {
  const { server, askers, untilRunning } = await open();
  const socket = connect(server.port, HOST, () => socket.write(POST.repeat(40)));
  await untilRunning(16);
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.equal(askers.length, 16);
  socket.destroy();
  await untilRunning(0);
  assert.equal(askers.length, 16);
  await server.close();
});

test("behind many requests no more is read, and a client that goes is noticed", async () => {
  const { server, memory, untilRunning } = await open();
  const socket = connect(server.port, HOST);
  socket.write(POST.repeat(16) + POST.replace('"call"', '"none"').repeat(200_000));
  await untilRunning(16);
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.ok(socket.writableLength > 0, "it is all read");
  assert.ok(memory.heldBytes < 8_000_000, `${memory.heldBytes} bytes are held`);
  socket.destroy();
  await untilRunning(0);
  while (memory.heldBytes > 0) await turn();
  await server.close();
});

test("a call in a body of unknown length is given up too", async () => {
  const { server, untilRunning } = await open();
  const socket = connect(server.port, HOST, () => socket.write(IN_CHUNKS));
  await untilRunning(1);
  socket.destroy();
  await untilRunning(0);
  await server.close();
});

test("so are as many as are run at a time, behind which nothing is read", async () => {
  const { server, untilRunning } = await open();
  const socket = new WebSocket(`ws://${HOST}:${server.port}`, {});
  await once(socket, "open");
  for (let i = 0; i < 2_000; i++) socket.send(CALL);
  await untilRunning(MAX_RUNNING);
  socket.terminate();
  await untilRunning(0);
  await server.close();
});

test("calls of a WebSocket are given up with it", async () => {
  const { server, askers, memory, untilRunning } = await open();
  const socket = new WebSocket(`ws://${HOST}:${server.port}`, {});
  await once(socket, "open");
  for (let i = 0; i < 16; i++) socket.send(CALL);
  await untilRunning(16);
  assert.deepEqual([askers[0]?.address, new Set(askers).size], [HOST, 1]);
  socket.terminate();
  await untilRunning(0);
  while (memory.heldBytes > 0) await turn();
  await server.close();
});
