/**
 * Messages of block sync: where a node stands, a request for a range, blocks. They travel in class
 * `blocks` next to those of `block-exchange.ts`, with type numbers of their own.
 * Source: sync 1, 3, 4
 */
import { idBytes } from "../bytes/hex.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../bytes/rlp.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import {
  decodeHeader,
  decodeSeals,
  encodeHeader,
  encodeSeals,
  type Header,
  headerHash,
  type Seal,
} from "../model/header.ts";
import { decodeTransactionTable, encodeOffsetTable } from "../model/offset-table.ts";
import { MAX_VOTING_CODE } from "../model/voting.ts";
import { unreachable } from "../fault/invariant.ts";
import { BLOCK_MESSAGE_LIMIT } from "./block-exchange.ts";

/** Most blocks in one request and in one packet. Source: sync 4 (shards) */
export const SHARD_LIMIT = 32;

/** Where a node stands. Source: sync 1 */
export interface ChainStatus {
  readonly number: number;
  readonly genesisHash: Hash;
  readonly latestHash: Hash;
  /** The sender's clock in milliseconds since the epoch. Source: sync 6; decision 27 */
  readonly time?: number;
  /**
   * Whether the sender votes, as a code of `model/voting.ts`; only next to a clock, and only to
   * peers of version 3. Source: decision 34
   */
  readonly voting?: number;
}

/** A message of block sync. */
export type SyncMessage =
  | ({ readonly type: "status" } & ChainStatus)
  /** Asks for `count` blocks from `from` on. */
  | { readonly type: "requestRange"; readonly from: number; readonly count: number }
  /** Encoded blocks, see {@link encodeSyncBlock}. */
  | { readonly type: "blocks"; readonly blocks: readonly Uint8Array[] };

/** A committed block as it travels: header, seals, raw transactions. */
export interface SyncBlockParts {
  readonly header: Header;
  readonly seals: readonly Seal[];
  readonly transactions: readonly Uint8Array[];
}

/**
 * A block that arrived, as the planner sees it. The planner hands the same object back with every
 * effect, so a shell may key what it has worked out on it.
 */
export interface SyncBlock {
  readonly number: number;
  /** Hash of the header: what the seals sign. */
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** `sealerList` of the header. */
  readonly sealers: readonly NodeId[];
  /** The encoded block, an array of its own. */
  readonly bytes: Uint8Array;
}

/** Type numbers, apart from those of `block-exchange.ts` (0 to 3). */
const TYPES = { status: 16, requestRange: 17, blocks: 18 } as const;

/** Whether a message of class `blocks` is one of block sync; examines its type only. */
export function isSyncMessage(bytes: Uint8Array): boolean {
  const items = openRlpList(bytes);
  const type = items?.safe() ?? 0;
  return type >= TYPES.status && type <= TYPES.blocks;
}

/** Whether a message of class `blocks` is a packet of blocks; examines its type only. */
export function isBlocksMessage(bytes: Uint8Array): boolean {
  return openRlpList(bytes)?.safe() === TYPES.blocks;
}

/** Encodes a message of block sync. */
export function encodeSyncMessage(message: SyncMessage): Uint8Array {
  switch (message.type) {
    case "status":
      return encodeRlp([
        TYPES.status,
        message.number,
        idBytes(message.genesisHash),
        idBytes(message.latestHash),
        ...(message.time === undefined ? [] : [message.time]),
        ...(message.voting === undefined ? [] : [message.voting]),
      ]);
    case "requestRange":
      return encodeRlp([TYPES.requestRange, message.from, message.count]);
    case "blocks":
      return encodeRlp([TYPES.blocks, message.blocks.map((rlp) => ({ rlp }))]);
    default:
      return unreachable(message);
  }
}

function readRange(items: RlpReader): SyncMessage {
  const from = items.safe();
  const count = items.safe();
  if (from < 1 || count < 1 || count > SHARD_LIMIT) items.fail();
  if (!Number.isSafeInteger(from + count)) items.fail();
  return { type: "requestRange", from, count };
}

function readBlocks(items: RlpReader): SyncMessage {
  const list = items.list();
  const blocks: Uint8Array[] = [];
  while (list.hasNext() && blocks.length <= SHARD_LIMIT) blocks.push(list.raw());
  if (!list.complete() || blocks.length === 0 || blocks.length > SHARD_LIMIT) items.fail();
  return { type: "blocks", blocks };
}

function readStatus(items: RlpReader): SyncMessage {
  const number = items.safe();
  const status = { number, genesisHash: items.hash(), latestHash: items.hash() };
  const time = items.hasNext() ? { time: items.safe() } : {};
  const voting = items.hasNext() ? { voting: items.safe() } : {};
  if ((voting.voting ?? 0) > MAX_VOTING_CODE) items.fail();
  return { type: "status", ...status, ...time, ...voting };
}

const READERS = new Map([
  [TYPES.status as number, readStatus],
  [TYPES.requestRange, readRange],
  [TYPES.blocks, readBlocks],
]);

/** Decodes a message of block sync. Total: undefined for anything malformed. Source: sync 1 */
export function decodeSyncMessage(bytes: Uint8Array): SyncMessage | undefined {
  if (bytes.length > BLOCK_MESSAGE_LIMIT) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const message = READERS.get(items.safe())?.(items);
  return items.complete() ? message : undefined;
}

/** The encoding of a committed block in a packet. */
export function encodeSyncBlock({ header, seals, transactions }: SyncBlockParts): Uint8Array {
  return encodeRlp([
    { rlp: encodeHeader(header) },
    { rlp: encodeSeals(seals) },
    encodeOffsetTable(transactions),
  ]);
}

/** The parts of an encoded block, transactions as views; undefined when malformed. */
export function decodeSyncBlock(bytes: Uint8Array): SyncBlockParts | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const header = decodeHeader(items.raw());
  const seals = decodeSeals(items.raw());
  const transactions = decodeTransactionTable(items.string());
  if (!items.complete() || !header || !seals || !transactions) return undefined;
  return { header, seals, transactions };
}

/**
 * What the planner needs of an encoded block. Cheap: neither transactions nor seals are examined,
 * so a lying peer costs one hash. The bytes are copied: a block must not keep its packet in memory.
 * @returns undefined when the header is malformed
 */
export function openSyncBlock(bytes: Uint8Array, suite: CryptoSuite): SyncBlock | undefined {
  const header = decodeHeader(openRlpList(bytes)?.raw() ?? new Uint8Array(0));
  if (!header) return undefined;
  const { number, parentHash, sealerList } = header;
  const hash = headerHash(header, suite);
  return { number, hash, parentHash, sealers: sealerList, bytes: bytes.slice() };
}
