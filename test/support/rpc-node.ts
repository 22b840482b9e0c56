/** A node over the small chain, and asking it through the dispatcher. */
import type { GroupApi, NodeApi } from "../../core/api/node-api.ts";
import { ALL_LEAVE, dispatch } from "../../core/rpc/dispatch.ts";
import { dataGroup, dataNode, nodeIdOf, OWN_ID } from "./data-node.ts";
import { memoryLedger } from "./ledger/memory-ledger.ts";
import { CONTRACT, CONTRACT_CODE, smallChain } from "./ledger/small-chain.ts";
import { STANDARD_SUITE } from "./suites.ts";

/** Blocks of the chain behind {@link rpcNode}. */
export const BLOCKS = smallChain();

/** Group 1 over the small chain; what differs is given. */
export function rpcGroup(changes: Partial<GroupApi> = {}): GroupApi {
  const ledger = memoryLedger({
    suite: STANDARD_SUITE,
    blocks: BLOCKS,
    sealers: [nodeIdOf("c3"), nodeIdOf("a1"), OWN_ID],
    observers: [nodeIdOf("b0")],
    systemConfig: new Map([["tx_count_limit", "1000"]]),
    codes: new Map([[CONTRACT, CONTRACT_CODE]]),
  });
  return dataGroup(ledger, changes);
}

/** A node that runs group 1. */
export function rpcNode(
  changes: Partial<NodeApi> = {},
  groupChanges: Partial<GroupApi> = {},
): NodeApi {
  return dataNode([rpcGroup(groupChanges)], changes);
}

/** A response, parsed. */
export interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
  };
}

/** Sends a body and parses the answer. */
export async function send(node: NodeApi, body: string, originAllowed = true): Promise<Reply> {
  const text = await dispatch(node, body, { ...ALL_LEAVE, originAllowed });
  return JSON.parse(text) as Reply;
}

/** Asks one method. */
export function ask(
  node: NodeApi,
  method: string,
  params: unknown,
  originAllowed = true,
): Promise<Reply> {
  return send(node, JSON.stringify({ jsonrpc: "2.0", method, params, id: 1 }), originAllowed);
}
