/** Whether a transaction that is handed in again is in a block already. */
import { hexBytes } from "../../core/bytes/hex.ts";
import { decodeTransaction } from "../../core/model/transaction.ts";
import type { NodeApi } from "../../core/api/node-api.ts";

interface Submission {
  readonly id?: unknown;
  readonly params?: readonly [groupId?: unknown, raw?: unknown];
}

/**
 * The answer that the submission would have got, if its transaction is in a block: the tab that
 * was asked first may have gone after it was written.
 *
 * @param body the text of one sendRawTransaction
 */
export async function landedAnswer(node: NodeApi, body: string): Promise<string | undefined> {
  try {
    const { id, params: [groupId, raw] = [] } = JSON.parse(body) as Submission;
    const group = node.group(Number(groupId));
    if (!group || typeof raw !== "string") return undefined;
    const decoded = decodeTransaction(hexBytes(raw), node.suite);
    if (!decoded.ok) return undefined;
    const { hash } = decoded.transaction;
    if ((await group.ledger.transaction(hash)) === undefined) return undefined;
    return JSON.stringify({ id, jsonrpc: "2.0", result: hash });
  } catch {
    // What is wrong with it is reported when it is handed in.
    return undefined;
  }
}
