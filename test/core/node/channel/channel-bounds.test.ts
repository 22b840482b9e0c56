// What one client of the channel port can make a node hold or do at most, also after its end.
// rules: channel-protocol 2.1, 3.1, 6, 6.1
import assert from "node:assert/strict";
import { test } from "vitest";
import { EMPTY_BYTES } from "../../../../core/bytes/bytes.ts";
import { encodeFrame, MAX_FRAME_BYTES } from "../../../../core/channel/frame.ts";
import { DRAIN_MS, type OpenLine } from "../../../../core/node/channel/channel-service.ts";
import { TURN_MS } from "../../../../core/limits/pace.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import {
  HASH,
  LEDGER,
  open,
  pooledNode,
  RAW,
  REFUSED,
  send,
  SEQ,
  settle,
} from "../../../support/channel/channel-lines.ts";
import { dataGroup, dataNode } from "../../../support/data-node.ts";

/** A node that answers getClientVersion with a text of this many characters. */
function wordyNode(characters: number): NodeApi {
  const node = dataNode([dataGroup(LEDGER)]);
  return { ...node, build: { ...node.build, gitBranch: "x".repeat(characters) } };
}

const VERSION = '{"jsonrpc":"2.0","id":7,"method":"getClientVersion","params":[]}';

test("an answer that no frame holds is an error, and the session goes on", async () => {
  const { connect, service } = open({}, wordyNode(MAX_FRAME_BYTES));
  const { line, client } = connect();
  send(client, 0x12, VERSION);
  send(client, 0x13, "0");
  await settle();
  const [answer = ""] = line.texts(0x12);
  assert.match(answer, /"code":-32603,.*longer than 104857557 bytes.*"id":7/);
  assert.deepEqual(line.texts(0x13), ["1"]);
  assert.equal(service.counters().heldBytes, 0);
});

test("an extension that sends more than a frame holds loses the session, not the node", () => {
  const { connect, service } = open();
  service.addExtension({
    onFrame: (session) => {
      const data = new Uint8Array(MAX_FRAME_BYTES);
      session.send({ type: 0x30, seq: SEQ, result: 0, data });
      return true;
    },
    onSessionClosed: () => undefined,
    onTopicsChanged: () => undefined,
    close: () => undefined,
  });
  const { line, client } = connect();
  send(client, 0x30, "x");
  assert.equal(line.state, "cut");
  assert.equal(service.counters().ended.oversize, 1);
});

test("answers of a batch count while they grow, and their session is cut above the bound", async () => {
  const { connect, service } = open({ heldBytes: 4_000_000 }, wordyNode(1_000_000));
  const { line, client } = connect();
  send(client, 0x12, `[${Array(1_000).fill(VERSION).join(",")}]`);
  await settle();
  assert.equal(line.state, "cut");
  assert.deepEqual(line.frames, []);
  assert.equal(service.counters().ended.memory, 1);
  assert.equal(service.counters().heldBytes, 0);
});

test("what sessions send is taken in turns, of all of them together", async () => {
  const { connect, service, clock } = open();
  const taken: number[] = [];
  // Work takes time in which no timer has its turn.
  const { steady } = clock;
  let worked = 0;
  Object.assign(clock, { steady: () => steady() + worked });
  service.addExtension({
    onFrame: (session) => {
      worked += TURN_MS;
      return taken.push(session.id) > 0;
    },
    onSessionClosed: () => undefined,
    onTopicsChanged: () => undefined,
    close: () => undefined,
  });
  const [one, other] = [connect(), connect()];
  send(one.client, 0x30);
  send(one.client, 0x30);
  send(other.client, 0x30);
  assert.deepEqual(taken, [1]);
  assert.deepEqual([one.line.paused, other.line.paused], [true, true]);
  assert.ok(service.counters().heldBytes > 0, "what waits is counted");
  for (let turn = 0; turn < 3; turn++) {
    clock.move(1);
    await settle();
  }
  assert.deepEqual(taken, [1, 1, 2]);
  assert.deepEqual([one.line.paused, other.line.paused], [false, false]);
  assert.equal(service.counters().heldBytes, 0);
});

test("above the bound the address that holds most gives, however many sessions it has", () => {
  const { connect, service } = open({ heldBytes: 5_000 });
  const half = (client: OpenLine | undefined, bytes: number) => {
    const begun = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: new Uint8Array(90_000) });
    client?.received(begun.subarray(0, bytes));
  };
  const alone = connect("10.0.0.1:1");
  half(alone.client, 2_000);
  const many = [1, 2, 3, 4].map((port) => connect(`10.0.0.2:${port}`));
  for (const { client } of many) half(client, 900);
  assert.deepEqual(
    [alone, ...many].map(({ line }) => line.state),
    ["open", "cut", "open", "open", "open"],
  );
  assert.equal(service.counters().ended.memory, 1);
});

test("a port that drains tells version 3 why its transaction was refused", async () => {
  const { node } = pooledNode(REFUSED);
  const { connect, service, clock } = open({}, node);
  const { line, client } = connect();
  send(client, 0x14, '{"maximumSupport":3}');
  send(client, 0x12, RAW);
  const drained = service.drain();
  await settle();
  assert.match(line.texts(0x1000)[0] ?? "", /"status" : "0x10"/);
  assert.equal(line.state, "ended");
  clock.move(100);
  await drained;
});

