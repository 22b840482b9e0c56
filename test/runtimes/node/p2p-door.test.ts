// Places and time of strangers at the ports for peers.
// rules: node-network 1, node-network 2
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect, type Socket } from "node:net";
import { noise } from "@libp2p/noise";
import { webSockets } from "@libp2p/websockets";
import { test } from "vitest";
import { STRANGERS_PER_ADDRESS } from "../../../runtimes/node/peer-door.ts";
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
import { approach, type Stranger } from "./p2p-stranger.ts";

const HOST = "127.0.0.1";
/** Longer than any of these tests: what ends, ends for another reason. */
const NEVER_MS = 600_000;
/** What libp2p takes of one address. */
const CONNECTIONS_PER_SECOND = 64;
/** What is cut in a moment is cut within this, on a busy machine too. */
const AT_ONCE_MS = 20_000;
/** A message of members that compression does not shorten. */
const LONG = new Uint8Array(randomBytes(3 * 1024 * 1024));
const WARNING = "connections to a port for peers are cut: too many strangers";

// Node 20 has no WebSocket of its own; only the side that dials needs one.
const { WebSocket } = createRequire(import.meta.url)("ws") as { WebSocket: unknown };
if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket });

interface Ports {
  readonly node: TestNode;
  readonly tcpPort: number;
  readonly webSocketPort: number;
}

/** Every stranger of a test, which ends with it. */
const opened: Socket[] = [];

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
      for (const socket of opened.splice(0)) socket.destroy();
    }
  });
}

/** Connections that send a text and then nothing, from an address of this machine. */
async function strangers(port: number, count: number, how: { text?: string; from?: string } = {}) {
  const { text = "", from: localAddress = HOST } = how;
  const sockets = Array.from({ length: count }, () => connect({ host: HOST, port, localAddress }));
  opened.push(...sockets);
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) {
    socket.resume();
    if (text !== "") socket.write(text);
  }
  return sockets;
}

const ended = (sockets: readonly Socket[]) =>
  sockets.filter(({ readyState }) => readyState !== "open").length;

const warnings = ({ lines }: TestNode) => lines.filter(({ message }) => message === WARNING).length;

/** A member as a browser tab is one. */
function tab(webSocketPort: number): Promise<TestNode> {
  return testNode({
    index: 1,
    listen: { host: HOST },
    transports: { transports: [webSockets()], connectionEncrypters: [noise()] },
    peers: [`/ip4/${HOST}/tcp/${webSocketPort}/ws`],
  });
}

for (const [name, text] of [
  ["says nothing", ""],
  ["asks for a page, line by line", "GET / HTTP/1.1\r\n"],
] as const) {
  test(`who ${name} at the WebSocket port is cut in time`, () =>
    withPorts({ timing: { handshakeMs: 400 } }, async ({ webSocketPort }) => {
      const sockets = await strangers(webSocketPort, 3, { text });
      await until("cut", () => ended(sockets) === 3, AT_ONCE_MS);
    }));
}

test("who is silent at the WebSocket port keeps nobody out, and is told of once", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, webSocketPort }) => {
    const sockets = await strangers(webSocketPort, STRANGERS_PER_ADDRESS + 20);
    await until("the oldest are cut", () => ended(sockets) >= 20);
    assert.equal(ended(sockets), 20);
    const member = await tab(webSocketPort);
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1);
      // The member has left the strangers: as many of these as before fit in.
      const more = await strangers(webSocketPort, STRANGERS_PER_ADDRESS);
      await until("the older ones are cut", () => ended(sockets) === sockets.length);
      assert.equal(ended(more), 0);
      assert.deepEqual(node.downs, []);
    });
    assert.equal(warnings(node), 1);
  }));

test("a member at the WebSocket port stays beyond the time of strangers", () =>
  withPorts({ timing: { handshakeMs: 1_500 } }, async ({ node, webSocketPort }) => {
    const sockets = await strangers(webSocketPort, 1);
    const member = await tab(webSocketPort);
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1);
      const [later] = await strangers(webSocketPort, 1);
      await until("both are cut", () => ended(sockets) === 1 && later?.readyState !== "open");
      // Long messages go as many of the WebSocket, whose length is bounded.
      const message = { groupId: 1, kind: "blocks", bytes: LONG } as const;
      node.network.send(testId(1), message);
      member.network.send(testId(0), message);
      await until("both ways", () => node.heard.length + member.heard.length === 2);
      assert.deepEqual([node.ups, node.downs], [[testId(1)], []]);
    });
  }));

test("a node stops at once, whoever is silent at its ports", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, tcpPort, webSocketPort }) => {
    const sockets = [...(await strangers(tcpPort, 3)), ...(await strangers(webSocketPort, 3))];
    let stopped = false;
    void node.network.stop().then(() => {
      stopped = true;
    });
    await until("stopped", () => stopped, AT_ONCE_MS);
    await until("cut", () => ended(sockets) === 6, AT_ONCE_MS);
  }));

test("an address with silent connections keeps out nobody at the TCP port", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS } }, async ({ node, tcpPort }) => {
    // One address may connect so often in a second that libp2p takes no more of it.
    const sockets = await strangers(tcpPort, CONNECTIONS_PER_SECOND, { from: "127.0.0.2" });
    const member = await testNode({ index: 1, peers: [`${HOST}:${tcpPort}`] });
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      await sleep(1_100);
      const more = await strangers(tcpPort, 20, { from: "127.0.0.2" });
      await until("the oldest are cut", () => ended(sockets) === 20);
      assert.equal(ended(more), 0);
      assert.deepEqual(node.downs, []);
      assert.equal(warnings(node), 1);
    });
  }));

test("strangers that show no certificate take no place of a member", () =>
  withPorts({ timing: { handshakeMs: NEVER_MS }, maxPeers: 1 }, async ({ node, tcpPort }) => {
    const idle: Stranger[] = [];
    for (let index = 2; index < 6; index++)
      idle.push(await approach(`/ip4/${HOST}/tcp/${tcpPort}`, index));
    const member = await testNode({ index: 1, peers: [`${HOST}:${tcpPort}`] });
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      assert.ok(idle.every((stranger) => !stranger.isCut()));
      await Promise.all(idle.map((stranger) => stranger.stop()));
    });
  }));
