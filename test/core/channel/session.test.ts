// One connection of the channel as a pure step: handshake, heartbeat, topics, requests, pushes.
// rules: channel-protocol 3.1, 5.2, 5.3, 6.1, 7.1, 7.2, 11
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { type Frame, MESSAGE_TYPE } from "../../../core/channel/frame.ts";
import {
  BYTES_BESIDE_REQUEST,
  MAX_HANDSHAKE_BYTES,
  MAX_REQUEST_BYTES,
  MAX_TOPIC_LISTS,
  MAX_TOPICS,
  MAX_TOPICS_BYTES,
  newSession,
  type SessionEffect,
  type SessionInput,
  type SessionState,
} from "../../../core/channel/session/state.ts";
import { step } from "../../../core/channel/session/step.ts";

/** What must hold after every step. @returns the first sentence that does not */
function brokenInvariant(state: SessionState): string | undefined {
  const open = [...state.requests.values()];
  const running = open.filter(({ answered }) => !answered);
  if (running.length !== state.running) return "running counts the unanswered requests";
  const bytes = running.reduce((sum, request) => sum + request.bytes, 0);
  if (bytes !== state.runningBytes) return "runningBytes counts their bytes";
  if (open.some(({ answered, held }) => answered && held.length > 0))
    return "nothing is held back after the answer";
  if (open.some(({ answered, awaited }) => answered && awaited <= 0))
    return "an answered request stays only while receipts are awaited";
  return undefined;
}

const SEQ = bytesOf("0123456789abcdef0123456789abcdef");
const FACTS = { nodeVersion: "2.11.1" };

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function frame(type: number, data: string, result = 0): SessionInput {
  return { type: "frame", frame: { type, seq: SEQ, result, data: bytesOf(data) } };
}

/** Takes the inputs one after the other; what was asked for by the last. */
function take(state: SessionState, ...inputs: readonly SessionInput[]): readonly SessionEffect[] {
  let effects: readonly SessionEffect[] = [];
  for (const input of inputs) {
    effects = step(state, input, FACTS);
    assert.equal(brokenInvariant(state), undefined);
  }
  return effects;
}

function sent(effects: readonly SessionEffect[]): readonly string[] {
  const frames = effects.flatMap((effect): Frame[] =>
    effect.type === "send" ? [effect.frame] : [],
  );
  return frames.map(({ type, result, data }) => `${type.toString(16)} ${result} ${text(data)}`);
}

const { rpc, heartbeat, handshake, topics } = MESSAGE_TYPE;
const V3 = frame(handshake, '{"minimumSupport":1,"maximumSupport":3}');

const HANDSHAKES = [
  { data: '{"minimumSupport":1,"maximumSupport":3,"clientType":"x"}', version: 3 },
  { data: '{"minimumSupport":1,"maximumSupport":2}', version: 2 },
  { data: '{"minimumSupport":2,"maximumSupport":9}', version: 3 },
  { data: '{"maximumSupport":1}', version: 1 },
  { data: "{}", version: 1 },
] as const;
for (const { data, version } of HANDSHAKES) {
  test(`the handshake ${data} settles version ${version}`, () => {
    const state = newSession(0);
    const answer = `14 7 {"nodeVersion":"2.11.1","protocol":${version}}\n`;
    assert.deepEqual(sent(take(state, frame(handshake, data, 7))), [answer]);
    assert.equal(state.version, version);
  });
}

for (const data of ["x", "", "5", "[1]", '{"minimumSupport":"1"}', '{"maximumSupport":1.5}']) {
  test(`the handshake ${JSON.stringify(data)} is ignored`, () => {
    const state = newSession(0);
    assert.deepEqual(take(state, V3, frame(handshake, data)), []);
    assert.equal(state.version, 3);
  });
}

for (const data of ['{"minimumSupport":4,"maximumSupport":9}', '{"maximumSupport":0}']) {
  test(`the handshake ${data} ends the session without a frame`, () => {
    const state = newSession(0);
    assert.deepEqual(take(state, frame(handshake, data)), [{ type: "close", reason: "versions" }]);
    assert.deepEqual(take(state, frame(rpc, "{}")), []);
  });
}

