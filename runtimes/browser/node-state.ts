/** How the nodes of a tab stand, for a caller that looks. */
import { leaderIndex } from "../../core/consensus/quorum.ts";
import type { ConsensusStatus, GroupApi, NodeApi } from "../../core/api/node-api.ts";
import type { TabConsensus, TabGroupState, TabNodeState } from "./link/api.ts";

/** The kind of a fault before its sentence. */
const KIND = /^\w+(?:Fault|Error): /;

/**
 * What agrees on blocks, as one node of a group sees it. Only who votes changes views: a node that
 * fell quiet on the way to another one keeps its words, and stays there until the next block.
 */
export function consensusOf(status: ConsensusStatus, height: number, self: string): TabConsensus {
  const isSealer = status.accountType === 1;
  if (status.kind === "raft") {
    const { term, role, leader } = status;
    return { kind: "raft", term, role, isSealer, isLeader: leader?.nodeId === self };
  }
  const { currentView: view, toView, sealers, leaderFailed } = status;
  const leads = sealers.length > 0 && sealers[leaderIndex(height, view, sealers.length)] === self;
  const isChangingView = isSealer && (leaderFailed || toView !== view);
  return { kind: "pbft", view, toView, isSealer, isLeader: leads, isChangingView };
}

function groupState(group: GroupApi, self: string): TabGroupState {
  const { number, hash } = group.ledger.head();
  return {
    groupId: group.groupId,
    height: number,
    headHash: hash,
    pending: group.pendingCount(),
    isSyncing: group.syncStatus().isSyncing,
    isMember: group.isMember(),
    consensus: consensusOf(group.consensusStatus(), number, self),
    silence: group.abstention?.()?.cause,
  };
}

/** One node; it may be starting. */
export function nodeState(node: NodeApi, index: number): TabNodeState {
  const known = node.groups?.() ?? [];
  const running = known.flatMap(({ groupId }) => {
    const group = groupId === undefined ? undefined : node.group(groupId);
    return group ? [groupState(group, node.nodeId)] : [];
  });
  const failures = known.flatMap(({ groupId, isRunning, failure }) =>
    isRunning || failure === undefined ? [] : [{ groupId, reason: failure.replace(KIND, "") }],
  );
  return { index, nodeId: node.nodeId, peers: node.peers().length, groups: running, failures };
}
