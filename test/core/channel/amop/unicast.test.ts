/** Unicasts and multicasts between clients of one node and of several. */
// rules: channel-protocol 8.1, channel-protocol 8.2, channel-protocol 8.3, channel-protocol 11
// rules: node-network 4
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { hexBytes, toHex } from "../../../../core/bytes/hex.ts";
import { MAX_CARRIED_BYTES } from "../../../../core/channel/amop/peer-message.ts";
import { AMOP_BOUNDS, AMOP_RESULT } from "../../../../core/channel/amop/state.ts";
import { isForAmop } from "../../../../core/channel/amop/step.ts";
import { type Frame, MESSAGE_TYPE, withTopic } from "../../../../core/channel/frame.ts";
import {
  AmopWorld,
  amopNodeId,
  type Client,
  reply,
  seqOf,
  topicFrame,
} from "../../../support/channel/amop-world.ts";
import { cases } from "../../../support/runner/cases.ts";

const { amopRequest: REQUEST, amopResponse: RESPONSE, amopMulticast: MULTICAST } = MESSAGE_TYPE;
const ask = (seq = "1", content = "hi", topic = "t") => topicFrame(REQUEST, seq, topic, content);
const cast = (seq = "1", content = "hi") => topicFrame(MULTICAST, seq, "t", content);

/** What a client was answered with: result and content, one text for each answer. */
function answers({ heard }: Client): string[] {
  return heard
    .filter(({ type }) => type === RESPONSE)
    .map(({ result, data }) => `${result} ${utf8Text(data.subarray(data[0] ?? 0))}`);
}

function requests({ heard }: Client): Frame[] {
  return heard.filter(({ type }) => type === REQUEST);
}

test("a message reaches the subscriber of another node unchanged, and the answer comes back", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const b = world.client(1, "t");
  b.answer = reply("ok");
  world.send(a, ask());
  assert.deepEqual(requests(b), [ask()]);
  assert.deepEqual(a.heard, [topicFrame(RESPONSE, "1", "t", "ok")]);
});

test("a topic that nobody has is answered with 100 and no data", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  world.send(a, ask());
  assert.deepEqual(a.heard, [
    { type: RESPONSE, seq: seqOf("1"), result: 100, data: new Uint8Array(0) },
  ]);
});

test("a subscriber of the sender's own node is reached, and the sender itself too", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const b = world.client(0, "t");
  b.answer = reply("here");
  world.send(a, ask());
  assert.deepEqual(answers(a), ["0 here"]);
  const own = world.client(1, "own");
  own.answer = reply("me");
  world.send(own, ask("2", "hi", "own"));
  assert.deepEqual(answers(own), ["0 me"]);
});

test("a silent subscriber makes the sender see 104 with its own data after five seconds", () => {
  for (const home of [0, 1]) {
    const world = new AmopWorld(2);
    const a = world.client(0);
    world.client(home, "t");
    world.send(a, ask());
    world.move(4_999);
    assert.deepEqual(a.heard, []);
    world.move(1);
    assert.deepEqual(a.heard, [{ ...ask(), type: RESPONSE, result: 104 }]);
  }
});

test("a node tries its subscribers one after another until one answers", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const silent = [world.client(1, "t"), world.client(1, "t")];
  const b = world.client(1, "t");
  b.answer = reply("third");
  world.send(a, ask());
  world.move(5_000);
  assert.deepEqual(answers(a), []);
  world.move(5_000);
  assert.deepEqual(answers(a), ["0 third"]);
  for (const client of silent) assert.equal(requests(client).length, 1);
});

test("a subscriber that goes is replaced at once, an answer that comes too late is nobody's", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const first = world.client(1, "t");
  const second = world.client(1, "t");
  world.send(a, ask());
  assert.deepEqual([requests(first).length, requests(second).length], [1, 0]);
  world.leave(first);
  assert.equal(requests(second).length, 1);
  world.move(5_000);
  assert.deepEqual(answers(a), ["104 hi"]);
  world.send(second, topicFrame(RESPONSE, "1", "t", "late"));
  assert.deepEqual(answers(a), ["104 hi"]);
});

