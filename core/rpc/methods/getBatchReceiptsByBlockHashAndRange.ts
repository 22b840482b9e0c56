/** getBatchReceiptsByBlockHashAndRange: receipts of the block of a hash. */
import { receiptsMethod } from "../block-methods.ts";

/** @throws RpcFault -40004 for an unknown block; -40099. Source: rpc-semantics 13 */
export const getBatchReceiptsByHash = receiptsMethod("getBatchReceiptsByBlockHashAndRange", "hash");
