/**
 * What arrives for consensus: decoded, its signatures verified in one batch, handed on in the order
 * of arrival per peer.
 * Source: pbft 6, 16.1
 */
import { idBytes, nodeIdOf } from "../bytes/hex.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { PbftCodec } from "../consensus/pbft/codec.ts";
import { claimsOf, type Message, withSigners } from "../consensus/pbft/message.ts";
import type { Header, Seal } from "../model/header.ts";
import type { Compute } from "../ports/compute.ts";
import type { ProposalOutline } from "../sync/block-exchange.ts";
import { decodeConsensusMessage } from "./consensus-wire.ts";

/** Messages of one peer that wait for verification; more are dropped and counted. */
export const INBOX_LIMIT = 2_048;

/** A verified message, with the outline of its proposal if it is a prepare. */
export interface VerifiedMessage {
  readonly from: NodeId;
  readonly message: Message;
  readonly outline: ProposalOutline | undefined;
}

/** What the inbox works with. */
export interface InboxOptions {
  readonly codec: PbftCodec;
  readonly compute: Compute;
  readonly onMessage: (verified: VerifiedMessage) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** One line of messages per peer. */
export class ConsensusInbox {
  readonly #options: InboxOptions;
  readonly #lines = new Map<NodeId, { tail: Promise<void>; length: number }>();
  #dropped = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Messages dropped at a full line. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes the bytes of a message. */
  receive(from: NodeId, bytes: Uint8Array): void {
    const { codec, onRejected, onError } = this.#options;
    const decoded = decodeConsensusMessage(bytes, codec);
    if (!decoded) return onRejected(from, "consensus: malformed");
    const line = this.#lines.get(from) ?? { tail: Promise.resolve(), length: 0 };
    this.#lines.set(from, line);
    if (line.length >= INBOX_LIMIT) {
      this.#dropped++;
      return;
    }
    line.length++;
    const verified = this.#verify(decoded.message);
    line.tail = line.tail
      .then(() => verified)
      .then((message) => {
        line.length--;
        if (message) this.#options.onMessage({ from, message, outline: decoded.outline });
        else onRejected(from, "consensus: invalid signature");
      })
      .catch(onError);
  }

  /** Forgets a peer's line once it is gone. */
  forget(peer: NodeId): void {
    this.#lines.delete(peer);
  }

  async #verify(message: Message): Promise<Message | undefined> {
    const { codec, compute } = this.#options;
    const claims = claimsOf(message);
    if (claims.length === 0) return message;
    const keys = await compute.recover(
      claims.map(({ content, signature }) => ({ digest: codec.digestOf(content), signature })),
      { urgent: true },
    );
    return withSigners(
      message,
      keys.map((key) => key && nodeIdOf(key)),
    );
  }
}

/** Who made each seal of a block, in order. */
export async function recoverSeals(
  seals: readonly Seal[],
  executed: Hash,
  compute: Compute,
): Promise<{ index: number; signer: NodeId | undefined; signature: Uint8Array }[]> {
  const digest = idBytes(executed);
  const keys = await compute.recover(seals.map(({ signature }) => ({ digest, signature })));
  return seals.map(({ index, signature }, i) => {
    const key = keys[i];
    return { index, signer: key && nodeIdOf(key), signature };
  });
}

/** Facts of a header that the protocol needs. */
export function proposalFacts(proposal: Hash, header: Header, txCount: number) {
  const { number, parentHash, sealer, sealerList } = header;
  return { hash: proposal, number, parentHash, sealer, sealers: sealerList, txCount };
}
