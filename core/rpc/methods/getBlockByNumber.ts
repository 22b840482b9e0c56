/** getBlockByNumber: a block by its number. */
import { blockMethod } from "../block-methods.ts";

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5, 6.1 */
export const getBlockByNumber = blockMethod("getBlockByNumber", "number");
