/**
 * Receipts as they are pushed: the text of 0x1000, for committed, refused and dropped transactions.
 * Source: channel-protocol 4, 6.1
 */
import { ZERO_ADDRESS, ZERO_HASH } from "../bytes/ids.ts";
import { quantity } from "../bytes/quantity.ts";
import { type TransactionStatus, transactionStatusName } from "../fault/transaction-status.ts";
import type { LocatedReceipt } from "../ports/ledger.ts";
import type { ProofLevel } from "../crypto/merkle.ts";
import type { Pace } from "../limits/pace.ts";
import { farValue, isFarList } from "../rpc/far-values.ts";
import { type Json, isObject, type JsonObject } from "../rpc/json.ts";
import type { Answer } from "../rpc/long-answer.ts";
import { presentFarReceipt, presentProof, ZERO_BLOOM } from "../rpc/present.ts";

/** Both proofs of a transaction; one that cannot be built is absent. */
export interface ReceiptProofs {
  readonly transaction?: readonly ProofLevel[];
  readonly receipt?: readonly ProofLevel[];
}

/**
 * The text for a transaction of the ledger, a long one in pieces: its length is found out by making
 * it once, in turns. Source: channel-protocol 6.1; decision 28
 */
export async function receiptText(
  located: LocatedReceipt,
  proofs: ReceiptProofs,
  pace: Pace,
): Promise<Answer> {
  const { transaction, receipt } = proofs;
  const value = {
    ...presentFarReceipt(located),
    // All members of a push are texts: a creation has the zero address here.
    to: located.transaction.to ?? ZERO_ADDRESS,
    ...(transaction ? { txProof: presentProof(transaction) } : {}),
    ...(receipt ? { receiptProof: presentProof(receipt) } : {}),
  };
  if (!isFar(value)) return styledText(value);
  const pieces = () => farPieces(value, "\n", "\n");
  let bytes = 0;
  for await (const piece of pieces()) {
    // Digits and names: no character has two bytes.
    bytes += piece.length;
    await pace();
  }
  return { bytes, pieces };
}

/**
 * The text for a transaction that is in no block: a status and zeros.
 * Source: channel-protocol 6.1 (rejection)
 */
export function refusedReceiptText(status: TransactionStatus): string {
  return styledText({
    blockHash: ZERO_HASH,
    blockNumber: "0x0",
    contractAddress: ZERO_ADDRESS,
    from: ZERO_ADDRESS,
    gasUsed: "0x0",
    input: "0x",
    logs: [],
    logsBloom: ZERO_BLOOM,
    output: "0x",
    remainGas: "0x0",
    root: ZERO_HASH,
    status: quantity(status),
    statusMsg: transactionStatusName(status),
    to: ZERO_ADDRESS,
    transactionHash: ZERO_HASH,
    transactionIndex: "0x0",
  });
}

const INDENT = "   ";
/** Arrays that are shorter stand on one line. Observed in recorded frames. */
const RIGHT_MARGIN = 74;

/** Indented JSON with a line feed at its end, keys ascending. Source: channel-protocol 6.1 */
export function styledText(value: Json): string {
  return `${styled(value, "\n")}\n`;
}

/** @param line a line feed and the indentation of the line that the value begins on */
function styled(value: Json, line: string): string {
  if (Array.isArray(value)) return styledArray(value, line);
  if (isObject(value)) return styledObject(value, line);
  return JSON.stringify(value);
}

function styledObject(value: JsonObject, line: string): string {
  const names = Object.keys(value).sort();
  if (names.length === 0) return "{}";
  const inner = line + INDENT;
  const members = names.map(
    (name) => `${inner}${JSON.stringify(name)} : ${styled(value[name] ?? null, inner)}`,
  );
  return `{${members.join(",")}${line}}`;
}

function isFar(value: JsonObject): boolean {
  return Object.values(value).some((member) => farValue(member) !== undefined);
}

/**
 * As {@link styled} of an object whose members are far or short.
 *
 * @param end what follows its brace
 */
async function* farPieces(value: JsonObject, line: string, end = ""): AsyncGenerator<string> {
  const inner = line + INDENT;
  let before = "{";
  for (const name of Object.keys(value).sort()) {
    const member = value[name] ?? null;
    yield `${before}${inner}${JSON.stringify(name)} : `;
    before = ",";
    const far = farValue(member);
    if (far === undefined) yield styled(member, inner);
    else if (isFarList(far)) yield* farItems(far.items(), inner);
    else yield* far.pieces();
  }
  yield `${line}}${end}`;
}

/** Log entries, of which each has lines of its own. */
async function* farItems(
  items: AsyncIterable<readonly Json[]>,
  line: string,
): AsyncGenerator<string> {
  const inner = line + INDENT;
  let before = "[";
  for await (const some of items)
    for (const item of some) {
      yield before + inner;
      before = ",";
      if (isObject(item) && isFar(item)) yield* farPieces(item, inner);
      else yield styled(item, inner);
    }
  yield before === "[" ? "[]" : `${line}]`;
}

function styledArray(items: readonly Json[], line: string): string {
  if (items.length === 0) return "[]";
  const inner = line + INDENT;
  const texts = items.map((item) => styled(item, inner));
  const isFlat = items.every((item) => typeof item !== "object" || item === null);
  // Brackets with their blanks, and a comma with its blank between items.
  const width = 4 + 2 * (items.length - 1) + texts.reduce((sum, { length }) => sum + length, 0);
  if (isFlat && items.length * 3 < RIGHT_MARGIN && width < RIGHT_MARGIN) {
    return `[ ${texts.join(", ")} ]`;
  }
  return `[${texts.map((text) => inner + text).join(",")}${line}]`;
}
