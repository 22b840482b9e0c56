/** getTransactionByBlockHashAndIndex: a transaction by its place in a block. */
import { transactionAtMethod } from "../block-methods.ts";

/** @throws RpcFault -40003 for an unknown hash; -40005. Source: rpc-semantics 5 */
export const getTransactionByHashAndIndex = transactionAtMethod(
  "getTransactionByBlockHashAndIndex",
  "hash",
);
