/** Silent while a group's store may be older than its votes. Source: decision 25 */
import type { NodeId } from "../../bytes/ids.ts";
import type { VotingRole } from "../../consensus/exchange.ts";
import { majority, quorum } from "../../consensus/quorum.ts";
import {
  createAbstention,
  noteHead,
  isPast,
  learnReach,
  seeOwnBlock,
  type Abstention,
  type AbstentionCause,
  type AbstentionRecord,
  type AbstentionSight,
  type AbstentionView,
  abstentionView,
} from "../../consensus/abstention.ts";
import type { GroupConfig } from "../../model/config.ts";
import type { Voting } from "../../model/voting.ts";
import type { GroupOptions, GroupPorts, ParentBlock } from "../options/group-options.ts";
import { writeAbstention } from "./abstention-store.ts";

/** The warning when it begins. */
const LINES: Readonly<Record<AbstentionCause, string>> = {
  copied: "this group's data is a copy or was restored: the node follows it without a vote",
  lostVotes: "this group's data is older than the votes of this node: it follows without a vote",
  twin: "another node seals blocks with this node's key: this one follows without a vote",
};

/** What ends it by hand. */
const NEXT = "until it is past its old votes, or chain-node confirm says that no other copy runs";

type Options = Pick<GroupOptions, "self" | "raft" | "isAbstaining">;
type Ports = Pick<GroupPorts, "store" | "log" | "clock">;

/** Where a group stands. */
interface Chain {
  config(): GroupConfig;
  parent(): ParentBlock;
}

/**
 * One per running group. With `isAbstaining` the node keeps quiet of its own accord, as in a tab
 * that no node examines. Its record stays as it is, so that it may vote again at once: then nothing
 * was lost. Until then it looks for what was lost as it does when it votes.
 */
export class AbstentionManager {
  readonly #options: Options;
  readonly #ports: Ports;
  readonly #chain: Chain;
  #abstention: Abstention | undefined;

  /** @param record as the group was opened */
  constructor(options: Options, ports: Ports, chain: Chain, record: AbstentionRecord | undefined) {
    this.#options = options;
    this.#ports = ports;
    this.#chain = chain;
    this.#abstention = record && createAbstention(record);
  }

  /** The group begins: an operator learns of an abstention with each start. */
  begin(): void {
    if (this.#abstention?.mode !== "silent") return;
    const { cause, since } = this.#abstention;
    this.#ports.log.write("warning", LINES[cause], { number: since, next: NEXT });
  }

  /** What consensus must know. */
  votingRole(): VotingRole | undefined {
    const mode = this.#abstention?.mode;
    if (!this.#options.isAbstaining?.()) return mode;
    return mode === undefined ? "muted" : "silent";
  }

  /** What statuses report of it. Source: decision 34 */
  voting(): Voting {
    if (!this.#chain.config().sealers.includes(this.#options.self)) return "observer";
    const votingRole = this.votingRole();
    return votingRole === undefined || votingRole === "confirmed" ? "votes" : votingRole;
  }

  /** Undefined while nothing is the matter. */
  view(): AbstentionView | undefined {
    const abstention = this.#abstention;
    return abstention && abstentionView(abstention, this.#sight());
  }

  /** A node has reported where it stands. */
  heard(from: NodeId, head: number): void {
    const abstention = this.#abstention;
    if (!abstention) return;
    const sight = this.#sight();
    noteHead(abstention, { from, head }, sight);
    const before = abstention.until;
    learnReach(abstention, sight);
    if (abstention.until === before || abstention.until === undefined) return;
    const { mode, until } = abstention;
    const line = "the votes of this node reach no further than this";
    this.#ports.log.write("info", line, { mode, until });
  }

  /** Consensus has a seal or a block under the own key before it that this node never gave. */
  async lost(): Promise<void> {
    const { log, store } = this.#ports;
    if (this.#abstention?.mode === "silent") return;
    const since = this.#sight().head;
    const record: AbstentionRecord = { mode: "silent", cause: "lostVotes", since };
    this.#abstention = createAbstention(record);
    log.write("error", LINES.lostVotes, { number: since, next: NEXT });
    await writeAbstention(store, record);
  }

  /** A verified block with a seal of this node, or proposed under its key. */
  async sawOwnBlock(number: number): Promise<void> {
    const abstention = this.#abstention;
    const news = abstention && seeOwnBlock(abstention, number);
    if (!abstention || news === "none") return;
    const { log, store } = this.#ports;
    if (news === "suspicious") {
      const line = "a new block is sealed with this node's key: it stays silent for some more";
      return log.write("warning", line, { number, until: abstention.until });
    }
    log.write("error", LINES.twin, { number, next: "stop the other one, then chain-node confirm" });
    const { mode, cause, since } = abstention;
    await writeAbstention(store, { mode, cause, since });
  }

  /** The group stands on another block. Gives what is still to be done about the disk. */
  advanced(): Promise<void> | undefined {
    const abstention = this.#abstention;
    if (!abstention) return undefined;
    const { log, store } = this.#ports;
    const now = this.#sight();
    learnReach(abstention, now);
    if (!isPast(abstention, now)) return undefined;
    this.#abstention = undefined;
    const fields = { number: now.head, until: abstention.until };
    if (abstention.mode === "silent")
      log.write("info", "the node is past its old votes: it votes again", fields);
    return writeAbstention(store, undefined);
  }

  /** The operator says that no other copy runs. Gives whether that was the question. */
  async confirm(): Promise<boolean> {
    const abstention = this.#abstention;
    if (abstention?.mode !== "silent") return false;
    const { log, store } = this.#ports;
    const { head } = this.#sight();
    // Whatever the proof was: the operator has stopped the other one.
    const cause = abstention.cause === "twin" ? "lostVotes" : abstention.cause;
    const record: AbstentionRecord = { mode: "confirmed", cause, since: head };
    await writeAbstention(store, record);
    // What others reported before may be old news by now.
    this.#abstention = createAbstention(record);
    log.write("warning", "the operator confirms that no other copy runs: the node votes again", {
      number: head,
    });
    return true;
  }

  /** How the group stands now. */
  #sight(): AbstentionSight {
    const { self, raft } = this.#options;
    const sealers = [...this.#chain.config().sealers].sort();
    const { length } = sealers;
    return {
      self,
      head: this.#chain.parent().number,
      sealers,
      quorum: raft ? majority(length) : quorum(length),
      now: this.#ports.clock.steady(),
      // A candidate that has this node's lost vote gives up within an election.
      patienceMs: raft ? 2 * raft.maxElectMs : 0,
    };
  }
}
