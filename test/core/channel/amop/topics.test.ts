/** Topics of nodes: announced, believed, verified. */
// rules: channel-protocol 7.1, channel-protocol 8.4, node-network 4
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { MAX_TOPICS } from "../../../../core/channel/amop/peer-message.ts";
import { AMOP_BOUNDS } from "../../../../core/channel/amop/state.ts";
import {
  emptyIndex,
  fairUnion,
  hasTopic,
  setTopics,
  subscribersOf,
} from "../../../../core/channel/amop/topic-index.ts";
import { proofTopics } from "../../../../core/channel/amop/topic-name.ts";
import { MESSAGE_TYPE } from "../../../../core/channel/frame.ts";
import {
  AmopWorld,
  amopNodeId,
  type Client,
  reply,
  seqOf,
  topicFrame,
} from "../../../support/channel/amop-world.ts";

const PRIVATE = "#!$TopicNeedVerify_secret";
const PUSH = `#!$PushChannel_${PRIVATE}`;
const PROOF = `#!$VerifyChannel_${PRIVATE}_${"0123456789abcdef".repeat(2)}`;

test("topics are announced at once, changes in a row together", () => {
  const world = new AmopWorld(2);
  const a = world.client(0, "one");
  assert.deepEqual(world.topicsAt(1, 0), ["one"]);
  const { sent } = world.node(0);
  const before = sent.length;
  for (const topic of ["two", "three", "four"]) {
    a.topics.add(topic);
    world.tell(a);
  }
  assert.deepEqual(world.topicsAt(1, 0), ["one", "two"]);
  world.move(100);
  assert.deepEqual(world.topicsAt(1, 0), ["one", "two", "three", "four"]);
  assert.equal(sent.length - before, 2);
});

test("the topics of a node are those of all its clients, and go with the last of them", () => {
  const world = new AmopWorld(2);
  const a = world.client(0, "shared", "a");
  world.client(0, "shared");
  assert.deepEqual(world.topicsAt(1, 0), ["shared", "a"]);
  world.leave(a);
  world.move(200);
  assert.deepEqual(world.topicsAt(1, 0), ["shared"]);
});

test("topics that are the same as before are not announced", () => {
  const world = new AmopWorld(2);
  world.client(0, "t");
  const { length } = world.node(0).sent;
  world.client(0, "t");
  assert.equal(world.node(0).sent.length, length);
});

test("a node without topics says nothing, ever", () => {
  const world = new AmopWorld(2);
  world.move(60_000);
  assert.deepEqual(
    world.nodes.map(({ sent }) => sent.length),
    [0, 0],
  );
});

test("a peer that is connected later is told", () => {
  const world = new AmopWorld(2);
  world.client(0, "t");
  world.take(world.node(0), { type: "peerDown", peer: amopNodeId(2) });
  world.take(world.node(1), { type: "peerDown", peer: amopNodeId(1) });
  assert.deepEqual(world.topicsAt(1, 0), []);
  world.take(world.node(1), { type: "peerUp", peer: amopNodeId(1) });
  world.take(world.node(0), { type: "peerUp", peer: amopNodeId(2) });
  world.settle();
  assert.deepEqual(world.topicsAt(1, 0), ["t"]);
});

test("an announcement that was lost is asked for after the next beat", () => {
  const world = new AmopWorld(2);
  world.client(0, "t");
  const known = world.node(1).state.peers.get(amopNodeId(1));
  assert.ok(known);
  Object.assign(known, { topicSeq: undefined, topics: new Map() });
  world.move(5_000);
  assert.deepEqual(world.topicsAt(1, 0), ["t"]);
});

test("a peer that asks for the topics again and again is told once a second", () => {
  const world = new AmopWorld(2);
  world.client(0, "t");
  const told = () => world.node(0).sent.filter(({ message }) => message.type === "topics").length;
  const before = told();
  for (let i = 0; i < 10; i++) world.deliver(amopNodeId(2), 0, { type: "ask" });
  assert.equal(told() - before, 1);
  world.move(1_000);
  world.deliver(amopNodeId(2), 0, { type: "ask" });
  assert.equal(told() - before, 2);
});

test("topics beyond the bounds are not announced", () => {
  const world = new AmopWorld(2);
  const many = Array.from({ length: MAX_TOPICS + 5 }, (_, i) => `t${i}`);
  world.client(0, "x".repeat(255), "é".repeat(127), "é".repeat(128), ...many);
  const known = world.topicsAt(1, 0);
  assert.equal(known.length, MAX_TOPICS);
  assert.equal(known[0], "é".repeat(127));
});