test("a heartbeat of version 1 is answered for the one byte 0 only", () => {
  for (const data of ["", "1", "00", '{"heartBeat":0}'])
    assert.deepEqual(take(newSession(0), frame(heartbeat, data)), []);
  assert.deepEqual(sent(take(newSession(0), frame(heartbeat, "0"))), ["13 0 1"]);
});

test("a heartbeat of later versions is answered whatever it holds", () => {
  for (const data of ["", "0", '{"heartBeat":0}'])
    assert.deepEqual(sent(take(newSession(0), V3, frame(heartbeat, data))), [
      '13 0 {"heartBeat":1}\n',
    ]);
});

test("a list of topics replaces the one before; anything else changes nothing", () => {
  const state = newSession(0);
  assert.deepEqual(take(state, frame(topics, '["a","b"]')), [{ type: "topicsChanged" }]);
  assert.deepEqual([...state.topics], ["a", "b"]);
  for (const data of ["{", "5", '{"a":1}', "[1]", '["a",null]', ""])
    assert.deepEqual(take(state, frame(topics, data)), []);
  assert.deepEqual([...state.topics], ["a", "b"]);
  take(state, frame(topics, "[]"));
  assert.equal(state.topics.size, 0);
});

test("the same topics once more are no change, in whatever order", () => {
  const state = newSession(0);
  take(state, frame(topics, '["a","b"]'));
  for (const data of ['["a","b"]', '["b","a","a"]'])
    assert.deepEqual(take(state, frame(topics, data)), []);
  take(state, frame(topics, "[]"));
  assert.deepEqual(take(state, frame(topics, "[]")), []);
  assert.equal(state.topicBytes, 0);
});

test("lists of topics and handshakes beyond their bounds are ignored", () => {
  const state = newSession(0);
  const padded = (text: string, length: number) => text.padEnd(length, " ");
  assert.deepEqual(take(state, frame(topics, padded('["a"]', MAX_TOPICS_BYTES + 1))), []);
  assert.equal(take(state, frame(topics, padded('["a"]', MAX_TOPICS_BYTES))).length, 1);
  const request = '{"maximumSupport":3}';
  assert.deepEqual(take(state, frame(handshake, padded(request, MAX_HANDSHAKE_BYTES + 1))), []);
  assert.equal(state.version, 1);
  take(state, frame(handshake, padded(request, MAX_HANDSHAKE_BYTES)));
  assert.equal(state.version, 3);
  const longest = Array.from({ length: MAX_TOPICS }, (_, i) => String(i).padStart(254, "x"));
  take(state, frame(topics, JSON.stringify(longest)));
  assert.equal(state.topics.size, MAX_TOPICS);
});

test("topics are bounded in number and length", () => {
  const state = newSession(0);
  const many = Array.from({ length: MAX_TOPICS + 9 }, (_, i) => `t${i}`);
  take(state, frame(topics, JSON.stringify(["x".repeat(255), ...many])));
  assert.equal(state.topics.size, MAX_TOPICS);
  assert.ok(state.topics.has("t0"));
});

test("a block is pushed to who listens to its group, in the form of its version", () => {
  const state = newSession(0);
  const block: SessionInput = { type: "block", groupId: 1, number: 17 };
  assert.deepEqual(take(state, block), []);
  take(state, frame(topics, '["_block_notify_1"]'));
  assert.deepEqual(sent(take(state, block)), ["1001 0 \x10_block_notify_11,17"]);
  const of3 = '1001 0 \x10_block_notify_1{"blockNumber":17,"groupID":1}\n';
  assert.deepEqual(sent(take(state, V3, block)), [of3]);
  assert.deepEqual(take(state, { ...block, groupId: 2 }), []);
});

