/**
 * A leader of Raft that is cut off and does not notice: answers in the place of those it does not
 * reach keep its lease and its majority (a mutation of the network, not of the node).
 */
import type { Message, StoredEntry } from "../../../core/consensus/raft/message.ts";
import {
  decodeConsensusMessage,
  encodeConsensusMessage,
} from "../../../core/node/consensus/consensus-wire.ts";
import { RAFT_CODEC } from "./raft-words.ts";

/** Answers for the peers of one machine. */
export class StaleLeader {
  #entry: (StoredEntry & { readonly height: number }) | undefined;

  /** What a peer would answer to a message, had it arrived; undefined: nothing. */
  answerTo(bytes: Uint8Array): Uint8Array | undefined {
    const message = decodeConsensusMessage<Message>(bytes, RAFT_CODEC)?.message;
    if (message?.type !== "append") return undefined;
    const { term, height, head, entry } = message;
    if (entry !== undefined) this.#entry = { term, height, proposal: entry };
    const known = this.#entry?.term === term && this.#entry.height === height;
    const stored = known && this.#entry ? { term, proposal: this.#entry.proposal } : undefined;
    return encodeConsensusMessage(
      { message: { type: "acknowledgement", term, height, head, stored }, compact: undefined },
      RAFT_CODEC,
    );
  }
}
