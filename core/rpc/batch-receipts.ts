/**
 * Receipts of a block in one answer: range arguments and the two forms of the answer.
 * Source: rpc-semantics 13
 */
import { utf8Bytes } from "../bytes/byte-string.ts";
import { joinBytes } from "../bytes/bytes.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { Block } from "../model/block.ts";
import type { Json } from "./json.ts";
import { jsonText } from "./long-answer.ts";
import type { Pace } from "../limits/pace.ts";
import { countArgument, flagParam, indexArgument } from "./params.ts";
import { presentBatchReceipts } from "./present.ts";
import { anyOf, reference, type Schema } from "./schema.ts";
import { STEP_BYTES, toBase64, zlibCompress } from "./zlib.ts";

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

/** Longer JSON is not compressed, in characters: the caller can ask for fewer receipts at once. */
export const MAX_COMPRESSED_JSON = 32 * 1024 * 1024;

/**
 * The answer for a block.
 *
 * @param pace asked between pieces of the work
 * @throws RpcFault -32603, also for more than {@link MAX_COMPRESSED_JSON}; -40099 when no receipt
 *   has the first index
 */
export async function batchReceipts(
  block: Block,
  range: RawRange,
  pace: Pace | undefined,
): Promise<Json> {
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
  return await compressed(`${await jsonText(answer, pace ?? noPause)}\n`, pace);
}

const noPause: Pace = () => undefined;

async function compressed(text: string, pace: Pace | undefined): Promise<string> {
  if (text.length > MAX_COMPRESSED_JSON) {
    const detail = `The receipts are longer than ${MAX_COMPRESSED_JSON} characters: ask for fewer`;
    throw new RpcFault("internalError", detail);
  }
  const parts: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += STEP_BYTES) {
    await pace?.();
    // Quantities, digits and names: no character is cut in two.
    parts.push(utf8Bytes(text.slice(at, at + STEP_BYTES)));
  }
  return await toBase64(await zlibCompress(joinBytes(parts), pace), pace);
}
