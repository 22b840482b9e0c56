// What unauthenticated peers can take from a node: memory, places, time.
// rules: node-network 1, node-network 2
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { PeerStore } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { test } from "vitest";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import {
  MEMBER_FRAME_BYTES,
  UNAUTHENTICATED_BYTES,
  UNAUTHENTICATED_FRAMES,
  UNSENT_FRAMES,
} from "../../../../runtimes/shared/p2p/frame-watch.ts";
import {
  sleep,
  type TestNode,
  type TestNodeOptions,
  testId,
  testNode,
  testPair,
  until,
  withNodes,
} from "./p2p-field.ts";
import { approach, introduce, type RawPeer } from "./p2p-raw-peer.ts";

/** Longer than any of these tests: nothing here ends by a limit of time. */
const NEVER_MS = 600_000;
/** What is cut at once is cut within this, on a busy machine too. */
const AT_ONCE_MS = 240_000;
/** A message of members that no compression shortens. */
const FILLING = new Uint8Array(randomBytes(3 * 1024 * 1024));
/** Types of a frame of the muxer. */
const DATA = 0;
const WINDOW = 1;
const PING = 2;
const UNKNOWN = 9;
/** Opens a stream, or asks for an answer. */
const SYN = 1;

/** The muxer of a connection, which sends any frame. */
interface RawMuxer {
  sendFrame(
    header: { type: number; flag: number; streamID: number; length: number },
    body: Uint8Array,
  ): boolean;
}

function muxerOf(outsider: RawPeer): RawMuxer {
  const { connection } = outsider;
  assert.ok("muxer" in connection);
  return connection.muxer as RawMuxer;
}

/** The socket below a connection, by which it may stop reading. */
function socketOf({ connection }: RawPeer): Socket {
  assert.ok("maConn" in connection);
  return (connection.maConn as { socket: Socket }).socket;
}

/** A node that gives others all the time they like, and an unauthenticated peer. */
async function besieged(
  body: (node: TestNode, outsider: RawPeer) => Promise<void>,
  options: Partial<TestNodeOptions> = {},
): Promise<void> {
  const timing = { handshakeMs: NEVER_MS, idleMs: NEVER_MS };
  const node = await testNode({ index: 0, timing, ...options });
  await withNodes([node], async () => {
    await node.start();
    const outsider = await approach(`/ip4/127.0.0.1/tcp/${node.port}`, 1);
    try {
      await body(node, outsider);
    } finally {
      await outsider.stop();
    }
  });
}

test("a frame that claims more than any window ends the connection at its header", () =>
  besieged(async (node, outsider) => {
    const header = { type: DATA, flag: 0, streamID: 99, length: 0xffff_ffff };
    muxerOf(outsider).sendFrame(header, new Uint8Array(100));
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    assert.equal(node.network.counters().rejected.oversize, 1);
  }));

test("a frame that the muxer does not know ends the connection, and not the process", () =>
  besieged(async (node, outsider) => {
    // The stream has a link, which ends the connection while the muxer does the same.
    const header = { type: UNKNOWN, flag: 0, streamID: 99, length: 5 };
    muxerOf(outsider).sendFrame(header, new Uint8Array());
    // What a fault that no caller catches would do to a process fails the run.
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    const honest = await approach(`/ip4/127.0.0.1/tcp/${node.port}`, 3);
    await introduce(honest, { index: 3 });
    await until("up", () => node.ups.length === 1);
    await honest.stop();
  }));

test("a member's frames are bounded too", () =>
  besieged(async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    const header = { type: DATA, flag: 0, streamID: 99, length: MEMBER_FRAME_BYTES + 1 };
    muxerOf(outsider).sendFrame(header, new Uint8Array(100));
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    assert.equal(node.network.counters().rejected.oversize, 1);
    await until("down", () => node.downs.length === 1);
  }));

test("a peer that sends without end is cut long before it has shown a certificate", () =>
  besieged(async (node, outsider) => {
    const body = new Uint8Array(UNAUTHENTICATED_BYTES / 8);
    const header = { type: DATA, flag: 0, streamID: 99, length: body.length };
    for (let sent = 0; sent < 9; sent++) muxerOf(outsider).sendFrame(header, body);
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    assert.equal(node.network.counters().rejected.oversize, 1);
  }));

