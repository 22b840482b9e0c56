/**
 * What a node thinks of a message before it takes it: whether it is heard, and how much of it is
 * charged to a sender that is no member. Source: sync 1; node-network 2, 8
 */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import type { Hearing, Incoming } from "../../ports/network.ts";
import { isBlocksMessage, isSyncMessage } from "../../sync/sync-message.ts";

/** Of a member, or asked for. */
export const INVITED: Hearing = { isHeard: true, charge: 0 };
/** Where a node stands and what it asks for is heard of everybody. */
const GUEST: Hearing = { isHeard: true, charge: 1 };
const STRANGER: Hearing = { isHeard: false, charge: 1 };
/** Of a member of another group: to cut it off would cost that group more. */
const MISPLACED: Hearing = { isHeard: false, charge: 0 };
/** Where this node cannot know who is a member, strangers may say so many times as much. */
const DOUBT = 8;
/** This node is behind: its sender may have been added in a block that it lacks. */
const EARLY: Hearing = { isHeard: false, charge: 1 / DOUBT };
/** Nobody can tell: the group does not run, or is behind and has asked its sender before. */
export const UNCERTAIN: Hearing = { isHeard: true, charge: 1 / DOUBT };

/** What a running group knows of senders that are not its members. */
export interface StrangersView {
  /** Whether a packet of blocks of a peer could be an answer. */
  expectsBlocks(from: NodeId): boolean;
  /** Whether it could answer a question that was not given up. */
  awaitsBlocks(from: NodeId): boolean;
  /** Best height that cannot be one liar's claim. */
  believableHeight(): number;
}

/** A group that runs. */
export interface HearingGroup {
  hearing(message: Incoming): Hearing;
  /** Whether a node is a sealer or an observer of the group. */
  hasMember(node: NodeId): boolean;
}

/** What a running group at a height thinks of a message of a node that is in none of its lists. */
export function hearingOfStranger(
  { from, kind, bytes }: Incoming,
  view: StrangersView,
  height: number,
): Hearing {
  const isBehind = view.believableHeight() > height;
  if (kind === "blocks" && isSyncMessage(bytes)) {
    if (!isBlocksMessage(bytes)) return GUEST;
    if (view.awaitsBlocks(from)) return INVITED;
    // A late answer is of use; whoever never answers could send such for ever.
    if (view.expectsBlocks(from)) return isBehind ? UNCERTAIN : GUEST;
  }
  return isBehind ? EARLY : STRANGER;
}

/** What a node with these groups thinks of a message. */
export function hearingAmong(
  hosts: ReadonlyMap<GroupId, { hearer(): HearingGroup | undefined }>,
  message: Incoming,
): Hearing {
  const host = hosts.get(message.groupId);
  const hearing = host ? (host.hearer()?.hearing(message) ?? UNCERTAIN) : STRANGER;
  if (hearing.charge === 0) return hearing;
  for (const other of hosts.values()) {
    if (other.hearer()?.hasMember(message.from)) return hearing.isHeard ? INVITED : MISPLACED;
  }
  return hearing;
}
