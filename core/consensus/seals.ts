/** Who sealed a block. Source: tx-block-codec 7 */
import { idBytes, nodeIdOf } from "../bytes/hex.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { Seal } from "../model/header.ts";
import type { Compute } from "../ports/compute.ts";

/** Who made each seal of a block, in order. */
export async function recoverSeals(
  seals: readonly Seal[],
  executed: Hash,
  compute: Compute,
): Promise<{ index: number; signer: NodeId | undefined; signature: Uint8Array }[]> {
  const digest = idBytes(executed);
  const keys = await compute.recover(seals.map(({ signature }) => ({ digest, signature })));
  return seals.map(({ index, signature }, i) => {
    const key = keys[i];
    return { index, signer: key && nodeIdOf(key), signature };
  });
}