test("a client with very many topics does not hide those of others", () => {
  const world = new AmopWorld(2);
  const many = (name: string) => Array.from({ length: MAX_TOPICS }, (_, i) => `${name}${i}`);
  world.client(0, ...many("greedy"));
  world.client(0, ...many("more"));
  world.client(0, "one", "two");
  const known = world.topicsAt(1, 0);
  assert.equal(known.length, MAX_TOPICS);
  assert.ok(known.includes("one") && known.includes("two"));
  assert.equal(known.filter((topic) => topic.startsWith("more")).length, MAX_TOPICS / 2 - 1);
});

test("however often topics change, all of them are examined ten times a second", () => {
  const world = new AmopWorld(2);
  const a = world.client(0, "a");
  for (let i = 0; i < 20; i++) {
    world.client(0, ...Array.from({ length: MAX_TOPICS }, (_, at) => `${i} ${at}`));
  }
  const { index } = world.node(0).state;
  let looks = 0;
  const values = index.sessions.values.bind(index.sessions);
  index.sessions.values = () => {
    looks += 1;
    return values();
  };
  for (let i = 0; i < 1_000; i++) {
    a.topics = new Set([i % 2 === 0 ? "b" : "a"]);
    world.tell(a);
    if (i % 10 === 0) world.move(10);
  }
  assert.ok(looks >= 5 && looks <= 12, `${looks}`);
});