test("a node that fails is followed by the next one that has the topic", () => {
  const world = new AmopWorld(3);
  const a = world.client(0);
  world.client(1, "t");
  const c = world.client(2, "t");
  c.answer = reply("c");
  world.send(a, ask());
  world.cut(1);
  assert.deepEqual(answers(a), ["0 c"]);
});

test("a node whose subscriber is silent is followed by the next one", () => {
  const world = new AmopWorld(3);
  const a = world.client(0);
  world.client(1, "t");
  const c = world.client(2, "t");
  c.answer = reply("c");
  world.send(a, ask());
  world.move(5_000);
  assert.deepEqual(answers(a), ["0 c"]);
});

test("a whole exchange takes thirty seconds at most", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  world.client(1, "t");
  world.mute(1);
  world.send(a, ask());
  world.move(29_999);
  assert.deepEqual(answers(a), []);
  world.move(1);
  assert.deepEqual(answers(a), ["100 "]);
  assert.deepEqual([world.node(0).state.heldBytes, world.node(0).state.exchanges.size], [0, 0]);
});

test("answers to one client's requests of one seq go to the senders in their order", () => {
  const world = new AmopWorld(2);
  const [a, b] = [world.client(0), world.client(0)];
  const c = world.client(1, "t");
  for (const [client, content] of [
    [a, "from a"],
    [b, "from b"],
  ] as const) {
    world.send(client, ask("1", content));
  }
  assert.deepEqual(requests(c), [ask("1", "from a"), ask("1", "from b")]);
  for (const text of ["to a", "to b"]) world.send(c, topicFrame(RESPONSE, "1", "t", text));
  assert.deepEqual([answers(a), answers(b)], [["0 to a"], ["0 to b"]]);
});

test("whatever type the answering frame has, the sender is sent an AMOP answer", () => {
  const world = new AmopWorld(1);
  const a = world.client(0);
  const b = world.client(0, "t");
  world.send(a, ask());
  const forged = {
    type: MESSAGE_TYPE.receiptPush,
    seq: seqOf("1"),
    result: 0,
    data: utf8Bytes("{}"),
  };
  assert.ok(isForAmop(world.node(0).state, b.id, forged));
  assert.ok(!isForAmop(world.node(0).state, a.id, forged));
  world.send(b, forged);
  assert.equal(a.heard[0]?.type, RESPONSE);
});

test("results of the answering client travel as they are", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const b = world.client(1, "t");
  b.answer = () => ({ type: RESPONSE, result: -7, data: new Uint8Array(0) });
  world.send(a, ask());
  assert.deepEqual(
    a.heard.map(({ result }) => result),
    [-7],
  );
});

const MALFORMED = [
  { data: "", unicast: undefined, multicast: undefined },
  { data: "00", unicast: undefined, multicast: undefined },
  { data: "ff", unicast: 100, multicast: 0 },
  { data: "05aa", unicast: 100, multicast: 0 },
] as const;
for (const { data, unicast, multicast } of MALFORMED) {
  test(`data ${data || "of no length"} is answered with ${unicast ?? "nothing"}`, () => {
    const world = new AmopWorld(2);
    const a = world.client(0, "t");
    for (const [type, result] of [
      [REQUEST, unicast],
      [MULTICAST, multicast],
    ] as const) {
      a.heard.length = 0;
      world.send(a, { type, seq: seqOf("1"), result: 0, data: hexBytes(data) });
      const got = a.heard.map((frame) => [frame.type, frame.result]);
      assert.deepEqual(got, result === undefined ? [] : [[RESPONSE, result]]);
      if (result === 100) assert.equal(a.heard[0]?.data.length, 0);
    }
  });
}

test("the worked frames H14 to H17 are spoken", () => {
  const world = new AmopWorld(1);
  const a = world.client(0);
  world.send(a, topicFrame(REQUEST, "1", "t1", "hi"));
  assert.equal(toHex(a.heard[0]?.data ?? new Uint8Array(1)), "");
  assert.equal(toHex(withTopic("t1", utf8Bytes("hi"))), "0374316869");
  world.send(a, topicFrame(MULTICAST, "1", "t1", "hi"));
  assert.equal(toHex(a.heard[1]?.data ?? new Uint8Array(0)), "0374316869");
});

