/** Whether a receipt that the workbench shows is what the sealers agreed on. */
import type { Receipt } from "../../../core/client/rpc-objects.ts";
import { type Chain, useChain } from "../../data/chain.ts";
import { type Proofs, proofsOf } from "../../explorer/read/proof.ts";
import { proveTransaction } from "../../explorer/read/prove.ts";
import { readsOf } from "../../explorer/read/reads.ts";
import { useRead } from "../../explorer/read/use-read.ts";

async function prove(chain: Chain, told: Receipt) {
  const { groupId } = chain;
  const reads = readsOf(chain.source, groupId);
  const found = await reads.executed(told.transactionHash);
  if (!found?.receipt) return { checks: [] };
  const { transaction } = found;
  // Pushed receipts may lack members that the hash covers; those that are shown stay.
  const receipt = { ...found.receipt, ...told };
  return await proveTransaction({ chain, reads, groupId }, { transaction, receipt });
}

/** The proofs of a receipt; without one nothing is proven. */
export function useReceiptProof(receipt: Receipt | undefined): Proofs {
  const chain = useChain();
  const read = useRead({
    id: `outcome:${receipt?.transactionHash}`,
    load: async () => (chain && receipt ? await prove(chain, receipt) : { checks: [] }),
  });
  return proofsOf(read);
}
