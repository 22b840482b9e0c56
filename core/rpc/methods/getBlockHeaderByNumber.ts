/** getBlockHeaderByNumber: a block header by its number. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { hashOfNumber } from "../lookup.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_NUMBER, flagParam, GROUP_ID } from "../params.ts";
import { presentHeader } from "../present.ts";
import { reference } from "../schema.ts";

const INCLUDE_SIGNATURES = flagParam("includeSignatures", "With the signature list");

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5, 6.2 */
export const getBlockHeaderByNumber = defineMethod({
  name: "getBlockHeaderByNumber",
  summary: "Block header of a number",
  params: [GROUP_ID, BLOCK_NUMBER, INCLUDE_SIGNATURES],
  result: { name: "header", schema: reference("BlockHeader") },
  errors: [...MEMBER_ERRORS, "blockNumberUnknown"],
  run: async ({ node }, [groupId, rawNumber, includeSignatures]) => {
    const ledger = requireBlocks(node, groupId);
    const sealed = await ledger.header(await hashOfNumber(ledger, rawNumber));
    if (sealed === undefined) throw new RpcFault("blockNumberUnknown");
    return presentHeader(sealed, includeSignatures);
  },
});
