/**
 * Messages of class `consensus` on the wire: the protocol's message, and behind one that carries a
 * proposal the compact proposal. On their way out each is encoded once.
 */
import type { GroupId, Hash, NodeId } from "../../bytes/ids.ts";
import { encodeRlp, openRlpList } from "../../bytes/rlp.ts";
import type { Audience } from "../../consensus/exchange.ts";
import type { Message as PbftMessage } from "../../consensus/pbft/message.ts";
import type { Message as RaftMessage } from "../../consensus/raft/message.ts";
import { openRelayed } from "../../network/relay/header.ts";
import type { Network } from "../../ports/network.ts";
import {
  decodeCompactProposal,
  encodeCompactProposal,
  type CompactProposal,
} from "../../sync/block-exchange.ts";
import type { ProposalCache } from "../proposals/proposal-cache.ts";
import type { RelayService } from "./relay-service.ts";

/** A larger message is refused unread: a justification and a thousand hashes are far smaller. */
export const CONSENSUS_MESSAGE_LIMIT = 8 * 1024 * 1024;

/** A message of one of the protocols. */
export type AnyMessage = PbftMessage | RaftMessage;

/** What reads and writes the messages of a protocol. */
export interface MessageCodec<Message extends AnyMessage> {
  encode(message: Message): Uint8Array;
  decode(bytes: Uint8Array): Message | undefined;
}

/** A decoded message. */
export interface ConsensusMessage<Message> {
  readonly message: Message;
  readonly compact: CompactProposal | undefined;
}

/** A message whose sender is certain. */
export interface ArrivedMessage<Message> extends ConsensusMessage<Message> {
  readonly from: NodeId;
  /** Who passed it on; absent when `from` sent it. Source: pbft 11 */
  readonly via?: NodeId | undefined;
}

/** R of the proposal whose compact form goes with a message. */
export function carriedProposal(message: AnyMessage): Hash | undefined {
  if (message.type === "prepare") return message.proposal;
  return message.type === "append" ? message.entry : undefined;
}

/** Encodes a message; one that carries a proposal goes with its compact proposal. */
export function encodeConsensusMessage<Message extends AnyMessage>(
  { message, compact }: ConsensusMessage<Message>,
  codec: MessageCodec<Message>,
): Uint8Array {
  const encoded = codec.encode(message);
  return encodeRlp(compact ? [encoded, { rlp: encodeCompactProposal(compact) }] : [encoded]);
}

/** Decodes a message; undefined when malformed, or without the compact proposal that it needs. */
export function decodeConsensusMessage<Message extends AnyMessage>(
  bytes: Uint8Array,
  codec: MessageCodec<Message>,
): ConsensusMessage<Message> | undefined {
  if (bytes.length > CONSENSUS_MESSAGE_LIMIT) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const encoded = items.string();
  const compact = items.hasNext() ? decodeCompactProposal(items.raw()) : undefined;
  if (!items.complete()) return undefined;
  const message = codec.decode(encoded);
  if (!message) return undefined;
  const isWhole = (carriedProposal(message) !== undefined) === (compact !== undefined);
  return isWhole ? { message, compact } : undefined;
}

/** Decodes a message with or without a header for passing on; undefined when malformed. */
export function readConsensusMessage<Message extends AnyMessage>(
  bytes: Uint8Array,
  codec: MessageCodec<Message>,
): ConsensusMessage<Message> | undefined {
  const opened = openRelayed(bytes);
  return opened && decodeConsensusMessage(opened.payload, codec);
}

/** What the sender works with. */
export interface ConsensusSenderOptions<Message extends AnyMessage> {
  readonly groupId: GroupId;
  readonly network: Network;
  readonly codec: MessageCodec<Message>;
  readonly cache: ProposalCache;
  /** Connected members. */
  readonly members: () => readonly NodeId[];
  /** Sealers in force. */
  readonly sealers: () => readonly NodeId[];
  /** What is sent while the proposal that belongs to a message is not at hand, if anything. */
  readonly withoutProposal: (message: Message) => Message | undefined;
  /** Reaches sealers through others; absent where no node passes on. */
  readonly relay: RelayService | undefined;
}

/** One per running group. */
export class ConsensusSender<Message extends AnyMessage> {
  readonly #options: ConsensusSenderOptions<Message>;

  constructor(options: ConsensusSenderOptions<Message>) {
    this.#options = options;
  }

  /** Sends to connected members: sealers, observers, or both. */
  broadcast(message: Message, to: Audience): void {
    const { members, sealers, relay } = this.#options;
    const bytes = this.#encode(message);
    if (!bytes) return;
    const told = to === "observers" ? undefined : relay?.send(bytes);
    for (const peer of members()) {
      if (told?.has(peer)) continue;
      const isSealer = sealers().includes(peer);
      if (to === "members" || isSealer === (to === "sealers")) this.#sendBytes(peer, bytes);
    }
  }

  /** Sends to one peer. */
  send(message: Message, to: NodeId): void {
    const { relay } = this.#options;
    const bytes = this.#encode(message);
    if (!bytes) return;
    if (relay?.isDistant(to)) relay.send(bytes, true);
    else this.#sendBytes(to, bytes);
  }

  #encode(message: Message): Uint8Array | undefined {
    const { cache, codec, withoutProposal } = this.#options;
    const proposal = carriedProposal(message);
    const compact = proposal && cache.get(proposal);
    const sent = proposal && !compact ? withoutProposal(message) : message;
    return sent && encodeConsensusMessage({ message: sent, compact }, codec);
  }

  #sendBytes(to: NodeId, bytes: Uint8Array): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "consensus", bytes });
  }
}
