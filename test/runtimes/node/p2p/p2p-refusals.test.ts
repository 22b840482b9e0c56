// Who is refused and why, and what becomes of peers that send what no honest node sends.
// rules: node-network 1, node-network 2, node-network 3
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { onTestFinished, test } from "vitest";
import type { Clock } from "../../../../core/ports/clock.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { lendWebSocket } from "../../../support/browser/lent-web-socket.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { ByteWriter } from "../../../../core/bytes/cursor.ts";
import { OFFENCES_BEFORE_BAN } from "../../../../core/network/admission.ts";
import { encodePing, encodePong } from "../../../../core/network/clock-skew.ts";
import { FRAME, writeFrame } from "../../../../core/network/frame.ts";
import { decodeRefusal, peerProtocol } from "../../../../core/network/handshake.ts";
import { writePart } from "../../../../core/network/part.ts";
import { freePort, sleep, type TestNode, testCertificate, testId } from "./p2p-field.ts";
import {
  type TestNodeOptions,
  testKey,
  testNode,
  testPair,
  until,
  withNodes,
} from "./p2p-field.ts";
import { approach, introduce, type RawPeer } from "./p2p-raw-peer.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const logged = ({ lines }: TestNode, part: string) =>
  lines.some(({ level, message }) => level === "warning" && message.includes(part));

interface Case {
  readonly name: string;
  /** Options of the node that is dialled, and of the one that dials. */
  readonly first?: Partial<TestNodeOptions>;
  readonly second?: Partial<TestNodeOptions>;
  /** What the log of the node that refuses says. */
  readonly says: string;
  readonly refuser?: 0 | 1;
}

const expired = testCertificate({ nodeId: testId(1), notAfterMs: 1_000 });
const foreign = testCertificate({ nodeId: testId(1), authority: "other" });

const CASES: readonly Case[] = [
  {
    name: "without a certificate",
    second: { certificates: [] },
    says: "no valid certificate (the chain is empty)",
  },
  {
    name: "with a certificate of another authority",
    second: { certificates: [foreign] },
    says: "no valid certificate (issued by another chain's CA)",
  },
  {
    name: "with an expired certificate",
    second: { certificates: [expired] },
    says: "no valid certificate (the certificate has expired)",
  },
  {
    name: "of another chain",
    second: { chainId: 8 },
    says: "other chain (chain 8)",
  },
  {
    name: "with somebody else's certificate",
    second: { certificates: [testCertificate({ nodeId: testId(2) })] },
    says: "key does not match",
  },
  {
    name: "on the blacklist, in letters of any case, though it is on the whitelist",
    first: { blacklist: [testId(1).toUpperCase()], whitelist: [testId(1)] },
    says: "blacklisted",
  },
  {
    name: "that is not on the whitelist",
    first: { whitelist: [testId(2)] },
    says: "not on the whitelist",
  },
  {
    name: "that is blacklisted by the node that dials it",
    second: { blacklist: [testId(0)] },
    says: "blacklisted",
    refuser: 1,
  },
  {
    name: "that shows an expired certificate to the node that dials it",
    first: { certificates: [testCertificate({ nodeId: testId(0), notAfterMs: 1_000 })] },
    says: "no valid certificate (the certificate has expired)",
    refuser: 1,
  },
];

for (const { name, first = {}, second = {}, says, refuser = 0 } of CASES) {
  test(`a peer ${name} is refused, and both logs say why`, async () => {
    const nodes = await testPair(first, second);
    await withNodes(nodes, async () => {
      for (const { start } of nodes) await start();
      const refusing = nodes[refuser];
      const refused = nodes[1 - refuser];
      assert.ok(refusing && refused);
      await until("refused", () => logged(refusing, says));
      const reason = says.split(" (")[0] ?? "";
      await until("told", () => logged(refused, `refused by the peer (${reason})`));
      assert.ok((refusing.network.counters().refused[reason] ?? 0) >= 1);
      await sleep(30);
      for (const { ups, network } of nodes) {
        assert.deepEqual(ups, []);
        assert.deepEqual(network.peers(), []);
      }
    });
  });
}

