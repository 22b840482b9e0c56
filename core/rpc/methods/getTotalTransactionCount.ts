/** getTotalTransactionCount: the counters of the ledger. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentTotals } from "../present-status.ts";
import { reference } from "../schema.ts";

/** All transactions and those that failed, at the latest block. Source: rpc-semantics 5 */
export const getTotalTransactionCount = defineMethod({
  name: "getTotalTransactionCount",
  summary: "Numbers of transactions and of failed transactions",
  params: [GROUP_ID],
  result: { name: "totals", schema: reference("TransactionTotals") },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId]) =>
    presentTotals(await requireMember(node, groupId).ledger.totals()),
});
