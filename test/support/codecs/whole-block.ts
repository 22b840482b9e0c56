/** The encoding of a whole block, which ledgers of 2.0.0-rc2 recorded. Source: tx-block-codec 9 */
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { hashOf } from "../../../core/bytes/hex.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../../../core/bytes/rlp.ts";
import type { Block } from "../../../core/model/block.ts";
import {
  decodeHeader,
  decodeSeals,
  encodeHeader,
  encodeSeals,
} from "../../../core/model/header.ts";
import { decodeOffsetTable, encodeOffsetTable } from "../../../core/model/offset-table.ts";
import { decodeReceipt, encodeReceipt, type Receipt } from "../../../core/model/receipt.ts";
import type { RootRules } from "../../../core/model/roots.ts";
import type { Version } from "../../../core/model/version.ts";

/** A whole block as it is encoded: transactions are raw, their senders are not part of it. */
export interface EncodedBlock extends Omit<Block, "transactions"> {
  readonly transactions: readonly Uint8Array[];
}

/** The RLP of a whole block, the form from 2.0.0-rc2 on: 5 items. Source: tx-block-codec 9 */
export function encodeBlock(block: Omit<EncodedBlock, "hash">, codec: RootRules): Uint8Array {
  const header = encodeHeader(block.header);
  return encodeRlp([
    { rlp: header },
    encodeOffsetTable(block.transactions),
    codec.suite.hash(header),
    { rlp: encodeSeals(block.seals) },
    block.receipts.map((receipt) => ({ rlp: encodeReceipt(receipt, codec.version) })),
  ]);
}

/**
 * The block whose encoding the bytes are. Neither roots nor signatures are checked here.
 *
 * @returns undefined when malformed or when the hash in it is not the header's
 * Source: tx-block-codec 9
 */
export function decodeBlock(bytes: Uint8Array, codec: RootRules): EncodedBlock | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const rawHeader = items.raw();
  const rawTransactions = items.string();
  const hash = items.fixed(32);
  const rawSeals = items.raw();
  const receiptList = items.list();
  const receipts = receiptList.all((list) => readReceipt(list, codec.version));
  if (!items.complete() || !receiptList.complete()) return undefined;
  if (!equalBytes(codec.suite.hash(rawHeader), hash)) return undefined;
  const header = decodeHeader(rawHeader);
  const seals = decodeSeals(rawSeals);
  const transactions = decodeOffsetTable(rawTransactions);
  if (!header || !seals || !transactions) return undefined;
  return { header, hash: hashOf(hash), seals, transactions, receipts: receipts.flat() };
}

/** One receipt, or none and a failed list. */
function readReceipt(list: RlpReader, compatibility: Version): Receipt[] {
  const receipt = decodeReceipt(list.raw(), compatibility);
  if (!receipt) list.fail();
  return receipt ? [receipt] : [];
}
