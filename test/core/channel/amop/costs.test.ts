/** What messages between clients may cost: who is passed over, what is copied, what is kept. */
// rules: channel-protocol 4, channel-protocol 8.2, channel-protocol 8.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { AMOP_BOUNDS } from "../../../../core/channel/amop/state.ts";
import { nextTick } from "../../../../core/channel/amop/step.ts";
import { MESSAGE_TYPE, withTopic } from "../../../../core/channel/frame.ts";
import {
  AmopWorld,
  amopNodeId,
  type Client,
  reply,
  seqOf,
  topicFrame,
} from "../../../support/channel/amop-world.ts";

const { amopRequest: REQUEST, amopResponse: RESPONSE, amopMulticast: MULTICAST } = MESSAGE_TYPE;
const ask = (seq = "1", content = "hi", topic = "t") => topicFrame(REQUEST, seq, topic, content);
const cast = (seq = "1", content = "hi") => topicFrame(MULTICAST, seq, "t", content);

/** What a client was answered with: result and content, one text for each answer. */
function answers({ heard }: Client): string[] {
  return heard
    .filter(({ type }) => type === RESPONSE)
    .map(({ result, data }) => `${result} ${utf8Text(data.subarray(data[0] ?? 0))}`);
}

test("nobody is sent messages to the topics of blocks, no matter who sends them", () => {
  const world = new AmopWorld(2);
  const topic = "_block_notify_1";
  const a = world.client(0);
  const listeners = [world.client(0, topic), world.client(1, topic)];
  world.send(a, ask("1", "hi", topic));
  world.send(a, topicFrame(MULTICAST, "2", topic, "hi"));
  const data = withTopic(topic, utf8Bytes("hi"));
  world.deliver(amopNodeId(2), 0, { type: "multicast", seq: seqOf("3"), data });
  world.deliver(amopNodeId(2), 0, { type: "request", id: 1, seq: seqOf("4"), data });
  for (const client of listeners) assert.deepEqual(client.heard, []);
  assert.deepEqual(answers(a), ["100 ", "0 hi"]);
  assert.deepEqual(world.topicsAt(1, 0), [topic]);
});

test("a client that does not read is passed over; without another one the sender sees 100", () => {
  const world = new AmopWorld(1);
  const a = world.client(0);
  const [b, c] = [world.client(0, "t"), world.client(0, "t")];
  c.answer = reply("c");
  world.node(0).behind.add(b.id);
  world.send(a, ask("1"));
  world.node(0).behind.add(c.id);
  world.send(a, ask("2"));
  assert.deepEqual(answers(a), ["0 c", "100 "]);
  assert.deepEqual(b.heard, []);
});

test("copies to the clients of a node are limited: own senders are told 103, peers nothing", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const listeners = [world.client(0, "t"), world.client(0, "t")];
  world.node(0).copies = 3;
  world.send(a, cast("1"));
  world.send(a, cast("2"));
  assert.deepEqual(answers(a), ["0 hi", "103 "]);
  const { data } = cast();
  world.deliver(amopNodeId(2), 0, { type: "multicast", seq: seqOf("3"), data });
  for (const client of listeners) assert.deepEqual(client.heard, [cast("1")]);
});

test("requests of one seq to one client stand in one list, which is not copied", () => {
  const world = new AmopWorld(1);
  const a = world.client(0);
  const b = world.client(0, "t");
  world.send(a, ask());
  const { asked } = world.node(0).state;
  const [list] = asked.values();
  for (let i = 1; i < AMOP_BOUNDS.exchangesPerSession; i++) world.send(a, ask());
  assert.equal([...asked.values()][0], list);
  assert.equal(list?.size, AMOP_BOUNDS.exchangesPerSession);
  for (let i = 0; i < AMOP_BOUNDS.exchangesPerSession; i++) {
    world.send(b, topicFrame(RESPONSE, "1", "t", `${i}`));
  }
  assert.deepEqual(
    [asked.size, answers(a).at(-1)],
    [0, `0 ${AMOP_BOUNDS.exchangesPerSession - 1}`],
  );
});

test("what is overdue ends in pieces, between which others have their turn", () => {
  const world = new AmopWorld(1);
  world.client(0, "t");
  const senders = Math.ceil((2 * AMOP_BOUNDS.endsAtOnce) / AMOP_BOUNDS.exchangesPerSession) + 1;
  const all = Array.from({ length: senders }, () => world.client(0));
  for (const client of all) {
    for (let i = 0; i < AMOP_BOUNDS.exchangesPerSession; i++) world.send(client, ask(`${i}`));
  }
  const { state } = world.node(0);
  const before = state.deliveries.size;
  world.now += 5_000;
  world.take(world.node(0), { type: "tick" });
  assert.equal(before - state.deliveries.size, AMOP_BOUNDS.endsAtOnce);
  assert.ok((nextTick(state) ?? Infinity) <= world.now);
  world.move(0);
  assert.equal(state.deliveries.size, 0);
});

test("of a long reading only what belongs to a message is kept", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  world.client(0, "t");
  const chunk = new Uint8Array(16_384);
  const view = (bytes: Uint8Array, at: number) => {
    chunk.set(bytes, at);
    return chunk.subarray(at, at + bytes.length);
  };
  const { seq, data } = ask();
  world.send(a, { type: REQUEST, seq: view(seq, 6), result: 0, data: view(data, 42) });
  const request = { seq: view(seqOf("2"), 100), data: view(data, 200) };
  world.deliver(amopNodeId(2), 0, { type: "request", id: 1, ...request });
  const { exchanges, deliveries } = world.node(0).state;
  const kept = [...exchanges.values(), ...deliveries].flatMap((it) => [it.seq, it.data]);
  assert.equal(kept.length, 6);
  for (const bytes of kept) assert.ok(bytes.buffer.byteLength < 100);
});
