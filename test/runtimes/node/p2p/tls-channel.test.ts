/** Our TLS and that of libp2p understand each other; certificates of nobody are refused. */
import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, sign, X509Certificate } from "node:crypto";
import "../../../../runtimes/shared/p2p/polyfills.ts";
import { generateKeyPair, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { ConnectionEncrypter, PrivateKey } from "@libp2p/interface";
import { peerIdFromPublicKey } from "@libp2p/peer-id";
import { tcp } from "@libp2p/tcp";
import { tls as tlsOfLibp2p } from "@libp2p/tls";
import { lpStream, multiaddrConnectionPair } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import { expect, onTestFinished, test } from "vitest";
import { derElement as der } from "../../../../runtimes/formats/certificates/parsed-certificate.ts";
import { tls } from "../../../../runtimes/node/p2p/tls-channel.ts";
import { createTlsIdentity, TlsJudge } from "../../../../runtimes/node/p2p/tls-identity.ts";

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
    // As buffers, which compares bytes and not members.
    assert.deepEqual(Buffer.from((await line.read()).slice()), Buffer.from(LONG));
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
  const { cert } = await createTlsIdentity(key);
  return new Uint8Array(new X509Certificate(cert).raw);
}

test("a certificate names the peer that made it, the second time as well", async () => {
  const key = await generateKeyPair("secp256k1");
  const judge = new TlsJudge();
  const raw = await certificateOf(key);
  const expected = peerIdFromPublicKey(key.publicKey);
  for (const _ of [1, 2]) expect((await judge.peerOf(raw, NOW)).equals(expected)).toBe(true);
  for (const hours of [-8, 8, -8_760])
    expect((await judge.peerOf(raw, NOW + hours * HOUR_MS)).equals(expected)).toBe(true);
  await assert.rejects(judge.peerOf(raw, -1), /not valid yet/);
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

const text = (value: string) => Buffer.from(value, "latin1");
const hex = (value: string) => Buffer.from(value, "hex");
const PEER_KEY = "2b0601040183a25a0101";
const KEY_USAGE = "551d0f";
const SIGNED_BY = hex("300a06082a8648ce3d040302");
const TRUE = hex("0101ff");
const FALSE = hex("010100");

interface Form {
  /** Next to the key of a peer, which is in the middle. */
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** In DER; nobody when absent. */
  readonly name?: Uint8Array;
}

function extension(id: string, value: Uint8Array, ...mark: readonly Uint8Array[]): Uint8Array {
  return der(0x30, der(0x06, hex(id)), ...mark, der(0x04, value));
}

/** A certificate by hand: proof and signature hold, whatever else is in it. */
async function certificateIn(form: Form): Promise<Uint8Array> {
  const { before = text(""), after = text(""), name = der(0x30) } = form;
  const { notBefore = "20260101000000Z", notAfter = "20270101000000Z" } = form;
  const pair = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const peer = await generateKeyPair("secp256k1");
  const proof = await peer.sign(Buffer.concat([text("libp2p-tls-handshake:"), pair.publicKey]));
  const proven = der(0x30, der(0x04, publicKeyToProtobuf(peer.publicKey)), der(0x04, proof));
  const signed = der(
    0x30,
    hex("a003020102020101"),
    SIGNED_BY,
    name,
    der(0x30, der(0x18, text(notBefore)), der(0x18, text(notAfter))),
    name,
    pair.publicKey,
    der(0xa3, der(0x30, before, extension(PEER_KEY, proven), after)),
  );
  const signature = sign("sha256", signed, createPrivateKey(pair.privateKey));
  return der(0x30, signed, SIGNED_BY, der(0x03, Uint8Array.of(0), signature));
}

const USAGE = hex("03020780");
const FORMS: readonly (readonly [what: string, form: Form, refusal: RegExp | undefined])[] = [
  ["the key of a peer alone", {}, undefined],
  ["another extension behind it", { after: extension(KEY_USAGE, USAGE) }, undefined],
  ["another extension before it", { before: extension(KEY_USAGE, USAGE) }, undefined],
  ["one that is marked uncritical", { before: extension(KEY_USAGE, USAGE, FALSE) }, undefined],
  ["a critical one behind it", { after: extension("2a03", USAGE, TRUE) }, /critical/],
  ["a critical one before it", { before: extension("2a03", USAGE, TRUE) }, /critical/],
  ["a second key of a peer", { after: extension(PEER_KEY, USAGE) }, /more than one key/],
  ["an end that cannot be read", { notAfter: "XX0101000000Z" }, /has expired/],
  ["a beginning that cannot be read", { notBefore: "XX0101000000Z" }, /not valid yet/],
];
for (const [what, form, refusal] of FORMS) {
  test(`a certificate with ${what} is ${refusal ? "refused" : "taken"}`, async () => {
    const judged = new TlsJudge().peerOf(await certificateIn(form), NOW);
    if (refusal) await assert.rejects(judged, refusal);
    else expect((await judged).type).toBe("secp256k1");
  });
}

/** @param behind what it shows behind its own certificate */
async function channelOf(behind = ""): Promise<ConnectionEncrypter> {
  const identityOf: typeof createTlsIdentity = async (key) => {
    const { cert, ...identity } = await createTlsIdentity(key);
    return { ...identity, cert: `${cert}${behind}` };
  };
  const privateKey = await generateKeyPair("secp256k1");
  return tls(identityOf)({ privateKey, upgrader: { getStreamMuxers: () => new Map() } });
}

/** O=others. */
const OTHERS = der(0x30, der(0x31, der(0x30, hex("060355040a"), der(0x0c, text("others")))));

for (const [whose, name] of [
  ["nobody", der(0x30)],
  ["others", OTHERS],
] as const) {
  for (const who of ["dials", "answers"] as const) {
    test(`who ${who} and shows a second certificate, of ${whose}, is refused`, async () => {
      const second = new X509Certificate(await certificateIn({ name })).toString();
      const [plain, chained] = await Promise.all([channelOf(), channelOf(second)]);
      const [out, into] = multiaddrConnectionPair();
      const [dialler, answerer] = who === "dials" ? [chained, plain] : [plain, chained];
      const ends = [dialler.secureOutbound(out), answerer.secureInbound(into)] as const;
      const refused = who === "dials" ? ends[1] : ends[0];
      await Promise.all([
        assert.rejects(refused, /more than one certificate/),
        Promise.allSettled(ends),
      ]);
    });
  }
}
