/** Faults of the client and of folders as the console tells them. Source: console 3, 5, 6 */
import {
  AbortedFault,
  CallFault,
  NodeFault,
  ReceiptFault,
  ReceiptTimeoutFault,
  RefusalFault,
  TransportFault,
  UsageFault,
} from "../../../core/client/client-fault.ts";
import { ClientCodeFault } from "../../../core/fault/client-codes.ts";
import type { TransactionStatusName } from "../../../core/fault/transaction-status.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { ConsoleFault, EXIT, usageFault } from "./command.ts";
import { oneLine } from "./foreign-text.ts";
import { RECEIPT_TIMEOUT_CODE, statusNumber, statusText } from "./status-text.ts";

/** What helps with codes of nodes. Source: interface 7.2; decision 31 */
const HINTS: ReadonlyMap<number, string> = new Map([
  [-40_001, "The node does not run that group: see getGroupList, and queryGroupStatus."],
  [-40_009, "The node is no member of that group: ask a sealer or an observer of it."],
  [-40_011, "The node limits the rate of requests: wait a moment."],
  [-40_012, "config.ini of the node does not list the SDK for that group: see its sdk_allowlist."],
  [
    -100_001,
    "Over HTTP a node lets itself be managed as [rpc] management of its config.ini says: from " +
      "its own host, or with --token-file. Over the channel port it always does.",
  ],
]);

/** The text of a node, without what the client put around it. */
function textOf({ message, method, code }: NodeFault): string {
  const head = `${method}: `;
  const tail = ` (${code})`;
  const inner = message.startsWith(head) ? message.slice(head.length) : message;
  return inner.endsWith(tail) ? inner.slice(0, -tail.length) : inner;
}

function statusFault(
  { status, reason }: { status: TransactionStatusName; reason?: string | undefined },
  detail: { transactionHash?: string; cause: unknown; data?: unknown },
): ConsoleFault {
  const code = statusNumber(status);
  return new ConsoleFault(reason ?? statusText(code), { code, ...detail });
}

function receiptFault(cause: ReceiptFault): ConsoleFault {
  const { receipt } = cause;
  const { transactionHash } = receipt;
  return statusFault(cause, { transactionHash, cause, data: receipt });
}

function timeoutFault(cause: ReceiptTimeoutFault): ConsoleFault {
  const message = cause.expired
    ? "the block limit has passed: the transaction is in no block and never will be"
    : "no receipt in time: the transaction may still be executed";
  const hint = `Ask for it later: getTransactionReceipt ${cause.hash}`;
  const detail = { code: RECEIPT_TIMEOUT_CODE, transactionHash: cause.hash, cause };
  return new ConsoleFault(message, { ...detail, hint });
}

function abortedFault(cause: AbortedFault): ConsoleFault {
  const { hash } = cause;
  if (hash === undefined) return new ConsoleFault("cancelled.", { cause });
  const hint = `Ask for it later: getTransactionReceipt ${hash}`;
  const message = "cancelled: the transaction may still be executed";
  return new ConsoleFault(message, {
    code: RECEIPT_TIMEOUT_CODE,
    transactionHash: hash,
    cause,
    hint,
  });
}

/** Each fault that has words; anything else is a defect and stays what it is. */
export function asConsoleFault(cause: unknown): ConsoleFault | undefined {
  if (cause instanceof ConsoleFault) return cause;
  if (cause instanceof NodeFault) {
    const { code, data } = cause;
    return new ConsoleFault(textOf(cause), { code, data, cause, hint: HINTS.get(code) });
  }
  if (cause instanceof ClientCodeFault)
    return new ConsoleFault(cause.message, { code: cause.code, cause });
  if (cause instanceof ReceiptFault) return receiptFault(cause);
  if (cause instanceof RefusalFault)
    return statusFault(cause, { transactionHash: cause.hash, cause });
  if (cause instanceof CallFault)
    return statusFault(cause, { cause, data: { output: cause.output } });
  if (cause instanceof ReceiptTimeoutFault) return timeoutFault(cause);
  if (cause instanceof TransportFault)
    return new ConsoleFault(`the connection is lost: ${oneLine(cause.message)}.`, {
      exitCode: EXIT.noConnection,
      cause,
    });
  if (cause instanceof UsageFault) return usageFault(`${oneLine(cause.message)}.`);
  if (cause instanceof AbortedFault) return abortedFault(cause);
  if (cause instanceof FolderFault) {
    const exitCode = cause.kind === "argument" ? EXIT.usage : EXIT.failed;
    return new ConsoleFault(cause.message, { exitCode, cause });
  }
  return undefined;
}