test("a multicast reaches every subscriber of every node once, and is answered at once", () => {
  const world = new AmopWorld(3);
  const a = world.client(0, "t");
  const others = [
    world.client(0, "t"),
    world.client(1, "t"),
    world.client(1, "t"),
    world.client(2, "t"),
  ];
  const outsider = world.client(2, "other");
  world.send(a, cast());
  for (const client of others) assert.deepEqual(client.heard, [cast()]);
  assert.deepEqual(a.heard, [{ ...cast(), type: RESPONSE }, cast()]);
  assert.deepEqual(outsider.heard, []);
});

test("a multicast to nobody is answered with success and its own data", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  world.send(a, cast());
  assert.deepEqual(a.heard, [{ ...cast(), type: RESPONSE }]);
});

test("without bandwidth unicasts and multicasts are refused with 103 and no data", () => {
  const world = new AmopWorld(3);
  const a = world.client(0);
  const [b, c] = [world.client(1, "t"), world.client(2, "t")];
  for (const client of [b, c]) client.answer = reply("ok");
  const bytes = 42 + ask().data.length;
  world.node(0).bandwidth = bytes - 1;
  world.send(a, ask("1"));
  world.node(0).bandwidth = bytes;
  world.send(a, ask("2"));
  assert.deepEqual(answers(a), ["103 ", "0 ok"]);
  world.node(0).bandwidth = 2 * bytes - 1;
  world.send(a, cast("3"));
  world.node(0).bandwidth = 2 * bytes;
  world.send(a, cast("4"));
  assert.deepEqual(answers(a).slice(2), ["103 ", "0 hi"]);
  assert.equal(world.node(0).bandwidth, 0);
});

test("what is under way is bounded for a client, and its end makes room", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  world.client(1, "t");
  for (let i = 0; i < AMOP_BOUNDS.exchangesPerSession + 1; i++) world.send(a, ask());
  assert.deepEqual(answers(a), ["100 "]);
  const other = world.client(0);
  world.send(other, ask());
  assert.deepEqual(answers(other), []);
  world.leave(a);
  assert.equal(world.node(0).state.exchanges.size, 1);
  assert.deepEqual([...world.node(0).state.perSession], [[other.id, 1]]);
});

test("data beyond the bound is refused and nothing of it is kept", () => {
  const world = new AmopWorld(1);
  const a = world.client(0);
  world.client(0, "t");
  const data = withTopic("t", new Uint8Array(AMOP_BOUNDS.heldBytes));
  world.send(a, { type: REQUEST, seq: seqOf("1"), result: 0, data });
  assert.deepEqual(answers(a), ["100 "]);
  assert.equal(world.node(0).state.heldBytes, 0);
});

test("a message too long for the way between nodes reaches nobody, and neither do answers", () => {
  const world = new AmopWorld(2);
  const a = world.client(0);
  const others = [world.client(0, "t"), world.client(1, "t")];
  const data = withTopic("t", new Uint8Array(MAX_CARRIED_BYTES));
  world.send(a, { ...ask("1"), data });
  world.send(a, { ...cast("2"), data });
  assert.deepEqual(
    a.heard.map((frame) => [frame.result, frame.data.length]),
    [
      [100, 0],
      [0, data.length],
    ],
  );
  for (const client of others) assert.deepEqual(client.heard, []);
  for (const client of others) client.answer = () => ({ type: RESPONSE, result: 0, data });
  world.send(a, ask("3"));
  assert.deepEqual([a.heard[2]?.result, a.heard[2]?.data.length], [100, 0]);
});

