/** What worlds of whole nodes are made of. */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";

/** Creates a contract without code. */
export const EMPTY_CONTRACT = Uint8Array.of(0x60, 0, 0x60, 0, 0xf3);
export const SENDER_KEY = new Uint8Array(32).fill(0x42);

/** The key of a machine. */
export function keyOf(suite: CryptoSuite, index: number) {
  const privateKey = new Uint8Array(32).fill(0x11 + index);
  return { privateKey, nodeId: nodeIdOf(suite.publicKey(privateKey)) };
}

/** Resolves when no promise of the process has anything left to do. */
export function quiet(): Promise<void> {
  return new Promise((resume) => void setImmediate(resume));
}

/** What was handed to the store of a node. */
export interface WriteCounts {
  commits: number;
  durable: number;
  bytes: number;
}
