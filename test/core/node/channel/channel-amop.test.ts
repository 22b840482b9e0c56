/**
 * Messages between clients at a node: what is sent to whom, and what other sessions may not fill.
 */
// rules: channel-protocol 8.2
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { MAX_CARRIED_BYTES } from "../../../../core/channel/amop/peer-message.ts";
import { AMOP_BOUNDS } from "../../../../core/channel/amop/state.ts";
import type { SessionHandle } from "../../../../core/channel/session-handle.ts";
import {
  encodeFrame,
  type Frame,
  MESSAGE_TYPE,
  withTopic,
} from "../../../../core/channel/frame.ts";
import { ChannelAmop } from "../../../../core/node/channel/channel-amop.ts";
import type { TopicsExtension } from "../../../../core/node/channel/topics-line.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";

const { amopMulticast: MULTICAST, amopRequest: REQUEST } = MESSAGE_TYPE;
const SEQ = utf8Bytes("0123456789abcdef0123456789abcdef");

/** A client of the node. */
interface Client extends SessionHandle {
  readonly heard: Frame[];
  unsentBytes: number;
}

function place() {
  const facts = { spare: Number.POSITIVE_INFINITY };
  const clients: Client[] = [];
  const ports = {
    clock: createHandClock(),
    entropy: { bytes: (count: number) => new Uint8Array(count) },
    sessions: {
      sessions: () => clients,
      mayAccess: () => true,
      spareBytes: () => facts.spare,
    },
    join: (_: TopicsExtension) => ({
      self: "1".repeat(128) as NodeId,
      peers: () => [],
      send: () => undefined,
      penalise: () => undefined,
      bandwidth: undefined,
    }),
  };
  const amop = new ChannelAmop(ports);
  const client = (...topics: readonly string[]): Client => {
    const heard: Frame[] = [];
    const send = (frame: Frame) => void heard.push(frame);
    const facts = { id: clients.length + 1, sdkId: "", version: 1, unsentBytes: 0 } as const;
    const made: Client = { ...facts, topics: new Set(topics), heard, send };
    clients.push(made);
    amop.onTopicsChanged(made);
    return made;
  };
  const say = (from: Client, type: number, content: Uint8Array) =>
    amop.onFrame(from, { type, seq: SEQ, result: 0, data: withTopic("t", content) });
  return { amop, client, say, facts };
}

test("a multicast is encoded once, however many clients it goes to", () => {
  const { client, say } = place();
  const others = [client("t"), client("t"), client("t")];
  say(client(), MULTICAST, utf8Bytes("hi"));
  const [first] = others[0]?.heard ?? [];
  assert.ok(first?.encoded);
  const { encoded: _, ...frame } = first;
  assert.deepEqual(first.encoded, encodeFrame(frame));
  for (const { heard } of others) assert.equal(heard[0]?.encoded, first.encoded);
});

test("who has much unread is sent no messages of others, however long or short they are", () => {
  for (const type of [MULTICAST, REQUEST]) {
    const { client, say } = place();
    const [a, b] = [client(), client("t")];
    b.unsentBytes = MAX_CARRIED_BYTES;
    say(a, type, utf8Bytes("a message that is too long"));
    assert.deepEqual(b.heard, []);
    b.unsentBytes = 0;
    say(a, type, new Uint8Array(MAX_CARRIED_BYTES - 2));
    assert.equal(b.heard.length, 1);
  }
});

test("messages of others use no more memory than is spared for them", () => {
  for (const type of [MULTICAST, REQUEST]) {
    const { client, say, facts } = place();
    const [a, b] = [client(), client("t")];
    facts.spare = 45;
    say(a, type, utf8Bytes("hi"));
    assert.deepEqual([a.heard.length, b.heard.length], [1, 0]);
    facts.spare = 46;
    say(a, type, utf8Bytes("hi"));
    assert.equal(b.heard.length, 1);
  }
});

test("a client that has gone is sent nothing, and its topics are forgotten", () => {
  const { amop, client, say } = place();
  const [a, b] = [client(), client("t")];
  assert.deepEqual(amop.ownTopics(), ["t"]);
  assert.deepEqual(amop.counters(), { topics: 1, fromClients: 0, fromNodes: 0 });
  amop.onSessionClosed(b);
  say(a, MULTICAST, utf8Bytes("hi"));
  assert.deepEqual([a.heard.length, b.heard.length], [1, 0]);
  amop.onMessage("2".repeat(128) as NodeId, new Uint8Array(0));
  const { fromClients, fromNodes } = amop.counters();
  assert.deepEqual([fromClients, fromNodes], [1, 1]);
});

test("more copies than a node makes in a second are refused with 103", () => {
  const { client, say } = place();
  const listeners = 100;
  for (let i = 0; i < listeners; i++) client("t");
  const a = client();
  const admitted = (2 * AMOP_BOUNDS.copiesPerSecond) / listeners;
  for (let i = 0; i <= admitted; i++) say(a, MULTICAST, utf8Bytes("hi"));
  assert.deepEqual([a.heard.at(-2)?.result, a.heard.at(-1)?.result], [0, 103]);
});