test("an unauthenticated peer that sends frames without end which mean nothing is cut", () =>
  besieged(async (node, outsider) => {
    const header = { type: WINDOW, flag: 0, streamID: 99, length: 1 };
    for (let sent = 0; sent <= UNAUTHENTICATED_FRAMES; sent++)
      muxerOf(outsider).sendFrame(header, new Uint8Array());
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    assert.equal(node.network.counters().rejected.oversize, 1);
  }));

test("an unauthenticated peer that asks in one frame for a thousand answers is cut", () =>
  besieged(async (node, outsider) => {
    // What a stream is for is chosen by lines with their length in front.
    const asked = "\x13/multistream/1.0.0\n" + "\x03ls\n".repeat(2 * UNAUTHENTICATED_FRAMES);
    const body = new TextEncoder().encode(asked);
    muxerOf(outsider).sendFrame({ type: DATA, flag: SYN, streamID: 99, length: body.length }, body);
    await until("cut", () => outsider.isCut(), AT_ONCE_MS);
    assert.equal(node.network.counters().rejected.oversize, 1);
  }));

test("a member that asks and asks and does not read the answers is cut", () => {
  // TLS does not read either from who does not read; noise, which browsers speak, goes on.
  const transports = { transports: [tcp()], connectionEncrypters: [noise()] };
  const siege = async (node: TestNode, outsider: RawPeer) => {
    await introduce(outsider, { index: 1 });
    await until("up", () => node.ups.length === 1);
    socketOf(outsider).pause();
    const muxer = muxerOf(outsider);
    // Messages fill what the system holds for the connection, once the window allows it.
    const streamID = Number(outsider.stream.id);
    const length = 4 * FILLING.length;
    muxer.sendFrame({ type: WINDOW, flag: 0, streamID, length }, new Uint8Array());
    const message = { groupId: 1, kind: "blocks", bytes: FILLING } as const;
    for (let count = 0; count < 3; count++) node.network.send(testId(1), message);
    let sent = 0;
    const ask = () => {
      for (let count = 0; count < 1_000 && sent < 4 * UNSENT_FRAMES; count++, sent++)
        muxer.sendFrame({ type: PING, flag: SYN, streamID: 0, length: sent }, new Uint8Array());
      return node.downs.length === 1;
    };
    await until("cut", ask);
    assert.equal(node.network.counters().rejected.oversize, 1);
  };
  return besieged(siege, { transports });
});

test("members may send more than that, both ways", async () => {
  const nodes = await testPair();
  const [one, two] = nodes;
  await withNodes(nodes, async () => {
    for (const { start } of nodes) await start();
    await until("connected", () => one.ups.length === 1 && two.ups.length === 1);
    const bytes = Uint8Array.from(
      { length: 3 * UNAUTHENTICATED_BYTES },
      (_, at) => (at * at * at) >> 8,
    );
    const message = { groupId: 1, kind: "blocks", bytes } as const;
    one.network.send(testId(1), message);
    two.network.send(testId(0), message);
    await until("heard", () => one.heard.length === 1 && two.heard.length === 1);
    assert.equal(one.network.counters().rejected.oversize, 0);
  });
});

test("unauthenticated peers that are refused leave no note behind, members keep theirs", async () => {
  let store: PeerStore | undefined;
  const { connectionEncrypters } = nodeTransports();
  const transports = {
    connectionEncrypters,
    transports: [
      (components: Parameters<ReturnType<typeof tcp>>[0] & { peerStore: PeerStore }) => {
        store = components.peerStore;
        return tcp()(components);
      },
    ],
  };
  const node = await testNode({ index: 0, transports });
  await withNodes([node], async () => {
    await node.start();
    const address = `/ip4/127.0.0.1/tcp/${node.port}`;
    const member = await approach(address, 1);
    await introduce(member, { index: 1 });
    for (let index = 2; index < 10; index++) {
      const outsider = await approach(address, index);
      if (index % 2 === 0) await introduce(outsider, { index, certificates: [] });
      await outsider.stop();
    }
    const known = async () => (await store?.all())?.map(({ id }) => id.toString()) ?? [];
    const only = member.libp2p.peerId.toString();
    const limit = Date.now() + AT_ONCE_MS;
    while ((await known()).length > 1 && Date.now() < limit) await sleep(20);
    assert.deepEqual(await known(), [only]);
    await member.stop();
    while ((await known()).length > 0 && Date.now() < limit) await sleep(20);
    assert.deepEqual(await known(), []);
  });
});
