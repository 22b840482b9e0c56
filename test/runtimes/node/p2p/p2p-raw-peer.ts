/** A peer that speaks the wire by hand, for what no honest node sends. */
import "../../../../runtimes/shared/p2p/polyfills.ts";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { Connection, Libp2p, Stream } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { ByteWriter } from "../../../../core/bytes/cursor.ts";
import { FRAME, FrameReader, writeFrame } from "../../../../core/network/frame.ts";
import {
  decodeHello,
  encodeHello,
  encodeProof,
  type Hello,
  peerDigest,
  peerProtocol,
} from "../../../../core/network/handshake.ts";
import { writePart } from "../../../../core/network/part.ts";
import type { WireMessage } from "../../../../core/network/part.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import { CHAIN_ID, SUITE, testCertificate, testId, testKey, until } from "./p2p-field.ts";

/** Yamux's first window. */
const WINDOW_BYTES = 256 * 1024;

/** A connection with the frames that came over it. */
export interface RawPeer {
  readonly libp2p: Libp2p;
  readonly connection: Connection;
  readonly stream: Stream;
  readonly frames: { readonly type: number; readonly payload: Uint8Array }[];
  send(type: number, payload: Uint8Array): void;
  sendRaw(bytes: Uint8Array): void;
  part(fields: Partial<WireMessage> & { sequence: number }): void;
  isCut(): boolean;
  stop(): Promise<void>;
}

/** Connects to an address without saying anything yet. */
export async function approach(address: string, index: number): Promise<RawPeer> {
  const libp2p = await createLibp2p({
    ...nodeTransports(),
    privateKey: privateKeyFromRaw(testKey(index)),
    addresses: { listen: [] },
    // The window of a stream grows with the delays of a busy machine, beyond what a stream of these
    // options may hold: the unauthenticated peer would cut itself off.
    streamMuxers: [yamux({ streamOptions: { maxStreamWindowSize: WINDOW_BYTES } })],
    connectionMonitor: { enabled: false },
  });
  const connection = await libp2p.dial(multiaddr(address));
  const stream = await connection.newStream(peerProtocol(2), { negotiateFully: true });
  const frames: { type: number; payload: Uint8Array }[] = [];
  const reader = new FrameReader();
  stream.addEventListener("message", ({ data }) => {
    reader.push(data.subarray(), (type, payload) => {
      frames.push({ type, payload: payload.slice() });
      return true;
    });
  });
  const sendRaw = (bytes: Uint8Array) => {
    if (stream.writeStatus === "writable") stream.send(bytes);
  };
  const send = (type: number, payload: Uint8Array) => {
    const writer = new ByteWriter();
    writeFrame(writer, type, payload);
    sendRaw(writer.finish());
  };
  const part = (fields: Partial<WireMessage> & { sequence: number }) => {
    const writer = new ByteWriter();
    const base = { kind: "consensus", groupId: 1, compressed: false, sent: 0 } as const;
    writePart(writer, { ...base, bytes: new Uint8Array([1]), ...fields });
    sendRaw(writer.finish());
  };
  const isCut = () => stream.status !== "open" || connection.status !== "open";
  const stop = async () => libp2p.stop();
  return { libp2p, connection, stream, frames, send, sendRaw, part, isCut, stop };
}

/** What an unauthenticated peer claims; the defaults are those of an honest node. */
export interface Claims extends Partial<Hello> {
  readonly index: number;
  /** Whose key signs. */
  readonly signer?: number;
  /** What is sent instead of the proof. */
  readonly proof?: Uint8Array;
  /** What happens while the node waits for the proof. */
  readonly beforeProof?: () => void | Promise<void>;
}

/** Runs the exchange up to the own proof; the answer may be a welcome or a refusal. */
export async function introduce(outsider: RawPeer, claims: Claims): Promise<Uint8Array> {
  const { index, signer = index, beforeProof, ...rest } = claims;
  const nonce = new Uint8Array(32).fill(5);
  const certificates = [testCertificate({ nodeId: testId(index) })];
  const hello = { chainId: CHAIN_ID, nonce, certificates, features: 1, ...rest };
  outsider.send(FRAME.hello, encodeHello(hello));
  await until("an answer", () => outsider.frames.length >= 1);
  const answer = outsider.frames[0];
  const theirs = answer?.type === FRAME.hello ? decodeHello(answer.payload) : undefined;
  if (!theirs) return new Uint8Array();
  const own = { peerId: outsider.libp2p.peerId.toMultihash().bytes, nonce: hello.nonce };
  const remote = outsider.connection.remotePeer.toMultihash().bytes;
  const other = { peerId: remote, nonce: theirs.nonce };
  const digest = peerDigest(SUITE, CHAIN_ID, own, other);
  const proof = claims.proof ?? encodeProof(SUITE.sign(digest, testKey(signer)));
  await beforeProof?.();
  outsider.send(FRAME.proof, proof);
  await until("the verdict", () => outsider.isCut() || outsider.frames.length >= 3);
  return proof;
}
