/** getBlockNumber: the height of the ledger. */
import { quantity } from "../../bytes/quantity.ts";
import { memberMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

/** Number of the latest block. Source: rpc-semantics 5 */
export const getBlockNumber = memberMethod({
  name: "getBlockNumber",
  summary: "Number of the latest block",
  result: { name: "number", schema: QUANTITY },
  run: ({ ledger }) => quantity(ledger.head().number),
});
