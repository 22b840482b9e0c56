/** What enters the core: verified messages, time, and the answers of the shell. Source: pbft 16 */
import type { NodeId } from "../../bytes/ids.ts";
import type { TimeBound } from "../block-time.ts";
import type { CoreNews, Proposal, SyncedBlock, VotingRole } from "../exchange.ts";
import type { Message } from "./message.ts";
import type { PbftRecord } from "./record.ts";

/** What the ledger says about the next height. Read again after every block. */
export interface PbftConfig {
  readonly self: NodeId;
  /** Sealers in force, ascending. */
  readonly sealers: readonly NodeId[];
  /** `consensus_timeout`. Source: pbft 7 */
  readonly consensusTimeoutMs: number;
  /** Absent: nothing is known of clocks. Source: decision 27 */
  readonly time?: TimeBound;
  /** Absent: what this node reported is what its record says. Source: decision 25 */
  readonly votingRole?: VotingRole | undefined;
}

/** One input at a steady time in ms; all signatures of {@link claimsOf} are verified. */
export type Input = { readonly now: number } & Readonly<
  | CoreNews<Message, PbftConfig>
  /** A message that was too old to be verified: its sender is behind. See relevance.ts. */
  | { type: "stale"; from: NodeId }
  | { type: "block"; from: NodeId; block: SyncedBlock }
  /** This node may vote from now on, or must not any more; what its store holds of its votes. */
  | { type: "votingRole"; config: PbftConfig; record: PbftRecord | undefined }
  /** Group members with a session now, self absent. */
  | { type: "peersChanged"; connected: readonly NodeId[] }
>;

/** An input of one type. */
export type InputOf<Type extends Input["type"]> = Extract<Input, { readonly type: Type }>;

/** A message as the handlers take it, and the node that sent it. */
export interface Received<Kind extends Message = Message> {
  readonly from: NodeId;
  readonly message: Kind;
  readonly proposal?: Proposal;
}

/** What belongs to one round and one signer. */
export type RoundMessage = Exclude<Message, { type: "viewCertificate" | "status" }>;

/** The events: each kind of message, every other input, and what is distinguished. */
export type PbftEvents = {
  readonly [Type in Message["type"]]: Received<Extract<Message, { readonly type: Type }>>;
} & {
  readonly [Type in Exclude<Input["type"], "message">]: InputOf<Type>;
} & {
  /** It holds messages of this node that its record knows nothing of. Source: decision 25 */
  readonly lostMessages: Received;
  /** It is signed with the key of this node. */
  readonly ownMessage: Received<RoundMessage>;
  /** It is not signed by the sealer that it names. */
  readonly stray: Received<RoundMessage>;
  /** It is about a round that is over. */
  readonly outdated: Received<RoundMessage>;
  /** Messages that were kept for this round have been taken, one after the other. */
  readonly keptTaken: undefined;
};
