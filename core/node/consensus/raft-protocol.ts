/**
 * Raft for the shell of consensus: its actor, configuration, and what its reports mean. Messages
 * carry no signature: the session says who sent them. A download by block sync does not suspend the
 * engine: a node that is behind wins no vote, and its own vote does no harm. Source: raft 8
 */
import { logAlive, logLeaderChange } from "../../actors/journal.ts";
import { raftMachine, stepRaft } from "../../actors/raft.machine.ts";
import { endActor } from "../../actors/supervise.ts";
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SyncedBlock } from "../../consensus/exchange.ts";
import { decodeMessage, encodeMessage } from "../../consensus/raft/codec.ts";
import type { Effect, RaftTypes, ReportEvent } from "../../consensus/raft/effect.ts";
import type { Input, RaftConfig } from "../../consensus/raft/input.ts";
import type { Message } from "../../consensus/raft/message.ts";
import { encodeRecord, readRecord } from "../../consensus/raft/record.ts";
import { createRaft, type RaftState } from "../../consensus/raft/state.ts";
import { raftStatus } from "../../consensus/raft/status.ts";
import { EMPTY_INTERVAL_MS } from "../../consensus/sealing.ts";
import { unreachable } from "../../fault/invariant.ts";
import { LogThrottle } from "../../limits/log-throttle.ts";
import { type RaftTimes, startInGroup } from "../options/group-options.ts";
import { type ArrivedMessage, decodeConsensusMessage } from "./consensus-wire.ts";
import type { ConsensusOptions, Inbox, Protocol, ProposeEffect, ShellEnd } from "./protocol.ts";

/** Why a block by sync was given up after it was taken. */
const BAD_BLOCK: ReadonlySet<string> = new Set(["executionDiffers", "refused"]);

/** One per running Raft group. */
export class RaftProtocol implements Protocol<RaftTypes> {
  readonly codec = { encode: encodeMessage, decode: decodeMessage };
  readonly encodeRecord = encodeRecord;
  readonly tuning;
  readonly #with: ConsensusOptions;
  readonly #times: RaftTimes;
  /** Changed by its steps. */
  readonly #raft: RaftState;
  readonly #actor;
  #config: RaftConfig;
  /** When the last block was written here; the next one waits for its time. Source: raft 3 */
  #writtenAt: number;
  /** The first height at which this node has proposed since its start. */
  #proposedFrom: number | undefined;
  /** When the log said last that leader and followers hear each other. */
  #sentAliveAt: number;
  readonly #complaints: LogThrottle<NodeId>;
  /** Heights that this node cannot have proposed before the start, as its disk has it. */
  readonly #unspokenFrom: number;

