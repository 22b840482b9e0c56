/** getBlockByHash: a block by its hash. */
import { blockMethod } from "../block-methods.ts";

/** @throws RpcFault -40003 for an unknown hash. Source: rpc-semantics 5, 6.1 */
export const getBlockByHash = blockMethod("getBlockByHash", "hash");
