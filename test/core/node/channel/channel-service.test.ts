// The service of the channel port without sockets: sessions, bounds, back-pressure, receipts.
// rules: channel-protocol 2.1, 6, 6.1, 7.2, 10
import assert from "node:assert/strict";
import { test } from "vitest";
import { EMPTY_BYTES } from "../../../../core/bytes/bytes.ts";
import { bytesOf } from "../../../../core/bytes/byte-string.ts";
import type { ChannelExtension } from "../../../../core/channel/session-handle.ts";
import { encodeFrame } from "../../../../core/channel/frame.ts";
import type { Asker } from "../../../../core/ports/asker.ts";
import type { GroupApi } from "../../../../core/api/node-api.ts";
import { HostedSession } from "../../../../core/node/channel/channel-session.ts";
import {
  BLOCK_NUMBER,
  HASH,
  LEDGER,
  Line,
  open,
  pooledNode,
  RAW,
  REFUSED,
  send,
  SEQ,
  settle,
} from "../../../support/channel/channel-lines.ts";
import { dataGroup, dataNode } from "../../../support/data-node.ts";

test("a request is answered with its seq", async () => {
  const { connect } = open();
  const { line, client } = connect();
  send(client, 0x12, BLOCK_NUMBER);
  await settle();
  assert.deepEqual(line.texts(0x12), ['{"id":1,"jsonrpc":"2.0","result":"0x10"}\n']);
  assert.deepEqual(line.frames[0]?.seq, SEQ);
});

test("60 s without a byte end a session, not before", () => {
  const { clock, connect, service } = open();
  const { line } = connect();
  clock.move(59_999);
  assert.equal(line.state, "open");
  clock.move(1_001);
  assert.equal(line.state, "ended");
  assert.equal(service.counters().ended.idle, 1);
  assert.equal(service.counters().sessions, 0);
});

test("a frame that is written keeps a session too", () => {
  const { clock, connect, service } = open();
  const { line, client } = connect();
  send(client, 0x32, '["_block_notify_1"]');
  clock.move(50_000);
  service.onBlock({ groupId: 1, number: 3 });
  clock.move(50_000);
  assert.equal(line.state, "open");
  clock.move(12_000);
  assert.equal(line.state, "ended");
});

test("for a session above the limit the one that is idle longest gives way, else it is cut", async () => {
  const { clock, connect, service } = open({ sessions: 2 });
  const [first, second] = [connect(), connect()];
  clock.move(1_000);
  send(first.client, 0x13, "0");
  const third = connect();
  assert.deepEqual([first.line.state, second.line.state], ["open", "cut"]);
  // What was asked is answered later: neither is idle until then.
  for (const { client } of [first, third]) send(client, 0x12, BLOCK_NUMBER);
  const fourth = connect();
  assert.equal(fourth.client, undefined);
  assert.equal(fourth.line.state, "cut");
  await settle();
  assert.ok(connect().client);
  assert.deepEqual([service.counters().opened, service.counters().refused], [4, 1]);
});

test("a client that does not read is not read, then cut at its bound; others go on", async () => {
  const { connect, service } = open({ unsentBytes: 4_000_000 });
  const slow = connect();
  const quick = connect();
  for (const { client } of [slow, quick]) send(client, 0x32, '["_block_notify_1"]');
  const ofTopics = service.counters().heldBytes / 2;
  slow.line.asleep = true;
  for (let number = 0; number < 30_000; number++) service.onBlock({ groupId: 1, number });
  assert.ok(slow.line.paused, "its requests wait with it");
  assert.equal(slow.line.state, "open");
  for (let number = 0; number < 40_000; number++) service.onBlock({ groupId: 1, number });
  assert.equal(slow.line.state, "cut");
  assert.equal(service.counters().ended.unread, 1);
  assert.equal(service.counters().heldBytes, ofTopics);
  send(quick.client, 0x12, BLOCK_NUMBER);
  await settle();
  assert.equal(quick.line.texts(0x12).length, 1);
  assert.equal(quick.line.texts(0x1001).length, 70_000);
});

