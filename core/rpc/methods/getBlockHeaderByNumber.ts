/** getBlockHeaderByNumber: a block header by its number. */
import { headerMethod } from "../block-methods.ts";

/** @throws RpcFault -40004 above the latest block. Source: rpc-semantics 5, 6.2 */
export const getBlockHeaderByNumber = headerMethod("getBlockHeaderByNumber", "number");