  constructor(options: ConsensusOptions, times: RaftTimes) {
    const { ports } = options;
    this.#with = options;
    this.#times = times;
    this.#complaints = new LogThrottle(ports.clock);
    // No round ends before its block: nothing is learnt about sizes. Source: raft 7
    this.tuning = { ...options.options.tuning, dynamicBlockSize: false };
    this.#config = this.#configNow();
    this.#writtenAt = ports.clock.steady();
    this.#sentAliveAt = this.#writtenAt;
    this.#unspokenFrom = ports.ledger.head().number + 2;
    this.#raft = this.#createCore();
    const actor = { name: "consensus", input: { raft: this.#raft } };
    this.#actor = startInGroup(raftMachine, actor, { group: options.options, log: ports.log });
  }

  inbox(end: ShellEnd<RaftTypes>): Inbox {
    return {
      receive: (from, bytes) => {
        const decoded = decodeConsensusMessage(bytes, this.codec);
        if (!decoded) return this.reject(from, "consensus: malformed");
        // Who is no sealer here may be one that is ahead; its word has no effect.
        // Source: raft 2
        if (this.#config.sealers.includes(from)) end.onMessage({ from, ...decoded });
      },
      forget() {},
    };
  }

  heard({ from, message, compact }: ArrivedMessage<Message>): boolean {
    const { group } = this.#with;
    group.noteStatus(from, message.height, message.head);
    if (!compact || compact.header.number !== message.height + 1) return false;
    const { height } = this.#raft;
    const { number } = compact.header;
    const isNear = number > height && number <= height + 2;
    return isNear && compact.hashes.length <= group.chain.config().txCountLimit;
  }

  reject(from: NodeId, reason: string): void {
    this.#with.group.peers.reject(from, reason);
  }

  step(input: Input): readonly Effect[] {
    const effects = stepRaft(this.#actor, input);
    if (!effects) return [];
    this.#sendAlive();
    return effects;
  }

  /** About once in the time of an empty block; a leader without a majority gives up its office. */
  #sendAlive(): void {
    const { ports, options } = this.#with;
    const now = ports.clock.steady();
    if (now < this.#sentAliveAt + EMPTY_INTERVAL_MS) return;
    const { role, leaderContactAt = 0, height, term } = this.#raft;
    const isFollowing = role === "follower" && leaderContactAt > this.#sentAliveAt;
    if (role !== "leader" && !isFollowing) return;
    this.#sentAliveAt = now;
    logAlive(ports.log, options.groupId, { number: height + 1, term });
  }

  stop(): void {
    endActor(this.#actor);
  }

  config(): RaftConfig {
    return this.#config;
  }

  advanced(): number {
    this.#config = this.#configNow();
    this.#writtenAt = this.#with.ports.clock.steady();
    return 0;
  }

  votingRoleInput() {
    this.#config = this.#configNow();
    return { type: "votingRole", config: this.#config } as const;
  }

  peersInput(): undefined {}

  /** Only from a sealer: nothing but the session proves such a block. Source: raft 8 */
  blockInput(from: NodeId, { proposal, executed, seals }: SyncedBlock) {
    if (seals.length > 0) return "refused";
    if (this.#isLostMessage(proposal)) return "lostVotes";
    return { type: "block", from, block: { proposal, executed } } as const;
  }

  decided(): Hash | undefined {
    return this.#raft.decision?.proposal;
  }

  lastRecord(): undefined {}

  /** A leader that has just restarted is heard while it reads its entry from disk. */
  withoutProposal(message: Message): Message | undefined {
    return message.type === "append" ? { ...message, entry: undefined } : undefined;
  }

  /** No node signs here: what is known of comes with its compact proposal. */
  isNamed(): boolean {
    return false;
  }

  /** What a leader has stored may be final already: only an own new proposal can be dropped. */
  mayRefuse(proposal: Hash): boolean {
    return this.#raft.fresh?.hash === proposal;
  }

  askOf({ height, view }: ProposeEffect<RaftTypes>) {
    const emptyFrom = this.#writtenAt + EMPTY_INTERVAL_MS;
    return { height, view, emptyFrom, neverEmpty: true };
  }

  sealed(height: number): void {
    this.#proposedFrom ??= height;
  }

  report(report: ReportEvent, end: ShellEnd<RaftTypes>): undefined {
    switch (report.event) {
      case "leaderElected":
      case "steppedDown":
        logLeaderChange(this.#with.ports.log, report);
        if (report.event === "steppedDown") end.roundLeft();
        return;
      case "ignored":
        if (report.reason === "aheadOfTime") this.#onAhead(report.from);
        // A block of a peer that does not execute to its header.
        if (report.type === "block" && BAD_BLOCK.has(report.reason))
          this.#with.group.sync.refused(this.#raft.height + 1);
        return;
      // The transactions of a dropped proposal never left the pool.
      case "proposalDropped":
      case "electionStarted":
      case "committed":
        return;
      default:
        return unreachable(report);
    }
  }

  /** Its leader's clock is ahead, or the own one is behind more than half of the others. */
  #onAhead(from: NodeId): void {
    if (!this.#complaints.allows(from)) return;
    const line = "a leader is not heard whose block is ahead of the time: set the clocks by NTP";
    this.#with.ports.log.write("warning", line, { leader: from.slice(0, 8) });
  }

  status() {
    return raftStatus(this.#raft);
  }

  /**
   * A block under the own key that this node never proposed: who proposes stands on the block
   * before, and this node's disk never had that one.
   */
  #isLostMessage({ number, sealer }: SyncedBlock["proposal"]): boolean {
    const { options, group } = this.#with;
    // An abstaining node looks too: it votes on what its disk says as soon as it is heard again.
    const votingRole = group.abstention.votingRole();
    const isWatched = votingRole === undefined || votingRole === "muted";
    if (!isWatched || this.#config.sealers[sealer] !== options.self) return false;
    return number >= this.#unspokenFrom && number < (this.#proposedFrom ?? number + 1);
  }

  #configNow(): RaftConfig {
    const { options, group } = this.#with;
    const sealers = [...group.chain.config().sealers].sort();
    const votingRole = group.abstention.votingRole();
    const silent = votingRole === "silent" || votingRole === "muted";
    const { maxFutureMs } = options.tuning;
    const time = { maxFutureMs, parent: Number(group.chain.parent().timestamp) };
    return { self: options.self, sealers, silent, time, ...this.#times };
  }

  #createCore(): RaftState {
    const { ports, proposals } = this.#with;
    const bytes = proposals.votes.record();
    const { number, hash } = ports.ledger.head();
    return createRaft({
      config: this.#config,
      height: number,
      head: hash,
      record: bytes && readRecord(bytes),
      seed: new DataView(ports.entropy.bytes(4).slice().buffer).getInt32(0),
    });
  }
}
