/**
 * What a node thinks of a message before it takes it: whether it is heard, and how much of it is
 * charged to a sender that is no member. Source: sync 1; node-network 2, 8
 */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import type { PeerAdmission, Incoming } from "../../ports/network.ts";
import { isBlocksMessage, isSyncMessage } from "../../sync/sync-message.ts";

/** Of a member, or asked for. */
export const MEMBER: PeerAdmission = { isAdmitted: true, charge: 0 };
/** Where a node stands and what it asks for is learned of everybody. */
const CONNECTED: PeerAdmission = { isAdmitted: true, charge: 1 };
const NON_MEMBER: PeerAdmission = { isAdmitted: false, charge: 1 };
/** Of a member of another group: to cut it off would cost that group more. */
const WRONG_GROUP: PeerAdmission = { isAdmitted: false, charge: 0 };
/** Where this node cannot know who is a member, a non-member may send this many times as much. */
const DOUBT = 8;
/** This node is behind: its sender may have been added in a block that it lacks. */
const NOT_YET_MEMBER: PeerAdmission = { isAdmitted: false, charge: 1 / DOUBT };
/** No node can tell: the group does not run, or is behind and has asked its sender before. */
export const UNCERTAIN: PeerAdmission = { isAdmitted: true, charge: 1 / DOUBT };

/** What a running group knows of senders that are not its members. */
export interface NonMemberView {
  /** Whether a packet of blocks of a peer could be an answer. */
  expectsBlocks(from: NodeId): boolean;
  /** Whether it could answer a question that was not given up. */
  awaitsBlocks(from: NodeId): boolean;
  /** Best height that cannot be the claim of one Byzantine node. */
  believableHeight(): number;
}

/** A group that runs. */
export interface AdmittingGroup {
  admission(message: Incoming): PeerAdmission;
  /** Whether a node is a sealer or an observer of the group. */
  hasMember(node: NodeId): boolean;
}

/** What a running group at a height thinks of a message of a node that is in none of its lists. */
export function admissionOfNonMember(
  { from, kind, bytes }: Incoming,
  view: NonMemberView,
  height: number,
): PeerAdmission {
  const isBehind = view.believableHeight() > height;
  if (kind === "blocks" && isSyncMessage(bytes)) {
    if (!isBlocksMessage(bytes)) return CONNECTED;
    if (view.awaitsBlocks(from)) return MEMBER;
    // A late answer is accepted; a node that never answers could send such for ever.
    if (view.expectsBlocks(from)) return isBehind ? UNCERTAIN : CONNECTED;
  }
  return isBehind ? NOT_YET_MEMBER : NON_MEMBER;
}

/** What a node with these groups thinks of a message. */
export function admissionAmong(
  hosts: ReadonlyMap<GroupId, { admitting(): AdmittingGroup | undefined }>,
  message: Incoming,
): PeerAdmission {
  const host = hosts.get(message.groupId);
  const admission = host ? (host.admitting()?.admission(message) ?? UNCERTAIN) : NON_MEMBER;
  if (admission.charge === 0) return admission;
  for (const other of hosts.values()) {
    if (other.admitting()?.hasMember(message.from))
      return admission.isAdmitted ? MEMBER : WRONG_GROUP;
  }
  return admission;
}
