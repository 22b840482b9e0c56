// The libp2p network over TCP on loopback: the port's contract, classes, order, life of sessions.
// rules: node-network 1, node-network 2, node-network 3
import assert from "node:assert/strict";
import { test } from "vitest";
import { CLASSES } from "../../../../core/network/classes.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import { networkContract } from "../../../contract/network.ts";
import {
  freePort,
  sleep,
  type TestNode,
  testId,
  testNode,
  testPair,
  until,
  withNodes,
} from "./p2p-field.ts";
import { cases } from "../../../support/runner/cases.ts";
import { inFull } from "../../../support/runner/in-full.ts";

async function field(count: number): Promise<TestNode[]> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const peers = ports.map((port) => `127.0.0.1:${port}`);
  return Promise.all(ports.map((port, index) => testNode({ index, port, peers })));
}

networkContract("the libp2p network", async (count) => {
  // Each dials those before it: a node that starts later finds them listening.
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const nodes = await Promise.all(
    ports.map((port, index) => {
      const peers = ports.slice(0, index).map((before) => `127.0.0.1:${before}`);
      return testNode({ index, port, peers });
    }),
  );
  const networks = nodes.map(({ network }) => network);
  const isConnected = () => {
    const running = networks.filter((network) => network.addresses().length > 0);
    return running.every((network) => network.peers().length === running.length - 1);
  };
  const moved = () =>
    networks.reduce((sum, network) => {
      const { bytesIn, bytesOut } = network.counters();
      return sum + bytesIn + bytesOut;
    }, 0);
  return {
    networks,
    async settle() {
      await until("all are connected", isConnected);
      // After a wait that was too long for the machine, what came meanwhile is read first.
      for (let [before, still] = [-1, 0]; still < 3; before = moved()) {
        await sleep(40);
        await new Promise((resume) => setImmediate(resume));
        still = before === moved() ? still + 1 : 0;
      }
    },
    close: async () => void (await Promise.all(networks.map((network) => network.stop()))),
  };
});

test("four nodes exchange all classes, each in order", async () => {
  const nodes = await field(4);
  await withNodes(nodes, async () => {
    await Promise.all(nodes.map(({ start }) => start()));
    await until("all are connected", () =>
      nodes.every(({ network }) => network.peers().length === 3),
    );
    const count = cases(100, 50);
    for (let value = 0; value < count; value++) {
      // Lengths from one byte to several parts, compressible and not.
      const bytes = new Uint8Array(2 + (value % 50) * 3_001);
      bytes.set([value >> 8, value & 255]);
      for (const { network } of nodes) {
        for (const { nodeId } of network.peers()) {
          for (const kind of CLASSES) network.send(nodeId, { groupId: 3, kind, bytes });
        }
      }
      if (value % 20 === 0) await sleep(1);
    }
    const expected = count * 3;
    await until("everything has arrived", () =>
      nodes.every(({ heard }) => heard.length === CLASSES.length * expected),
    );
    for (const [at, { heard, network }] of nodes.entries()) {
      for (const from of [0, 1, 2, 3].filter((other) => other !== at).map(testId)) {
        const lists = CLASSES.map((kind) =>
          heard.filter((message) => message.from === from && message.kind === kind),
        );
        for (const list of lists) {
          const numbers = list.map(({ bytes }) => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0));
          assert.deepEqual(
            numbers,
            Array.from({ length: count }, (_, value) => value),
          );
          for (const { bytes } of list) {
            const value = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
            assert.equal(bytes.length, 2 + (value % 50) * 3_001);
          }
        }
      }
      const { dropped, rejected } = network.counters();
      assert.deepEqual(Object.values(dropped), [0, 0, 0, 0]);
      assert.deepEqual(Object.values(rejected), [0, 0, 0, 0]);
    }
  });
});

test("a peer is listed with its certificate's names and its address", async () => {
  const nodes = await testPair();
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("connected", () => one.ups.length === 1 && two.ups.length === 1);
    const [peer] = two.network.peers();
    assert.equal(peer?.nodeId, one.network.self);
    assert.equal(peer?.endpoint, `127.0.0.1:${one.port}`);
    assert.equal(peer?.agency, "agency");
    assert.match(peer?.node ?? "", /^node-/);
    assert.match(one.network.peers()[0]?.endpoint ?? "", /^127\.0\.0\.1:\d+$/);
    assert.deepEqual(two.network.addresses().length > 0, true);
  });
});

