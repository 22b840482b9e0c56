/** getBatchReceiptsByBlockNumberAndRange: receipts of the block of a number. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { BATCH_RESULT, batchReceipts, COMPRESS } from "../batch-receipts.ts";
import { hashOfNumber } from "../lookup.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { BLOCK_NUMBER, FROM_INDEX, GROUP_ID, RECEIPT_COUNT } from "../params.ts";

/**
 * The receipts from an index on. @throws RpcFault -40004 for an unknown block; -40099.
 *
 * Source: rpc-semantics 13
 */
export const getBatchReceiptsByNumber = defineMethod({
  name: "getBatchReceiptsByBlockNumberAndRange",
  summary: "Receipts of a block from an index on, in short form",
  params: [GROUP_ID, BLOCK_NUMBER, FROM_INDEX, RECEIPT_COUNT, COMPRESS],
  result: { name: "receipts", schema: BATCH_RESULT },
  errors: [...MEMBER_ERRORS, "blockNumberUnknown", "receiptIndexOutOfRange"],
  isLong: true,
  run: async ({ node, pace }, [groupId, rawBlock, from, count, compress]) => {
    const { ledger } = requireMember(node, groupId);
    const block = await ledger.block(await hashOfNumber(ledger, rawBlock));
    if (block === undefined) throw new RpcFault("blockNumberUnknown");
    return await batchReceipts(block, { from, count, compress }, pace);
  },
});
