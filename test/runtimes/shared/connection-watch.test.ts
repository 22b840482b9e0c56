// What is seen to while libp2p upgrades a connection, and below its muxer, without one.
// rules: node-network 1
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type {
  Connection,
  MessageStream,
  MultiaddrConnection,
  StreamMuxer,
  StreamMuxerFactory,
  Upgrader,
} from "@libp2p/interface";
import { test } from "vitest";
import {
  ConnectionWatch,
  PIECE_BYTES,
  UPGRADE_ANSWERS,
  UPGRADE_BYTES,
} from "../../../runtimes/shared/p2p/connection-watch.ts";

/** A connection that notes what is done to it. */
interface Noted {
  readonly raw: MultiaddrConnection;
  readonly notes: string[];
  /** Has a piece come over the socket. */
  come(piece: Uint8Array): void;
}

function noted(parts: object = {}): Noted {
  const notes: string[] = [];
  const socket = new EventEmitter();
  const events = new EventTarget();
  const raw = {
    status: "open",
    timeline: { open: 0 },
    streams: [],
    socket,
    addEventListener: events.addEventListener.bind(events),
    send: () => raw.status === "open" || assert.fail("a connection that is cut"),
    abort({ message }: Error) {
      raw.status = "aborted";
      notes.push(`abort: ${message}`);
      events.dispatchEvent(new Event("close"));
    },
    ...parts,
  };
  socket.on("data", ({ length }: Uint8Array) => {
    if (raw.status === "open") notes.push(`${length}`);
  });
  const come = (piece: Uint8Array) => void socket.emit("data", piece);
  return { raw: raw as unknown as MultiaddrConnection, notes, come };
}

const CONNECTION = {} as Connection;

/** A watched upgrader that does one thing to every connection. */
function upgrader(
  work: (raw: MultiaddrConnection) => Promise<void> | void,
  watch = new ConnectionWatch(),
) {
  const upgrades = {
    upgradeInbound: async (raw: MultiaddrConnection) => work(raw),
    async upgradeOutbound(raw: MultiaddrConnection) {
      await work(raw);
      return CONNECTION;
    },
  };
  const watched = watch.upgrader(upgrades as unknown as Upgrader);
  return watched as unknown as typeof upgrades;
}

for (const way of ["upgradeInbound", "upgradeOutbound"] as const) {
  test(`a connection is cut before anybody learns that it failed: ${way}`, async () => {
    const { raw, notes } = noted();
    const failing = upgrader(() => Promise.reject(new DOMException("no answer", "TimeoutError")));
    const heard = failing[way](raw).then(undefined, ({ message }) => notes.push(message));
    await heard;
    assert.deepEqual(notes, ["abort: no answer", "no answer"]);
  });

  test(`a connection that is upgraded stays: ${way}`, async () => {
    const { raw, notes } = noted();
    const outcome = await upgrader(() => undefined)[way](raw);
    assert.equal(outcome, way === "upgradeInbound" ? undefined : CONNECTION);
    assert.deepEqual(notes, []);
  });
}

for (const { platform, parts, expected } of [
  { platform: "Node", parts: ["terminate", "close"], expected: "terminate" },
  { platform: "a browser", parts: ["close"], expected: "close" },
] as const) {
  test(`a WebSocket of ${platform} is closed by a reset, without a code`, async () => {
    const closed: unknown[][] = [];
    const close = (name: string) => [name, (...code: unknown[]) => closed.push([name, ...code])];
    const heard = { addEventListener: () => undefined };
    const websocket = { ...heard, ...Object.fromEntries(parts.map(close)) };
    const { raw } = noted({ socket: undefined, websocket });
    await upgrader(() => undefined).upgradeInbound(raw);
    raw.abort(new DOMException("cut", "AbortError"));
    assert.deepEqual(closed, [[expected]]);
  });
}

const EXCESS = "abort: more than an unauthenticated peer may send";
const HALF = new Uint8Array(UPGRADE_BYTES / 2 - PIECE_BYTES);

