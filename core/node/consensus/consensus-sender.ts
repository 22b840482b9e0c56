/** Messages of consensus on their way out, each encoded once. */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import type { Audience } from "../../consensus/pbft/effect.ts";
import type { Network } from "../../ports/network.ts";
import {
  type AnyMessage,
  carriedProposal,
  encodeConsensusMessage,
  type MessageCodec,
} from "./consensus-wire.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";

/** What the sender works with. */
export interface ConsensusSenderOptions<Message extends AnyMessage> {
  readonly groupId: GroupId;
  readonly network: Network;
  readonly codec: MessageCodec<Message>;
  readonly book: ProposalBook;
  /** Connected members. */
  readonly members: () => readonly NodeId[];
  /** Sealers in force. */
  readonly sealers: () => readonly NodeId[];
  /** What is sent while the proposal that belongs to a message is not at hand, if anything. */
  readonly withoutProposal: (message: Message) => Message | undefined;
}

/** One per running group. */
export class ConsensusSender<Message extends AnyMessage> {
  readonly #options: ConsensusSenderOptions<Message>;

  constructor(options: ConsensusSenderOptions<Message>) {
    this.#options = options;
  }

  /** Sends to connected members: sealers, observers, or both. */
  broadcast(message: Message, to: Audience): void {
    const { members, sealers } = this.#options;
    const bytes = this.#encode(message);
    if (!bytes) return;
    for (const peer of members()) {
      const isSealer = sealers().includes(peer);
      if (to === "members" || isSealer === (to === "sealers")) this.#sendBytes(peer, bytes);
    }
  }

  /** Sends to one peer. */
  send(message: Message, to: NodeId): void {
    const bytes = this.#encode(message);
    if (bytes) this.#sendBytes(to, bytes);
  }

  #encode(message: Message): Uint8Array | undefined {
    const { book, codec, withoutProposal } = this.#options;
    const proposal = carriedProposal(message);
    const outline = proposal && book.get(proposal);
    const sent = proposal && !outline ? withoutProposal(message) : message;
    return sent && encodeConsensusMessage({ message: sent, outline }, codec);
  }

  #sendBytes(to: NodeId, bytes: Uint8Array): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "consensus", bytes });
  }
}
