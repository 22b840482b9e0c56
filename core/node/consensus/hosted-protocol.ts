/**
 * A consensus protocol as its host sees it: what its core asks for, what it is told, and what only
 * the protocol knows. Types only.
 * Source: pbft 16; raft 8
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Audience, ExecutionToken } from "../../consensus/pbft/effect.ts";
import type { Proposal } from "../../consensus/pbft/input.ts";
import type { Seal } from "../../model/header.ts";
import type { ProposalOutline } from "../../sync/block-exchange.ts";
import type { ProposalDefect } from "../../txpool/proposal-check.ts";
import type { AnyMessage, ArrivedMessage } from "./consensus-wire.ts";
import type { BookEntry } from "../proposals/proposal-book.ts";

/** What differs between protocols. */
export interface ProtocolTypes {
  readonly message: AnyMessage;
  readonly record: unknown;
  readonly report: unknown;
  readonly config: unknown;
}

/** An input without its time: the driver adds it. */
export type Untimed<Of> = Of extends unknown ? Omit<Of, "now"> : never;

/** A block to write. */
export interface WriteEffect {
  readonly type: "write";
  readonly height: number;
  readonly proposal: Hash;
  readonly executed: Hash;
  /** Absent where blocks carry none. */
  readonly seals?: readonly Seal[];
}

/** Consensus wants a proposal. */
export interface ProposeEffect {
  readonly type: "propose";
  readonly height: number;
  readonly view: number;
  /** From when on an empty one will do; absent: never. */
  readonly emptyFrom?: number;
}

/** The group must not go on. */
export interface StopEffect {
  readonly type: "stopGroup";
  readonly reason: "executionDiffers" | "executionRefused";
  readonly height: number;
  readonly own?: Hash | undefined;
  readonly certified?: Hash | undefined;
}

/** What the cores ask for; see there. */
export type HostEffect<Of extends ProtocolTypes> =
  | { readonly type: "persist"; readonly record: Of["record"]; readonly body: Hash | undefined }
  | { readonly type: "broadcast"; readonly message: Of["message"]; readonly to: Audience }
  | { readonly type: "send"; readonly message: Of["message"]; readonly to: NodeId }
  | { readonly type: "assemble"; readonly proposal: Hash }
  | { readonly type: "requestBody"; readonly proposal: Hash; readonly to: NodeId }
  | { readonly type: "execute"; readonly token: ExecutionToken }
  | { readonly type: "cancelExecution" }
  | WriteEffect
  | { readonly type: "requestBlock"; readonly height: number; readonly to: NodeId }
  | ProposeEffect
  | { readonly type: "deadline"; readonly at: number | undefined }
  | { readonly type: "report"; readonly report: Of["report"] }
  | StopEffect;

/** What the host tells a core. */
export type HostInput<Of extends ProtocolTypes> =
  | { readonly type: "tick" }
  | {
      readonly type: "message";
      readonly from: NodeId;
      readonly message: Of["message"];
      readonly proposal?: Proposal;
    }
  | {
      readonly type: "assembled";
      readonly proposal: Hash;
      readonly complete: boolean;
      readonly txCount: number;
    }
  | {
      readonly type: "executed";
      readonly token: ExecutionToken;
      readonly executed: Hash | undefined;
    }
  | {
      readonly type: "written";
      readonly height: number;
      readonly hash: Hash;
      readonly config: Of["config"];
    };

/** What only the protocol knows. */
export interface HostedProtocol<Of extends ProtocolTypes> {
  /** Gives the core an input. */
  input(input: HostInput<Of>): void;
  encodeRecord(record: Of["record"]): Uint8Array;
  /** Whether the outline of a verified message may matter: the rest is not worth its memory. */
  wantsOutline(message: ArrivedMessage<Of["message"]>, outline: ProposalOutline): boolean;
  /** Whether this node may refuse a proposal: nobody has decided it. */
  mayRefuse(entry: BookEntry): boolean;
  /** What admission would have refused of a proposal. */
  defectOf(entry: BookEntry): ProposalDefect | undefined;
  propose(ask: ProposeEffect): void;
  /** A member has sent what no honest one sends. */
  reject(from: NodeId, reason: string): void;
  /** The configuration of the next height. */
  config(): Of["config"];
  /** A view ended while this proposal was executing; `running` was being executed then. */
  outlived(entry: BookEntry, running: Hash | undefined): void;
  /** A proposal was executed; it keeps so much of what one may keep. */
  executed(entry: BookEntry, share: number): void;
  /** A proposal would have kept too much memory; `running` passed the bound. */
  tooHeavy(entry: BookEntry, running: Hash | undefined): void;
  /** A promise holds back what follows the report. */
  report(report: Of["report"]): Promise<void> | undefined;
}
