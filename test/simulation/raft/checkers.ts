/** What must hold in every Raft schedule, watched from outside the nodes. Source: raft 10 */
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { majority } from "../../../core/consensus/quorum.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import type { RaftRecord } from "../../../core/consensus/raft/record.ts";
import type { RaftState } from "../../../core/consensus/raft/state.ts";
import { raftStatus } from "../../../core/consensus/raft/status.ts";
import { Violation } from "../checkers.ts";
import type { WrittenBlock } from "../disk.ts";
import type { RaftMutation } from "./options.ts";
import { checkRaftInvariants } from "../../support/world/invariants.ts";

/** Status is projected every this many steps of a node. */
const STATUS_EVERY = 64;

interface Watched {
  /** In this life. */
  height: number;
  term: number;
  /** Highest term that it ever told anybody: survives crashes. */
  toldTerm: number;
  /** Candidate by term: survives crashes. */
  readonly votes: Map<number, NodeId>;
  /** Leader: since when by its clock, and when each sealer answered. */
  leaderTerm: number;
  leaderSince: number;
  readonly answers: Map<number, number>;
  steps: number;
}

/** A message about to leave. */
export interface Leaving {
  readonly message: Message;
  readonly to: NodeId | undefined;
  readonly self: NodeId;
  /** What is on its disk. */
  readonly record: RaftRecord | undefined;
  /** In force above the message's height. */
  readonly sealers: readonly NodeId[];
}

/** Watches all nodes of a schedule. */
export class Checkers {
  readonly #mutation: RaftMutation | undefined;
  readonly #agreed: (Hash | undefined)[] = [];
  /** Stored by a majority in one term, by height. */
  readonly #chosen: (Hash | undefined)[] = [];
  readonly #leaders = new Map<string, number>();
  /** Who has an entry on disk, by height, term and R. */
  readonly #holders = new Map<string, Set<number>>();
  readonly #watched: Watched[];

