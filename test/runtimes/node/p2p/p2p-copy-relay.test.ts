// The question whether an endpoint is this node, when somebody else answers it or an older build.
// rules: node-network 1, node-network 2
import assert from "node:assert/strict";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Libp2p, Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { test } from "vitest";
import { ByteWriter } from "../../../../core/bytes/cursor.ts";
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { SuiteName } from "../../../../core/crypto/suite.ts";
import {
  COPY_VERSIONS,
  type CopyContext,
  type CopyVersion,
  copyProtocol,
  decodeCopyClaim,
  encodeCopyClaim,
} from "../../../../core/network/copy-proof.ts";
import { FRAME, writeFrame } from "../../../../core/network/frame.ts";
import { encodeRefusal, PEER_VERSIONS, peerProtocol } from "../../../../core/network/handshake.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import type { OtherCopy } from "../../../../runtimes/shared/p2p/copy-fault.ts";
import {
  CHAIN_ID,
  freePort,
  SUITE,
  testCertificate,
  testId,
  testKey,
  testNode,
  until,
  withNodes,
} from "./p2p-field.ts";
import { NATIONAL_SUITE } from "../../../support/suites.ts";

const NATIONAL = NATIONAL_SUITE;
const nationalId = (index: number) => nodeIdOf(NATIONAL.publicKey(testKey(index)));

/** Options of a node of a suite. */
const ofSuite = (suite: SuiteName, index: number) =>
  suite === "standard"
    ? {}
    : { suite: NATIONAL, certificates: [testCertificate({ nodeId: nationalId(index) })] };

/** A host that is no node, with a key of its own. */
async function host(port?: number): Promise<Libp2p> {
  return createLibp2p({
    ...nodeTransports(),
    privateKey: await generateKeyPair("secp256k1"),
    addresses: { listen: port === undefined ? [] : [`/ip4/127.0.0.1/tcp/${port}`] },
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
  });
}

/** A host that says to everybody: you have dialled yourself. */
async function echoHost(port: number): Promise<Libp2p> {
  const server = await host(port);
  const writer = new ByteWriter();
  writeFrame(writer, FRAME.refuse, encodeRefusal("self"));
  const refusal = writer.finish();
  await server.handle(PEER_VERSIONS.map(peerProtocol), (stream) => void stream.send(refusal));
  return server;
}

/** Passes the question of one connection on to a node, and its answer back. */
async function passOn(server: Libp2p, down: Stream, target: number): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  const connection = await server.dial(multiaddr(`/ip4/127.0.0.1/tcp/${target}`), { signal });
  try {
    const up = await connection.newStream(down.protocol, { signal, negotiateFully: true });
    const [asker, answerer] = [lpStream(down), lpStream(up)];
    await asker.write(await answerer.read({ signal }), { signal });
    await answerer.write(await asker.read({ signal }), { signal });
    await asker.write(await answerer.read({ signal }), { signal });
  } catch {
    const why = new DOMException("the node does not answer", "AbortError");
    down.abort(why);
    connection.abort(why);
  }
}

interface Relay {
  readonly suite: SuiteName;
  readonly versions: readonly CopyVersion[];
}

const RELAYS: readonly Relay[] = [
  { suite: "standard", versions: COPY_VERSIONS },
  { suite: "standard", versions: [1] },
  { suite: "national", versions: COPY_VERSIONS },
  { suite: "national", versions: [1] },
];

for (const { suite, versions } of RELAYS) {
  const name = `a ${suite} node dials on when an unauthenticated peer passes on its own question`;
  test.concurrent(`${name}, in version ${versions.join(" or ")}`, async () => {
    const [port, taken] = [await freePort(), await freePort()];
    const server = await echoHost(taken);
    let asked = 0;
    await server.handle(versions.map(copyProtocol), async (stream) => {
      asked++;
      await passOn(server, stream, port);
    });
    const met: OtherCopy[] = [];
    const dialler = await testNode({
      index: 1,
      port,
      peers: [`127.0.0.1:${taken}`],
      onCopy: (copy) => void met.push(copy),
      ...ofSuite(suite, 1),
    });
    const peer = await testNode({ index: 0, port: taken, ...ofSuite(suite, 0) });
    await withNodes([dialler, peer], async () => {
      const { network } = dialler;
      try {
        await server.start();
        await dialler.start();
        await until("dialled again", () => network.counters().dials >= 2, 30_000);
        assert.ok(asked >= 1);
        assert.equal(network.endpointStates()[0]?.state, "waiting");
      } finally {
        await server.stop();
      }
      // The address is the peer's again.
      await peer.start();
      await until("connected", () => dialler.ups.length === 1, 60_000);
      assert.equal(network.endpointStates()[0]?.state, "connected");
      assert.deepEqual(met, []);
    });
  }, 120_000);
}