// rules: groups 8
/** So long a handshake may take by a clock on which that time goes by only when a test says so. */
const HANDSHAKE_MS = 600_000;

function heldClock() {
  const held = new Set<() => void>();
  const clock = createNodeClock();
  return {
    ...clock,
    after(delayMs: number, callback: () => void) {
      if (delayMs !== HANDSHAKE_MS) return clock.after(delayMs, callback);
      held.add(callback);
      return () => held.delete(callback);
    },
    held: () => held.size,
    elapse() {
      for (const callback of [...held]) callback();
    },
  };
}

test("failed handshakes are logged at the level that is set", async () => {
  const timing = { handshakeMs: HANDSHAKE_MS };
  const clock = heldClock();
  const first = { handshakeLevel: "info", timing, clock, blacklist: [testId(1)] } as const;
  const nodes = await testPair(first);
  const [one, two] = nodes;
  const levels = (part: string) =>
    one.lines.filter(({ message }) => message.includes(part)).map(({ level }) => level);
  await withNodes(nodes, async () => {
    for (const { start } of nodes) await start();
    await until("refused", () => levels("peer refused: blacklisted").length > 0);
    const outsider = await approach(`/ip4/127.0.0.1/tcp/${one.port}`, 2);
    const beforeProof = () => clock.elapse();
    await introduce(outsider, { index: 2, beforeProof });
    await until("cut off", () => levels("handshake timed out").length > 0);
    await outsider.stop();
    assert.ok(logged(two, "refused by the peer (blacklisted)"));
    for (const part of ["peer refused", "peer not connected"])
      assert.deepEqual([...new Set(levels(part))], ["info"], part);
  });
});

test("who is taken off the list, or banned, between hello and proof is refused", async () => {
  const verdictOf = ({ frames }: RawPeer) =>
    decodeRefusal(frames.find(({ type }) => type === FRAME.refuse)?.payload ?? new Uint8Array());
  await whileHandshaking({}, async (node, outsider) => {
    const beforeProof = () => node.network.setWhitelist([testId(2)]);
    await introduce(outsider, { index: 1, beforeProof });
    assert.equal(verdictOf(outsider), "not on the whitelist");
    assert.deepEqual(node.ups, []);
  });
  await whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    const second = await approach(`/ip4/127.0.0.1/tcp/${node.port}`, 1);
    const beforeProof = async () => {
      node.network.penalise(testId(1), "lies");
      await until("disconnected", () => node.downs.length === 1);
    };
    await introduce(second, { index: 1, beforeProof });
    assert.equal(verdictOf(second), "banned after repeated offences");
    assert.equal(node.ups.length, 1);
    await second.stop();
  });
});

/** A node and an unauthenticated peer that connects to it. */
async function whileHandshaking(
  options: Partial<TestNodeOptions>,
  body: (node: TestNode, outsider: RawPeer) => Promise<void>,
): Promise<void> {
  const node = await testNode({ index: 0, ...options });
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

test("an honest unauthenticated peer is welcomed, and its messages arrive", () =>
  whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    assert.equal(outsider.frames[2]?.type, FRAME.welcome);
    outsider.part({ sequence: 1 });
    await until("heard", () => node.heard.length === 1);
    assert.equal(node.heard[0]?.from, testId(1));
  }));

test("a proof by another key, or one recorded from another connection, proves nothing", async () => {
  let recorded = new Uint8Array();
  await whileHandshaking({}, async (_, outsider) => {
    recorded = new Uint8Array(await introduce(outsider, { index: 1 }));
  });
  for (const claims of [
    { index: 1, signer: 2 },
    { index: 1, proof: recorded },
    { index: 1, proof: new Uint8Array(4) },
  ]) {
    await whileHandshaking({}, async (node, outsider) => {
      await introduce(outsider, claims);
      assert.ok(logged(node, "key does not match"));
      const answer = outsider.frames[2];
      assert.equal(answer?.type, FRAME.refuse);
      assert.equal(decodeRefusal(answer?.payload ?? new Uint8Array()), "key does not match");
      assert.deepEqual(node.ups, []);
    });
  }
});