test("a peer's answers that no caller waits for, or that another was asked for, are dropped", () => {
  const world = new AmopWorld(3);
  const a = world.client(0);
  world.client(1, "t");
  world.send(a, ask());
  const [id] = [...world.node(0).state.exchanges.keys()];
  assert.ok(id !== undefined);
  const answer = {
    type: "answer",
    id,
    result: 0,
    data: withTopic("t", utf8Bytes("forged")),
  } as const;
  world.deliver(amopNodeId(3), 0, answer);
  world.deliver(amopNodeId(2), 0, { ...answer, id: id + 1 });
  world.deliver(amopNodeId(9), 0, answer);
  assert.deepEqual(a.heard, []);
  world.deliver(amopNodeId(2), 0, answer);
  world.deliver(amopNodeId(2), 0, answer);
  assert.deepEqual(answers(a), ["0 forged"]);
});

test("a peer's request of a number that is under way is taken once, and too many are refused", () => {
  const world = new AmopWorld(2);
  const b = world.client(0, "t");
  const request = (id: number) =>
    ({ type: "request", id, seq: seqOf(`${id}`), data: withTopic("t", utf8Bytes("hi")) }) as const;
  for (let i = 0; i < 3; i++) world.deliver(amopNodeId(2), 0, request(1));
  assert.equal(requests(b).length, 1);
  for (let id = 2; id <= AMOP_BOUNDS.requestsPerPeer + 1; id++) {
    world.deliver(amopNodeId(2), 0, request(id));
  }
  const results = world
    .node(0)
    .sent.flatMap(({ message }) => (message.type === "answer" ? [message.result] : []));
  assert.deepEqual(results, [AMOP_RESULT.notDelivered]);
  world.cut(1);
  assert.deepEqual([world.node(0).state.heldBytes, world.node(0).state.deliveries.size], [0, 0]);
});

test("a peer's request for a topic that nobody has here goes back with 104 and its data", () => {
  const world = new AmopWorld(2);
  const data = withTopic("t", utf8Bytes("hi"));
  world.deliver(amopNodeId(2), 0, { type: "request", id: 5, seq: seqOf("1"), data });
  assert.deepEqual(world.node(0).sent.at(-1)?.message, {
    type: "answer",
    id: 5,
    result: 104,
    data,
  });
});

test("each candidate is as likely as the others", () => {
  let drawn = 0;
  const world = new AmopWorld(3, (count) => drawn++ % count);
  const a = world.client(0);
  const clients = [world.client(0, "t"), world.client(1, "t"), world.client(2, "t")];
  for (const client of clients) client.answer = reply("ok");
  for (let i = 0; i < 30; i++) world.send(a, ask(`${i}`));
  for (const client of clients) assert.ok(requests(client).length > 0);
  assert.equal(answers(a).length, 30);
});

test("whatever happens, each unicast is answered exactly once and nothing is left behind", () => {
  const move = fc.constantFrom("send", "send", "wait", "leave", "join", "cut", "cast");
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), fc.infiniteStream(fc.nat()), (moves, draws) => {
      const world = new AmopWorld(4, (count) => Number(draws.next().value) % count);
      const a = world.client(0);
      let sent = 0;
      let cuts = 0;
      let joined = 0;
      const others: Client[] = [];
      for (const what of moves) {
        if (what === "join") {
          const client = world.client(joined % 4, "t");
          joined += 1;
          if (joined % 3 > 0) client.answer = reply("ok");
          others.push(client);
        } else if (what === "leave") {
          const client = others.pop();
          if (client) world.leave(client);
        } else if (what === "cut" && cuts < 2) {
          cuts += 1;
          world.cut(cuts);
        } else if (what === "wait") world.move(3_000);
        else world.send(a, what === "cast" ? cast(`${++sent}`) : ask(`${++sent}`));
      }
      world.move(31_000);
      const seqs = a.heard.map(({ seq }) => utf8Text(seq));
      assert.equal(new Set(seqs).size, sent);
      assert.equal(seqs.length, sent);
      const { exchanges, deliveries, asked, heldBytes, perSession } = world.node(0).state;
      const left = [exchanges.size, deliveries.size, asked.size, heldBytes, perSession.size];
      assert.deepEqual(left, [0, 0, 0, 0, 0]);
    }),
    { numRuns: cases(200) },
  );
});
