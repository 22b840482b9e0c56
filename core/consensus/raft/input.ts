/** What enters the core: messages of sessions, time, answers of the shell. Source: raft 8 */
import type { NodeId } from "../../bytes/ids.ts";
import type { TimeBound } from "../block-time.ts";
import type { CoreNews, SyncedBlock } from "../exchange.ts";
import type { Message } from "./message.ts";

/** What the ledger says about the next height. Read again after every block. */
export interface RaftConfig {
  readonly self: NodeId;
  /** Sealers in force, ascending. */
  readonly sealers: readonly NodeId[];
  /** `min_elect_time`; the leader's lease too. Source: raft 3 */
  readonly minElectMs: number;
  /** `max_elect_time`. Source: raft 3 */
  readonly maxElectMs: number;
  /** Follows without a vote, as a node that is no sealer. Source: decision 25 */
  readonly silent?: boolean;
  /** Absent: nothing is known of clocks. Source: decision 27 */
  readonly time?: TimeBound;
}

/** One input; `now` is a steady clock in milliseconds. */
export type Input = { readonly now: number } & Readonly<
  | CoreNews<Message, RaftConfig>
  | { type: "block"; from: NodeId; block: Omit<SyncedBlock, "seals"> }
  /** Another configuration for the same height: a silent node may vote, or must not any more. */
  | { type: "votingRole"; config: RaftConfig }
  /** Status of a member, from sync. */
  | { type: "peer"; from: NodeId; height: number }
  /** Block sync has begun or ended a download: meanwhile the engine is suspended. */
  | { type: "syncing"; active: boolean }
>;

/** An input of one type. */
export type InputOf<Type extends Input["type"]> = Extract<Input, { readonly type: Type }>;

/** A message of one kind and who sent it. */
export type Spoken<Kind extends Message = Message> = Omit<InputOf<"message">, "message"> & {
  readonly message: Kind;
};

/** The events of the protocol: each kind of message, every other input, and the step's end. */
export type RaftEvents = {
  readonly [Type in Message["type"]]: Spoken<Extract<Message, { readonly type: Type }>>;
} & {
  readonly [Type in Exclude<Input["type"], "message">]: InputOf<Type>;
} & {
  /** What no other sealer can have sent. */
  readonly stray: Spoken;
  /** A majority has not answered the leader in time. */
  readonly leaseExpired: undefined;
  readonly rest: undefined;
};
