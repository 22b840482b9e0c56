/**
 * Receipts of a block in one answer: range arguments and the two forms of the answer.
 *
 * Source: rpc-semantics 13
 */
import { utf8Bytes } from "../bytes/byte-string.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { Block } from "../model/block.ts";
import type { Json } from "./json.ts";
import { countArgument, flagParam, indexArgument } from "./params.ts";
import { presentBatchReceipts } from "./present.ts";
import { anyOf, reference, type Schema } from "./schema.ts";
import { toBase64, zlibCompress } from "./zlib.ts";

/** Whether the answer is compressed. */
export const COMPRESS = flagParam("compress", "Answer with base64 of the zlib form of the JSON");

/** The object, or its compressed form. */
export const BATCH_RESULT: Schema = anyOf(reference("BatchReceipts"), {
  type: "string",
  title: "base64 of zlib of the JSON text",
  pattern: "^[A-Za-z0-9+/]+={0,2}$",
});

/** The range as it was asked for. */
export interface RawRange {
  readonly from: string;
  readonly count: string;
  readonly compress: boolean;
}

/** The answer for a block. @throws RpcFault -32603; -40099 when no receipt has the first index */
export function batchReceipts(block: Block, range: RawRange): Json {
  const from = indexArgument(range.from);
  const wanted = countArgument(range.count);
  const available = block.receipts.length;
  if (from >= available) {
    throw new RpcFault(
      "receiptIndexOutOfRange",
      `start index out of range, the number of receipt is ${available}`,
    );
  }
  const count = wanted === "all" ? available - from : Math.min(wanted, available - from);
  const answer = presentBatchReceipts({ block, from, count });
  if (!range.compress) return answer;
  return toBase64(zlibCompress(utf8Bytes(`${JSON.stringify(answer)}\n`)));
}
