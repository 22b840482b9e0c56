/** getBlockNumber: the height of the ledger. */
import { quantity } from "../../bytes/quantity.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { QUANTITY } from "../schema.ts";

/** Number of the latest block. Source: rpc-semantics 5 */
export const getBlockNumber = defineMethod({
  name: "getBlockNumber",
  summary: "Number of the latest block",
  params: [GROUP_ID],
  result: { name: "number", schema: QUANTITY },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => quantity(requireMember(node, groupId).ledger.head().number),
});
