/** getTransactionByBlockNumberAndIndex: a transaction by its place in a block. */
import { transactionAtMethod } from "../block-methods.ts";

/** @throws RpcFault -40004 above the latest block; -40005. Source: rpc-semantics 5 */
export const getTransactionByNumberAndIndex = transactionAtMethod(
  "getTransactionByBlockNumberAndIndex",
  "number",
);
