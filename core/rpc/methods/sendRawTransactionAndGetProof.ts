/**
 * sendRawTransactionAndGetProof: as sendRawTransaction; the channel pushes proofs with the receipt.
 */
import { defineMethod, MEMBER_ERRORS } from "../method.ts";
import { GROUP_ID, SIGNED_TRANSACTION } from "../params.ts";
import { HASH } from "../schema.ts";
import { submitTransaction } from "../submission.ts";

/** Over HTTP nothing is pushed. Source: rpc-semantics 8; interface 6 */
export const sendRawTransactionAndGetProof = defineMethod({
  name: "sendRawTransactionAndGetProof",
  summary: "Submits a signed transaction; over the channel its receipt comes with proofs",
  params: [GROUP_ID, SIGNED_TRANSACTION],
  result: { name: "transactionHash", schema: HASH },
  errors: MEMBER_ERRORS,
  changes: true,
  run: (call, [groupId, raw]) => submitTransaction(call, { groupId, raw, withProof: true }),
});
