/** How each kind of message is shown: a letter, a colour, and the protocol that speaks it. */
import type { MessageKind } from "../../../runtimes/shared/theatre/frame.ts";

/** How one kind is shown. */
export interface KindLook {
  /** Stands on the message; letters within one protocol differ. */
  readonly letter: string;
  /** Name of its colour: a class of theatre.css. */
  readonly colour: string;
  readonly speakers: "pbft" | "raft" | "both";
}

const LOOKS: Readonly<Record<MessageKind, KindLook>> = {
  prepare: { letter: "P", colour: "propose", speakers: "pbft" },
  sign: { letter: "S", colour: "sign", speakers: "pbft" },
  commit: { letter: "C", colour: "commit", speakers: "pbft" },
  viewChange: { letter: "V", colour: "change", speakers: "pbft" },
  viewCertificate: { letter: "J", colour: "change", speakers: "pbft" },
  status: { letter: "·", colour: "status", speakers: "pbft" },
  preVote: { letter: "p", colour: "change", speakers: "raft" },
  preVoteReply: { letter: "r", colour: "change", speakers: "raft" },
  vote: { letter: "V", colour: "propose", speakers: "raft" },
  voteReply: { letter: "R", colour: "propose", speakers: "raft" },
  append: { letter: "A", colour: "sign", speakers: "raft" },
  acknowledgement: { letter: "K", colour: "commit", speakers: "raft" },
  requestBody: { letter: "b", colour: "block", speakers: "both" },
  body: { letter: "B", colour: "block", speakers: "both" },
  chainStatus: { letter: "h", colour: "status", speakers: "both" },
  requestRange: { letter: "?", colour: "block", speakers: "both" },
  blocks: { letter: "#", colour: "block", speakers: "both" },
  push: { letter: "T", colour: "transaction", speakers: "both" },
  request: { letter: "q", colour: "transaction", speakers: "both" },
  answer: { letter: "t", colour: "transaction", speakers: "both" },
  announce: { letter: "a", colour: "transaction", speakers: "both" },
  topics: { letter: "o", colour: "status", speakers: "both" },
  unreadable: { letter: "!", colour: "status", speakers: "both" },
};

/** How a kind is shown. */
export function lookOf(kind: MessageKind): KindLook {
  return LOOKS[kind];
}

/** The kinds of a protocol, in the order of a round. */
export function kindsOf(protocol: "pbft" | "raft"): readonly MessageKind[] {
  return (Object.keys(LOOKS) as MessageKind[]).filter((kind) => {
    const { speakers } = LOOKS[kind];
    return kind !== "topics" && (speakers === protocol || speakers === "both");
  });
}

/** Kinds that keep nodes informed; a picture without them shows the protocol alone. */
export const BACKGROUND: ReadonlySet<MessageKind> = new Set([
  "status",
  "chainStatus",
  "announce",
  "topics",
]);

/** A colour of a block by its hash, so that two blocks of one height are distinguished. */
export function hueOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 4), 16) % 360 || 0;
}
