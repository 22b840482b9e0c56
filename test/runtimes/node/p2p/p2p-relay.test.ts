/** Nodes that cannot be dialled reach each other through one that can. */
// rules: node-network 1, 5
import assert from "node:assert/strict";
import { createLibp2p } from "libp2p";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { RELAY_V2_HOP_CODEC } from "@libp2p/circuit-relay-v2";
import { test } from "vitest";
import { RELAY_LIST_PROTOCOL } from "../../../../core/network/relay-list.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import {
  type TestNode,
  type TestNodeOptions,
  testCertificate,
  testId,
  testNode,
  until,
  withNodes,
} from "./p2p-field.ts";

const TIMING = { heartbeatMs: 200 };

/** A node that serves; Node dials no WebSocket, so these tests are over TCP. */
async function relayNode(options: Partial<TestNodeOptions> = {}) {
  const relay = { serves: true, listens: false };
  const node = await testNode({ index: 0, relay, timing: TIMING, ...options });
  return { node, tcp: `127.0.0.1:${node.port}` };
}

/** As a tab: it listens nowhere. */
function tabNode(index: number, peer: string, options: Partial<TestNodeOptions> = {}) {
  const relay = { serves: false, listens: true };
  const listen = { host: "127.0.0.1" };
  return testNode({ index, peers: [peer], listen, relay, timing: TIMING, ...options });
}

const knows = ({ network }: TestNode, index: number) =>
  network.peers().some(({ nodeId }) => nodeId === testId(index));

test("two nodes that only dial meet through a relay, and a node of the same relay reaches both", async () => {
  const { node, tcp } = await relayNode();
  const dialler = await testNode({
    index: 3,
    peers: [tcp],
    relay: { serves: false, listens: false },
    timing: TIMING,
  });
  const tabs = [await tabNode(1, tcp), await tabNode(2, tcp)] as const;
  const all = [node, dialler, ...tabs];
  await withNodes(all, async () => {
    await Promise.all(all.map((one) => one.start()));
    await until("the tabs know each other", () => knows(tabs[0], 2) && knows(tabs[1], 1));
    await until("the dialler reaches both", () => knows(dialler, 1) && knows(dialler, 2));
    const bytes = new Uint8Array(300_000).fill(7);
    for (let i = 0; i < 20; i++) {
      tabs[0].network.send(testId(2), { groupId: 1, kind: "blocks", bytes });
    }
    await until("all arrive", () => tabs[1].heard.length === 20);
    assert.ok(tabs[1].heard.every((message) => message.from === testId(1)));
    const seen = tabs[0].network.peers().find(({ nodeId }) => nodeId === testId(2));
    assert.ok(seen);
    // No address of its own: that of the relay. Source: node-network 5
    assert.match(seen.endpoint, /^127\.0\.0\.1:\d+$/);
  });
});

test("the place of a node that goes is free, and it gets another one when it comes back", async () => {
  const { node, tcp } = await relayNode();
  const tabs = [await tabNode(1, tcp), await tabNode(2, tcp)] as const;
  await withNodes([node, ...tabs], async () => {
    await Promise.all([node, ...tabs].map((one) => one.start()));
    await until("the tabs know each other", () => knows(tabs[0], 2) && knows(tabs[1], 1));
    await tabs[1].network.stop();
    await until("it is missed", () => !knows(tabs[0], 2) && !knows(node, 2));
    await tabs[1].start();
    await until("they meet again", () => knows(tabs[0], 2) && knows(tabs[1], 1));
  });
});

test("an unauthenticated peer gets no place, no list and no way through", async () => {
  const { node, tcp } = await relayNode();
  const tab = await tabNode(1, tcp);
  await withNodes([node, tab], async () => {
    await node.start();
    await tab.start();
    await until("the tab is there", () => knows(node, 1));
    const outsider = await createLibp2p({
      ...nodeTransports(),
      addresses: { listen: [] },
      streamMuxers: [yamux()],
    });
    try {
      const [host, port] = tcp.split(":");
      const connection = await outsider.dial(multiaddr(`/ip4/${host}/tcp/${port}`));
      for (const protocol of [RELAY_V2_HOP_CODEC, RELAY_LIST_PROTOCOL]) {
        const stream = await connection.newStream(protocol);
        await until(`${protocol} is cut`, () => stream.status !== "open");
      }
    } finally {
      await outsider.stop();
    }
  });
});

test("a member that two nodes refuse is refused through the relay as well", async () => {
  const { node, tcp } = await relayNode();
  const expired = [testCertificate({ nodeId: testId(2), notAfterMs: 1 })];
  const tab = await tabNode(1, tcp, { blacklist: [testId(3)] });
  const listed = await tabNode(3, tcp);
  const late = await tabNode(2, tcp, { certificates: expired });
  await withNodes([node, tab, listed, late], async () => {
    await Promise.all([node, tab, listed, late].map((one) => one.start()));
    const said = ({ lines }: TestNode, text: RegExp) =>
      lines.some(({ message }) => text.test(message));
    await until("the listed one is refused", () => said(listed, /blacklisted/));
    assert.ok(!knows(tab, 3));
    await until("an ended certificate gets nowhere", () => said(late, /no valid certificate/));
    assert.ok(!knows(node, 2) && !knows(tab, 2));
  });
});
