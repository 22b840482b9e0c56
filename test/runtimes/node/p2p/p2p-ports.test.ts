// Places and time of unauthenticated peers at the ports for peers.
// rules: node-network 1, node-network 2
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { noise } from "@libp2p/noise";
import { webSockets } from "@libp2p/websockets";
import { afterAll, test } from "vitest";
import { UNAUTHENTICATED_PER_ADDRESS } from "../../../../runtimes/node/p2p/peer-ports.ts";
import {
  freePort,
  sleep,
  type TestNode,
  type TestNodeOptions,
  testId,
  testNode,
  until,
  withNodes,
} from "./p2p-field.ts";
import { lendWebSocket } from "../../../support/browser/lent-web-socket.ts";
import { approach, type RawPeer } from "./p2p-raw-peer.ts";

const HOST = "127.0.0.1";
/** Longer than any of these tests: what ends, ends for another reason. */
const NEVER_MS = 600_000;
/** What libp2p takes of one address. */
const CONNECTIONS_PER_SECOND = 64;
/** What is cut in a moment is cut within this, on a busy machine too. */
const AT_ONCE_MS = 240_000;
/** A message of members that compression does not shorten. */
const LONG = new Uint8Array(randomBytes(3 * 1024 * 1024));
const WARNING = "connections to a port for peers are cut: too many without a certificate";
const MALFORMED = "a connection to the WebSocket port for peers is cut: a malformed frame";
/** Asks for a WebSocket, as a browser does. */
const UPGRADE = [
  "GET / HTTP/1.1",
  "Host: node",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  "\r\n",
].join("\r\n");
/** Beginnings of frames that no client may send. */
const MALFORMED_FRAMES = [
  { name: "with bits that mean nothing", bytes: [0x70, 0] },
  { name: "that is not masked", bytes: [0x82, 1, 0] },
  { name: "of more than 1 MiB", bytes: [0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1] },
] as const;

// Only the side that dials needs one.
afterAll(lendWebSocket());

interface Ports {
  readonly node: TestNode;
  readonly tcpPort: number;
  readonly webSocketPort: number;
}

/** The unauthenticated peers at a port, which end with its test. */
const opened = new Map<number, Socket[]>();

/** A node with both ports, that is stopped after the body. */
async function withPorts(
  options: Partial<TestNodeOptions>,
  body: (ports: Ports) => Promise<void>,
): Promise<void> {
  const tcpPort = await freePort();
  const webSocketPort = await freePort();
  const listen = { host: HOST, port: tcpPort, webSocketPort };
  const node = await testNode({ index: 0, port: tcpPort, listen, ...options });
  await withNodes([node], async () => {
    await node.start();
    try {
      await body({ node, tcpPort, webSocketPort });
    } finally {
      for (const port of [tcpPort, webSocketPort])
        for (const socket of opened.get(port) ?? []) socket.destroy();
    }
  });
}

/** Connections that send a text and then nothing, from an address of this machine. */
async function outsiders(port: number, count: number, how: { text?: string; from?: string } = {}) {
  const { text = "", from: localAddress = HOST } = how;
  const sockets = Array.from({ length: count }, () => connect({ host: HOST, port, localAddress }));
  opened.set(port, [...(opened.get(port) ?? []), ...sockets]);
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) {
    socket.resume();
    if (text !== "") socket.write(text);
  }
  return sockets;
}

/** An unauthenticated peer whose connection has become a WebSocket, and nothing more. */
async function openedWebSocket(port: number): Promise<Socket> {
  const [socket] = await outsiders(port, 1, { text: UPGRADE });
  assert.ok(socket);
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1.1 101 /);
  return socket;
}

/** A text as libp2p sends them while it is chosen what a connection speaks. */
const said = (text: string) => Buffer.from([text.length + 1, ...Buffer.from(`${text}\n`)]);
const GREETING = said("/multistream/1.0.0");

/** Bytes as a message of a client's WebSocket, masked by zeros. */
function message(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([0x82, 0xfe]), length, Buffer.alloc(4), bytes]);
}

const ended = (sockets: readonly Socket[]) =>
  sockets.filter(({ readyState }) => readyState !== "open").length;

const warnings = ({ lines }: TestNode, text = WARNING) =>
  lines.filter(({ message }) => message === text).length;

/** A member as a browser tab is one. */
function tab(webSocketPort: number): Promise<TestNode> {
  return testNode({
    index: 1,
    listen: { host: HOST },
    transports: { transports: [webSockets()], connectionEncrypters: [noise()] },
    peers: [`/ip4/${HOST}/tcp/${webSocketPort}/ws`],
  });
}

// These and the next two mostly wait, in parallel.
for (const [name, text] of [
  ["says nothing", ""],
  ["asks for a page, line by line", "GET / HTTP/1.1\r\n"],
] as const) {
  test.concurrent(`who ${name} at the WebSocket port is cut in time`, () =>
    withPorts({ timing: { handshakeMs: 400 } }, async ({ webSocketPort }) => {
      const sockets = await outsiders(webSocketPort, 3, { text });
      await until("cut", () => ended(sockets) === 3, AT_ONCE_MS);
    }));
}

