/** The Entropy port over the operating system's generator. */
import { randomBytes } from "node:crypto";
import type { Entropy } from "../../../core/ports/entropy.ts";

/** Random bytes of cryptographic quality. */
export function createNodeEntropy(): Entropy {
  return { bytes: (count) => new Uint8Array(randomBytes(count)) };
}
