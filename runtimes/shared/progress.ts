/**
 * Whether the groups of a node can write blocks, what stands in the way, and since when. Examines
 * them once a second: what nobody watches, nobody can date.
 * Source: pbft 1, 7; raft 1
 */
import type { GroupId, NodeId } from "../../core/bytes/ids.ts";
import { maxFaulty, maxFaultyLeader } from "../../core/consensus/quorum.ts";
import type { ConsensusStatus, GroupApi, NodeApi } from "../../core/api/node-api.ts";
import type { Clock } from "../../core/ports/clock.ts";
import {
  abstaining,
  abstentionText,
  type SealerVote,
  votesOf,
  votingCount,
} from "./sealer-votes.ts";
import type { Log } from "../../core/ports/log.ts";

/** The sealers of a group as this node reaches them. */
export interface SealerReach {
  /** This many decide. */
  readonly quorum: number;
  /** Those with a session, the node itself included when it is one. */
  readonly connected: number;
  readonly missing: readonly NodeId[];
  /** This node is a sealer and does not vote. */
  readonly isSilent: boolean;
  /** What is known of each. Source: decision 34 */
  readonly votes: readonly SealerVote[];
}

/** A group that cannot write blocks. */
export interface Stall {
  /** Part of a sentence. */
  readonly cause: string;
  /** How long already; undefined where nobody watches. */
  readonly seconds: number | undefined;
}

/** Digits of a node ID that distinguish nodes. */
const ID_DIGITS = 8;
/** This many missing sealers are named. */
const MOST_NAMED = 8;
const LOOK_MS = 1_000;
/** A leader that failed is replaced sooner than that, at the usual timeouts. */
const LEADERLESS_MS = 15_000;
/** No block takes that long at the usual limits. */
const WAITING_MS = 60_000;
/** At a start peers connect within this time. */
const TELL_AFTER_MS = 10_000;
const TELL_AGAIN_MS = 5 * 60_000;
/** Sessions that end sooner do not date a shortage anew: the doctor's, for example. */
const BRIEF_MS = 10_000;
const MS_PER_SECOND = 1_000;

/** How many sealers decide. Source: pbft 1; raft 1 */
function quorumOf({ kind, sealers }: ConsensusStatus): number {
  const { length } = sealers;
  return length - (kind === "raft" ? maxFaultyLeader(length) : maxFaulty(length));
}

/**
 * Which sealers have a session with this node. One whose group has another genesis block is none,
 * and neither is the node itself while it is silent.
 */
export function reachSealers(node: NodeApi, group: GroupApi): SealerReach {
  const status = group.consensusStatus();
  const foreign = new Set(group.syncStatus().otherGenesis);
  const there = new Set(node.peers().map(({ nodeId }) => nodeId));
  for (const peer of foreign) there.delete(peer);
  const votes = votesOf(node, group, (sealer) => there.has(sealer));
  // A silent sealer does not vote.
  if (!group.abstention?.()) there.add(node.nodeId);
  const { sealers } = status;
  const connected = sealers.filter((sealer) => there.has(sealer)).length;
  const missing = sealers.filter((sealer) => !there.has(sealer) && sealer !== node.nodeId);
  const isSilent = sealers.length > connected + missing.length;
  return { quorum: quorumOf(status), connected, missing, isSilent, votes };
}

