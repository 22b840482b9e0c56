/**
 * Which sealers of a group vote, in the words of operators: what a node knows from its sessions and
 * from what statuses report.
 * Source: decision 34
 */
import type { GroupApi, NodeApi } from "../../core/api/node-api.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import { abstains, type PeerVoting } from "../../core/model/voting.ts";

/** `missing`: a sealer without a session. */
export interface SealerVote {
  readonly nodeId: NodeId;
  readonly voting: PeerVoting | "missing";
}

/** Why a sealer does not vote, after its name. */
const REASONS: Readonly<Partial<Record<SealerVote["voting"], string>>> = {
  observer: "is no sealer by its own ledger",
  behind: "fetches blocks",
  silent: "its data may be older than its votes",
  muted: "keeps quiet of its own accord",
  stopped: "its group has stopped",
  damaged: "its store is damaged",
  quiet: "has reported nothing of the group for 10 s",
  other: "for a reason of a newer version",
};
/** Digits of a node ID that distinguish nodes. */
const ID_DIGITS = 8;

/** Sealers with a session, and this node, that do not vote. */
export function abstaining(votes: readonly SealerVote[]): readonly SealerVote[] {
  return votes.filter(({ voting }) => voting !== "missing" && abstains(voting));
}

/** Sealers that vote, as far as is known. */
export function votingCount(votes: readonly SealerVote[]): number {
  const missing = votes.filter(({ voting }) => voting === "missing").length;
  return votes.length - missing - abstaining(votes).length;
}

/** Names those that do not vote, and says why. */
export function abstentionText(votes: readonly SealerVote[]): string {
  return abstaining(votes)
    .map(({ nodeId, voting }) => `${nodeId.slice(0, ID_DIGITS)} ${REASONS[voting] ?? voting}`)
    .join(", ");
}

/** "3 of 4 sealers vote, 3 are needed", and of how many it is not known. */
export function votesText(votes: readonly SealerVote[], quorum: number): string {
  const count = votingCount(votes);
  const unknown = votes.filter(({ voting }) => voting === "unknown").length;
  const doubt = unknown === 0 ? "" : ` (${unknown} not known to)`;
  const vote = count === 1 ? "votes" : "vote";
  return `${count} of ${votes.length} sealers ${vote}${doubt}, ${quorum} are needed`;
}

/** The sealers of a group; `isThere`: those that this node has a session with, and itself. */
export function votesOf(
  node: NodeApi,
  group: GroupApi,
  isThere: (sealer: NodeId) => boolean,
): readonly SealerVote[] {
  const said = new Map(group.voting?.().map(({ nodeId, voting }) => [nodeId, voting]));
  const silent: PeerVoting = group.abstention?.() ? "silent" : "votes";
  const isTold = group.isMember();
  return group.consensusStatus().sealers.map((nodeId) => {
    if (nodeId === node.nodeId) return { nodeId, voting: said.get(nodeId) ?? silent };
    if (!isThere(nodeId)) return { nodeId, voting: "missing" };
    const voting = said.get(nodeId) ?? "unknown";
    // Who is no member is told nothing.
    return { nodeId, voting: voting === "quiet" && !isTold ? "unknown" : voting };
  });
}
