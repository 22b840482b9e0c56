/** Who sealed a block, and whether that is enough. Source: pbft 8, 16.4; tx-block-codec 7 */
import { idBytes, nodeIdOf } from "../bytes/hex.ts";
import type { Hash, NodeId, SealerIndex } from "../bytes/ids.ts";
import type { Seal } from "../model/header.ts";
import type { Compute } from "../ports/compute.ts";
import { quorum } from "./quorum.ts";

/** A seal whose signature was recovered by the caller. */
export interface RecoveredSeal {
  readonly index: SealerIndex;
  /** Who signed the block hash; undefined when the signature is invalid. */
  readonly signer: NodeId | undefined;
}

/** What a signature list is worth. */
export type SealVerdict = "ok" | "tooFewSeals" | "duplicateIndex" | "notSealer";

/**
 * Whether a signature list decides a block: at least Q seals, of distinct indexes, each made by the
 * sealer at its index. One bad seal spoils the list: honest nodes never write one.
 * Source: pbft 8 (block from sync), 16.3.5
 */
export function verifySeals(
  seals: readonly RecoveredSeal[],
  sealers: readonly NodeId[],
): SealVerdict {
  const seen = new Set<SealerIndex>();
  for (const { index, signer } of seals) {
    const sealer = sealers[index];
    if (sealer === undefined || sealer !== signer) return "notSealer";
    if (seen.has(index)) return "duplicateIndex";
    seen.add(index);
  }
  return seals.length > 0 && seals.length >= quorum(sealers.length) ? "ok" : "tooFewSeals";
}

/** Who made each seal of a block, in order. Source: tx-block-codec 7 */
export async function recoverSeals(
  seals: readonly Seal[],
  executed: Hash,
  compute: Compute,
): Promise<(RecoveredSeal & Seal)[]> {
  const digest = idBytes(executed);
  const keys = await compute.recover(seals.map(({ signature }) => ({ digest, signature })));
  return seals.map(({ index, signature }, i) => {
    const key = keys[i];
    return { index, signer: key && nodeIdOf(key), signature };
  });
}