/** Names nodes by the beginnings of their IDs. */
export function shortNames(nodes: readonly NodeId[]): string {
  const named = nodes.slice(0, MOST_NAMED).map((id) => id.slice(0, ID_DIGITS));
  const more = nodes.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

/** What is missing for a quorum; undefined when nothing is. */
export function shortage(reach: SealerReach): string | undefined {
  const { quorum, missing, isSilent, votes } = reach;
  const count = votingCount(votes);
  if (count >= quorum) return undefined;
  const others = abstaining(votes).length - (isSilent ? 1 : 0);
  const are = count === 1 ? "is" : "are";
  const there = isSilent || others > 0 ? "connected and vote" : "connected";
  const lack = [
    ...(isSilent ? ["this node is silent"] : []),
    ...(missing.length > 0 ? [`missing: ${shortNames(missing)}`] : []),
    ...(others > 0 ? [`not voting: ${abstentionText(votes)}`] : []),
  ];
  const reached = `${count} of ${votes.length} sealers ${are} ${there}, ${quorum} are needed`;
  return `${reached} (${lack.join("; ")})`;
}

/** What is reported of a stalled group, without its name. */
export function stallText({ cause, seconds }: Stall): string {
  if (!seconds) return `cannot write blocks: ${cause}`;
  return `has not been able to write blocks for ${seconds} s: ${cause}`;
}

/**
 * Whether nobody leads: PBFT tries another view, Raft has not elected. Leaders of Raft speak to
 * sealers only: an observer learns of none.
 */
function isLeaderless(status: ConsensusStatus, own: NodeId): boolean {
  if (status.kind !== "raft") return status.leaderFailed;
  return status.leader === undefined && status.sealers.includes(own);
}

interface Obstacle {
  readonly cause: string;
  readonly since: number;
}

/** What is remembered of one group. */
class Watched {
  #head = -1;
  #shortSince: number | undefined;
  #view: number | undefined;
  /** When a shortage was seen last. */
  #shortAt = Number.NEGATIVE_INFINITY;
  #leaderlessSince: number | undefined;
  #waitingSince: number | undefined;
  /** With so few sealers a block came nevertheless: others reach each other. */
  #provedWith: number | undefined;
  /** When sealers were seen to agree although this one has too few sessions. Source: pbft 11 */
  #relayedAt = Number.NEGATIVE_INFINITY;
  #isShort = false;
  #toldAt: number | undefined;
  obstacle: Obstacle | undefined;

  look(node: NodeApi, group: GroupApi, now: number): void {
    const status = group.consensusStatus();
    const { number } = group.ledger.head();
    const hasMoved = number !== this.#head;
    this.#head = number;
    const reach = reachSealers(node, group);
    const count = votingCount(reach.votes);
    if (count >= reach.quorum) this.#provedWith = undefined;
    else if (hasMoved && this.#shortSince !== undefined && !status.sealers.includes(node.nodeId))
      this.#provedWith = count;
    const isLed = this.#isLed(status);
    const isAgreed =
      status.kind !== "raft" && (isLed || (hasMoved && !group.syncStatus().isSyncing));
    const isProved =
      (this.#provedWith !== undefined && count >= this.#provedWith) ||
      this.#isRelayed(reach, isAgreed, now);
    const short = isProved ? undefined : shortage(reach);
    if (short !== undefined) this.#shortAt = now;
    const isOver = now - this.#shortAt >= BRIEF_MS || hasMoved || isLed;
    if (short !== undefined) this.#shortSince ??= now;
    else if (isOver) this.#shortSince = undefined;
    const since = (is: boolean, before: number | undefined) =>
      is ? (hasMoved ? now : (before ?? now)) : undefined;
    this.#leaderlessSince = since(isLeaderless(status, node.nodeId), this.#leaderlessSince);
    this.#waitingSince = since(group.pendingCount() > 0, this.#waitingSince);
    this.obstacle = this.#obstacleOf(status, short, now);
  }

  /**
   * Whether a sealer with too few sessions takes part through others: the views and blocks that it
   * sees need a quorum. One that was agreed on just before sessions ended proves nothing.
   * Source: pbft 11
   */
  #isRelayed(reach: SealerReach, isAgreed: boolean, now: number): boolean {
    const wasShort = this.#isShort;
    this.#isShort = shortage(reach) !== undefined;
    if (isAgreed && wasShort && this.#isShort) this.#relayedAt = now;
    return now - this.#relayedAt < LEADERLESS_MS;
  }

  /** Whether sealers have agreed on a view since the last look, or on a leader. */
  #isLed(status: ConsensusStatus): boolean {
    if (status.kind === "raft") return status.leader !== undefined;
    const isNew = this.#view !== undefined && status.currentView !== this.#view;
    this.#view = status.currentView;
    return isNew;
  }

  /** The line for the log, when it is time for one. */
  tell(now: number): { readonly seconds: number; readonly cause?: string } | undefined {
    const { obstacle } = this;
    if (!obstacle) {
      if (this.#shortSince !== undefined) return undefined;
      const told = this.#toldAt;
      this.#toldAt = undefined;
      return told === undefined ? undefined : { seconds: 0 };
    }
    const age = now - obstacle.since;
    if (age < TELL_AFTER_MS || now - (this.#toldAt ?? -TELL_AGAIN_MS) < TELL_AGAIN_MS)
      return undefined;
    this.#toldAt = now;
    return { seconds: Math.floor(age / MS_PER_SECOND), cause: obstacle.cause };
  }

  #obstacleOf(
    status: ConsensusStatus,
    short: string | undefined,
    now: number,
  ): Obstacle | undefined {
    if (short !== undefined) return { cause: short, since: this.#shortSince ?? now };
    const leaderless = this.#leaderlessSince ?? now;
    if (now - leaderless >= LEADERLESS_MS) {
      const cause =
        status.kind === "raft"
          ? "no leader is elected although enough sealers are connected"
          : `no view has come of view ${status.currentView}, view ${status.toView} is tried`;
      return { cause, since: leaderless };
    }
    const waiting = this.#waitingSince ?? now;
    if (now - waiting < WAITING_MS) return undefined;
    return { cause: "transactions wait although enough sealers are connected", since: waiting };
  }
}

/** What a watch needs. */
export interface ProgressOptions {
  readonly node: NodeApi;
  readonly clock: Clock;
  readonly log: Log;
}

/** Watches all groups of a node. */
export class ProgressWatch {
  readonly #options: ProgressOptions;
  readonly #groups = new Map<GroupId, Watched>();
  #cancel: () => void = () => {};

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  /** Looks now and once a second. @returns what ends it */
  begin(): () => void {
    const { clock } = this.#options;
    const look = () => {
      this.look();
      this.#cancel = clock.after(LOOK_MS, look);
    };
    look();
    return () => this.#cancel();
  }

  /** Why a group cannot write blocks; undefined while it can, or has not been examined. */
  stall(groupId: GroupId): Stall | undefined {
    const obstacle = this.#groups.get(groupId)?.obstacle;
    if (!obstacle) return undefined;
    const age = this.#options.clock.steady() - obstacle.since;
    return { cause: obstacle.cause, seconds: Math.floor(age / MS_PER_SECOND) };
  }

  /** One look at all groups. Those that do not run, or are others', are not watched. */
  look(): void {
    const { node, clock, log } = this.#options;
    const now = clock.steady();
    const ids = new Set(node.groupList());
    for (const id of this.#groups.keys()) if (!ids.has(id)) this.#groups.delete(id);
    for (const id of ids) {
      const group = node.group(id);
      if (!group) continue;
      const watched = this.#groups.get(id) ?? new Watched();
      this.#groups.set(id, watched);
      watched.look(node, group, now);
      const news = watched.tell(now);
      if (news?.cause !== undefined) {
        const fields = { group: id, seconds: news.seconds, cause: news.cause };
        log.write("warning", "the group cannot write blocks", fields);
      } else if (news) log.write("info", "the group can write blocks again", { group: id });
    }
  }
}