test("nothing is answered before the exchange: messages, heartbeats and a hurried proof end it", async () => {
  for (const type of [FRAME.part, FRAME.ping, FRAME.proof, FRAME.welcome, 99]) {
    await whileHandshaking({}, async (node, outsider) => {
      outsider.send(type, new Uint8Array(24));
      await until("cut or told", () => outsider.isCut() || outsider.frames.length > 0);
      assert.ok(outsider.frames.every((frame) => frame.type === FRAME.refuse));
      assert.equal(node.network.counters().rejected.unauthorised, 1);
      assert.deepEqual(node.heard, []);
    });
  }
});

test("no other protocol is offered, and a second stream is refused", () =>
  whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    await assert.rejects(outsider.connection.newStream("/ipfs/id/1.0.0"));
    await assert.rejects(outsider.connection.newStream("/ipfs/ping/1.0.0"));
    const second = await outsider.connection.newStream(peerProtocol(2), { negotiateFully: true });
    await until("refused", () => second.status !== "open");
    assert.equal(node.network.counters().rejected.unauthorised, 1);
    assert.equal(node.network.peers().length, 1);
  }));

test("who does not finish the exchange in time is cut off, with or without a stream", async () => {
  const timing = { handshakeMs: HANDSHAKE_MS };
  const clock = heldClock();
  await whileHandshaking({ timing, clock }, async (node, outsider) => {
    // The connection waits for an exchange, and that waits for its first word.
    await until("both are timed", () => clock.held() === 2);
    assert.ok(!outsider.isCut());
    clock.elapse();
    await until("cut", () => outsider.isCut());
    assert.ok(logged(node, "handshake timed out"));
  });
});

test("replayed, oversize, malformed and unauthorised messages are dropped and counted", () =>
  whileHandshaking({ mayHear: (_, groupId) => groupId === 1 }, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    outsider.part({ sequence: 7 });
    outsider.part({ sequence: 7 });
    outsider.part({ sequence: 8, groupId: 2 });
    outsider.part({ sequence: 9, compressed: true });
    const claim = new ByteWriter().u8(0).u8(1).u16(1).u64(10).u32(0xffff_ffff).u8(1);
    outsider.send(FRAME.part, claim.finish());
    outsider.send(77, new Uint8Array(3));
    outsider.part({ sequence: 11 });
    await until("the last is heard", () => node.heard.length === 2);
    assert.deepEqual(node.network.counters().rejected, {
      malformed: 2,
      oversize: 1,
      replayed: 1,
      unauthorised: 1,
    });
    assert.equal(node.network.peers().length, 1);
  }));

test("a bomb of compressed zeros is refused at the limit of its class", async () => {
  const { deflateRawSync } = await import("node:zlib");
  const bytes = new Uint8Array(deflateRawSync(new Uint8Array(100 * 1024 * 1024)));
  await whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    outsider.part({ sequence: 1, compressed: true, bytes: bytes.subarray(0, 60_000) });
    const whole = { kind: "consensus", groupId: 1, compressed: true, bytes } as const;
    const outgoing = { ...whole, kind: "blocks" as const, sequence: 1, sent: 0 };
    for (let isLast = false; !isLast; ) {
      const writer = new ByteWriter();
      isLast = writePart(writer, outgoing);
      outsider.sendRaw(writer.finish());
    }
    await until("counted", () => node.network.counters().rejected.malformed === 2);
    assert.deepEqual(node.heard, []);
  });
});

test("a repeated offender is disconnected and stays out; its own messages were dropped", () =>
  whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    outsider.part({ sequence: 1 });
    for (let count = 0; count < OFFENCES_BEFORE_BAN; count++) outsider.part({ sequence: 1 });
    await until("disconnected", () => node.downs.length === 1 && outsider.isCut());
    assert.ok(logged(node, "offences"));
    const again = await approach(`/ip4/127.0.0.1/tcp/${node.port}`, 1);
    await introduce(again, { index: 1 });
    assert.ok(logged(node, "banned after repeated offences"));
    await again.stop();
    assert.equal(node.network.counters().rejected.replayed, OFFENCES_BEFORE_BAN);
  }));

