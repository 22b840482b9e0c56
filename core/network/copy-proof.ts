/**
 * How a node recognises another process with its own key: both prove the key, say which process
 * they are and how long they have run. Nothing is sent to anybody else. Source: decision 25
 */
import { ByteReader, ByteWriter } from "../bytes/cursor.ts";
import { equalBytes } from "../bytes/bytes.ts";
import { nodeIdOf } from "../bytes/hex.ts";
import type { NodeId } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";

/** Versions that this build speaks, the newest first; two adjacent ones run together. */
export const COPY_VERSIONS = [2, 1] as const;
/**
 * A version of the protocol: 2 signs who is at either end of the channel. What a version 1 says may
 * have been passed on by somebody in between.
 */
export type CopyVersion = (typeof COPY_VERSIONS)[number];
/** Bytes of a nonce and of the tag of a process. */
export const COPY_NONCE_BYTES = 32;
const MAX_SIGNATURE_BYTES = 256;
/** No message of the protocol is longer. */
export const MAX_COPY_MESSAGE_BYTES = 1_024;

/** What is signed begins with this: no claim of one version is one of the other. */
function domainOf(version: CopyVersion): Uint8Array {
  return Uint8Array.from(`chain-node/copy/${version}`, (letter) => letter.charCodeAt(0));
}

/** Name of a version of the protocol; it is spoken between two processes with one key only. */
export function copyProtocol(version: CopyVersion): string {
  return `/chain-node/copy/${version}`;
}

/** The version of a protocol's name; undefined for another protocol. */
export function copyVersionOf(protocol: string): CopyVersion | undefined {
  return COPY_VERSIONS.find((version) => copyProtocol(version) === protocol);
}

/** What a process says of itself. */
export interface CopyClaim {
  readonly nonce: Uint8Array;
  /** Random bytes of the process: who hears its own talks to itself. */
  readonly tag: Uint8Array;
  readonly uptimeMs: number;
}

/** Identities in the secure channel, as bytes; which are not those of nodes on every chain. */
export interface CopyChannel {
  readonly dialler: Uint8Array;
  readonly acceptor: Uint8Array;
}

/** Who speaks to whom. */
export interface CopyContext {
  readonly version: CopyVersion;
  readonly channel: CopyChannel;
  readonly suite: CryptoSuite;
  readonly chainId: number;
  readonly self: NodeId;
  /** The nonce of the other end. */
  readonly challenge: Uint8Array;
  readonly isDialler: boolean;
}

function digestOf(claim: CopyClaim, context: CopyContext) {
  const { version, channel, suite, chainId, challenge, isDialler } = context;
  const writer = new ByteWriter()
    .sized(domainOf(version))
    .u64(chainId)
    .u8(isDialler ? 1 : 0);
  // Who stands between two ends has a channel with each, and cannot pass on what names both ends.
  if (version >= 2) writer.sized(channel.dialler).sized(channel.acceptor);
  writer.sized(challenge).sized(claim.nonce).sized(claim.tag).u64(claim.uptimeMs);
  return suite.hash(writer.finish());
}

/** A claim with its proof; the context is that of the end that makes it. */
export function encodeCopyClaim(
  claim: CopyClaim,
  context: CopyContext,
  privateKey: Uint8Array,
): Uint8Array {
  const writer = new ByteWriter().bytes(claim.nonce).bytes(claim.tag).u64(claim.uptimeMs);
  return writer.sized(context.suite.sign(digestOf(claim, context), privateKey)).finish();
}

/** The claim of a process with this node's key, or undefined; the context is its maker's. */
export function decodeCopyClaim(bytes: Uint8Array, context: CopyContext): CopyClaim | undefined {
  const reader = new ByteReader(bytes);
  const nonce = reader.bytes(COPY_NONCE_BYTES).slice();
  const tag = reader.bytes(COPY_NONCE_BYTES).slice();
  const uptimeMs = reader.u64();
  const signature = reader.sized(MAX_SIGNATURE_BYTES).slice();
  if (!reader.complete() || equalBytes(nonce, context.challenge)) return undefined;
  const claim = { nonce, tag, uptimeMs };
  const signer = context.suite.recover(digestOf(claim, context), signature);
  return signer && nodeIdOf(signer) === context.self ? claim : undefined;
}
