/** The durable record of a sealer: what it promised and what it holds. Source: raft 8 */
import { idBytes, nodeIdOf } from "../../bytes/hex.ts";
import { NOT_A_SEALER, type Hash, type NodeId, type SealerIndex } from "../../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpReader } from "../../bytes/rlp.ts";
import { StoreFault } from "../../fault/store-fault.ts";

/** The one slot of the log: a block that is not final yet. Source: raft 8 */
export interface Entry {
  /** Term of the leader that issued it last. */
  readonly term: number;
  readonly height: number;
  /** R; the bytes of the block are stored under it. */
  readonly proposal: Hash;
  /** `sealer` of the block. */
  readonly proposer: SealerIndex;
}

/** Everything a restarted sealer needs to keep its reserves. Source: raft 8 */
export interface RaftRecord {
  readonly term: number;
  /** Who got the vote of this term. */
  readonly vote: NodeId | undefined;
  readonly entry: Entry | undefined;
}

/** First item of every record; another number is another format. */
const FORMAT = 1;

/** Encodes a record. Source: raft 8 */
export function encodeRecord({ term, vote, entry }: RaftRecord): Uint8Array {
  return encodeRlp([
    FORMAT,
    term,
    vote === undefined ? [] : [idBytes(vote)],
    entry ? [entry.term, entry.height, idBytes(entry.proposal), entry.proposer] : [],
  ]);
}

/** Decodes a record; undefined when the bytes are damaged. Source: raft 8 */
export function decodeRecord(bytes: Uint8Array): RaftRecord | undefined {
  const items = openRlpList(bytes);
  if (!items || items.safe() !== FORMAT) return undefined;
  const term = items.safe();
  const vote = items.optional(readNodeId);
  const entry = items.optional(readEntry);
  if (entry && (entry.term > term || entry.height === 0)) return undefined;
  return items.complete() ? { term, vote, entry } : undefined;
}

/**
 * The record that a sealer continues from. To begin without one that is damaged would mean to vote
 * twice, so that is a fault.
 * @throws StoreFault `corrupt` when the bytes are not a record
 * Source: raft 8
 */
export function readRecord(bytes: Uint8Array): RaftRecord {
  const record = decodeRecord(bytes);
  if (!record) throw new StoreFault("corrupt", "the consensus record cannot be read");
  return record;
}

function readNodeId(items: RlpReader): NodeId {
  return nodeIdOf(items.fixed(64));
}

function readEntry(items: RlpReader): Entry {
  const term = items.safe();
  const height = items.safe();
  const proposal = items.hash();
  const proposer = items.safe();
  if (proposer >= NOT_A_SEALER) items.fail();
  return { term, height, proposal, proposer };
}
