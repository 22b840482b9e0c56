/** getTransactionByHashWithProof: a transaction and the proof that its block holds it. */
import { defineMethod, MEMBER_ERRORS, requireMember, requireVersion } from "../method.ts";
import { GROUP_ID, hashArgument, TRANSACTION_HASH } from "../params.ts";
import { presentProof, presentTransaction } from "../present.ts";
import { objectOf, orNull, reference } from "../schema.ts";

const NAME = "getTransactionByHashWithProof";
const RESULT = { transaction: reference("Transaction"), txProof: reference("Proof") };

/**
 * From compatibility version 2.2.0 on; null for an unknown transaction.
 * Source: rpc-semantics 4, 6.5
 */
export const getTransactionWithProof = defineMethod({
  name: NAME,
  summary: "Transaction of a hash with its Merkle proof, or null",
  params: [GROUP_ID, TRANSACTION_HASH],
  result: { name: "transactionWithProof", schema: orNull(objectOf(RESULT)) },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId, rawHash]) => {
    requireVersion(node, NAME);
    const { ledger } = requireMember(node, groupId);
    const located = await ledger.transaction(hashArgument(rawHash));
    if (located === undefined) return null;
    const proof = await ledger.transactionProof(located.blockHash, located.index);
    return { transaction: presentTransaction(located), txProof: presentProof(proof) };
  },
});
