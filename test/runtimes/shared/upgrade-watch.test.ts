// What is seen to while libp2p upgrades a connection, without one.
// rules: node-network 1
import assert from "node:assert/strict";
import type { Connection, MultiaddrConnection } from "@libp2p/interface";
import { test } from "vitest";
import {
  PIECE_BYTES,
  UPGRADE_ANSWERS,
  UPGRADE_BYTES,
  type Upgrades,
  WatchedUpgrades,
} from "../../../runtimes/shared/p2p/upgrade-watch.ts";

/** What libp2p's connections have besides the interface. */
interface Raw extends MultiaddrConnection {
  onData(data: Uint8Array): void;
  sendReset(): void;
}

/** A connection that notes what is done to it. */
interface Noted {
  readonly raw: Raw;
  readonly notes: string[];
}

function noted(parts: object = {}): Noted {
  const notes: string[] = [];
  const raw = {
    status: "open",
    timeline: { open: 0 },
    onData: ({ length }: Uint8Array) => void notes.push(`${length}`),
    send: () => raw.status === "open" || assert.fail("a connection that is cut"),
    abort({ message }: Error) {
      raw.status = "aborted";
      notes.push(`abort: ${message}`);
    },
    ...parts,
  };
  return { raw: raw as unknown as Raw, notes };
}

const CONNECTION = {} as Connection;

/** A watched upgrader that does one thing to every connection. */
function upgrader(
  work: (raw: MultiaddrConnection) => Promise<void> | void,
  watch = new WatchedUpgrades(),
): Upgrades {
  const upgrades: Upgrades = {
    upgradeInbound: async (raw) => work(raw),
    async upgradeOutbound(raw) {
      await work(raw);
      return CONNECTION;
    },
  };
  watch.service({ upgrader: upgrades });
  return upgrades;
}

for (const way of ["upgradeInbound", "upgradeOutbound"] as const) {
  test(`a connection is cut before anybody hears that it failed: ${way}`, async () => {
    const { raw, notes } = noted();
    const failing = upgrader(() => Promise.reject(new DOMException("no answer", "TimeoutError")));
    const heard = failing[way](raw, {}).then(undefined, ({ message }) => notes.push(message));
    await heard;
    assert.deepEqual(notes, ["abort: no answer", "no answer"]);
  });

  test(`a connection that is upgraded stays: ${way}`, async () => {
    const { raw, notes } = noted();
    const outcome = await upgrader(() => undefined)[way](raw, {});
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
    const websocket = Object.fromEntries(parts.map(close));
    const sendReset = () => assert.fail("a code that closes nothing");
    const { raw } = noted({ websocket, sendReset });
    await upgrader(() => undefined).upgradeInbound(raw, {});
    raw.sendReset();
    assert.deepEqual(closed, [[expected]]);
  });
}

const EXCESS = "abort: more than a stranger may send";
const HALF = new Uint8Array(UPGRADE_BYTES / 2 - PIECE_BYTES);

test("a connection sends no more before it has a muxer than its handshakes take", async () => {
  let refused = 0;
  const watch = new WatchedUpgrades(() => refused++);
  const { raw, notes } = noted();
  const upgrading = upgrader(() => {
    for (const bytes of [HALF, HALF, new Uint8Array(), Uint8Array.of(2)]) raw.onData(bytes);
  }, watch);
  await upgrading.upgradeInbound(raw, {});
  assert.deepEqual(notes, [`${HALF.length}`, `${HALF.length}`, EXCESS]);
  assert.equal(refused, 1);
});

test("a connection is not answered without end before it has a muxer", async () => {
  let refused = 0;
  const watch = new WatchedUpgrades(() => refused++);
  const { raw, notes } = noted();
  const answer = () => raw.send(Uint8Array.of(1));
  await upgrader(() => {
    for (let count = 0; count < UPGRADE_ANSWERS; count++) answer();
    assert.deepEqual(notes, []);
    assert.throws(answer, /cut/);
  }, watch).upgradeInbound(raw, {});
  assert.deepEqual([notes, refused], [[EXCESS], 1]);
  const { raw: upgraded } = noted();
  await upgrader(() => undefined, watch).upgradeInbound(upgraded, {});
  for (let count = 0; count < 10 * UPGRADE_ANSWERS; count++) upgraded.send(Uint8Array.of(1));
});

test("below the muxer a stranger's bytes are bounded too, a member's are not", async () => {
  const watch = new WatchedUpgrades();
  const sent = async (isMember: boolean) => {
    const { raw, notes } = noted();
    await upgrader(() => undefined, watch).upgradeOutbound(raw, {});
    if (isMember) watch.admit({ timeline: raw.timeline });
    for (let count = 0; count < 200; count++) raw.onData(HALF);
    return notes;
  };
  // 1 MiB in pieces of 8 KiB.
  assert.deepEqual(await sent(false), [...Array(128).fill(`${HALF.length}`), EXCESS]);
  assert.deepEqual(await sent(true), Array(200).fill(`${HALF.length}`));
});