test("a connection sends no more before it has a muxer than its handshakes take", async () => {
  let refused = 0;
  const watch = new ConnectionWatch(() => refused++);
  const { raw, notes, come } = noted();
  const upgrading = upgrader(() => {
    for (const bytes of [HALF, HALF, new Uint8Array(), Uint8Array.of(2)]) come(bytes);
  }, watch);
  await upgrading.upgradeInbound(raw);
  assert.deepEqual(notes, [`${HALF.length}`, `${HALF.length}`, EXCESS]);
  assert.equal(refused, 1);
});

test("a WebSocket and a way through a relay are heard as a socket is", async () => {
  for (const below of ["websocket", "stream"]) {
    const events = new EventTarget();
    const come = (bytes: number) => {
      const event = Object.assign(new Event("message"), { data: new ArrayBuffer(bytes) });
      events.dispatchEvent(event);
    };
    const close = () => undefined;
    const addEventListener = events.addEventListener.bind(events);
    const { raw, notes } = noted({ socket: undefined, [below]: { addEventListener, close } });
    await upgrader(() => {
      // Messages without bytes count too.
      for (let count = 0; count < UPGRADE_BYTES / PIECE_BYTES; count++) come(0);
      assert.deepEqual(notes, []);
      come(0);
    }).upgradeInbound(raw);
    assert.deepEqual(notes, [EXCESS]);
  }
});

test("a text over a WebSocket counts as what it may be in bytes", async () => {
  const events = new EventTarget();
  const websocket = {
    addEventListener: events.addEventListener.bind(events),
    close: () => undefined,
  };
  const { raw, notes } = noted({ socket: undefined, websocket });
  await upgrader(() => {
    const data = "\u6d4b".repeat(UPGRADE_BYTES / 3);
    events.dispatchEvent(Object.assign(new Event("message"), { data }));
  }).upgradeInbound(raw);
  assert.deepEqual(notes, [EXCESS]);
});

test("a connection is not answered without end before it has a muxer", async () => {
  let refused = 0;
  const watch = new ConnectionWatch(() => refused++);
  const { raw, notes } = noted();
  await upgrader((watched) => {
    const answer = () => watched.send(Uint8Array.of(1));
    for (let count = 0; count < UPGRADE_ANSWERS; count++) answer();
    assert.deepEqual(notes, []);
    assert.throws(answer, /cut/);
  }, watch).upgradeInbound(raw);
  assert.deepEqual([notes, refused], [[EXCESS], 1]);
  const upgraded: MultiaddrConnection[] = [];
  const again = upgrader((watched) => void upgraded.push(watched), watch);
  await again.upgradeInbound(noted().raw);
  for (let count = 0; count < 10 * UPGRADE_ANSWERS; count++) upgraded[0]?.send(Uint8Array.of(1));
});

test("below the muxer an unauthenticated peer's bytes are bounded too, a member's are not", async () => {
  const watch = new ConnectionWatch();
  const sent = async (isMember: boolean) => {
    const { raw, notes, come } = noted();
    await upgrader(() => undefined, watch).upgradeOutbound(raw);
    if (isMember) watch.admit({ timeline: raw.timeline, streams: [] });
    for (let count = 0; count < 200; count++) come(HALF);
    return notes;
  };
  // 1 MiB in pieces of 8 KiB.
  assert.deepEqual(await sent(false), [...Array(128).fill(`${HALF.length}`), EXCESS]);
  assert.deepEqual(await sent(true), Array(200).fill(`${HALF.length}`));
});

test("what a muxer sends over a connection that is cut is no fault of its own", () => {
  const { raw, notes } = noted({ writeBufferLength: 0 });
  let over: MessageStream | undefined;
  const factory = {
    protocol: "/test",
    createStreamMuxer(below: MessageStream) {
      over = below;
      return { streams: [] } as unknown as StreamMuxer;
    },
  };
  new ConnectionWatch()
    .muxer(() => factory as unknown as StreamMuxerFactory)()
    .createStreamMuxer(raw as unknown as MessageStream);
  assert.equal(over?.send(Uint8Array.of(0, 2)), true);
  raw.abort(new DOMException("cut", "AbortError"));
  assert.equal(over?.send(Uint8Array.of(0, 2)), false);
  assert.equal(notes[0], "abort: cut");
});