test("a name instead of an address is resolved", async () => {
  const one = await testNode({ index: 0 });
  const two = await testNode({ index: 1, peers: [`localhost:${one.port}`] });
  await withNodes([one, two], async () => {
    await one.start();
    await two.start();
    await until("connected", () => two.ups.length === 1);
  });
});

test("a session is established again after it dropped, and heartbeats measure it", async () => {
  const nodes = await testPair({}, { timing: { heartbeatMs: 50 } });
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("a heartbeat came back", () => two.network.rttMs(testId(0)) !== undefined);
    await one.network.stop();
    await until("down", () => two.downs.length === 1);
    assert.deepEqual(two.network.peers(), []);
    await one.start();
    await until("up again", () => two.ups.length === 2 && one.ups.length === 2);
    one.network.send(testId(1), { groupId: 1, kind: "consensus", bytes: new Uint8Array([9]) });
    await until("it works", () => two.heard.length === 1);
    assert.ok((two.network.counters().ended["closed by the peer"] ?? 0) >= 1);
  });
});

// Three that mostly wait, in parallel.
// Addresses of peers are added and erased in the tests of the console.
inFull(
  "peers are added and erased while the network runs; a session outlives its endpoint",
  async () => {
    const one = await testNode({ index: 0 });
    const two = await testNode({ index: 1 });
    await withNodes([one, two], async () => {
      await one.start();
      await two.start();
      const endpoint = `127.0.0.1:${one.port}`;
      assert.equal(two.network.addPeers([endpoint, endpoint, "nonsense", "1.2.3.4:99999"]), 1);
      assert.deepEqual(two.network.endpoints(), [endpoint]);
      await until("connected", () => two.ups.length === 1);
      assert.equal(two.network.erasePeers([endpoint, "127.0.0.1:1"]), 1);
      assert.deepEqual(two.network.endpoints(), []);
      assert.equal(two.network.peers().length, 1);
      await one.network.stop();
      await until("down", () => two.downs.length === 1);
      const { dials } = two.network.counters();
      await one.start();
      await sleep(1_500);
      assert.equal(two.network.counters().dials, dials);
    });
  },
);

// Endpoints that are one node: core/network has who is dialled.
inFull("the own endpoint is recognised and not dialled again", async () => {
  const port = await freePort();
  const node = await testNode({ index: 0, port, peers: [`127.0.0.1:${port}`] });
  await withNodes([node], async () => {
    await node.start();
    await until("dialled", () => node.network.counters().dials === 1);
    await sleep(1_500);
    assert.equal(node.network.counters().dials, 1);
    assert.deepEqual(node.network.peers(), []);
    assert.deepEqual(node.ups, []);
  });
});

// Endpoints that are one node: core/network has who is dialled.
inFull("one node under two endpoints is one peer, and is dialled once per endpoint", async () => {
  const one = await testNode({ index: 0 });
  const peers = [`127.0.0.1:${one.port}`, `localhost:${one.port}`];
  const two = await testNode({ index: 1, peers });
  await withNodes([one, two], async () => {
    await one.start();
    await two.start();
    await until("dialled", () => two.network.counters().dials === 2);
    await until("connected", () => one.ups.length === 1 && two.ups.length === 1);
    await sleep(1_500);
    assert.deepEqual([one.ups.length, two.ups.length], [1, 1]);
    assert.deepEqual([one.downs.length, two.downs.length], [0, 0]);
    assert.equal(two.network.counters().dials, 2);
  });
});

test("the own port is recognised before any handshake", async () => {
  const port = await freePort();
  const { transports, connectionEncrypters } = nodeTransports();
  let handshakes = 0;
  const counted = connectionEncrypters.map((make): typeof make => (components) => {
    handshakes += 1;
    return make(components);
  });
  const node = await testNode({
    index: 0,
    port,
    peers: [`127.0.0.1:${port}`],
    transports: { transports, connectionEncrypters: counted },
  });
  await withNodes([node], async () => {
    await node.start();
    const [state] = node.network.endpointStates();
    assert.equal(state?.state, "self");
    // Asking under another key takes another node of libp2p, which has encrypters of its own.
    assert.equal(handshakes, counted.length);
  });
});

const isReplacedWarning = ({ level, message }: TestNode["lines"][number]) =>
  level === "warning" && message.includes("replaced by a newer connection");

