// The desk of the channel port without sockets: sessions, bounds, back-pressure, receipts.
// rules: channel-protocol 2.1, 6, 6.1, 7.2, 10
import assert from "node:assert/strict";
import { test } from "vitest";
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { AccessControl, OPEN_ACCESS } from "../../../core/channel/access.ts";
import type { ChannelGuest } from "../../../core/channel/desk-session.ts";
import {
  encodeFrame,
  type Frame,
  FrameReader,
  MAX_FRAME_BYTES,
} from "../../../core/channel/frame.ts";
import {
  ChannelDesk,
  type ChannelLimits,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../core/node/channel-desk.ts";
import type {
  GroupApi,
  LedgerApi,
  NodeApi,
  SubmitOutcome,
  TransactionWatcher,
} from "../../../core/node/node-api.ts";
import { dataGroup, dataNode } from "../../support/data-node.ts";
import { createHandClock } from "../../support/hand-clock.ts";

const HASH = `0x${"5a".repeat(32)}` as Hash;
const SEQ = bytesOf("0123456789abcdef0123456789abcdef");
const CODEC = {
  text: (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8"),
  bytes: (text: string) => new Uint8Array(Buffer.from(text, "utf8")),
};
const LOG = { write: () => undefined };

const LEDGER = {
  head: () => ({ number: 16, hash: HASH }),
  receipt: async () => undefined,
  block: async () => undefined,
} as unknown as LedgerApi;

/** A connection in memory: what was written is read, or waits when the client sleeps. */
class Line {
  readonly sdkId = "";
  readonly remote = "client";
  asleep = false;
  paused = false;
  state: "open" | "ended" | "cut" = "open";
  readonly frames: Frame[] = [];
  readonly #reader = new FrameReader();
  #waiting: (() => void)[] = [];

  write(bytes: Uint8Array, written: () => void): void {
    const read = () => {
      this.frames.push(...this.#reader.push(bytes));
      written();
    };
    if (this.asleep) this.#waiting.push(read);
    else read();
  }

  wake(): void {
    this.asleep = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const read of waiting) read();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  end(): void {
    this.state = "ended";
  }

  destroy(): void {
    this.state = "cut";
  }

  texts(type: number): readonly string[] {
    const found = this.frames.filter((frame) => frame.type === type);
    return found.map(({ data }) => CODEC.text(data));
  }
}

function open(limits: Partial<ChannelLimits> = {}, node: NodeApi = dataNode([dataGroup(LEDGER)])) {
  const clock = createHandClock();
  const desk = new ChannelDesk({
    node,
    access: new AccessControl(OPEN_ACCESS, 0),
    limits: { ...DEFAULT_CHANNEL_LIMITS, ...limits },
    clock,
    log: LOG,
    codec: CODEC,
  });
  desk.listening();
  const connect = () => {
    const line = new Line();
    return { line, client: desk.open(line) };
  };
  return { clock, desk, connect };
}

function send(client: { received(bytes: Uint8Array): void } | undefined, type: number, data = "") {
  assert.ok(client);
  client.received(encodeFrame({ type, seq: SEQ, result: 0, data: bytesOf(data) }));
}

/** Lets answers that wait for nothing come. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
const RAW = '{"jsonrpc":"2.0","id":1,"method":"sendRawTransaction","params":[1,"0x00"]}';

test("a request is answered with its seq", async () => {
  const { connect } = open();
  const { line, client } = connect();
  send(client, 0x12, BLOCK_NUMBER);
  await settle();
  assert.deepEqual(line.texts(0x12), ['{"id":1,"jsonrpc":"2.0","result":"0x10"}\n']);
  assert.deepEqual(line.frames[0]?.seq, SEQ);
});

test("60 s without a byte end a session, not before", () => {
  const { clock, connect, desk } = open();
  const { line } = connect();
  clock.move(59_999);
  assert.equal(line.state, "open");
  clock.move(1_001);
  assert.equal(line.state, "ended");
  assert.equal(desk.counters().ended.idle, 1);
  assert.equal(desk.counters().sessions, 0);
});

test("a frame that is written keeps a session too", () => {
  const { clock, connect, desk } = open();
  const { line, client } = connect();
  send(client, 0x32, '["_block_notify_1"]');
  clock.move(50_000);
  desk.onBlock({ groupId: 1, number: 3 });
  clock.move(50_000);
  assert.equal(line.state, "open");
  clock.move(12_000);
  assert.equal(line.state, "ended");
});

test("more sessions than the limit are cut at once", () => {
  const { connect, desk } = open({ sessions: 2 });
  assert.ok(connect().client);
  const second = connect();
  const third = connect();
  assert.equal(third.client, undefined);
  assert.equal(third.line.state, "cut");
  second.client?.closed();
  assert.ok(connect().client);
  assert.deepEqual([desk.counters().opened, desk.counters().refused], [3, 1]);
});

test("a client that does not read is not read, then cut at its bound; others go on", async () => {
  const { connect, desk } = open({ unsentBytes: 4_000_000 });
  const slow = connect();
  const quick = connect();
  for (const { client } of [slow, quick]) send(client, 0x32, '["_block_notify_1"]');
  const ofTopics = desk.counters().heldBytes / 2;
  slow.line.asleep = true;
  for (let number = 0; number < 30_000; number++) desk.onBlock({ groupId: 1, number });
  assert.ok(slow.line.paused, "its requests wait with it");
  assert.equal(slow.line.state, "open");
  for (let number = 0; number < 40_000; number++) desk.onBlock({ groupId: 1, number });
  assert.equal(slow.line.state, "cut");
  assert.equal(desk.counters().ended.unread, 1);
  assert.equal(desk.counters().heldBytes, ofTopics);
  send(quick.client, 0x12, BLOCK_NUMBER);
  await settle();
  assert.equal(quick.line.texts(0x12).length, 1);
  assert.equal(quick.line.texts(0x1001).length, 70_000);
});

test("a client that wakes up is read again", () => {
  const { connect, desk } = open();
  const { line, client } = connect();
  send(client, 0x32, '["_block_notify_1"]');
  const ofTopics = desk.counters().heldBytes;
  line.asleep = true;
  for (let number = 0; number < 20_000; number++) desk.onBlock({ groupId: 1, number });
  assert.ok(line.paused);
  line.wake();
  assert.ok(!line.paused);
  assert.equal(desk.counters().heldBytes, ofTopics);
});

test("above the bound of all sessions the one that holds most is cut", () => {
  const { connect, desk } = open({ heldBytes: 10_000 });
  const large = connect();
  const small = connect();
  const part = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: new Uint8Array(20_000) });
  large.client?.received(part.subarray(0, 8_000));
  small.client?.received(part.subarray(0, 1_900));
  assert.equal(desk.counters().heldBytes, 9_900);
  small.client?.received(part.subarray(1_900, 2_200));
  assert.equal(large.line.state, "cut");
  assert.equal(small.line.state, "open");
  assert.equal(desk.counters().heldBytes, 2_200);
});

test("so many unanswered requests stop the reading of a session", async () => {
  const answers: (() => void)[] = [];
  const call: GroupApi["call"] = () =>
    new Promise((resolve) => {
      answers.push(() => resolve({ number: 1, status: 0, output: EMPTY_BYTES }));
    });
  const { connect } = open({}, dataNode([dataGroup(LEDGER, { call })]));
  const { line, client } = connect();
  const address = `0x${"1".repeat(40)}`;
  const transaction = { from: address, to: address, data: "0x", value: "0x0" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "call", params: [1, transaction] });
  for (let i = 0; i < 256; i++) send(client, 0x12, body);
  await settle();
  assert.ok(line.paused);
  assert.equal(answers.length, 256);
  for (const answer of answers) answer();
  await settle();
  assert.ok(!line.paused);
  assert.equal(line.texts(0x12).length, 256);
});

/** A node whose pool says what it is told to, and whose transactions end when they are told to. */
function pooledNode(outcome: SubmitOutcome) {
  const watchers: TransactionWatcher[] = [];
  const watched = new Set<Hash>();
  const group = dataGroup(LEDGER, {
    submit: async () => outcome,
    watchTransactions: (watcher) => {
      watchers.push(watcher);
      return {
        add: (hash) => watched.add(hash) !== undefined,
        remove: (hash) => void watched.delete(hash),
        close: () => undefined,
      };
    },
  });
  return { node: dataNode([group]), watchers, watched };
}

test("a transaction that the pool drops is told as refused, after its answer", async () => {
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

const REFUSED = {
  ok: false,
  refusal: "blockLimitCheckFail",
  hash: HASH,
  blockLimit: 5n,
} as const;

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

test("a guest sees every frame first and hears of topics and ends", () => {
  const { connect, desk } = open();
  const told: string[] = [];
  const guest: ChannelGuest = {
    onFrame(session, { type }) {
      told.push(`frame ${type.toString(16)}`);
      if (type === 0x30) session.send({ type: 0x31, seq: SEQ, result: 100, data: EMPTY_BYTES });
      return type === 0x30;
    },
    onSessionClosed: () => void told.push("closed"),
    onTopicsChanged: () => void told.push("topics"),
    close: () => void told.push("end"),
  };
  desk.addGuest(guest);
  const { line, client } = connect();
  send(client, 0x30, "x");
  send(client, 0x32, '["a"]');
  assert.equal(line.frames[0]?.result, 100);
  client?.closed();
  assert.deepEqual(told, ["frame 30", "frame 32", "topics", "closed"]);
});

test("topics count as memory, and strangers' messages have the smaller half of it", () => {
  const { connect, desk } = open({ heldBytes: 4_000 });
  assert.equal(desk.spareBytes(), 2_000);
  const { line, client } = connect();
  send(client, 0x32, '["abc","defg"]');
  const { heldBytes } = desk.counters();
  assert.ok(heldBytes > 500 && heldBytes < 1_000, `${heldBytes}`);
  assert.equal(desk.spareBytes(), 2_000 - heldBytes);
  send(client, 0x32, "[]");
  assert.equal(desk.counters().heldBytes, 0);
  send(client, 0x32, JSON.stringify(Array.from({ length: 20 }, (_, i) => `topic ${i}`)));
  assert.equal(line.state, "cut");
  assert.equal(desk.counters().heldBytes, 0);
});

test("a port that drains answers what runs and takes nobody", async () => {
  const { connect, desk, clock } = open();
  const idle = connect();
  const busy = connect();
  send(busy.client, 0x12, BLOCK_NUMBER);
  const drained = desk.drain();
  assert.equal(idle.line.state, "ended");
  assert.equal(connect().line.state, "cut");
  await settle();
  assert.equal(busy.line.texts(0x12).length, 1);
  assert.equal(busy.line.state, "ended");
  clock.move(100);
  await drained;
});

test("a frame of a length that cannot be ends the session after what came before", async () => {
  const { connect, desk } = open();
  const { line, client } = connect();
  const bad = new Uint8Array(42);
  const good = encodeFrame({ type: 0x13, seq: SEQ, result: 0, data: bytesOf("0") });
  client?.received(Buffer.concat([good, bad]));
  await settle();
  assert.deepEqual(line.texts(0x13), ["1"]);
  assert.equal(line.state, "ended");
  assert.equal(desk.counters().ended.malformed, 1);
});

/** A node that answers getClientVersion with a text of so many characters. */
function wordyNode(characters: number): NodeApi {
  const node = dataNode([dataGroup(LEDGER)]);
  return { ...node, build: { ...node.build, gitBranch: "x".repeat(characters) } };
}

const VERSION = '{"jsonrpc":"2.0","id":7,"method":"getClientVersion","params":[]}';

test("an answer that no frame holds is an error, and the session goes on", async () => {
  const { connect, desk } = open({}, wordyNode(MAX_FRAME_BYTES));
  const { line, client } = connect();
  send(client, 0x12, VERSION);
  send(client, 0x13, "0");
  await settle();
  const [answer = ""] = line.texts(0x12);
  assert.match(answer, /"code":-32603,.*longer than 104857557 bytes.*"id":7/);
  assert.deepEqual(line.texts(0x13), ["1"]);
  assert.equal(desk.counters().heldBytes, 0);
});

test("a guest that sends more than a frame holds loses the session, not the node", () => {
  const { connect, desk } = open();
  desk.addGuest({
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
  assert.equal(desk.counters().ended.oversize, 1);
});

test("answers of a batch count while they grow, and their session is cut above the bound", async () => {
  const { connect, desk } = open({ heldBytes: 4_000_000 }, wordyNode(1_000_000));
  const { line, client } = connect();
  send(client, 0x12, `[${Array(1_000).fill(VERSION).join(",")}]`);
  await settle();
  assert.equal(line.state, "cut");
  assert.deepEqual(line.frames, []);
  assert.equal(desk.counters().ended.memory, 1);
  assert.equal(desk.counters().heldBytes, 0);
});

test("a port that drains tells version 3 why its transaction was refused", async () => {
  const { node } = pooledNode(REFUSED);
  const { connect, desk, clock } = open({}, node);
  const { line, client } = connect();
  send(client, 0x14, '{"maximumSupport":3}');
  send(client, 0x12, RAW);
  const drained = desk.drain();
  await settle();
  assert.match(line.texts(0x1000)[0] ?? "", /"status" : "0x10"/);
  assert.equal(line.state, "ended");
  clock.move(100);
  await drained;
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
