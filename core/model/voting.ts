/** Whether a node votes in a group, as it says in its status, and why not. Source: decision 34 */
import type { NodeId } from "../bytes/ids.ts";

/**
 * What a status may say; the position is the code on the wire. `observer`: its ledger does not name
 * it as a sealer. `behind`: it fetches blocks. `silent`: its data may be older than its votes.
 * `muted`: it keeps quiet of its own accord. `stopped`: the group stops on it. `damaged`: it knows
 * that its store is.
 */
export const VOTING = [
  "votes",
  "observer",
  "behind",
  "silent",
  "muted",
  "stopped",
  "damaged",
] as const;
/** A word of {@link VOTING}. */
export type Voting = (typeof VOTING)[number];

/** A larger code is malformed; those below it that have no word are for later versions. */
export const MAX_VOTING_CODE = 255;
/**
 * What is known of a peer. `other`: it does not vote, for a reason that a later version has.
 * `quiet`: it has a session and has reported nothing of the group for a while. `unknown`: it speaks
 * version 2, or has just come.
 */
export type PeerVoting = Voting | "other" | "quiet" | "unknown";

/** A sealer, and whether it votes as far as this node knows. */
export interface SealerVoting {
  readonly nodeId: NodeId;
  readonly voting: PeerVoting;
}

/** The code of a word. */
export function votingCode(voting: Voting): number {
  return VOTING.indexOf(voting);
}

/** What a code says. */
export function votingOf(code: number): Voting | "other" {
  return VOTING[code] ?? "other";
}

/**
 * Whether a sealer does not vote, by what it says or by saying nothing; of whom nothing is known
 * yet is taken to vote.
 */
export function abstains(voting: PeerVoting): boolean {
  return voting !== "votes" && voting !== "unknown";
}
