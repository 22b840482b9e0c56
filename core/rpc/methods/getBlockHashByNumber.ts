/** getBlockHashByNumber: the hash of the block at a number. */
import { hashOfNumber } from "../lookup.ts";
import { defineMethod, MEMBER_ERRORS, requireBlocks } from "../method.ts";
import { BLOCK_NUMBER, GROUP_ID } from "../params.ts";
import { HASH } from "../schema.ts";

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5 */
export const getBlockHashByNumber = defineMethod({
  name: "getBlockHashByNumber",
  summary: "Hash of the block at a number",
  params: [GROUP_ID, BLOCK_NUMBER],
  result: { name: "hash", schema: HASH },
  errors: [...MEMBER_ERRORS, "blockNumberUnknown"],
  run: ({ node }, [groupId, rawNumber]) => hashOfNumber(requireBlocks(node, groupId), rawNumber),
});
