/** getBlockHashByNumber: the hash of the block at a number. */
import { hashOfNumber } from "../block-methods.ts";
import { blocksMethod } from "../method.ts";
import { BLOCK_NUMBER } from "../params.ts";
import { HASH } from "../schema.ts";

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5 */
export const getBlockHashByNumber = blocksMethod({
  name: "getBlockHashByNumber",
  summary: "Hash of the block at a number",
  params: [BLOCK_NUMBER],
  result: { name: "hash", schema: HASH },
  errors: ["blockNumberUnknown"],
  run: (ledger, [rawNumber]) => hashOfNumber(ledger, rawNumber),
});
