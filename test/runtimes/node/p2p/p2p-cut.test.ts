// Connections over WebSockets end when a node wants it, whatever the other end does.
// rules: node-network 2
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { MultiaddrConnection, Upgrader, UpgraderOptions } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { webSockets } from "@libp2p/websockets";
import { multiaddr } from "@multiformats/multiaddr";
import { afterAll, test } from "vitest";
import { WebSocketServer } from "ws";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import { CopyCheck } from "../../../../runtimes/shared/p2p/copy-check.ts";
import { inFrontOf } from "../../../../runtimes/shared/p2p/in-front.ts";
import type { P2pTransports } from "../../../../runtimes/shared/p2p/p2p-options.ts";
import {
  CHAIN_ID,
  freePort,
  SUITE,
  type TestNode,
  testId,
  testKey,
  testNode,
  until,
  withNodes,
} from "./p2p-field.ts";
import { lendWebSocket } from "../../../support/browser/lent-web-socket.ts";
import { approach, introduce, type RawPeer } from "./p2p-raw-peer.ts";

const HOST = "127.0.0.1";
/** Longer than any of these tests. */
const NEVER_MS = 600_000;
/** What ends in a moment ends within this, on a busy machine too. */
const AT_ONCE_MS = 240_000;
/** More than the system takes for an end that does not read. */
const FILLING = new Uint8Array(32 * 1024 * 1024);
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

// Only the side that dials needs one.
afterAll(lendWebSocket());

/** An upgrader before which more waits on a connection than its other end reads. */
function filling(upgrader: Upgrader, filled: MultiaddrConnection[]): Upgrader {
  return inFrontOf(upgrader, {
    upgradeInbound(raw: MultiaddrConnection, options: UpgraderOptions) {
      filled.push(raw);
      raw.send(FILLING);
      return upgrader.upgradeInbound(raw, options);
    },
  });
}

/** The transports of a node, whose WebSockets are all filled. */
function fillingTransports(filled: MultiaddrConnection[]): P2pTransports {
  const { transports, connectionEncrypters } = nodeTransports();
  const [overTcp, overWebSockets] = transports;
  assert.ok(overTcp && overWebSockets);
  const overFull: typeof overWebSockets = (components) => {
    const transport = overWebSockets(components);
    const createListener = transport.createListener.bind(transport);
    transport.createListener = ({ upgrader }) =>
      createListener({ upgrader: filling(upgrader, filled) });
    return transport;
  };
  return { transports: [overTcp, overFull], connectionEncrypters };
}

/** A node with both ports. */
async function nodeWithPorts(options: Parameters<typeof testNode>[0]) {
  const tcpPort = await freePort();
  const webSocketPort = await freePort();
  const listen = { host: HOST, port: tcpPort, webSocketPort };
  const node: TestNode = await testNode({ port: tcpPort, listen, ...options });
  return { node, tcpPort, webSocketPort };
}

/** A WebSocket by hand whose other end is not read. */
async function deafWebSocket(port: number): Promise<Socket> {
  const socket = connect({ host: HOST, port });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(UPGRADE);
  await once(socket, "data");
  socket.pause();
  return socket;
}

test.concurrent("who reads nothing and lets its time pass is cut, and the process goes on", async () => {
  const filled: MultiaddrConnection[] = [];
  const transports = fillingTransports(filled);
  const timing = { handshakeMs: 2_000 };
  const { node, tcpPort, webSocketPort } = await nodeWithPorts({ index: 0, transports, timing });
  await withNodes([node], async () => {
    await node.start();
    const socket = await deafWebSocket(webSocketPort);
    const isOver = () => filled.length === 1 && filled[0]?.status !== "open";
    await until("the time is over", isOver, AT_ONCE_MS);
    socket.destroy();
    // What is caught by nobody would end a process; here it fails the run.
    const member = await testNode({ index: 1, peers: [`${HOST}:${tcpPort}`] });
    await withNodes([member], async () => {
      await member.start();
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
    });
  });
});

/** The port of a server that listens now. */
async function listening(server: Server): Promise<number> {
  server.listen(0, HOST);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A way to a node's port. Its far end, at the node, stays open until the node ends it. */
interface Way {
  readonly port: number;
  isCut(): boolean;
  close(): void;
}

async function wayTo(port: number): Promise<Way> {
  const sockets: Socket[] = [];
  let isCut = false;
  const server = createServer((near) => {
    const far = connect({ host: HOST, port });
    sockets.push(near, far);
    for (const socket of sockets) socket.on("error", () => undefined);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => near.write(bytes));
    far.once("close", () => {
      isCut = true;
    });
  });
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: await listening(server), isCut: () => isCut, close };
}

