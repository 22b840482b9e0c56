/** Messages with a proposal's body, in class `blocks` as those of sync. Source: pbft 9, 16.3.3 */
import { idBytes, putHash } from "../bytes/hex.ts";
import { type Hash, ZERO_HASH } from "../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader, wrapRlpList } from "../bytes/rlp.ts";
import { decodeHeader, encodeHeader, type Header } from "../model/header.ts";
import { decodeTransactionTable, encodeOffsetTable } from "../model/offset-table.ts";

/** A larger message is refused unread. */
export const BLOCK_MESSAGE_LIMIT = 64 * 1024 * 1024;

/** A proposal as it travels next to its message: transactions are named, not carried. */
export interface CompactProposal {
  readonly header: Header;
  readonly hashes: readonly Hash[];
}

/** A message of class `blocks`. */
export type BlockMessage =
  /** Asks for header and transactions of a proposal. */
  | { readonly type: "requestBody"; readonly proposal: Hash }
  | {
      readonly type: "body";
      readonly header: Header;
      readonly transactions: readonly Uint8Array[];
    };

/** Type numbers; 2 and 3 were used once and are not given again. */
const TYPES = { requestBody: 0, body: 1 } as const;

/** Encodes the compact proposal that goes with a prepare. */
export function encodeCompactProposal(compact: CompactProposal): Uint8Array {
  return encodeRlp([
    { rlp: encodeHeader(compact.header) },
    { rlp: encodeHashList(compact.hashes) },
  ]);
}

/** Prefix of an RLP string of 32 bytes, and the whole. */
const HASH_PREFIX = 0xa0;
const HASH_ITEM_BYTES = 33;

function encodeHashList(hashes: readonly Hash[]): Uint8Array {
  const items = new Uint8Array(hashes.length * HASH_ITEM_BYTES);
  for (let i = 0, at = 0; i < hashes.length; i++, at += HASH_ITEM_BYTES) {
    items[at] = HASH_PREFIX;
    putHash(hashes[i] ?? ZERO_HASH, items, at + 1);
  }
  return wrapRlpList(items);
}

/** The compact proposal whose encoding the bytes are; undefined when malformed. */
export function decodeCompactProposal(bytes: Uint8Array): CompactProposal | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const header = decodeHeader(items.raw());
  const list = items.list();
  const hashes = list.all((items) => items.hash());
  return header && list.complete() && items.complete() ? { header, hashes } : undefined;
}

/** Encodes a message of class `blocks`. */
export function encodeBlockMessage(message: BlockMessage): Uint8Array {
  switch (message.type) {
    case "requestBody":
      return encodeRlp([TYPES.requestBody, idBytes(message.proposal)]);
    case "body":
      return encodeRlp([
        TYPES.body,
        { rlp: encodeHeader(message.header) },
        encodeOffsetTable(message.transactions),
      ]);
  }
}

function readBody(items: RlpReader): BlockMessage | undefined {
  const header = decodeHeader(items.raw());
  const transactions = decodeTransactionTable(items.string());
  return header && transactions ? { type: "body", header, transactions } : undefined;
}

function readMessage(items: RlpReader): BlockMessage | undefined {
  const type = items.safe();
  if (type === TYPES.requestBody) return { type: "requestBody", proposal: items.hash() };
  return type === TYPES.body ? readBody(items) : undefined;
}

/** The header of a message with a body, or undefined; no more is read: unasked ones are cheap. */
export function headerOfBody(bytes: Uint8Array): Header | undefined {
  const items = openRlpList(bytes);
  return items?.safe() === TYPES.body ? decodeHeader(items.raw()) : undefined;
}

/** Decodes a message of class `blocks`. Total: undefined for anything malformed. */
export function decodeBlockMessage(bytes: Uint8Array): BlockMessage | undefined {
  if (bytes.length > BLOCK_MESSAGE_LIMIT) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const message = readMessage(items);
  return items.complete() ? message : undefined;
}
