/** getTransactionReceipt: what a transaction did. */
import { blocksMethod } from "../method.ts";
import { hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentFarReceipt } from "../present.ts";
import { orNull, reference } from "../schema.ts";

/** null for an unknown transaction. Source: rpc-semantics 5, 6.4 */
export const getTransactionReceipt = blocksMethod({
  name: "getTransactionReceipt",
  summary: "Receipt of a transaction, or null",
  params: [TRANSACTION_HASH],
  result: { name: "receipt", schema: orNull(reference("Receipt")) },
  run: async (ledger, [rawHash]) => {
    const located = await ledger.receipt(hashArgument(rawHash));
    return located === undefined ? null : presentFarReceipt(located);
  },
});
