/** Block headers and seals: fields, encoding, hash. Source: tx-block-codec 6, 7 */
import { hashOf, idBytes, nodeIdOf } from "../bytes/hex.ts";
import { type Hash, type NodeId, type SealerIndex, ZERO_HASH } from "../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../bytes/rlp.ts";
import { BLOOM_BYTES } from "../crypto/bloom.ts";
import type { CryptoSuite } from "../crypto/suite.ts";

/** A block header. Source: tx-block-codec 6 */
export interface Header {
  readonly parentHash: Hash;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly dbHash: Hash;
  /** 256 bytes, zero in practice. */
  readonly logsBloom: Uint8Array;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Milliseconds since the epoch; the genesis default is 2^63 - 1, hence bigint. */
  readonly timestamp: bigint;
  readonly extraData: readonly Uint8Array[];
  /** Index into sealerList. */
  readonly sealer: SealerIndex;
  readonly sealerList: readonly NodeId[];
}

/** A sealer's signature of the 32-byte block hash, in a list of them. Source: tx-block-codec 7 */
export interface Seal {
  readonly index: SealerIndex;
  readonly signature: Uint8Array;
}

const NODE_ID_BYTES = 64;
/** Entries of a list of a header, and seals of a block: far more than a group can have. */
export const HEADER_LIST_LIMIT = 10_000;
/** Genesis may have 2^63 - 1, and each block after it is later. Source: tx-block-codec 10 */
const MAX_TIMESTAMP = 2n ** 64n - 1n;

/** The RLP of a header: 13 items, fixed-size fields in full length. Source: tx-block-codec 6 */
export function encodeHeader(header: Header): Uint8Array {
  return encodeRlp([
    idBytes(header.parentHash),
    idBytes(header.stateRoot),
    idBytes(header.transactionsRoot),
    idBytes(header.receiptsRoot),
    idBytes(header.dbHash),
    header.logsBloom,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.sealer,
    header.sealerList.map(idBytes),
  ]);
}

/**
 * The header whose encoding the bytes are.
 *
 * @returns undefined for anything but 13 well-formed items; also for a number or index above
 *   2^53 - 1, a timestamp above 2^64 - 1 and lists longer than {@link HEADER_LIST_LIMIT}
 * Source: tx-block-codec 6
 */
export function decodeHeader(bytes: Uint8Array): Header | undefined {
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const header = readHeader(items);
  return items.complete() && header.timestamp <= MAX_TIMESTAMP ? header : undefined;
}

function readHeader(items: RlpReader): Header {
  return {
    parentHash: items.hash(),
    stateRoot: items.hash(),
    transactionsRoot: items.hash(),
    receiptsRoot: items.hash(),
    dbHash: items.hash(),
    logsBloom: items.fixed(BLOOM_BYTES),
    number: items.safe(),
    gasLimit: items.uint(),
    gasUsed: items.uint(),
    timestamp: items.uint(),
    extraData: readAll(items, (list) => list.string()),
    sealer: items.safe(),
    sealerList: readAll(items, readNodeId),
  };
}

function readNodeId(list: RlpReader): NodeId {
  const bytes = list.fixed(NODE_ID_BYTES);
  return list.failed ? ("" as NodeId) : nodeIdOf(bytes);
}

/** The items of a nested list; the outer reader fails with it. */
function readAll<Item>(items: RlpReader, read: (list: RlpReader) => Item): Item[] {
  const list = items.list();
  const all = list.all(read, HEADER_LIST_LIMIT);
  if (!list.complete()) items.fail();
  return all;
}

/** The block hash: the hash of the header's encoding. Source: tx-block-codec 6 */
export function headerHash(header: Header, suite: CryptoSuite): Hash {
  return hashOf(suite.hash(encodeHeader(header)));
}

/** The RLP of a signature list, in its order. Source: tx-block-codec 7 */
export function encodeSeals(seals: readonly Seal[]): Uint8Array {
  return encodeRlp(seals.map(({ index, signature }) => [index, signature]));
}

/**
 * The signature list whose encoding the bytes are; undefined when malformed or longer than {@link
 * HEADER_LIST_LIMIT}. Source: tx-block-codec 7
 */
export function decodeSeals(bytes: Uint8Array): Seal[] | undefined {
  const list = openRlpList(bytes);
  if (!list) return undefined;
  const seals = list.all(readSeal, HEADER_LIST_LIMIT);
  return list.complete() ? seals : undefined;
}

function readSeal(list: RlpReader): Seal {
  const items = list.list();
  const seal = { index: items.safe(), signature: items.string() };
  if (!items.complete()) list.fail();
  return seal;
}

/**
 * The header as it was proposed, of one that was executed: the roots that execution fills are zero.
 */
export function unexecuted(header: Header): Header {
  return { ...header, stateRoot: ZERO_HASH, receiptsRoot: ZERO_HASH, dbHash: ZERO_HASH };
}