test("answers to no heartbeat say nothing of a clock, and too many end the session", () =>
  whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1, features: 3 });
    const isPing = ({ type }: { readonly type: number }) => type === FRAME.ping;
    await until("a heartbeat", () => outsider.frames.some(isPing));
    const ping = outsider.frames.find(isPing)?.payload ?? new Uint8Array();
    const now = Date.now();
    outsider.send(FRAME.pong, encodePong(ping, now));
    await until("measured", () => node.network.clockSkewMs(testId(1)) !== undefined);
    for (let count = 0; count < OFFENCES_BEFORE_BAN - 1; count++) {
      outsider.send(FRAME.pong, encodePong(ping, now + (count % 2) * 90_000));
    }
    const { rejected } = node.network.counters();
    await until("counted", () => rejected.replayed === OFFENCES_BEFORE_BAN - 1);
    assert.ok(Math.abs(node.network.clockSkewMs(testId(1)) ?? Infinity) < 30_000);
    assert.ok(node.lines.every(({ message }) => !message.includes("clock")));
    outsider.send(FRAME.pong, encodePong(encodePing(0), now));
    await until("disconnected", () => node.downs.length === 1 && outsider.isCut());
    assert.ok(logged(node, "offences"));
  }));

test("a group may have a peer disconnected", async () => {
  const nodes = await testPair();
  const [one, two] = nodes;
  await withNodes(nodes, async () => {
    for (const { start } of nodes) await start();
    await until("connected", () => one.ups.length === 1 && two.ups.length === 1);
    one.network.penalise(testId(1), "blocks that do not verify");
    assert.equal(one.downs.length, 0, "the caller receives nothing while it calls");
    await until("down", () => one.downs.length === 1 && two.downs.length === 1);
    assert.ok(logged(one, "offences (blocks that do not verify)"));
  });
});

test("garbage instead of frames ends the session, not the node", async () => {
  for (const length of [0, 0xffff_ffff]) {
    await whileHandshaking({}, async (node, outsider) => {
      await introduce(outsider, { index: 1 });
      outsider.sendRaw(new ByteWriter().u32(length).bytes(new Uint8Array(50)).finish());
      await until("cut", () => outsider.isCut() && node.downs.length === 1);
      assert.equal(node.network.counters().rejected.malformed, 1);
    });
  }
});

/** A clock by which at most this much goes by between two examines it. */
function steadyClock(mostMs: number): Clock {
  const clock = createNodeClock();
  let [looked, steady] = [clock.steady(), 0];
  return {
    ...clock,
    steady: () => {
      const now = clock.steady();
      steady += Math.min(now - looked, mostMs);
      looked = now;
      return steady;
    },
  };
}

// This one and the next mostly wait, in parallel.
test.concurrent("a whitelist that is reloaded closes the sessions outside it at once", async () => {
  // A session that ends is a warning, at whatever level handshakes that fail are logged.
  const nodes = await testPair({ handshakeLevel: "info" });
  const [one, two] = nodes;
  await withNodes(nodes, async () => {
    for (const { start } of nodes) await start();
    await until("connected", () => one.ups.length === 1);
    one.network.setWhitelist([testId(1).toUpperCase()]);
    await sleep(50);
    assert.equal(one.network.peers().length, 1);
    one.network.setWhitelist([testId(2)]);
    await until("closed", () => one.downs.length === 1 && two.downs.length === 1);
    assert.ok(logged(one, "not on the whitelist"));
    one.network.setWhitelist([]);
    await until("admitted again", () => one.ups.length === 2);
  });
});