test("a client that wakes up is read again", () => {
  const { connect, service } = open();
  const { line, client } = connect();
  send(client, 0x32, '["_block_notify_1"]');
  const ofTopics = service.counters().heldBytes;
  line.asleep = true;
  for (let number = 0; number < 20_000; number++) service.onBlock({ groupId: 1, number });
  assert.ok(line.paused);
  line.wake();
  assert.ok(!line.paused);
  assert.equal(service.counters().heldBytes, ofTopics);
});

test("above the bound of all sessions the one that holds most is cut", () => {
  const { connect, service } = open({ heldBytes: 10_000 });
  const large = connect();
  const small = connect();
  const part = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: new Uint8Array(20_000) });
  large.client?.received(part.subarray(0, 8_000));
  small.client?.received(part.subarray(0, 1_900));
  assert.equal(service.counters().heldBytes, 9_900);
  small.client?.received(part.subarray(1_900, 2_200));
  assert.equal(large.line.state, "cut");
  assert.equal(small.line.state, "open");
  assert.equal(service.counters().heldBytes, 2_200);
});

/** A node whose calls are answered when they are told to, and a call. */
function calledNode() {
  const answers: (() => void)[] = [];
  const call: GroupApi["call"] = () =>
    new Promise((resolve) => {
      answers.push(() => resolve({ number: 1, status: 0, output: EMPTY_BYTES }));
    });
  const address = `0x${"1".repeat(40)}`;
  const transaction = { from: address, to: address, data: "0x", value: "0x0" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "call", params: [1, transaction] });
  return { node: dataNode([dataGroup(LEDGER, { call })]), answers, body };
}

/** A packet of many requests. */
function packetOf(requests: number, body: string): Uint8Array {
  const frame = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: bytesOf(body) });
  return new Uint8Array(Buffer.concat(Array<Uint8Array>(requests).fill(frame)));
}

test("this many unanswered requests stop the reading of a session", async () => {
  const { node, answers, body } = calledNode();
  const { connect } = open({}, node);
  const { line, client } = connect();
  for (let i = 0; i < 256; i++) send(client, 0x12, body);
  await settle();
  assert.ok(line.paused);
  assert.equal(answers.length, 256);
  for (const answer of answers) answer();
  await settle();
  assert.ok(!line.paused);
  assert.equal(line.texts(0x12).length, 256);
});

test("of a packet only what may run is taken, the more sessions ask the less of each", async () => {
  const { node, answers, body } = calledNode();
  const { connect, service } = open({}, node);
  const packet = packetOf(600, body);
  const sessions = Array.from({ length: 40 }, () => connect());
  for (const { client } of sessions) {
    client?.received(packet);
    await settle();
  }
  const first = answers.length;
  assert.ok(first >= 512 && first < 512 + 2 * 40, `${first} are worked on`);
  assert.ok(sessions.every(({ line }) => line.paused));
  const held = service.counters().heldBytes;
  assert.ok(held > 40 * packet.length + first * 8_192, `${held} bytes are counted`);
  for (let answered = 0; answered < 24_000; ) {
    assert.ok(answers.length > 0, `${answered} are answered, no other is worked on`);
    assert.ok(answers.length <= first);
    answered += answers.length;
    for (const answer of answers.splice(0)) answer();
    await settle();
  }
  assert.ok(sessions.every(({ line }) => line.texts(0x12).length === 600 && !line.paused));
  assert.equal(service.counters().heldBytes, 0);
});

test("who waits behind the requests of others goes on when those are over, and is not idle", async () => {
  const { node, answers, body } = calledNode();
  const { connect, clock, service } = open({}, node);
  for (let i = 0; i < 40; i++) connect(`10.0.0.1:${i}`).client?.received(packetOf(600, body));
  await settle();
  const ofOne = service.counters().running;
  const late = connect("10.0.0.1:99");
  late.client?.received(packetOf(2, body));
  await settle();
  // Of another address, for whose sessions half of all is left.
  const other = connect("10.0.0.2:1");
  other.client?.received(packetOf(100, body));
  await settle();
  assert.equal(service.counters().running, ofOne + 2 + 100);
  // A third request and a heartbeat wait: for places, not for the first two.
  late.client?.received(packetOf(1, body));
  send(late.client, 0x13, "0");
  for (let seconds = 0; seconds < 70; seconds++) clock.move(1_000);
  assert.deepEqual([late.line.state, late.line.texts(0x13)], ["open", []]);
  const [first, second] = answers.slice(ofOne, ofOne + 2);
  for (let rounds = 0; rounds < 1_000 && late.line.texts(0x13).length === 0; rounds++) {
    for (const answer of answers.splice(0)) if (answer !== first && answer !== second) answer();
    await settle();
  }
  assert.deepEqual(late.line.texts(0x13), ["1"]);
});