/** A peer that speaks by hand, over a WebSocket that ends only from the other side. */
interface Connected {
  readonly outsider: RawPeer;
  readonly way: Way;
}

/** A node and what brings peers to it, all of which ends with the body. */
async function withConnections(
  options: Parameters<typeof testNode>[0],
  body: (node: TestNode, connect: (index: number) => Promise<Connected>) => Promise<void>,
): Promise<void> {
  const { node, webSocketPort } = await nodeWithPorts(options);
  const connected: Connected[] = [];
  await withNodes([node], async () => {
    await node.start();
    try {
      await body(node, async (index) => {
        const way = await wayTo(webSocketPort);
        const outsider = await approach(`/ip4/${HOST}/tcp/${way.port}/ws`, index);
        connected.push({ outsider, way });
        return { outsider, way };
      });
    } finally {
      for (const { way } of connected) way.close();
      await Promise.all(connected.map(({ outsider }) => outsider.stop()));
    }
  });
}

test.concurrent("a member that connects again and again leaves no connection behind", () =>
  withConnections({ index: 0 }, async (node, connect) => {
    const ways: Way[] = [];
    for (let count = 0; count < 3; count++) {
      const { outsider, way } = await connect(1);
      await introduce(outsider, { index: 1 });
      ways.push(way);
      await until("up", () => node.ups.length === ways.length, AT_ONCE_MS);
    }
    const cut = () => ways.map((way) => way.isCut());
    await until("the earlier are cut", () => cut().filter(Boolean).length === 2, AT_ONCE_MS);
    assert.deepEqual(cut(), [true, true, false]);
  }));

for (const { name, timing = {}, end } of [
  {
    name: "is penalised",
    end: ({ network }: TestNode) => network.penalise(testId(1), "a test"),
  },
  {
    name: "is on the whitelist no longer",
    end: ({ network }: TestNode) => network.setWhitelist([testId(7)]),
  },
  { name: "says nothing any more", timing: { heartbeatMs: 100, idleMs: 300 }, end: () => {} },
]) {
  test.concurrent(`the connection of a member that ${name} is closed`, () =>
    withConnections({ index: 0, timing }, async (node, connect) => {
      const { outsider, way } = await connect(1);
      await introduce(outsider, { index: 1 });
      await until("up", () => node.ups.length === 1, AT_ONCE_MS);
      end(node);
      await until("cut", () => way.isCut(), AT_ONCE_MS);
      assert.deepEqual(node.downs, [testId(1)]);
    }));
}

test.concurrent("the connection of a peer that is refused is closed", () =>
  withConnections({ index: 0, timing: { handshakeMs: NEVER_MS } }, async (node, connect) => {
    const { outsider, way } = await connect(1);
    await introduce(outsider, { index: 1, certificates: [] });
    await until("cut", () => way.isCut(), AT_ONCE_MS);
    assert.deepEqual(node.ups, []);
  }));

/** A server that opens WebSockets and says nothing. */
async function silentServer() {
  const bounds = { maxPayload: 1_024, perMessageDeflate: false, clientTracking: false } as const;
  const webSocketServer = new WebSocketServer({ noServer: true, ...bounds });
  let closed = 0;
  const server = createHttpServer().on("upgrade", (request, socket, head) => {
    socket.once("close", () => {
      closed += 1;
    });
    webSocketServer.handleUpgrade(request, socket, head, () => undefined);
  });
  const address = `/ip4/${HOST}/tcp/${await listening(server)}/ws`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, closed: () => closed, close };
}

/** As a browser has them. */
const BROWSER = { transports: [webSockets()], connectionEncrypters: [noise()] };

test.concurrent("a node that is not answered after it has dialled closes the connection", async () => {
  const server = await silentServer();
  const member = await testNode({
    index: 1,
    listen: { host: HOST },
    transports: BROWSER,
    peers: [server.address],
    timing: { handshakeMs: 300 },
  });
  try {
    await withNodes([member], async () => {
      await member.start();
      await until("closed", () => server.closed() > 0, AT_ONCE_MS);
    });
  } finally {
    server.close();
  }
});

test.concurrent("so does one that asks whether another node runs with its key", async () => {
  const server = await silentServer();
  const check = new CopyCheck({
    self: testId(1),
    suite: SUITE,
    chainId: CHAIN_ID,
    privateKey: testKey(1),
    entropy: createNodeEntropy(),
    transports: BROWSER,
    uptimeMs: () => 0,
  });
  try {
    await assert.rejects(check.ask(multiaddr(server.address)));
    await until("closed", () => server.closed() > 0, AT_ONCE_MS);
  } finally {
    server.close();
  }
});
