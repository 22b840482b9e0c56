/**
 * What arrives for consensus: decoded, examined for whether it is of any use, its signatures
 * verified in one batch, handed on in the order of arrival per peer. Source: pbft 6, 16.1
 */
import { nodeIdOf } from "../../bytes/hex.ts";
import type { NodeId } from "../../bytes/ids.ts";
import type { PbftCodec } from "../../consensus/pbft/codec.ts";
import { type Claim, claimsOf, type Message, withSigners } from "../../consensus/pbft/message.ts";
import type { Compute } from "../../ports/compute.ts";
import { openRelayed } from "../../network/relay/header.ts";
import {
  type ArrivedMessage,
  type ConsensusMessage,
  decodeConsensusMessage,
} from "./consensus-wire.ts";
import type { Copy, CopyOrigin, NamedCopy, RelayService } from "./relay-service.ts";

/** Messages of one peer that wait for verification; more are dropped and counted. */
export const INBOX_LIMIT = 2_048;
/** Their bytes; room for a few of the largest messages. */
export const INBOX_BYTES_LIMIT = 32 * 1024 * 1024;
/**
 * Signatures of one peer that are examined side by side; a single message may have more. The rest
 * waits: the messages of others must not wait behind those of a Byzantine node.
 */
export const VERIFIED_AT_A_TIME = 64;
/** Sealers that the list may have gained in blocks that this node has not written yet. */
const MORE_SEALERS = 8;

/** A verified message, with its compact proposal if it is a prepare. */
export type VerifiedMessage = ArrivedMessage<Message>;

/** What the inbox knows of passing on. Source: pbft 11 */
export interface RelayEnd extends Pick<RelayService, "look"> {
  /** Who says that it speaks; a node that sent it where no node does. */
  readonly speakerOf: (from: NodeId, message: Message) => NodeId;
  /** A copy that was to be verified is; undefined: it is no node's. */
  readonly verified: (copy: NamedCopy, from: NodeId, message: Message | undefined) => void;
}

/** What the inbox works with. */
export interface InboxOptions {
  readonly codec: PbftCodec;
  readonly compute: Compute;
  /** Length of the sealer list in force. */
  readonly sealerCount: () => number;
  /** Whether an unverified message is worth its signatures; asked once, when they are due. */
  readonly isOfUse: (origin: CopyOrigin, decoded: ConsensusMessage<Message>) => boolean;
  readonly relay: RelayEnd;
  readonly onMessage: (verified: VerifiedMessage) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** A message that waits for its signatures to be examined. */
interface Waiting {
  readonly decoded: ConsensusMessage<Message>;
  readonly claims: readonly Claim[];
  readonly bytes: number;
  /** Where it came with a header. */
  readonly copy: Copy | undefined;
}

/** What has been examined and is worth its signatures. */
interface Wanted extends Waiting {
  readonly origin: CopyOrigin;
  readonly named: NamedCopy | undefined;
  readonly isOfUse: boolean;
}

/** What waits of one peer, and what is being verified; there is none for a peer without either. */
interface Line {
  readonly from: NodeId;
  readonly waiting: Waiting[];
  /** Signatures that are being examined. */
  claims: number;
  tail: Promise<void>;
  length: number;
  bytes: number;
}

/** One line of messages per peer. */
export class ConsensusInbox {
  readonly #options: InboxOptions;
  readonly #lines = new Map<NodeId, Line>();
  #dropped = 0;
  #useless = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Messages dropped at a full line. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Irrelevant messages, dropped unverified. */
  get useless(): number {
    return this.#useless;
  }

