/** What peers have reported of their votes, and for how long it is believed. Source: decision 34 */
import type { NodeId } from "../bytes/ids.ts";
import { type PeerVoting, votingOf } from "../model/voting.ts";

/** Statuses come every five seconds: who votes says so twice in this time. Source: sync 3 */
export const VOTING_LASTS_MS = 10_000;

/** What peers have reported; bounded by the sessions of the group. */
export class VotingReports {
  readonly #said = new Map<NodeId, { readonly voting: PeerVoting; readonly until: number }>();

  /** A session is up: the peer has some time to say something. @param now a steady clock */
  meet(peer: NodeId, now: number): void {
    this.#said.set(peer, { voting: "unknown", until: now + VOTING_LASTS_MS });
  }

  /** A status came; without a code it is of version 2. @param now a steady clock */
  note(peer: NodeId, code: number | undefined, now: number): void {
    const voting = code === undefined ? "unknown" : votingOf(code);
    // Of a group that stops this is the last word.
    const until = voting === "stopped" ? Number.POSITIVE_INFINITY : now + VOTING_LASTS_MS;
    this.#said.set(peer, { voting, until });
  }

  /** A session is gone. */
  forget(peer: NodeId): void {
    this.#said.delete(peer);
  }

  /** What a peer reports at this time of the steady clock. */
  of(peer: NodeId, now: number): PeerVoting {
    const said = this.#said.get(peer);
    if (!said) return "unknown";
    return now < said.until ? said.voting : "quiet";
  }
}
