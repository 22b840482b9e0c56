/**
 * When a node whose store may be older than its votes may vote again: pure rules.
 *
 * A vote for height c is given on head c - 1 only, and block c - 1 was decided by Q sealers. Any Q
 * sealers next to this one that say where they stand include an honest one that had a part in it:
 * it stood at c - 2 or higher by then. So no vote of this key is for a height above the highest
 * answer plus two. A list that changes begins the question anew, with the own head as one of the
 * answers. A seal on a later block was given meanwhile: another node uses the key. One on a block
 * between the answers and that height may be either: then it is examined some blocks more.
 * Source: decision 25; pbft 16.4; raft 8
 */
import { isSameList, type NodeId } from "../bytes/ids.ts";

/** Heights above the highest answer at which a vote of this key may be. */
const REACH = 2;
/** Blocks more that are examined: a sealer is missing from that many in a row by no accident. */
const WATCH = 8;

/**
 * Why a node is silent: its files are a copy or were restored; a seal or a block of its own that it
 * knows nothing of; the same while it was silent: another node uses its key now.
 */
export type AbstentionCause = "copied" | "lostVotes" | "twin";

/** `confirmed`: the operator has confirmed that no other copy runs; the node votes. */
export type AbstentionMode = "silent" | "confirmed";

/** What is kept on disk. */
export interface AbstentionRecord {
  readonly mode: AbstentionMode;
  readonly cause: AbstentionCause;
  /** The head at which it began. */
  readonly since: number;
}

/** How the group stands, for a report of the abstention. */
export interface AbstentionSight {
  readonly self: NodeId;
  readonly head: number;
  /** In force for the next block, ascending. */
  readonly sealers: readonly NodeId[];
  /** How many sealers decide. */
  readonly quorum: number;
  /** A steady clock in milliseconds. */
  readonly now: number;
  /** The abstention lasts at least so long after the answers. */
  readonly patienceMs: number;
}

/** What operators are told. */
export interface AbstentionView extends AbstentionRecord {
  readonly until: number | undefined;
  /** Other sealers that have reported where they stand, and how many must. */
  readonly answered: number;
  readonly wanted: number;
  /** No number of blocks ends it: too few sealers besides, or another node uses the key. */
  readonly needsOperator: boolean;
}

/** An abstention that begins, or goes on after a restart. */
export function createAbstention(record: AbstentionRecord) {
  return {
    ...record,
    /** What sealers of the list have sent since the start: the highest head of each. */
    heads: new Map<NodeId, number>(),
    /** No vote of before is higher; undefined while too few sealers have answered. */
    reach: undefined as number | undefined,
    /** The head at which it ends: the reach, or some blocks more. */
    until: undefined as number | undefined,
    /** The list that was asked, ascending. */
    asked: [] as readonly NodeId[],
    /** When `until` was learnt. */
    learntAt: 0,
  };
}
/** An abstention in progress; changed in place by this file only. */
export type Abstention = ReturnType<typeof createAbstention>;

function othersOf({ self, sealers }: AbstentionSight): readonly NodeId[] {
  return sealers.filter((sealer) => sealer !== self);
}

/** Of lists that need everybody, all others report what a quorum does elsewhere. */
function wantedOf({ quorum }: AbstentionSight, others: readonly NodeId[]): number {
  return Math.min(quorum, others.length);
}

/**
 * A node has reported where it stands. Who is no sealer yet is heard again once it is one: statuses
 * come all the time, from as many nodes as like to send them.
 */
export function noteHead(
  abstention: Abstention,
  { from, head }: { readonly from: NodeId; readonly head: number },
  sight: AbstentionSight,
): void {
  if (!sight.sealers.includes(from)) return;
  if (head > (abstention.heads.get(from) ?? -1)) abstention.heads.set(from, head);
}

/** Learns how far votes of this key can reach, once enough of the list has answered. */
export function learnReach(abstention: Abstention, sight: AbstentionSight): void {
  const { sealers, head, now } = sight;
  if (!isSameList(abstention.asked, sealers)) {
    abstention.asked = [...sealers];
    abstention.reach = undefined;
    abstention.until = undefined;
    for (const id of abstention.heads.keys())
      if (!sealers.includes(id)) abstention.heads.delete(id);
  }
  if (abstention.reach !== undefined) return;
  const others = othersOf(sight);
  const answers = others.flatMap((sealer) => abstention.heads.get(sealer) ?? []);
  if (answers.length < wantedOf(sight, others)) return;
  abstention.reach = Math.max(head, ...answers) + REACH;
  abstention.until = abstention.reach;
  abstention.learntAt = now;
}

/** Whether the head is past every vote that this key can have given before. */
export function isPast(
  abstention: Abstention,
  { head, now, patienceMs }: AbstentionSight,
): boolean {
  if (abstention.cause === "twin" || abstention.until === undefined) return false;
  return head >= abstention.until && now >= abstention.learntAt + patienceMs;
}

/** A verified block with a seal of this key, or proposed under it; gives what that means. */
export function seeOwnBlock(
  abstention: Abstention,
  number: number,
): "none" | "suspicious" | "twin" {
  const { mode, cause, reach, until = 0 } = abstention;
  if (mode !== "silent" || cause === "twin" || reach === undefined) return "none";
  if (number > reach) {
    abstention.cause = "twin";
    return "twin";
  }
  if (number <= reach - REACH || until > reach) return "none";
  abstention.until = reach + WATCH;
  return "suspicious";
}

/** What operators are told. */
export function abstentionView(abstention: Abstention, sight: AbstentionSight): AbstentionView {
  const { mode, cause, since, until, heads } = abstention;
  const others = othersOf(sight);
  const answered = others.filter((sealer) => heads.has(sealer)).length;
  const needsOperator = cause === "twin" || others.length < sight.quorum;
  const wanted = wantedOf(sight, others);
  return { mode, cause, since, until, answered, wanted, needsOperator };
}
