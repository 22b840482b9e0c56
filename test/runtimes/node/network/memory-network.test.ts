/** The in-process network: contract, bounds, fairness. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type {
  Incoming,
  MessageClass,
  Network,
  NetworkEvents,
} from "../../../../core/ports/network.ts";
import { createMemoryHub } from "../../../../runtimes/shared/memory-network.ts";
import type { MemoryHubOptions } from "../../../../runtimes/shared/memory-network.ts";
import { networkContract } from "../../../contract/network.ts";

const id = (index: number) => index.toString(16).padStart(128, "0") as NodeId;
const PEER = { endpoint: "127.0.0.1:30300", agency: "", node: "", topics: [] };

/** A hub whose turns the test takes one by one. */
function manualHub(options: Partial<MemoryHubOptions> = {}) {
  const turns: (() => void)[] = [];
  const hub = createMemoryHub({ schedule: (run) => turns.push(run), ...options });
  const turn = () => turns.shift()?.();
  const settle = () => {
    while (turns.length > 0) turn();
  };
  return { hub, turn, settle, pendingTurns: () => turns.length };
}

function listener(): NetworkEvents & { readonly heard: string[]; readonly messages: Incoming[] } {
  const heard: string[] = [];
  const messages: Incoming[] = [];
  return {
    heard,
    messages,
    message(message) {
      messages.push(message);
      heard.push(`${message.kind} ${message.bytes.length}`);
    },
    peerUp: (peer) => heard.push(`up ${Number.parseInt(peer, 16)}`),
    peerDown: (peer) => heard.push(`down ${Number.parseInt(peer, 16)}`),
  };
}

function send(from: Network, to: number, kind: MessageClass, length: number): void {
  from.send(id(to), { groupId: 1, kind, bytes: new Uint8Array(length) });
}

networkContract("the in-process network", async (count) => {
  let pending = 0;
  const schedule = (run: () => void) => {
    pending += 1;
    setImmediate(() => {
      pending -= 1;
      run();
    });
  };
  const hub = createMemoryHub({ schedule });
  const networks = Array.from({ length: count }, (_, at) => hub.join(id(at), PEER));
  const turn = () => new Promise((resume) => setImmediate(resume));
  return {
    networks,
    async settle() {
      do await turn();
      while (pending > 0);
    },
    close: async () => {},
  };
});

async function pair(options: Partial<MemoryHubOptions> = {}) {
  const manual = manualHub(options);
  const one = manual.hub.join(id(1), PEER);
  const two = manual.hub.join(id(2), PEER);
  const ears = { one: listener(), two: listener() };
  await one.start(ears.one);
  await two.start(ears.two);
  manual.settle();
  ears.one.heard.length = 0;
  ears.two.heard.length = 0;
  return { ...manual, one, two, ears };
}

test("a node that stops and starts within a turn is seen as a new connection", async () => {
  const { settle, one, two, ears } = await pair();
  send(one, 2, "blocks", 1);
  await one.stop();
  await one.start(ears.one);
  send(one, 2, "blocks", 2);
  settle();
  assert.deepEqual(ears.two.heard, ["down 1", "up 1", "blocks 2"]);
  assert.equal(two.peers().length, 1);
});

test("a full queue drops its oldest messages", async () => {
  const bounds = { transactions: { messages: 3, bytes: 1_000 } };
  const { settle, one, ears } = await pair({ bounds });
  for (let length = 1; length <= 5; length++) send(one, 2, "transactions", length);
  send(one, 2, "consensus", 9);
  settle();
  assert.deepEqual(ears.two.heard, [
    "consensus 9",
    "transactions 3",
    "transactions 4",
    "transactions 5",
  ]);
});

test("the byte bound drops the oldest, and a message above it is dropped alone", async () => {
  const bounds = { blocks: { messages: 100, bytes: 100 } };
  const { settle, one, ears } = await pair({ bounds });
  for (const length of [60, 50, 45]) send(one, 2, "blocks", length);
  send(one, 2, "blocks", 101);
  settle();
  assert.deepEqual(ears.two.heard, ["blocks 50", "blocks 45"]);
});

test("two nodes that answer each other for ever leave turns to others", async () => {
  const { one, two, settle, turn, pendingTurns } = await pair();
  await one.stop();
  await two.stop();
  settle();
  let bounces = 0;
  const bounce = (network: Network, to: number): NetworkEvents => ({
    message() {
      bounces += 1;
      send(network, to, "consensus", 1);
    },
    peerUp() {},
    peerDown() {},
  });
  await one.start(bounce(one, 2));
  await two.start(bounce(two, 1));
  turn();
  send(one, 2, "consensus", 1);
  for (let turns = 0; turns < 10; turns++) turn();
  assert.ok(bounces > 0 && bounces <= 20, `${bounces} bounces in ten turns`);
  assert.equal(pendingTurns(), 1);
  await one.stop();
});

test("a receiver that throws loses that message and no other", async () => {
  const { settle, turn, one, two, pendingTurns } = await pair();
  await two.stop();
  settle();
  const got: number[] = [];
  await two.start({
    message({ bytes }) {
      if (bytes.length === 1) throw new Error("receiver fault");
      got.push(bytes.length);
    },
    peerUp() {},
    peerDown() {},
  });
  settle();
  send(one, 2, "consensus", 1);
  send(one, 2, "consensus", 2);
  assert.throws(turn, /receiver fault/);
  assert.equal(pendingTurns(), 1);
  settle();
  assert.deepEqual(got, [2]);
});

test("a node that stops while it handles a message gets no further one", async () => {
  const { settle, one, two } = await pair();
  await two.stop();
  settle();
  let got = 0;
  await two.start({
    message() {
      got += 1;
      void two.stop();
    },
    peerUp() {},
    peerDown() {},
  });
  settle();
  for (let count = 0; count < 5; count++) send(one, 2, "consensus", 1);
  settle();
  assert.equal(got, 1);
});

test("memory stays flat while many messages pass", async () => {
  const { settle, one, ears } = await pair();
  for (let round = 0; round < 200; round++) {
    for (let count = 0; count < 100; count++) send(one, 2, "consensus", 1);
    settle();
  }
  assert.equal(ears.two.messages.length, 20_000);
});
