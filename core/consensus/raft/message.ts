/** Messages of Raft, unsigned: the session says who sent them. Source: raft 2, 8 */
import type { Hash } from "../../bytes/ids.ts";

/** Where the sender stands. */
interface Place {
  /** Its term, on its disk before this message leaves. */
  readonly term: number;
  /** Number of its newest block. */
  readonly height: number;
  /** Hash of that block. */
  readonly head: Hash;
}

/** Asks whether a vote for the next term would be granted; changes nothing. */
export interface PreVote extends Place {
  readonly type: "preVote";
  /** Term of the entry held above the head; 0: none. */
  readonly entryTerm: number;
}

/** Answers {@link PreVote}. */
export interface PreVoteReply extends Place {
  readonly type: "preVoteReply";
  /** Term of the question. */
  readonly asked: number;
  readonly granted: boolean;
}

/** Asks for the one vote of its term. */
export interface Vote extends Place {
  readonly type: "vote";
  /** Term of the entry held above the head; 0: none. */
  readonly entryTerm: number;
}

/** Answers {@link Vote}; a granted one is on disk. */
export interface VoteReply extends Place {
  readonly type: "voteReply";
  readonly granted: boolean;
}

/**
 * The leader's heartbeat. Its height and head are the commit notice; the entry is for the height
 * above and belongs to the message's term.
 */
export interface Append extends Place {
  readonly type: "append";
  /** R of the entry's block; undefined: none, or the receiver has it. */
  readonly entry: Hash | undefined;
}

/** The entry that a sealer holds above its head. */
export interface StoredEntry {
  readonly term: number;
  /** R */
  readonly proposal: Hash;
}

/** Answers {@link Append}: what is on the sender's disk. */
export interface Acknowledgement extends Place {
  readonly type: "acknowledgement";
  readonly stored: StoredEntry | undefined;
}

/** Everything sealers report to each other. Source: raft 2, 8 */
export type Message = PreVote | PreVoteReply | Vote | VoteReply | Append | Acknowledgement;
