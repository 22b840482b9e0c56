/** Our TLS and that of libp2p understand each other; certificates of nobody are refused. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import "../../../runtimes/shared/p2p/polyfills.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { peerIdFromPublicKey } from "@libp2p/peer-id";
import { tcp } from "@libp2p/tcp";
import { tls as tlsOfLibp2p } from "@libp2p/tls";
import { lpStream } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import { expect, onTestFinished, test } from "vitest";
import { tls } from "../../../runtimes/node/tls-channel.ts";
import { createTlsIdentity, TlsJudge } from "../../../runtimes/node/tls-identity.ts";

const NOW = Date.UTC(2026, 10, 23);
const HOUR_MS = 60 * 60 * 1_000;
const ECHO = "/echo/1";
const LONG = new Uint8Array(300_000).map((_, index) => index * 31);

async function nodeWith(encrypter: typeof tls | typeof tlsOfLibp2p) {
  const node = await createLibp2p({
    privateKey: await generateKeyPair("secp256k1"),
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp()],
    connectionEncrypters: [encrypter()],
    streamMuxers: [yamux()],
  });
  onTestFinished(() => void node.stop());
  await node.handle(ECHO, async (stream) => {
    const line = lpStream(stream);
    for (;;) await line.write(await line.read());
  });
  return node;
}

const KINDS = { ours: tls, "libp2p's": tlsOfLibp2p } as const;
const PAIRS = [
  { from: "ours", to: "ours" },
  { from: "ours", to: "libp2p's" },
  { from: "libp2p's", to: "ours" },
] as const;

for (const { from, to } of PAIRS) {
  test(`${from} dials ${to}: both know each other, and what is sent comes back`, async () => {
    const [dialler, answerer] = await Promise.all([nodeWith(KINDS[from]), nodeWith(KINDS[to])]);
    const connection = await dialler.dial(answerer.getMultiaddrs());
    expect(connection.encryption).toBe("/tls/1.0.0");
    expect(connection.multiplexer).toBe("/yamux/1.0.0");
    expect(connection.remotePeer.equals(answerer.peerId)).toBe(true);
    const line = lpStream(await connection.newStream(ECHO));
    const [incoming] = answerer.getConnections();
    expect(incoming?.remotePeer.equals(dialler.peerId)).toBe(true);
    await line.write(LONG);
    expect((await line.read()).slice()).toEqual(LONG);
    const ended = new Promise((resume) => incoming?.addEventListener("close", resume));
    await connection.close();
    await ended;
  });
}

test("another peer than the one that was dialled is refused", async () => {
  const [dialler, answerer, other] = await Promise.all([
    nodeWith(tls),
    nodeWith(tls),
    nodeWith(tls),
  ]);
  const [address] = answerer.getMultiaddrs();
  const wrong = address?.decapsulate("/p2p").encapsulate(`/p2p/${other.peerId}`);
  await assert.rejects(async () => dialler.dial(wrong ?? []));
  expect(answerer.getConnections().filter(({ status }) => status === "open")).toEqual([]);
});

async function certificateOf(key: PrivateKey): Promise<Uint8Array> {
  const { cert } = await createTlsIdentity(key, NOW);
  return new Uint8Array(new X509Certificate(cert).raw);
}

test("a certificate names the peer that made it, the second time as well", async () => {
  const key = await generateKeyPair("secp256k1");
  const judge = new TlsJudge();
  const raw = await certificateOf(key);
  const expected = peerIdFromPublicKey(key.publicKey);
  for (const _ of [1, 2]) expect((await judge.peerOf(raw, NOW)).equals(expected)).toBe(true);
  const before = NOW - 2 * HOUR_MS;
  await assert.rejects(judge.peerOf(raw, before), /not valid yet/);
  await assert.rejects(judge.peerOf(raw, Date.UTC(10_000, 1)), /has expired/);
});

test("the proof must be by the key that the certificate names", async () => {
  const [own, other] = await Promise.all([
    generateKeyPair("secp256k1"),
    generateKeyPair("secp256k1"),
  ]);
  const forged = { ...own, sign: own.sign.bind(own), publicKey: other.publicKey } as PrivateKey;
  await assert.rejects(
    new TlsJudge().peerOf(await certificateOf(forged), NOW),
    /not of the key that it names/,
  );
});

/** Where bytes are in others. */
function placeIn(all: Uint8Array, part: readonly number[]): number {
  return Buffer.from(all).indexOf(Buffer.from(part));
}

test("what was changed after it was signed is refused", async () => {
  const raw = await certificateOf(await generateKeyPair("secp256k1"));
  const last = raw.with(-1, (raw.at(-1) ?? 0) ^ 1);
  await assert.rejects(new TlsJudge().peerOf(last, NOW), /not signed by itself/);
  // The last number of the extension's identifier.
  const at = placeIn(raw, [0x83, 0xa2, 0x5a, 1, 1]) + 4;
  await assert.rejects(new TlsJudge().peerOf(raw.with(at, 2), NOW), /key of a peer/);
});

test("no byte can be changed without a refusal", async () => {
  const raw = await certificateOf(await generateKeyPair("secp256k1"));
  const judge = new TlsJudge();
  for (const at of raw.keys()) {
    await assert.rejects(judge.peerOf(raw.with(at, (raw[at] ?? 0) ^ 0x10), NOW), `byte ${at}`);
  }
});