test("a request is dispatched with the version in effect when it arrived", () => {
  const state = newSession(0);
  assert.deepEqual(take(state, frame(rpc, "a")), [
    { type: "dispatch", request: 1, parts: [bytesOf("a")], version: 1 },
  ]);
  assert.deepEqual(take(state, V3, frame(rpc, "b")), [
    { type: "dispatch", request: 2, parts: [bytesOf("b")], version: 3 },
  ]);
  const answered = { type: "answered", request: 2, data: bytesOf("r"), awaited: 0 } as const;
  assert.deepEqual(sent(take(state, answered)), ["12 0 r"]);
  assert.equal(state.requests.size, 1);
});

test("a receipt that comes before the answer waits for it", () => {
  const state = newSession(0);
  const receipt = { type: "receipt", request: 1, data: bytesOf("R") } as const;
  assert.deepEqual(take(state, frame(rpc, "a"), receipt), []);
  const answered = { type: "answered", request: 1, data: bytesOf("r"), awaited: 1 } as const;
  assert.deepEqual(sent(take(state, answered)), ["12 0 r", "1000 0 R"]);
  assert.equal(state.requests.size, 0);
  assert.deepEqual(take(state, receipt), []);
});

test("a request stays open until its last receipt has left or is given up", () => {
  const state = newSession(0);
  const answered = { type: "answered", request: 1, data: bytesOf("r"), awaited: 2 } as const;
  take(state, frame(rpc, "a"), answered);
  const receipt = { type: "receipt", request: 1, data: bytesOf("R") } as const;
  assert.deepEqual(sent(take(state, receipt)), ["1000 0 R"]);
  assert.equal(state.requests.size, 1);
  assert.deepEqual(take(state, { type: "forgotten", request: 1 }), []);
  assert.equal(state.requests.size, 0);
});

test("60 s without a byte end the session, any byte restarts them", () => {
  const state = newSession(1_000);
  assert.deepEqual(take(state, { type: "tick", now: 60_999 }), []);
  take(state, { type: "activity", now: 60_999 });
  assert.deepEqual(take(state, { type: "tick", now: 120_998 }), []);
  assert.deepEqual(take(state, { type: "tick", now: 120_999 }), [
    { type: "close", reason: "idle" },
  ]);
});

test("a draining session answers what runs and takes nothing more", () => {
  const idle = newSession(0);
  assert.deepEqual(take(idle, { type: "drain" }), [{ type: "close", reason: "drained" }]);
  const busy = newSession(0);
  assert.deepEqual(take(busy, frame(rpc, "a"), { type: "drain" }), []);
  assert.deepEqual(take(busy, frame(rpc, "b")), []);
  const answered = { type: "answered", request: 1, data: bytesOf("r"), awaited: 0 } as const;
  const effects = take(busy, answered);
  assert.deepEqual(sent(effects), ["12 0 r"]);
  assert.deepEqual(effects.at(-1), { type: "close", reason: "drained" });
});

test("a draining session waits for the receipts that are awaited", () => {
  const state = newSession(0);
  take(state, frame(rpc, "a"), frame(rpc, "b"));
  take(state, { type: "answered", request: 1, data: bytesOf("r"), awaited: 2 });
  take(state, { type: "answered", request: 2, data: bytesOf("s"), awaited: 1 }, { type: "drain" });
  assert.equal(state.closed, false);
  const one = take(state, { type: "receipt", request: 1, data: bytesOf("1") });
  assert.deepEqual([sent(one), state.closed], [["1000 0 1"], false]);
  assert.deepEqual(take(state, { type: "forgotten", request: 2 }), []);
  const last = take(state, { type: "receipt", request: 1, data: bytesOf("2") });
  assert.deepEqual(sent(last), ["1000 0 2"]);
  assert.deepEqual(last.at(-1), { type: "close", reason: "drained" });
});

test("unknown types and types of extensions are ignored", () => {
  for (const type of [0, 0x15, 0x16, 0x30, 0x31, 0x35, 0x37, 0x38, 0x99, 0x1000, 0x1002, 0xffff])
    assert.deepEqual(take(newSession(0), frame(type, "x")), []);
});