  /** Takes the bytes of a message. */
  receive(from: NodeId, bytes: Uint8Array): void {
    const { codec, onRejected } = this.#options;
    const line = this.#lines.get(from) ?? newLine(from);
    if (line.length >= INBOX_LIMIT || line.bytes + bytes.length > INBOX_BYTES_LIMIT) {
      this.#dropped++;
      return;
    }
    const opened = openRelayed(bytes);
    const decoded = opened && decodeConsensusMessage(opened.payload, codec);
    if (!decoded) return onRejected(from, "consensus: malformed");
    const claims = claimsOf(decoded.message);
    if (claims.length > this.#mostClaims()) return onRejected(from, "consensus: too many claims");
    this.#lines.set(from, line);
    line.length++;
    line.bytes += bytes.length;
    const { header, payload } = opened;
    const copy = header && { header, payload };
    line.waiting.push({ decoded, claims, bytes: bytes.length, copy });
    this.#proceed(line);
  }

  /**
   * Has the next messages of a peer verified, as many as may be at a time. What is stale by now
   * is dropped: an old message costs as many signatures as a new one.
   */
  #proceed(line: Line): void {
    for (let next = line.waiting[0]; next; next = line.waiting[0]) {
      if (line.claims > 0 && line.claims + next.claims.length > VERIFIED_AT_A_TIME) return;
      line.waiting.shift();
      const wanted = this.#look(line.from, next);
      if (wanted) {
        this.#begin(line, wanted);
      } else {
        this.#useless++;
        this.#leave(line, next.bytes);
      }
    }
  }

  /** What is relevant here, or to somebody who learns of it only from here. */
  #look(from: NodeId, waiting: Waiting): Wanted | undefined {
    const { isOfUse, relay } = this.#options;
    const { copy, decoded } = waiting;
    const speaker = copy ? relay.speakerOf(from, decoded.message) : from;
    const origin = { from, speaker };
    const looked = copy ? relay.look(copy, origin) : "plain";
    if (looked === "known") return undefined;
    const named = looked === "plain" ? undefined : looked;
    const wanted = { ...waiting, origin, named, isOfUse: isOfUse(origin, decoded) };
    return wanted.isOfUse || named ? wanted : undefined;
  }

  #begin(line: Line, wanted: Wanted): void {
    const { onError } = this.#options;
    const { decoded, claims, bytes } = wanted;
    line.claims += claims.length;
    const verified = this.#verify(decoded.message, claims).finally(() => {
      line.claims -= claims.length;
      this.#proceed(line);
    });
    // Examined in its turn, which may come after it has failed.
    verified.catch(() => undefined);
    line.tail = line.tail
      .then(() => verified)
      .then((message) => this.#onVerified(wanted, message))
      .catch(onError)
      .finally(() => this.#leave(line, bytes));
  }

  #onVerified(wanted: Wanted, message: Message | undefined): void {
    const { decoded, origin, named, isOfUse } = wanted;
    const { onMessage, onRejected, relay } = this.#options;
    const { from } = origin;
    if (named) relay.verified(named, from, message);
    if (!message) return onRejected(from, "consensus: invalid signature");
    if (!isOfUse) return;
    const author = message.type === "viewCertificate" ? from : message.signer;
    const isPassed = author !== from && (origin.speaker !== from || mayBePassedOn(wanted));
    const passed = isPassed ? { from: author, via: from } : { from };
    onMessage({ ...passed, message, compact: decoded.compact });
  }

  /** A message of a line is done with; the line ends with its last one. */
  #leave(line: Line, bytes: number): void {
    line.length--;
    line.bytes -= bytes;
    if (line.length === 0) this.#lines.delete(line.from);
  }

  /**
   * Signatures in a message of an honest peer at most: its own and a seal, a view change of each
   * sealer, one certificate. A Byzantine node could otherwise keep all cores busy with a single
   * message. Source: pbft 16.1
   */
  #mostClaims(): number {
    return 2 + 2 * (this.#options.sealerCount() + MORE_SEALERS);
  }

  /**
   * Forgets what waits of a peer once it is gone. What runs goes on, and counts as long as it does:
   * coming back is no way to have more examined.
   */
  forget(peer: NodeId): void {
    const line = this.#lines.get(peer);
    if (line) for (const { bytes } of line.waiting.splice(0)) this.#leave(line, bytes);
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

/**
 * Whether the node that sent it may have it of another, of which only the signature tells: a sealer
 * that keeps quiet has no index in its status.
 */
function mayBePassedOn({ copy, named, decoded }: Wanted): boolean {
  return named !== undefined || (copy !== undefined && decoded.message.type === "status");
}

function newLine(from: NodeId): Line {
  return { from, waiting: [], claims: 0, tail: Promise.resolve(), length: 0, bytes: 0 };
}
