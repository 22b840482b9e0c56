/** sendRawTransaction: hands a signed transaction to the pool. */
import { defineMethod, MEMBER_ERRORS } from "../method.ts";
import { GROUP_ID, SIGNED_TRANSACTION } from "../params.ts";
import { HASH } from "../schema.ts";
import { submitTransaction } from "../submission.ts";

/** Answers after admission, before consensus. Source: rpc-semantics 8 */
export const sendRawTransaction = defineMethod({
  name: "sendRawTransaction",
  summary: "Submits a signed transaction",
  params: [GROUP_ID, SIGNED_TRANSACTION],
  result: { name: "transactionHash", schema: HASH },
  errors: MEMBER_ERRORS,
  changes: true,
  run: (call, [groupId, raw]) => submitTransaction(call, { groupId, raw, withProof: false }),
});