const tag = new Uint8Array(32).fill(3);
const nonce = new Uint8Array(32).fill(4);

/** How a process of the version before signs: for no channel in particular. */
function oldContext(challenge: Uint8Array, isDialler: boolean): CopyContext {
  const none = new Uint8Array();
  const channel = { dialler: none, acceptor: none };
  const self = testId(0);
  return { version: 1, channel, suite: SUITE, chainId: CHAIN_ID, self, challenge, isDialler };
}

/** A node of index 0 that remembers the copies that it met. */
async function watchful(peers: readonly string[]) {
  const met: OtherCopy[] = [];
  const node = await testNode({ index: 0, peers, onCopy: (copy) => void met.push(copy) });
  return { node, met };
}

test("a copy of the version before that asks is answered, and met", async () => {
  const { node, met } = await watchful([]);
  const copy = await host();
  await withNodes([node], async () => {
    await node.start();
    const connection = await copy.dial(multiaddr(`/ip4/127.0.0.1/tcp/${node.port}`));
    try {
      const stream = await connection.newStream(copyProtocol(1), { negotiateFully: true });
      const line = lpStream(stream);
      const challenge = (await line.read()).slice();
      const claim = { nonce, tag, uptimeMs: 5_000_000 };
      await line.write(encodeCopyClaim(claim, oldContext(challenge, true), testKey(0)));
      const answer = (await line.read()).slice();
      const theirs = decodeCopyClaim(answer, oldContext(nonce, false));
      assert.ok(theirs && theirs.uptimeMs < 5_000_000);
      await until("met", () => met.length === 1);
      assert.deepEqual([met[0]?.uptimeMs, met[0]?.isLater], [5_000_000, true]);
    } finally {
      await copy.stop();
    }
  });
});

test("a copy that asks and hangs up before the answer is met", async () => {
  const { node, met } = await watchful([]);
  const copy = await host();
  await withNodes([node], async () => {
    await node.start();
    const connection = await copy.dial(multiaddr(`/ip4/127.0.0.1/tcp/${node.port}`));
    try {
      const stream = await connection.newStream(copyProtocol(1), { negotiateFully: true });
      const line = lpStream(stream);
      const challenge = (await line.read()).slice();
      const claim = { nonce, tag, uptimeMs: 5_000_000 };
      await line.write(encodeCopyClaim(claim, oldContext(challenge, true), testKey(0)));
      stream.abort(new DOMException("asked and gone", "AbortError"));
      await until("met", () => met.length === 1);
      assert.equal(met[0]?.isLater, true);
    } finally {
      await copy.stop();
    }
  });
});

test("a copy of the version before that is dialled is met", async () => {
  const port = await freePort();
  const server = await echoHost(port);
  await server.handle(copyProtocol(1), async (stream) => {
    const line = lpStream(stream);
    await line.write(nonce);
    const question = decodeCopyClaim((await line.read()).slice(), oldContext(nonce, true));
    const claim = { nonce: new Uint8Array(32).fill(6), tag, uptimeMs: 0 };
    const context = oldContext(question?.nonce ?? nonce, false);
    await line.write(encodeCopyClaim(claim, context, testKey(0)));
  });
  const { node, met } = await watchful([`127.0.0.1:${port}`]);
  await withNodes([node], async () => {
    try {
      await server.start();
      await node.start();
      await until("met", () => met.length >= 1, 30_000);
      assert.deepEqual([met[0]?.uptimeMs, met[0]?.isLater], [0, false]);
      assert.equal(node.network.endpointStates()[0]?.state, "waiting");
    } finally {
      await server.stop();
    }
  });
});
