/** The Entropy port over the operating system's generator. */
import { randomBytes } from "node:crypto";
import type { Entropy } from "../../core/ports/entropy.ts";

/** Random bytes of cryptographic quality. */
export const systemEntropy: Entropy = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
};
