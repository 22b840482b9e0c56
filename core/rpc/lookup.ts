/** Look-ups that several operations share. Source: rpc-semantics 5 */
import type { Hash } from "../bytes/ids.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { LedgerApi } from "../ports/ledger.ts";
import type { Json } from "./json.ts";
import { blockNumberArgument, indexArgument } from "./params.ts";
import { presentTransaction } from "./present.ts";

/**
 * Hash of the block at a number given as text. @throws RpcFault -32603; -40004 above the latest
 * block
 */
export async function hashOfNumber(ledger: LedgerApi, rawNumber: string): Promise<Hash> {
  const number = blockNumberArgument(rawNumber);
  const hash = number <= ledger.head().number ? await ledger.hashOf(number) : undefined;
  if (hash === undefined) throw new RpcFault("blockNumberUnknown");
  return hash;
}

/** The transaction at an index given as text, of a known block. @throws RpcFault -32603, -40005 */
export async function transactionAt(
  ledger: LedgerApi,
  blockHash: Hash,
  rawIndex: string,
): Promise<Json> {
  const located = await ledger.transactionAt(blockHash, indexArgument(rawIndex));
  if (located === undefined) throw new RpcFault("transactionIndexOutOfRange");
  return presentTransaction(located);
}