test.concurrent("a silent peer is let go after the idle limit, a quiet one that answers is not", async () => {
  const timing = { heartbeatMs: 50, idleMs: 200 };
  await whileHandshaking({ timing }, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    await until("let go", () => node.downs.length === 1);
    assert.equal(node.network.counters().ended["idle"], 1);
  });
  // A busy machine holds up the whole process: by its clock no more goes by than between two beats.
  const longer = { timing: { heartbeatMs: 100, idleMs: 1_000 }, clock: steadyClock(100) };
  const nodes = await testPair(longer, longer);
  await withNodes(nodes, async () => {
    for (const { start } of nodes) await start();
    await until("connected", () => nodes.every(({ ups }) => ups.length === 1));
    await sleep(2_200);
    assert.deepEqual([nodes[0].ups.length, nodes[0].downs.length], [1, 0]);
  });
});

// A silent peer is let go above; what is not read is bounded in p2p-bounds.test.ts.
inFull("a member that says that it lives but reads nothing is let go", async () => {
  const timing = { heartbeatMs: 100, idleMs: 1_000 };
  await whileHandshaking({ timing }, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    await until("connected", () => node.ups.length === 1);
    outsider.stream.pause();
    // Nothing that compression makes small.
    const bytes = new Uint8Array(randomBytes(1024 * 1024));
    await until("let go", () => {
      outsider.send(FRAME.ping, encodePing(0));
      node.network.send(testId(1), { groupId: 1, kind: "blocks", bytes });
      return node.downs.length === 1;
    });
    const { ended } = node.network.counters();
    assert.equal(ended["idle"], 1, JSON.stringify(ended));
  });
});

test("a message of a hundred thousand small parts, or one that throws, ends no process", async () => {
  await whileHandshaking({}, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    const total = 200_000;
    const frame = (at: number) => {
      const part = new ByteWriter()
        .u8(0)
        .u8(at === 0 ? 1 : 0)
        .u16(1)
        .u64(1)
        .u32(total)
        .u8(7);
      const writer = new ByteWriter();
      writeFrame(writer, FRAME.part, part.finish());
      return writer.finish();
    };
    for (let at = 0; at < total && !outsider.isCut(); at += 1_000) {
      const frames = Array.from({ length: 1_000 }, (_, index) => frame(at + index));
      outsider.sendRaw(concatBytes(...frames));
      await sleep(0);
    }
    await until("disconnected", () => node.downs.length === 1);
    assert.ok(logged(node, "offences"));
    assert.deepEqual(node.heard, []);
  });
  const mayHear = () => {
    throw new Error("a defect");
  };
  await whileHandshaking({ mayHear }, async (node, outsider) => {
    await introduce(outsider, { index: 1 });
    outsider.part({ sequence: 1 });
    await until("disconnected", () => node.downs.length === 1);
    assert.ok(logged(node, "internal error (Error: a defect)"));
  });
});

test("a browser's way in: a peer over WebSocket and noise is a peer like any other", async () => {
  // Only the side that dials needs one.
  onTestFinished(lendWebSocket());
  const { noise } = await import("@libp2p/noise");
  const { webSockets } = await import("@libp2p/websockets");
  const webSocketPort = await freePort();
  const tcpPort = await freePort();
  const server = await testNode({
    index: 0,
    port: tcpPort,
    listen: { host: "127.0.0.1", port: tcpPort, webSocketPort },
  });
  const client = await testNode({
    index: 1,
    listen: { host: "127.0.0.1" },
    transports: { transports: [webSockets()], connectionEncrypters: [noise()] },
    peers: [`/ip4/127.0.0.1/tcp/${webSocketPort}/ws`],
    privateKey: testKey(1),
  });
  await withNodes([server, client], async () => {
    await server.start();
    await client.start();
    await until("connected", () => server.ups.length === 1 && client.ups.length === 1);
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * at) & 255);
    const message = { groupId: 1, kind: "blocks", bytes } as const;
    server.network.send(testId(1), message);
    client.network.send(testId(0), message);
    await until("both ways", () => server.heard.length === 1 && client.heard.length === 1);
    assert.equal(Buffer.compare(server.heard[0]?.bytes ?? new Uint8Array(), bytes), 0);
    assert.equal(Buffer.compare(client.heard[0]?.bytes ?? new Uint8Array(), bytes), 0);
  });
});
