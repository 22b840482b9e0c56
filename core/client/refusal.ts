/** What a node's words about a refused transaction mean. Source: rpc-semantics 8; decision 11 */
import { ZERO_HASH } from "../bytes/ids.ts";
import {
  POOL_REFUSALS,
  TRANSACTION_STATUS,
  transactionStatusName,
  type TransactionStatusName,
} from "../fault/transaction-status.ts";
import { NodeFault } from "./client-fault.ts";
import type { Receipt } from "./rpc-objects.ts";

/** Code of every refusal; the text names the status. Source: decision 11 */
const REFUSAL_CODE = -32603;
const NAMED = /\b([A-Z][A-Za-z]+)\(0x[0-9a-f]+\)/;

/**
 * The status that an error answer refuses a transaction with; undefined for any other error. Nodes
 * of other makes write one of the words of the table, without the name of the status.
 */
export function refusalOf(cause: unknown): TransactionStatusName | undefined {
  if (!(cause instanceof NodeFault) || cause.code !== REFUSAL_CODE) return undefined;
  const name = NAMED.exec(cause.message)?.[1] ?? "";
  if (Object.hasOwn(TRANSACTION_STATUS, name)) return name as TransactionStatusName;
  const row = Object.values(POOL_REFUSALS).find(({ token }) => cause.message.includes(token));
  return row && transactionStatusName(row.status);
}

/** The status of a pushed refusal; undefined for a receipt. Source: channel-protocol 6.1 */
export function pushedRefusalOf(receipt: Receipt): TransactionStatusName | undefined {
  if (receipt.transactionHash !== (ZERO_HASH as string)) return undefined;
  return transactionStatusName(Number(receipt.status));
}

/** The pool has the transaction already. */
export const KNOWN: TransactionStatusName = "AlreadyKnown";

const SPENT: ReadonlySet<TransactionStatusName> = new Set(["NonceCheckFail", "AlreadyInChain"]);

/** Whether the nonce is used up: perhaps by this very transaction, handed in before. */
export function isSpent(status: TransactionStatusName): boolean {
  return SPENT.has(status);
}
