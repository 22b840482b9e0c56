/** getBlockHeaderByHash: a block header by its hash. */
import { headerMethod } from "../block-methods.ts";

/** @throws RpcFault -40003 for an unknown hash. Source: rpc-semantics 5, 6.2 */
export const getBlockHeaderByHash = headerMethod("getBlockHeaderByHash", "hash");
