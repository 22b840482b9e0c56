/** The certificate exchange that opens a connection. Source: node-network 1, 2 */
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";
import type { CryptoSuite } from "../crypto/suite.ts";

/** Versions that this build speaks, the newest first; two adjacent ones run together. */
export const PEER_VERSIONS = [3, 2] as const;
/** A version of the peer protocol: 3 passes on messages of consensus. Source: decision 34 */
export type PeerVersion = (typeof PEER_VERSIONS)[number];

/** Random bytes of either side, so that no proof can be used twice. */
export const NONCE_BYTES = 32;
/** Certificates in a chain at most: node, agency, CA, and room. */
const MAX_CERTIFICATES = 8;
const MAX_CERTIFICATE_BYTES = 4_096;
const MAX_SIGNATURE_BYTES = 256;
/** What is signed begins with this. Source: node-network 1 */
const DOMAIN = Uint8Array.from("chain-node/peer/1", (letter) => letter.charCodeAt(0));

/** Bit of a hello's features: long messages may come compressed. */
export const FEATURE_COMPRESSION = 1;

/** What each side says first. */
export interface Hello {
  readonly chainId: number;
  readonly nonce: Uint8Array;
  /** Node certificate first, as DER. */
  readonly certificates: readonly Uint8Array[];
  readonly features: number;
}

/** Why a connection is refused; the position is the code on the wire. */
export const REFUSALS = [
  "malformed handshake",
  "other chain",
  "no valid certificate",
  "key does not match",
  "blacklisted",
  "not on the whitelist",
  "self",
  "duplicate",
  "banned after repeated offences",
  "too many peers",
] as const;
/** A reason of {@link REFUSALS}. */
export type Refusal = (typeof REFUSALS)[number];

/** Name of the stream protocol of a version. Source: node-network 1 */
export function peerProtocol(version: PeerVersion): string {
  return `/chain-node/peer/${version}`;
}

/** The version of a protocol's name; undefined for another protocol. */
export function versionOf(protocol: string): PeerVersion | undefined {
  return PEER_VERSIONS.find((version) => peerProtocol(version) === protocol);
}

/** Encodes a hello. */
export function encodeHello(hello: Hello): Uint8Array {
  const writer = new ByteWriter();
  writer.u64(hello.chainId).bytes(hello.nonce).u8(hello.certificates.length);
  for (const certificate of hello.certificates) writer.sized(certificate);
  return writer.u8(hello.features).finish();
}

/** Decodes a hello; undefined when malformed. */
export function decodeHello(payload: Uint8Array): Hello | undefined {
  const reader = new ByteReader(payload);
  const chainId = reader.u64();
  const nonce = reader.bytes(NONCE_BYTES).slice();
  const count = reader.u8();
  if (count > MAX_CERTIFICATES) return undefined;
  const certificates: Uint8Array[] = [];
  for (let index = 0; index < count && !reader.failed; index++) {
    certificates.push(reader.sized(MAX_CERTIFICATE_BYTES).slice());
  }
  const features = reader.u8();
  return reader.complete() ? { chainId, nonce, certificates, features } : undefined;
}

/** Encodes a proof: a signature of {@link peerDigest}. */
export function encodeProof(signature: Uint8Array): Uint8Array {
  return new ByteWriter().sized(signature).finish();
}

/** The signature of a proof; undefined when malformed. */
export function decodeProof(payload: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(payload);
  const signature = reader.sized(MAX_SIGNATURE_BYTES).slice();
  return reader.complete() ? signature : undefined;
}

/**
 * Encodes why a connection is refused.
 * @param wallMs the refuser's clock, where it may be the cause; older versions do not read it
 */
export function encodeRefusal(reason: Refusal, wallMs?: number): Uint8Array {
  const writer = new ByteWriter().u8(REFUSALS.indexOf(reason));
  return (wallMs === undefined ? writer : writer.u64(Math.floor(wallMs))).finish();
}

/** The refuser's clock; undefined when it did not tell it. */
export function refusalTime(payload: Uint8Array): number | undefined {
  const reader = new ByteReader(payload.subarray(1));
  const wallMs = reader.u64();
  return reader.complete() ? wallMs : undefined;
}

/** The reason of a refusal; `unknown reason` for one of a later version. */
export function decodeRefusal(payload: Uint8Array): Refusal | "unknown reason" {
  return REFUSALS[payload[0] ?? REFUSALS.length] ?? "unknown reason";
}

/** One end of a connection. */
export interface PeerEnd {
  /** Its identity in the secure channel, as bytes. */
  readonly peerId: Uint8Array;
  readonly nonce: Uint8Array;
}

/** What both ends sign: the chain, both identities of the channel, both nonces, dialler first. */
export function peerDigest(
  suite: CryptoSuite,
  chainId: number,
  dialler: PeerEnd,
  acceptor: PeerEnd,
): Uint8Array {
  const writer = new ByteWriter().sized(DOMAIN).u64(chainId);
  writer.sized(dialler.peerId).sized(acceptor.peerId);
  writer.sized(dialler.nonce).sized(acceptor.nonce);
  return suite.hash(writer.finish());
}
