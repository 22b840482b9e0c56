/**
 * What Raft nodes have reported: every promise is on the speaker's disk, no vote is given twice.
 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { decodeMessage, encodeMessage } from "../../../core/consensus/raft/codec.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import { decodeRecord, type RaftRecord } from "../../../core/consensus/raft/record.ts";
import { decodeConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import { RECORD_KEY, type Speaker } from "./said-words.ts";

const CODEC = { encode: encodeMessage, decode: decodeMessage };

/** Remembers every vote of every node, also over restarts. Source: raft 8 */
export class RaftWords {
  readonly #votes = new Map<string, NodeId>();
  readonly #terms = new Map<number, number>();

  /** What is wrong with a message that leaves now. */
  check(speaker: Speaker, bytes: Uint8Array, to: NodeId): string[] {
    const { index, disk, nodeId } = speaker;
    const message = decodeConsensusMessage(bytes, CODEC)?.message;
    if (!message) return [`${index} sent a malformed message`];
    const place = `${index} ${message.type} of term ${message.term}`;
    const stored = disk.durable.get(RECORD_KEY);
    const record = (stored && decodeRecord(stored)) ?? EMPTY;
    const wrong: string[] = [];
    if (message.term > record.term) wrong.push(`${place} left before its term was on disk`);
    if (message.term < (this.#terms.get(index) ?? 0)) wrong.push(`${place} is of an older term`);
    this.#terms.set(index, message.term);
    if (!isStored(message, record)) wrong.push(`${place} left before its entry was on disk`);
    const vote = voteIn(message, { self: nodeId, to });
    if (vote === undefined) return wrong;
    const key = `${index} ${message.term}`;
    const before = this.#votes.get(key) ?? vote;
    if (before !== vote) wrong.push(`${place}: a vote for ${vote}, one for ${before} before`);
    if (record.vote !== vote) wrong.push(`${place} left before its vote was on disk`);
    this.#votes.set(key, before);
    return wrong;
  }
}

const EMPTY: RaftRecord = { term: 0, vote: undefined, entry: undefined };

/** Who gets the vote that a message reports. */
function voteIn(message: Message, { self, to }: { self: NodeId; to: NodeId }): NodeId | undefined {
  if (message.type === "vote") return self;
  return message.type === "voteReply" && message.granted ? to : undefined;
}

/** Whether the entry that a message reports is the one on disk. */
function isStored(message: Message, { entry }: RaftRecord): boolean {
  switch (message.type) {
    case "append":
      return message.entry === undefined || entry?.proposal === message.entry;
    case "acknowledgement": {
      const { stored } = message;
      return !stored || (entry?.proposal === stored.proposal && entry.term === stored.term);
    }
    default:
      return true;
  }
}