test("a port that drains pushes the receipts that are awaited, within its limit", async () => {
  const { node, watchers } = pooledNode({ ok: true, hash: HASH });
  const { connect, service, clock } = open({}, node);
  const { line, client } = connect();
  send(client, 0x12, RAW);
  await settle();
  const drained = service.drain();
  await settle();
  assert.equal(line.state, "open");
  watchers[0]?.dropped([HASH]);
  assert.match(line.texts(0x1000)[0] ?? "", /"status" : "0x1d"/);
  assert.equal(line.state, "ended");
  clock.move(100);
  await drained;
  assert.equal(service.counters().ended.drained, 1);
});

test("a receipt that never comes holds up the end for five seconds, not longer", async () => {
  const { node, watched } = pooledNode({ ok: true, hash: HASH });
  const { connect, service, clock } = open({}, node);
  const { line, client } = connect();
  send(client, 0x12, RAW);
  await settle();
  const drained = service.drain();
  for (let passed = 0; passed < DRAIN_MS; passed += 50) {
    assert.equal(line.state, "open", `${passed} ms`);
    clock.move(50);
    await settle();
  }
  await drained;
  assert.deepEqual([line.state, watched.size], ["ended", 0]);
  assert.equal(service.counters().ended.stopped, 1);
});

test("a long frame that is read bit by bit keeps its session beyond the idle limit", () => {
  const { connect, service, clock } = open();
  const { line, client } = connect();
  line.asleep = true;
  send(client, 0x32, '["_block_notify_1"]');
  service.onBlock({ groupId: 1, number: 3 });
  for (let minute = 0; minute < 3; minute++) {
    clock.move(50_000);
    line.readPart();
    assert.equal(line.state, "open", `${minute}`);
  }
  clock.move(62_000);
  assert.equal(line.state, "ended");
});

test("a transaction that is taken after its session has ended is not watched", async () => {
  const submitted: (() => void)[] = [];
  const { node, watched } = pooledNode({ ok: true, hash: HASH });
  const group = node.group(1);
  assert.ok(group);
  const slow = dataNode([
    {
      ...group,
      submit: () =>
        new Promise((resolve) => submitted.push(() => resolve({ ok: true, hash: HASH }))),
    },
  ]);
  const { connect } = open({}, slow);
  const { client } = connect();
  send(client, 0x12, RAW);
  client?.closed();
  for (const submit of submitted) submit();
  await settle();
  assert.equal(watched.size, 0);
});

/** Says things that are answered until this much is unread, then what cannot be a frame. */
function leaveUnread(client: { received(bytes: Uint8Array): void } | undefined, bytes: number) {
  send(client, 0x14, '{"maximumSupport":3}');
  const beat = encodeFrame({ type: 0x13, seq: SEQ, result: 0, data: EMPTY_BYTES });
  const answer = 42 + '{"heartBeat":1}\n'.length;
  for (let sent = 0; sent < bytes; sent += answer) client?.received(beat);
  client?.received(new Uint8Array(42));
}

test("what a session leaves unread counts until it is read, also after its end", () => {
  const { connect, service } = open();
  const { line, client } = connect();
  line.asleep = true;
  leaveUnread(client, 30_000);
  assert.equal(line.state, "ended");
  assert.deepEqual([service.counters().sessions, service.counters().ended.malformed], [0, 1]);
  assert.ok(service.counters().heldBytes >= 30_000);
  line.wake();
  assert.equal(service.counters().heldBytes, 0);
});

test("what is unread is forgotten with its connection", () => {
  const { connect, service } = open();
  const { line, client } = connect();
  line.asleep = true;
  leaveUnread(client, 30_000);
  client?.closed();
  assert.equal(service.counters().heldBytes, 0);
  line.wake();
  assert.equal(service.counters().heldBytes, 0);
});

test("who breaks the rules with much unread is cut at once", () => {
  const { connect, service } = open();
  const { line, client } = connect();
  line.asleep = true;
  leaveUnread(client, 70_000);
  assert.equal(line.state, "cut");
  assert.equal(service.counters().heldBytes, 0);
});

test("above the bound of all sessions those that have ended are cut first", () => {
  const { connect, service } = open({ heldBytes: 70_000 });
  const ended = connect();
  ended.line.asleep = true;
  leaveUnread(ended.client, 30_000);
  const large = connect();
  const part = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: new Uint8Array(90_000) });
  large.client?.received(part.subarray(0, 60_000));
  assert.deepEqual([ended.line.state, large.line.state], ["cut", "open"]);
  assert.equal(service.counters().heldBytes, 60_000);
});

test("a session that has ended keeps nobody out", () => {
  const { connect } = open({ sessions: 1 });
  const first = connect();
  first.line.asleep = true;
  leaveUnread(first.client, 1_000);
  assert.equal(first.line.state, "ended");
  assert.ok(connect().client);
  assert.equal(first.line.state, "cut");
});
