/**
 * What arrives for consensus: decoded, its signatures verified in one batch, handed on in the order
 * of arrival per peer.
 * Source: pbft 6, 16.1
 */
import { idBytes, nodeIdOf } from "../bytes/hex.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { PbftCodec } from "../consensus/pbft/codec.ts";
import { type Claim, claimsOf, type Message, withSigners } from "../consensus/pbft/message.ts";
import type { Header, Seal } from "../model/header.ts";
import type { Compute } from "../ports/compute.ts";
import { type ArrivedMessage, decodeConsensusMessage } from "./consensus-wire.ts";

/** Messages of one peer that wait for verification; more are dropped and counted. */
export const INBOX_LIMIT = 2_048;
/** Their bytes; room for a few of the largest messages. */
export const INBOX_BYTES_LIMIT = 32 * 1024 * 1024;
/** Sealers that the list may have gained in blocks that this node has not written yet. */
const MORE_SEALERS = 8;

/** A verified message, with the outline of its proposal if it is a prepare. */
export type VerifiedMessage = ArrivedMessage<Message>;

/** What the inbox works with. */
export interface InboxOptions {
  readonly codec: PbftCodec;
  readonly compute: Compute;
  /** Length of the sealer list in force. */
  readonly sealerCount: () => number;
  readonly onMessage: (verified: VerifiedMessage) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** What waits of one peer. */
interface Line {
  tail: Promise<void>;
  length: number;
  bytes: number;
}

/** One line of messages per peer. */
export class ConsensusInbox {
  readonly #options: InboxOptions;
  readonly #lines = new Map<NodeId, Line>();
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
    const line = this.#lines.get(from) ?? { tail: Promise.resolve(), length: 0, bytes: 0 };
    this.#lines.set(from, line);
    if (line.length >= INBOX_LIMIT || line.bytes + bytes.length > INBOX_BYTES_LIMIT) {
      this.#dropped++;
      return;
    }
    const decoded = decodeConsensusMessage(bytes, codec);
    if (!decoded) return onRejected(from, "consensus: malformed");
    const claims = claimsOf(decoded.message);
    if (claims.length > this.#mostClaims()) return onRejected(from, "consensus: too many claims");
    line.length++;
    line.bytes += bytes.length;
    const verified = this.#verify(decoded.message, claims);
    // Looked at in its turn, which may come after it has failed.
    verified.catch(() => undefined);
    line.tail = line.tail
      .then(() => verified)
      .finally(() => {
        line.length--;
        line.bytes -= bytes.length;
      })
      .then((message) => {
        if (message) this.#options.onMessage({ from, message, outline: decoded.outline });
        else onRejected(from, "consensus: invalid signature");
      })
      .catch(onError);
  }

  /**
   * Signatures in a message of an honest peer at most: its own and a seal, a view change of each
   * sealer, one certificate. A liar could otherwise keep all cores busy with a single message.
   * Source: pbft 16.1
   */
  #mostClaims(): number {
    return 2 + 2 * (this.#options.sealerCount() + MORE_SEALERS);
  }

  /** Forgets a peer's line once it is gone. */
  forget(peer: NodeId): void {
    this.#lines.delete(peer);
  }

  async #verify(message: Message, claims: readonly Claim[]): Promise<Message | undefined> {
    const { codec, compute } = this.#options;
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