test.concurrent("a member at the WebSocket port stays beyond the time of a handshake", () =>
  withPorts({ timing: { handshakeMs: 1_500 } }, async ({ node, webSocketPort }) => {
    const sockets = await outsiders(webSocketPort, 1);
    const member = await tab(webSocketPort);
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1);
      const [later] = await outsiders(webSocketPort, 1);
      await until("both are cut", () => ended(sockets) === 1 && later?.readyState !== "open");
      // Long messages go as many of the WebSocket, whose length is bounded.
      const message = { groupId: 1, kind: "blocks", bytes: LONG } as const;
      node.network.send(testId(1), message);
      member.network.send(testId(0), message);
      await until("both ways", () => node.heard.length + member.heard.length === 2);
      assert.deepEqual([node.ups, node.downs], [[testId(1)], []]);
    });
  }));

test.concurrent("an address with silent connections keeps out nobody at the TCP port", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, tcpPort }) => {
    // One address may connect so often in a second that libp2p takes no more of it.
    const sockets = await outsiders(tcpPort, CONNECTIONS_PER_SECOND, { from: "127.0.0.2" });
    const member = await testNode({ index: 1, peers: [`${HOST}:${tcpPort}`] });
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      await sleep(1_100);
      const more = await outsiders(tcpPort, 20, { from: "127.0.0.2" });
      await until("the oldest are cut", () => ended(sockets) === 20);
      assert.equal(ended(more), 0);
      assert.deepEqual(node.downs, []);
      assert.equal(warnings(node), 1);
    });
  }));

test("who is silent at the WebSocket port keeps nobody out, and is reported once", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, webSocketPort }) => {
    const sockets = await outsiders(webSocketPort, UNAUTHENTICATED_PER_ADDRESS + 20);
    await until("the oldest are cut", () => ended(sockets) >= 20);
    assert.equal(ended(sockets), 20);
    const member = await tab(webSocketPort);
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1);
      // The member has left the unauthenticated peers: as many of these as before fit in.
      const more = await outsiders(webSocketPort, UNAUTHENTICATED_PER_ADDRESS);
      await until("the older ones are cut", () => ended(sockets) === sockets.length);
      assert.equal(ended(more), 0);
      assert.deepEqual(node.downs, []);
    });
    assert.equal(warnings(node), 1);
  }));

for (const { name, bytes } of MALFORMED_FRAMES) {
  test(`a frame ${name} ends its connection, and not the process`, () =>
    withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, webSocketPort }) => {
      const sockets: Socket[] = [];
      for (let count = 0; count < 3; count++) {
        const socket = await openedWebSocket(webSocketPort);
        socket.write(Uint8Array.from(bytes));
        sockets.push(socket);
      }
      // What a fault that no caller catches would do to a process fails the run.
      await until("cut", () => ended(sockets) === 3, AT_ONCE_MS);
      assert.equal(node.network.counters().rejected.malformed, 3);
      assert.equal(warnings(node, MALFORMED), 1);
      const member = await tab(webSocketPort);
      await withNodes([member], async () => {
        await member.start();
        await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      });
    }));
}

for (const { name, bytes } of [
  { name: "asks without end", bytes: [GREETING, ...Array(200).fill(said("ls"))] },
  {
    name: "begins what is longer than a handshake",
    bytes: [GREETING, said("/noise"), Buffer.alloc(17 * 1024, 0xff)],
  },
]) {
  test(`a raw peer that ${name} is cut long before its time is over, at both ports`, () =>
    withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, tcpPort, webSocketPort }) => {
      const [overTcp] = await outsiders(tcpPort, 1);
      const overWebSocket = await openedWebSocket(webSocketPort);
      assert.ok(overTcp);
      overTcp.write(Buffer.concat(bytes));
      overWebSocket.write(message(Buffer.concat(bytes)));
      await until("cut", () => ended([overTcp, overWebSocket]) === 2, AT_ONCE_MS);
      assert.equal(node.network.counters().rejected.oversize, 2);
    }));
}

test("a node stops at once, no matter who is silent at its ports", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, tcpPort, webSocketPort }) => {
    const sockets = [...(await outsiders(tcpPort, 3)), ...(await outsiders(webSocketPort, 3))];
    let stopped = false;
    void node.network.stop().then(() => {
      stopped = true;
    });
    await until("stopped", () => stopped, AT_ONCE_MS);
    await until("cut", () => ended(sockets) === 6, AT_ONCE_MS);
  }));

test("unauthenticated peers that show no certificate take no place of a member", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS }, maxPeers: 1 }, async ({ node, tcpPort }) => {
    const idle: RawPeer[] = [];
    for (let index = 2; index < 6; index++)
      idle.push(await approach(`/ip4/${HOST}/tcp/${tcpPort}`, index));
    const member = await testNode({ index: 1, peers: [`${HOST}:${tcpPort}`] });
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      assert.ok(idle.every((outsider) => !outsider.isCut()));
      await Promise.all(idle.map((outsider) => outsider.stop()));
    });
  }));