test("who does not read waits for its own answers to leave, not for requests of others", () => {
  const told: boolean[] = [];
  const nothing = () => undefined;
  const line = new Line();
  const session = new HostedSession(1, line, {
    maxUnsentBytes: 4_000_000,
    now: () => 0,
    spareRequests: () => 1_024,
    onRoom: (_, hasRoom) => told.push(hasRoom),
    onHeld: nothing,
    onOverflow: nothing,
    onFrameSent: nothing,
  });
  line.asleep = true;
  session.send({ type: 0x12, seq: SEQ, result: 0, data: new Uint8Array(2_000_000) });
  session.keep(packetOf(1, BLOCK_NUMBER));
  session.settle();
  assert.deepEqual([line.paused, told], [true, []]);
  line.wake();
  assert.deepEqual(told, [true]);
});

test("who does not read the answers has no further request of a packet worked on", async () => {
  const node = dataNode([dataGroup(LEDGER)]);
  const { connect } = open(
    {},
    { ...node, build: { ...node.build, gitBranch: "x".repeat(90_000) } },
  );
  const { line, client } = connect();
  line.asleep = true;
  const body = '{"jsonrpc":"2.0","id":7,"method":"getClientVersion","params":[]}';
  client?.received(packetOf(2_000, body));
  await settle();
  // Those that were worked on when the answers became too many are answered.
  const answered = line.unread;
  assert.ok(answered < 300, `${answered} answers are kept`);
  while (line.texts(0x12).length < 2_000) {
    line.wake();
    await settle();
  }
  assert.ok(!line.paused);
});

test("a transaction that the pool drops is reported as refused, after its answer", async () => {
  const { node, watchers } = pooledNode({ ok: true, hash: HASH });
  const { connect } = open({}, node);
  const { line, client } = connect();
  send(client, 0x12, RAW);
  await settle();
  assert.deepEqual(line.texts(0x12), [`{"id":1,"jsonrpc":"2.0","result":"${HASH}"}\n`]);
  watchers[0]?.dropped([HASH]);
  const [receipt = ""] = line.texts(0x1000);
  assert.match(receipt, /"status" : "0x1d"/);
});

test("version 3 is told the hash and pushed the refusal; version 1 is told an error", async () => {
  const { node } = pooledNode(REFUSED);
  const { connect } = open({}, node);
  const old = connect();
  send(old.client, 0x12, RAW);
  await settle();
  assert.match(old.line.texts(0x12)[0] ?? "", /-32603.*BlockLimitCheckFailed/);
  assert.equal(old.line.texts(0x1000).length, 0);
  const { line, client } = connect();
  send(client, 0x14, '{"maximumSupport":3}');
  send(client, 0x12, RAW);
  await settle();
  assert.deepEqual(line.texts(0x12), [`{"id":1,"jsonrpc":"2.0","result":"${HASH}"}\n`]);
  assert.match(line.texts(0x1000)[0] ?? "", /"status" : "0x10"/);
  assert.deepEqual(
    line.frames.map(({ type }) => type),
    [0x14, 0x12, 0x1000],
  );
});

test("calls are given up with their session", async () => {
  const askers: (Asker | undefined)[] = [];
  const call: GroupApi["call"] = (_, asker) =>
    new Promise((resolve) => {
      askers.push(asker);
      asker?.whenGone(() => resolve({ number: 1, status: 0, output: EMPTY_BYTES }));
    });
  const { connect } = open({}, dataNode([dataGroup(LEDGER, { call })]));
  const { line, client } = connect();
  const address = `0x${"1".repeat(40)}`;
  const params = [1, { from: address, to: address }];
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "call", params });
  for (let i = 0; i < 2; i++) send(client, 0x12, body);
  await settle();
  assert.deepEqual([askers.length, new Set(askers).size, askers[0]?.isGone], [2, 1, false]);
  client?.closed();
  assert.ok(askers[0]?.isGone);
  await settle();
  assert.equal(line.texts(0x12).length, 0);
});

