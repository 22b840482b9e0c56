/** getBlockByNumber: a block by its number. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_NUMBER, flagParam, GROUP_ID } from "../params.ts";
import { hashOfNumber } from "../lookup.ts";
import { presentFarBlock } from "../present.ts";
import { reference } from "../schema.ts";

const INCLUDE_TRANSACTIONS = flagParam("includeTransactions", "Whole transactions, not hashes");

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5, 6.1 */
export const getBlockByNumber = defineMethod({
  name: "getBlockByNumber",
  summary: "Block of a number",
  params: [GROUP_ID, BLOCK_NUMBER, INCLUDE_TRANSACTIONS],
  result: { name: "block", schema: reference("Block") },
  errors: [...MEMBER_ERRORS, "blockNumberUnknown"],
  run: async ({ node }, [groupId, rawNumber, includeTransactions]) => {
    const ledger = requireBlocks(node, groupId);
    const block = await ledger.header(await hashOfNumber(ledger, rawNumber));
    if (block === undefined) throw new RpcFault("blockNumberUnknown");
    return await presentFarBlock(ledger, block, includeTransactions);
  },
});
