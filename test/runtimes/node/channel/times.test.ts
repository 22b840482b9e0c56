/** Time limits and bounds of a channel port, over TLS, under a clock that the test moves. */
// rules: channel-protocol 2.1, 5.3, 11
import assert from "node:assert/strict";
import { afterEach, beforeEach, test, vi } from "vitest";
import { requestText } from "../../../support/channel/channel-client.ts";
import { TYPE } from "../../../support/channel/channel-frames.ts";
import { ServicePlace } from "../../../support/channel/channel-service-place.ts";

const SECOND_MS = 1_000;
const IDLE_MS = 60 * SECOND_MS;
const GRACE_MS = 30 * SECOND_MS;

let place: ServicePlace;

beforeEach(async () => {
  place = await ServicePlace.open({ sessions: 3 });
});

afterEach(() => place.close());

/** Lets what was sent arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("a silent session is closed after sixty seconds", async () => {
  const [silent, other] = [await place.connect(), await place.connect()];
  await silent.result("getGroupList");
  await other.result("getGroupList");
  place.clock.move(IDLE_MS - SECOND_MS);
  await other.result("getGroupList");
  assert.equal(silent.isClosed, false);
  // Sessions are examined once in a second.
  place.clock.move(2 * SECOND_MS);
  await silent.untilClosed();
  assert.ok(silent.wasToldEnd, "TLS was shut down before TCP");
  assert.deepEqual(silent.unread, []);
  await other.result("getGroupList");
});

test("an unanswered heartbeat keeps a session alive", async () => {
  const client = await place.connect();
  for (let beats = 1; beats <= 5; beats++) {
    place.clock.move(IDLE_MS - 2 * SECOND_MS);
    client.send(TYPE.heartbeat, "");
    await place.until(() => place.service.counters().framesIn === beats);
  }
  await client.servesWhileAbstaining();
});

test("part of a frame keeps a session alive as long as more of it comes, and no longer", async () => {
  const client = await place.connect();
  const bytes = Buffer.from("0000006900123031", "hex");
  for (const [index, byte] of bytes.entries()) {
    place.clock.move(IDLE_MS - 2 * SECOND_MS);
    await client.sendBytes(Uint8Array.of(byte));
    await place.until(() => place.service.counters().bytesIn === index + 1);
  }
  assert.equal(client.isClosed, false);
  place.clock.move(IDLE_MS + SECOND_MS);
  await client.untilClosed();
});

test("a block that is told keeps a session alive", async () => {
  const client = await place.connect();
  client.send(TYPE.topics, '["_block_notify_1"]');
  await client.result("getGroupList");
  for (let number = 1; number <= 3; number++) {
    place.clock.move(IDLE_MS - 2 * SECOND_MS);
    place.service.onBlock({ groupId: 1, number });
    const { data } = await client.take(({ type }) => type === TYPE.blockPush);
    assert.equal(data.toString("latin1"), `\u0010_block_notify_11,${number}`);
    await settle();
  }
  await client.servesWhileAbstaining();
});

test("a client that does not close is cut off after thirty seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const client = await place.connect({ halfOpen: true });
    client.send(TYPE.handshake, '{"minimumSupport":9,"maximumSupport":9}');
    await place.untilSessions(0);
    await place.until(() => client.wasToldEnd);
    vi.advanceTimersByTime(GRACE_MS - SECOND_MS);
    client.send(TYPE.heartbeat, "0");
    await settle();
    assert.equal(client.isClosed, false);
    vi.advanceTimersByTime(SECOND_MS);
    await place.until(() => {
      if (!client.isClosed) client.send(TYPE.heartbeat, "0");
      return client.isClosed;
    });
    assert.deepEqual(client.unread, []);
  } finally {
    vi.useRealTimers();
  }
});

test("for a session beyond the bound the one that is idle longest ends", async () => {
  const clients = await Promise.all([place.connect(), place.connect(), place.connect()]);
  for (const client of clients) await client.result("getGroupList");
  await (await place.connect()).result("getGroupList");
  assert.equal(place.service.counters().sessions, 3);
  assert.match(place.log.messages("warning").join(), /an SDK is closed for another/);
  await clients[0]?.untilClosed();
});

test("a client that does not read what it is told is cut off at the bound", async () => {
  const bounded = await ServicePlace.open({ unsentBytes: 256 * 1024 });
  try {
    const [slow, other] = [await bounded.connect(), await bounded.connect()];
    slow.socket.pause();
    await bounded.untilSessions(2);
    const [session] = bounded.service.sessions();
    const data = new Uint8Array(64 * 1024);
    // What the sockets of both sides hold is not the node's.
    for (let sent = 0; sent < 1_000 && bounded.service.counters().sessions === 2; sent++) {
      session?.send({ type: TYPE.eventPush, seq: Buffer.alloc(32, "0"), result: 0, data });
      assert.ok(bounded.service.counters().heldBytes <= 256 * 1024);
      await settle();
    }
    assert.equal(bounded.service.counters().ended.unread, 1);
    assert.equal(bounded.service.counters().heldBytes, 0);
    assert.match(bounded.log.messages("warning").join(), /does not read/);
    await other.servesWhileAbstaining();
  } finally {
    await bounded.close();
  }
});

test("unfinished frames of all sessions are bounded: the peer that holds most is cut off", async () => {
  const bounded = await ServicePlace.open({ heldBytes: 1024 * 1024 });
  try {
    const clients = [await bounded.connect(), await bounded.connect(), await bounded.connect()];
    await bounded.untilSessions(3);
    const head = Buffer.from("064000000099", "hex");
    let sum = 0;
    for (const [index, client] of clients.entries()) {
      const bytes = Buffer.concat([head, Buffer.alloc((index + 1) * 200 * 1024)]);
      await client.sendBytes(bytes);
      if (index === 2) break;
      sum += bytes.length;
      await bounded.until(() => bounded.service.counters().heldBytes === sum);
    }
    await clients[2]?.untilClosed();
    const { ended, heldBytes } = bounded.service.counters();
    assert.deepEqual([ended.memory, heldBytes], [1, sum]);
    const fourth = await bounded.connect();
    await fourth.servesWhileAbstaining();
  } finally {
    await bounded.close();
  }
});

test("a port that closes answers what it was asked before it ends the sessions", async () => {
  const client = await place.connect();
  const seq = client.send(TYPE.rpc, requestText("getGroupList", []));
  await place.until(() => place.service.counters().framesIn === 1);
  const drained = place.service.drain();
  assert.equal((await client.taken(TYPE.rpc, seq)).result, 0);
  await client.untilClosed();
  place.clock.move(SECOND_MS);
  await drained;
});