// Connections of both sides are one in the test before, and in p2p-redial.test.ts.
inFull("nodes that dial each other at once agree on one connection, time and again", async () => {
  for (let round = 0; round < 5; round++) {
    const nodes = await field(2);
    await withNodes(nodes, async () => {
      await Promise.all(nodes.map(({ start }) => start()));
      await until("connected", () => nodes.every(({ network }) => network.peers().length === 1));
      await sleep(100);
      const warnings = nodes.flatMap(({ lines }) => lines.filter(isReplacedWarning));
      assert.deepEqual(warnings, [], "that is routine");
      assert.deepEqual(
        nodes.map(({ ups, downs }) => [ups.length, downs.length]),
        [
          [1, 0],
          [1, 0],
        ],
      );
    });
  }
});

test("adjacent versions of the protocol run together, others refuse each other by name", async () => {
  const old = await testNode({ index: 0, versions: [2] });
  const peers = [`127.0.0.1:${old.port}`];
  const both = await testNode({ index: 1, versions: [3, 2], peers });
  const next = await testNode({
    index: 2,
    versions: [3],
    peers: [...peers, `127.0.0.1:${both.port}`],
  });
  await withNodes([old, both, next], async () => {
    for (const { start } of [old, both, next]) await start();
    await until("adjacent versions are connected", () => both.network.peers().length === 2);
    const bytes = new Uint8Array(100_000);
    for (const to of [0, 2]) both.network.send(testId(to), { groupId: 1, kind: "blocks", bytes });
    for (const { network } of [old, next]) {
      network.send(testId(1), { groupId: 1, kind: "blocks", bytes });
    }
    await until("messages arrived", () => both.heard.length === 2);
    await until("and the others", () => old.heard.length === 1 && next.heard.length === 1);
    assert.equal(old.heard[0]?.bytes.length, 100_000);
    assert.deepEqual(
      next.network.peers().map(({ nodeId }) => nodeId),
      [testId(1)],
    );
    const reasons = next.lines.map(({ fields }) => fields?.["reason"]);
    assert.ok(reasons.includes("no common protocol version"), reasons.join());
    const versions = both.network.peers().map(({ nodeId, version }) => [nodeId, version]);
    assert.deepEqual(
      versions.sort(),
      [
        [testId(0), 2],
        [testId(2), 3],
      ].sort(),
    );
  });
});

test("nodes without TLS are reached over noise, and compression is off where one end has none", async () => {
  const { noise } = await import("@libp2p/noise");
  const { tcp } = await import("@libp2p/tcp");
  const transports = { transports: [tcp()], connectionEncrypters: [noise()] };
  const nodes = await testPair({ transports, compress: false });
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("connected", () => two.ups.length === 1);
    const bytes = new Uint8Array(50_000);
    two.network.send(testId(0), { groupId: 1, kind: "blocks", bytes });
    await until("arrived", () => one.heard.length === 1);
    assert.ok(two.network.counters().bytesOut > 50_000);
  });
});

test("a full queue drops the oldest of its class, counts it, and spares the others", async () => {
  const bounds = { transactions: { queueMessages: 10 } };
  const nodes = await testPair({}, { bounds });
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("connected", () => two.ups.length === 1);
    for (let value = 0; value < 25; value++) {
      for (const kind of ["transactions", "blocks"] as const) {
        two.network.send(testId(0), { groupId: 1, kind, bytes: new Uint8Array([value]) });
      }
    }
    await until("arrived", () => one.heard.length === 35);
    const numbers = one.heard.filter(({ kind }) => kind === "transactions");
    assert.deepEqual(
      numbers.map(({ bytes }) => bytes[0]),
      [15, 16, 17, 18, 19, 20, 21, 22, 23, 24],
    );
    assert.deepEqual(two.network.counters().dropped, {
      consensus: 0,
      transactions: 15,
      blocks: 0,
      topics: 0,
    });
  });
});

test("a listener that throws costs that message only", async () => {
  const nodes = await testPair();
  const [one, two] = nodes;
  await withNodes(nodes, async () => {
    const got: number[] = [];
    await one.network.start({
      message({ bytes }) {
        if (bytes[0] === 1) throw new Error("listener fault");
        got.push(bytes[0] ?? -1);
      },
      peerUp() {},
      peerDown() {},
    });
    await two.start();
    await until("connected", () => two.ups.length === 1);
    for (const value of [0, 1, 2]) {
      const bytes = new Uint8Array([value]);
      two.network.send(testId(0), { groupId: 1, kind: "consensus", bytes });
    }
    await until("arrived", () => got.length === 2);
    assert.deepEqual(got, [0, 2]);
  });
});
