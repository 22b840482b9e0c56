/** Blocks: body encoding, transaction bytes (offset table form). Source: tx-block-codec 9 */
import { equalBytes } from "../bytes/bytes.ts";
import { hashOf } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../bytes/rlp.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import {
  decodeHeader,
  decodeSeals,
  encodeHeader,
  encodeSeals,
  type Header,
  type Seal,
} from "./header.ts";
import { decodeOffsetTable, encodeOffsetTable } from "./offset-table.ts";
import { decodeReceipt, encodeReceipt, type Receipt } from "./receipt.ts";
import type { SignedTransaction } from "./transaction.ts";
import type { Version } from "./version.ts";

/** A whole block as the ledger holds it. */
export interface Block {
  readonly header: Header;
  readonly hash: Hash;
  readonly seals: readonly Seal[];
  readonly transactions: readonly SignedTransaction[];
  readonly receipts: readonly Receipt[];
}

/** A whole block as it is encoded: transactions are raw, their senders are not part of it. */
export interface EncodedBlock {
  readonly header: Header;
  readonly hash: Hash;
  readonly seals: readonly Seal[];
  readonly transactions: readonly Uint8Array[];
  readonly receipts: readonly Receipt[];
}

/** What a block's encoding depends on. */
export interface BlockCodec {
  readonly version: Version;
  readonly suite: CryptoSuite;
}

/** The RLP of a whole block, the form from 2.0.0-rc2 on: 5 items. Source: tx-block-codec 9 */
export function encodeBlock(block: Omit<EncodedBlock, "hash">, codec: BlockCodec): Uint8Array {
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
export function decodeBlock(bytes: Uint8Array, codec: BlockCodec): EncodedBlock | undefined {
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
