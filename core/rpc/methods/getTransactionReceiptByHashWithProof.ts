/** getTransactionReceiptByHashWithProof: a receipt and the proof that its block holds it. */
import { defineMethod, MEMBER_ERRORS, requireMember, requireVersion } from "../method.ts";
import { GROUP_ID, hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentProof, presentProvedReceipt } from "../present.ts";
import { objectOf, orNull, reference } from "../schema.ts";

const NAME = "getTransactionReceiptByHashWithProof";
const RESULT = { receiptProof: reference("Proof"), transactionReceipt: reference("ProvedReceipt") };

/**
 * From compatibility version 2.2.0 on; null for an unknown transaction.
 * Source: rpc-semantics 4, 6.5
 */
export const getReceiptWithProof = defineMethod({
  name: NAME,
  summary: "Receipt of a transaction with its Merkle proof, or null",
  params: [GROUP_ID, TRANSACTION_HASH],
  result: { name: "receiptWithProof", schema: orNull(objectOf(RESULT)) },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId, rawHash]) => {
    requireVersion(node, NAME);
    const { ledger } = requireMember(node, groupId);
    const located = await ledger.receipt(hashArgument(rawHash));
    if (located === undefined) return null;
    const proof = await ledger.receiptProof(located.blockHash, located.index);
    return { receiptProof: presentProof(proof), transactionReceipt: presentProvedReceipt(located) };
  },
});