test("whatever comes in whatever order, the books balance and no receipt overtakes", () => {
  const input = fc.oneof(
    fc.constantFrom<SessionInput>(
      frame(rpc, "request"),
      frame(topics, '["a"]'),
      V3,
      frame(heartbeat, "0"),
      { type: "block", groupId: 1, number: 2 },
    ),
    fc.record({
      type: fc.constant("answered" as const),
      request: fc.integer({ min: 0, max: 6 }),
      data: fc.constant(bytesOf("answer")),
      awaited: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({
      type: fc.constant("receipt" as const),
      request: fc.integer({ min: 0, max: 6 }),
      data: fc.constant(bytesOf("receipt")),
    }),
    fc.record({
      type: fc.constant("forgotten" as const),
      request: fc.integer({ min: 0, max: 6 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(input, { maxLength: 40 }), (inputs) => {
      const state = newSession(0);
      const kinds: number[] = [];
      for (const next of inputs) {
        for (const effect of step(state, next, FACTS))
          if (effect.type === "send") kinds.push(effect.frame.type);
        assert.equal(brokenInvariant(state), undefined);
      }
      const first = kinds.indexOf(MESSAGE_TYPE.receiptPush);
      assert.ok(first < 0 || kinds.slice(0, first).includes(rpc));
    }),
  );
});

test("requests that are longer than the RPC port takes are refused unread", () => {
  const state = newSession(0);
  const long: SessionInput = {
    type: "frame",
    frame: { type: rpc, seq: SEQ, result: 0, data: new Uint8Array(MAX_REQUEST_BYTES + 1) },
  };
  const [answer = ""] = sent(take(state, long));
  assert.match(answer, /^12 0 .*"code":-32600,"message":"[^"]*larger than 67108864 bytes".*null/);
  assert.deepEqual([state.running, state.requests.size], [0, 0]);
  const data = new Uint8Array(MAX_REQUEST_BYTES);
  const longest: SessionInput = { type: "frame", frame: { type: rpc, seq: SEQ, result: 0, data } };
  assert.deepEqual(
    take(state, longest).map((effect) => effect.type),
    ["dispatch"],
  );
});

test("what a batch has collected counts with its request until it is answered", () => {
  const state = newSession(0);
  take(state, frame(rpc, "abc"), { type: "grown", request: 1, bytes: 1_000 });
  assert.equal(state.runningBytes, 1_003 + BYTES_BESIDE_REQUEST);
  take(state, { type: "answered", request: 1, data: bytesOf("r"), awaited: 0 });
  assert.equal(state.runningBytes, 0);
  take(state, { type: "grown", request: 1, bytes: 1_000 });
  assert.equal(state.runningBytes, 0);
});

test("receipts that come with the last answer leave before the session is closed", () => {
  const state = newSession(0);
  take(state, frame(rpc, "a"), { type: "drain" });
  const receipts = [bytesOf("R1"), bytesOf("R2")];
  const answered = { type: "answered", request: 1, data: bytesOf("r"), awaited: 0 } as const;
  const effects = take(state, { ...answered, receipts });
  assert.deepEqual(sent(effects), ["12 0 r", "1000 0 R1", "1000 0 R2"]);
  assert.deepEqual(effects.at(-1), { type: "close", reason: "drained" });
});

test("of lists of topics above the rate only the last is taken, at the next tick", () => {
  const state = newSession(0);
  const list = (name: string) => frame(topics, JSON.stringify([name]));
  for (let i = 0; i < MAX_TOPIC_LISTS; i++) assert.equal(take(state, list(`a${i}`)).length, 1);
  for (let i = 0; i < 1_000; i++) assert.deepEqual(take(state, list(`b${i}`)), []);
  assert.deepEqual([...state.topics], [`a${MAX_TOPIC_LISTS - 1}`]);
  assert.deepEqual(take(state, { type: "tick", now: 1 }), [{ type: "topicsChanged" }]);
  assert.deepEqual([...state.topics], ["b999"]);
  assert.deepEqual(take(state, { type: "tick", now: 2 }), []);
  assert.equal(take(state, list("c")).length, 1);
});
