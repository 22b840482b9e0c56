/**
 * What an operator does about sealers that are missing or do not vote: the command, and where it is
 * given.
 * Source: decision 34
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SealerVote } from "./sealer-votes.ts";

/** A sealer and what is known of where it runs. */
export interface SealerPlace {
  readonly nodeId: NodeId;
  readonly node: string;
  readonly endpoint: string;
}

/** What is mended, and who looks. */
export interface RemedyQuestion {
  readonly group: number;
  readonly votes: readonly SealerVote[];
  /** The node that looks. */
  readonly own: NodeId | undefined;
  /** Its folder, where that is known. */
  readonly folder?: string;
  readonly peers: readonly SealerPlace[];
}

/** Digits of a node ID that distinguish nodes. */
const ID_DIGITS = 8;
/** This many sealers are named for one step. */
const MOST_NAMED = 8;

interface Step {
  /** Of the node, where it is one whose folder is known. */
  readonly dir: string;
  readonly group: number;
  readonly where: string;
}

const diagnosed = ({ dir, where }: Step) => `chain-node doctor ${dir} on ${where}`;

/** What is done where a sealer does not vote. */
const STEPS: Readonly<Partial<Record<SealerVote["voting"], (step: Step) => string>>> = {
  missing: ({ where }) => `start, or open the way to, ${where}`,
  silent: ({ dir, group, where }) =>
    `where no other copy runs, chain-node confirm ${dir} --group ${group} on ${where}`,
  stopped: ({ group, where }) => `startGroup ${group} on ${where}`,
  behind: ({ where }) => `wait until they have fetched blocks: ${where}`,
  observer: ({ where }) =>
    `wait until they have fetched the block that made them sealers: ${where}`,
  muted: ({ where }) => `bring the tab to the front of ${where}`,
  damaged: diagnosed,
  quiet: diagnosed,
  other: diagnosed,
};

function placeText(nodeId: NodeId, { own, peers }: RemedyQuestion): string {
  const id = nodeId.slice(0, ID_DIGITS);
  if (nodeId === own) return `${id} (this node)`;
  const peer = peers.find((each) => each.nodeId === nodeId);
  // The port may be one that it has dialled from.
  return peer ? `${id} (${peer.node} at ${peer.endpoint.replace(/:\d+$/, "")})` : id;
}

function whereText(nodes: readonly NodeId[], question: RemedyQuestion): string {
  const named = nodes.slice(0, MOST_NAMED).map((id) => placeText(id, question));
  const more = nodes.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

/** The steps that bring sealers back; undefined when all vote. */
export function voteRemedy(question: RemedyQuestion): string | undefined {
  const { votes, group, own, folder = "DIR" } = question;
  const steps = Object.entries(STEPS).flatMap(([voting, step]) => {
    const nodes = votes.filter((vote) => vote.voting === voting).map(({ nodeId }) => nodeId);
    if (nodes.length === 0) return [];
    const dir = nodes.every((nodeId) => nodeId === own) ? folder : "DIR";
    return step({ dir, group, where: whereText(nodes, question) });
  });
  return steps.length === 0 ? undefined : steps.join("; ");
}
