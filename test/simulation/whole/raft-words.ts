/**
 * What sealers of a Raft group have sent: every reservation is on the speaker's disk before it
 * leaves, no node votes twice in a term, and what a majority stored stays.
 * Source: raft 8, 10
 */
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { majority } from "../../../core/consensus/quorum.ts";
import { decodeMessage, encodeMessage } from "../../../core/consensus/raft/codec.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import { decodeRecord, type RaftRecord } from "../../../core/consensus/raft/record.ts";
import { decodeConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import { Violation } from "../checkers.ts";
import type { Saying, Words } from "./words.ts";

const RECORD_KEY = "c";
/** Reads and writes what Raft says. */
export const RAFT_CODEC = { encode: encodeMessage, decode: decodeMessage };

type SealersAt = (height: number) => readonly NodeId[] | undefined;

/** Remembers every vote and every stored entry in one group. */
export class RaftWords implements Words {
  readonly #durable: boolean;
  /** Candidate by voter and term. */
  readonly #votes = new Map<string, NodeId>();
  /** Who has an entry on disk, by height, term and R. */
  readonly #holders = new Map<string, Set<number>>();
  /** Stored by a majority in one term, by height. */
  readonly #chosen = new Map<number, Hash>();
  readonly #sealersAt: SealersAt;

  /**
   * @param durable false: reserves need not be on disk (the disks lie, a mutation)
   * @param sealersAt the list in force at a height, where it is known
   */
  constructor(durable: boolean, sealersAt: SealersAt) {
    this.#durable = durable;
    this.#sealersAt = sealersAt;
  }

  check({ speaker, to, bytes }: Saying): void {
    const message = decodeConsensusMessage(bytes, RAFT_CODEC)?.message;
    const { number } = speaker;
    if (!message) throw new Violation(`node ${number} sends a malformed message`);
    const stored = speaker.durable.get(RECORD_KEY);
    const record = stored && decodeRecord(stored);
    const term = record?.term ?? 0;
    if (this.#durable && message.term > term)
      throw new Violation(`node ${number} says term ${message.term}, ${term} is on disk`);
    if (message.type === "vote") this.#voted(number, message, speaker.nodeId, record);
    if (message.type === "voteReply" && message.granted) this.#voted(number, message, to, record);
    if (message.type === "acknowledgement" && message.stored)
      this.#holds(number, message, message.stored, record);
    if (message.type === "append" && message.entry !== undefined)
      this.#holds(number, message, { term: message.term, proposal: message.entry }, record);
  }

  #voted(node: number, { term }: Message, candidate: NodeId, record: RaftRecord | undefined): void {
    const key = `${node}/${term}`;
    const before = this.#votes.get(key) ?? candidate;
    if (before !== candidate) throw new Violation(`node ${node} votes twice in term ${term}`);
    this.#votes.set(key, candidate);
    const isStored = record && (record.term > term || record.vote === candidate);
    if (this.#durable && !isStored)
      throw new Violation(`node ${node} votes in term ${term} before that is on disk`);
  }

  #holds(
    node: number,
    { height }: Message,
    held: { readonly term: number; readonly proposal: Hash },
    record: RaftRecord | undefined,
  ): void {
    const { entry } = record ?? {};
    const isStored = entry?.proposal === held.proposal && entry.term === held.term;
    if (this.#durable && !isStored)
      throw new Violation(`node ${node} claims an entry that is not on disk`);
    const key = `${height + 1}/${held.term}/${held.proposal}`;
    const holders = this.#holders.get(key) ?? new Set();
    this.#holders.set(key, holders.add(node));
    const sealers = this.#sealersAt(height + 1);
    if (!sealers || holders.size < majority(sealers.length)) return;
    const chosen = this.#chosen.get(height + 1) ?? held.proposal;
    if (chosen !== held.proposal)
      throw new Violation(`LOST: a majority stored two blocks at height ${height + 1}`);
    this.#chosen.set(height + 1, chosen);
  }
}