test("the index says the same as a look at all sessions", () => {
  const topic = fc.constantFrom("a", "b", "c", "é", "x".repeat(255));
  const change = fc.record({ session: fc.nat(4), topics: fc.array(topic, { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const index = emptyIndex();
      const model = new Map<number, ReadonlySet<string>>();
      for (const { session, topics } of changes) {
        setTopics(index, session, new Set(topics));
        model.set(session, new Set(topics.filter((it) => it.length < 255)));
      }
      for (const name of ["a", "b", "c", "é"]) {
        const expected = [...model].filter(([, own]) => own.has(name)).map(([id]) => id);
        assert.deepEqual([...subscribersOf(index, name)].sort(), expected.sort());
        for (const [id, own] of model) assert.equal(hasTopic(index, id, name), own.has(name));
      }
      const union = new Set([...model.values()].flatMap((own) => [...own]));
      assert.deepEqual([...fairUnion(index, 9)].sort(), [...union].sort());
      assert.equal(fairUnion(index, 2).length, Math.min(2, union.size));
    }),
  );
});

test("what a non-member says of topics is not heard", () => {
  const world = new AmopWorld(2);
  world.deliver(amopNodeId(9), 0, { type: "topics", topicSeq: 1, topics: ["t"] });
  assert.equal(world.node(0).state.peers.size, 1);
});

/** A publisher at node 0 and a subscriber at a node, with what 0x37 said. */
function privateWorld(home: number) {
  const world = new AmopWorld(2);
  const subscriber = world.client(home, PROOF, PRIVATE);
  const publisher = world.client(0, PUSH);
  world.settle();
  const asked = () => publisher.heard.filter(({ type }) => type === MESSAGE_TYPE.topicVerify);
  const status = (body: object, from: Client = publisher) => {
    const data = utf8Bytes(JSON.stringify(body));
    const frame = { type: MESSAGE_TYPE.topicStatus, seq: seqOf("s"), result: 0, data };
    world.send(from, frame);
  };
  const request = topicFrame(MESSAGE_TYPE.amopRequest, "1", PRIVATE, "hi");
  return { world, subscriber, publisher, asked, status, request };
}

for (const home of [0, 1]) {
  const place = home === 0 ? "the publisher's own node" : "another node";
  test(`a private topic at ${place} is used only after the publisher has verified it`, () => {
    const { world, subscriber, publisher, asked, status, request } = privateWorld(home);
    subscriber.answer = reply("ok");
    const [verify] = asked();
    assert.ok(verify);
    const nodeId = world.node(home).id;
    const expected = `{"nodeId":"${nodeId}","topic":"${PRIVATE}","topicForCert":"${PROOF}"}\n`;
    assert.equal(utf8Text(verify.data), expected);
    assert.equal(utf8Text(verify.seq), `${"0".repeat(31)}1`);
    world.send(publisher, { ...verify, data: new Uint8Array(0) });
    // The proof goes over an ordinary topic.
    world.send(publisher, topicFrame(MESSAGE_TYPE.amopRequest, "p", PROOF, "random"));
    assert.equal(publisher.heard.at(-1)?.result, 0);
    world.send(publisher, request);
    assert.equal(publisher.heard.at(-1)?.result, 100);
    if (home === 1) assert.deepEqual(world.topicsAt(0, 1), [PROOF]);
    status({ checkResult: 0, nodeId, topic: PRIVATE });
    world.send(publisher, request);
    assert.equal(publisher.heard.at(-1)?.result, 0);
    if (home === 1) assert.deepEqual(world.topicsAt(0, 1), [PROOF, PRIVATE]);
    status({ checkResult: 3, nodeId, topic: PRIVATE });
    world.send(publisher, request);
    assert.equal(publisher.heard.at(-1)?.result, 100);
  });
}

test("the publisher is asked again every five seconds until it says something", () => {
  const { world, asked, status } = privateWorld(1);
  assert.equal(asked().length, 1);
  world.move(11_000);
  assert.ok(asked().length >= 2 && asked().length <= 4, `${asked().length}`);
  assert.equal(world.node(0).state.verifications.size <= 1, true);
  status({ checkResult: 0, nodeId: world.node(1).id, topic: PRIVATE });
  const { length } = asked();
  world.move(20_000);
  assert.equal(asked().length, length);
});

test("a status of wrong types, of an unknown topic or from who does not publish is ignored", () => {
  const { world, subscriber, status } = privateWorld(1);
  const nodeId = world.node(1).id;
  const good = { checkResult: 0, nodeId, topic: PRIVATE };
  const outsider = world.client(0, PRIVATE);
  status(good, outsider);
  for (const change of [
    { checkResult: "0" },
    { checkResult: 0.5 },
    { checkResult: undefined },
    { nodeId: 5 },
    { nodeId: undefined },
    { nodeId: amopNodeId(9) },
    { topic: 5 },
    { topic: undefined },
    { topic: `${PRIVATE}x` },
    { topic: PROOF },
  ]) {
    status({ ...good, ...change });
  }
  world.send(subscriber, topicFrame(MESSAGE_TYPE.topicStatus, "1", "x", ""));
  assert.deepEqual(world.topicsAt(0, 1), [PROOF]);
  status(good);
  assert.deepEqual(world.topicsAt(0, 1), [PROOF, PRIVATE]);
});

test("a status longer than a status can be is not read", () => {
  const { world, status } = privateWorld(1);
  const good = { checkResult: 0, nodeId: world.node(1).id, topic: PRIVATE };
  status({ ...good, padding: "x".repeat(AMOP_BOUNDS.statusBytes) });
  assert.deepEqual(world.topicsAt(0, 1), [PROOF]);
});

test("a peer that announces again and again has its topics verified at its pace no more", () => {
  const { world, publisher, asked } = privateWorld(1);
  const done = () => {
    for (const frame of asked()) world.send(publisher, { ...frame, data: new Uint8Array(0) });
  };
  done();
  world.move(1_000);
  const before = asked().length;
  for (let topicSeq = 10; topicSeq < 60; topicSeq++) {
    world.deliver(amopNodeId(2), 0, { type: "topics", topicSeq, topics: [PROOF, PRIVATE] });
    done();
  }
  assert.equal(asked().length - before, 1);
  world.move(5_000);
  assert.ok(asked().length - before >= 2);
});

test("an answer to 0x37 is one even when a sender has chosen its seq for a message", () => {
  const { world, publisher, asked } = privateWorld(1);
  const [verify] = asked();
  assert.ok(verify);
  const a = world.client(0);
  publisher.topics.add("t");
  world.changed(publisher);
  world.send(a, topicFrame(MESSAGE_TYPE.amopRequest, "1", "t", "mine"));
  assert.equal(publisher.heard.at(-1)?.type, MESSAGE_TYPE.amopRequest);
  world.send(publisher, { ...verify, data: new Uint8Array(0) });
  assert.deepEqual(a.heard, []);
  world.send(publisher, topicFrame(MESSAGE_TYPE.amopResponse, "1", "t", "yours"));
  assert.equal(a.heard.length, 1);
});

test("a private topic whose name begins another's is proved at its own topic", () => {
  const longer = `${PRIVATE}_two`;
  const proof = `#!$VerifyChannel_${longer}_${"f".repeat(32)}`;
  assert.deepEqual(
    [...proofTopics([proof, "other", PROOF])],
    [
      [longer, proof],
      [PRIVATE, PROOF],
    ],
  );
});

test("a private topic that is gone and comes back has to be verified again", () => {
  const { world, subscriber, status } = privateWorld(1);
  status({ checkResult: 0, nodeId: world.node(1).id, topic: PRIVATE });
  assert.deepEqual(world.topicsAt(0, 1), [PROOF, PRIVATE]);
  subscriber.topics = new Set();
  world.changed(subscriber);
  subscriber.topics = new Set([PROOF, PRIVATE]);
  world.changed(subscriber);
  assert.deepEqual(world.topicsAt(0, 1), [PROOF]);
});