  constructor(nodes: number, mutation: RaftMutation | undefined) {
    this.#mutation = mutation;
    this.#watched = Array.from({ length: nodes }, () => ({
      height: 0,
      term: 0,
      toldTerm: 0,
      votes: new Map<number, NodeId>(),
      leaderTerm: -1,
      leaderSince: 0,
      answers: new Map<number, number>(),
      steps: 0,
    }));
  }

  #of(node: number): Watched {
    return this.#watched[node] as Watched;
  }

  /** A node begins again: no term that it told is forgotten. */
  restarted(node: number, record: RaftRecord | undefined): void {
    const watched = this.#of(node);
    const term = record?.term ?? 0;
    if (term < watched.toldTerm) {
      throw new Violation(`node ${node} begins at term ${term}, it told ${watched.toldTerm}`);
    }
    watched.height = 0;
    watched.term = 0;
    watched.leaderTerm = -1;
  }

  /** Height and term only grow; one leader in a term. */
  stepped(node: number, state: RaftState, now: number): void {
    checkRaftInvariants(state);
    const watched = this.#of(node);
    const { height, term } = state;
    if (height < watched.height) throw new Violation(`node ${node} went down to ${height}`);
    if (term < watched.term) throw new Violation(`node ${node} went back to term ${term}`);
    watched.height = height;
    watched.term = term;
    if (state.role === "leader" && watched.leaderTerm !== term) {
      watched.leaderTerm = term;
      watched.leaderSince = now;
      watched.answers.clear();
      this.#leads(node, state);
    }
    if (++watched.steps % STATUS_EVERY === 0) this.#checkStatus(node, state);
  }

  /** Lists far apart share no majority: the heights that they decide keep them apart. */
  #leads(node: number, { term, config }: RaftState): void {
    const key = `${term}/${config.sealers.map((id) => id.slice(0, 2)).join()}`;
    const other = this.#leaders.get(key);
    if (other !== undefined && other !== node) {
      throw new Violation(`nodes ${other} and ${node} both lead term ${term}`);
    }
    this.#leaders.set(key, node);
  }

  #checkStatus(node: number, state: RaftState): void {
    const status = raftStatus(state);
    const listed = status.sealers[status.nodeIndex];
    const wellFormed =
      status.consensusedBlockNumber === status.highestblockNumber + 1 &&
      (status.accountType === 1) === (listed === state.config.self) &&
      status.cfgErr === (status.accountType === 0) &&
      (!status.leader || status.sealers[status.leader.index] === status.leader.nodeId);
    if (!wellFormed) throw new Violation(`node ${node} reports ${JSON.stringify(status)}`);
  }

  /** A leader hears an answer of its term. */
  answered(node: number, from: number, message: Message, now: number): void {
    const watched = this.#of(node);
    if (message.type !== "acknowledgement" || message.term !== watched.leaderTerm) return;
    watched.answers.set(from, now);
  }

  /** A leader seals: a majority answered within the lease. */
  seals(node: number, state: RaftState, now: number): void {
    const watched = this.#of(node);
    const { quorum, config } = state;
    if (now - watched.leaderSince < config.minElectMs) return;
    let answered = 1;
    for (const at of watched.answers.values()) if (now - at < config.minElectMs) answered++;
    if (answered < quorum) throw new Violation(`node ${node} seals without a majority`);
  }

  /**
   * A message leaves: nothing is promised before it is on disk, nor twice in different messages.
   */
  left(node: number, leaving: Leaving): void {
    const { message, record, to, self } = leaving;
    const watched = this.#of(node);
    const durableTerm = record?.term ?? 0;
    if (message.term > durableTerm) {
      throw new Violation(`node ${node} says term ${message.term}, ${durableTerm} is on disk`);
    }
    watched.toldTerm = Math.max(watched.toldTerm, message.term);
    if (message.type === "vote") this.#votes(node, leaving, self);
    if (message.type === "voteReply" && message.granted && to) this.#votes(node, leaving, to);
    if (message.type === "append" && message.entry !== undefined) {
      const isIssued = this.#mutation !== "ownTermCounts";
      const term = isIssued ? message.term : (record?.entry?.term ?? 0);
      this.#holds(node, leaving, { term, proposal: message.entry });
    }
    if (message.type === "acknowledgement" && message.stored) {
      this.#holds(node, leaving, message.stored);
    }
  }

  #votes(node: number, { message, record }: Leaving, candidate: NodeId): void {
    const { votes } = this.#of(node);
    const before = votes.get(message.term);
    if (before !== undefined && before !== candidate) {
      throw new Violation(`node ${node} votes twice in term ${message.term}`);
    }
    votes.set(message.term, candidate);
    if (this.#mutation !== "durableVote" && record?.vote !== candidate) {
      throw new Violation(`node ${node} votes before the vote is on disk`);
    }
  }

  #holds(
    node: number,
    { message, record, sealers }: Leaving,
    held: { readonly term: number; readonly proposal: Hash },
  ): void {
    const height = message.height + 1;
    const { entry } = record ?? {};
    const isStored = entry?.proposal === held.proposal && entry.term === held.term;
    if (!isStored && this.#mutation !== "durableEntry") {
      throw new Violation(`node ${node} claims an entry that is not on disk`);
    }
    const key = `${height}/${held.term}/${held.proposal}`;
    let holders = this.#holders.get(key);
    if (!holders) {
      holders = new Set();
      this.#holders.set(key, holders);
    }
    if (holders.has(node)) return;
    holders.add(node);
    if (holders.size < majority(sealers.length)) return;
    const chosen = this.#chosen[height] ?? held.proposal;
    this.#chosen[height] = chosen;
    if (chosen !== held.proposal) {
      throw new Violation(`LOST at height ${height}: a majority stored two different blocks`);
    }
  }

  /** One block per height, and the one that a majority has stored. */
  written(node: number, height: number, { proposal, executed }: WrittenBlock): void {
    const agreed = this.#agreed[height] ?? executed;
    this.#agreed[height] = agreed;
    if (agreed !== executed) {
      throw new Violation(`FORK at height ${height}: node ${node} writes ${executed}`);
    }
    const chosen = this.#chosen[height];
    if (chosen !== undefined && chosen !== proposal) {
      throw new Violation(`LOST at height ${height}: node ${node} writes another block`);
    }
  }
}