test("what is read elsewhere of a session is dropped with it", async () => {
  const dropped: string[] = [];
  const readLong = (_: unknown, owner: string) => {
    let fail = (_: Error): void => undefined;
    const requests = new Promise<never>((__, reject) => {
      fail = reject;
    });
    const done = () => {
      dropped.push(owner);
      fail(new Error("no caller waits for it"));
    };
    return { requests, done };
  };
  const { connect, service } = open({}, undefined, readLong);
  const { client } = connect();
  send(client, 0x12, "x".repeat(300_000));
  await settle();
  assert.deepEqual(dropped, []);
  assert.ok(service.counters().heldBytes >= 600_000, "and its copy counts");
  client?.closed();
  assert.equal(dropped.length, 1);
  await settle();
  assert.equal(service.counters().heldBytes, 0);
});

test("a session that is gone awaits nothing", async () => {
  const { node, watched, watchers } = pooledNode({ ok: true, hash: HASH });
  const { connect } = open({}, node);
  const { line, client } = connect();
  send(client, 0x12, RAW);
  await settle();
  assert.equal(watched.size, 1);
  client?.closed();
  assert.equal(watched.size, 0);
  watchers[0]?.dropped([HASH]);
  assert.equal(line.texts(0x1000).length, 0);
});

test("an extension sees every frame first and learns of topics and ends", () => {
  const { connect, service } = open();
  const told: string[] = [];
  const extension: ChannelExtension = {
    onFrame(session, { type }) {
      told.push(`frame ${type.toString(16)}`);
      if (type === 0x30) session.send({ type: 0x31, seq: SEQ, result: 100, data: EMPTY_BYTES });
      return type === 0x30;
    },
    onSessionClosed: () => void told.push("closed"),
    onTopicsChanged: () => void told.push("topics"),
    close: () => void told.push("end"),
  };
  service.addExtension(extension);
  const { line, client } = connect();
  send(client, 0x30, "x");
  send(client, 0x32, '["a"]');
  assert.equal(line.frames[0]?.result, 100);
  client?.closed();
  assert.deepEqual(told, ["frame 30", "frame 32", "topics", "closed"]);
});

test("topics count as memory, and messages of other sessions have the smaller half of it", () => {
  const { connect, service } = open({ heldBytes: 4_000 });
  assert.equal(service.spareBytes(), 2_000);
  const { line, client } = connect();
  send(client, 0x32, '["abc","defg"]');
  const { heldBytes } = service.counters();
  assert.ok(heldBytes > 500 && heldBytes < 1_000, `${heldBytes}`);
  assert.equal(service.spareBytes(), 2_000 - heldBytes);
  send(client, 0x32, "[]");
  assert.equal(service.counters().heldBytes, 0);
  send(client, 0x32, JSON.stringify(Array.from({ length: 20 }, (_, i) => `topic ${i}`)));
  assert.equal(line.state, "cut");
  assert.equal(service.counters().heldBytes, 0);
});

test("a port that drains answers what runs and takes nobody", async () => {
  const { connect, service, clock } = open();
  const idle = connect();
  const busy = connect();
  send(busy.client, 0x12, BLOCK_NUMBER);
  const drained = service.drain();
  assert.equal(idle.line.state, "ended");
  assert.equal(connect().line.state, "cut");
  await settle();
  assert.equal(busy.line.texts(0x12).length, 1);
  assert.equal(busy.line.state, "ended");
  clock.move(100);
  await drained;
});

test("a frame of a length that cannot be ends the session after what came before", async () => {
  const { connect, service } = open();
  const { line, client } = connect();
  const bad = new Uint8Array(42);
  const good = encodeFrame({ type: 0x13, seq: SEQ, result: 0, data: bytesOf("0") });
  client?.received(Buffer.concat([good, bad]));
  await settle();
  assert.deepEqual(line.texts(0x13), ["1"]);
  assert.equal(line.state, "ended");
  assert.equal(service.counters().ended.malformed, 1);
});
