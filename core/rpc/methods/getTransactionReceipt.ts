/** getTransactionReceipt: what a transaction did. */
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { GROUP_ID, hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentFarReceipt } from "../present.ts";
import { orNull, reference } from "../schema.ts";

/** null for an unknown transaction. Source: rpc-semantics 5, 6.4 */
export const getTransactionReceipt = defineMethod({
  name: "getTransactionReceipt",
  summary: "Receipt of a transaction, or null",
  params: [GROUP_ID, TRANSACTION_HASH],
  result: { name: "receipt", schema: orNull(reference("Receipt")) },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId, rawHash]) => {
    const ledger = requireBlocks(node, groupId);
    const located = await ledger.receipt(hashArgument(rawHash));
    return located === undefined ? null : presentFarReceipt(located);
  },
});
