/**
 * Where messages of PBFT come in: which are worth the signatures in them, asked before anything is
 * verified, and what of them is passed on. Source: pbft 6, 11, 16.1
 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { PbftCodec } from "../../consensus/pbft/codec.ts";
import type { Effect, IgnoreReason, PbftTypes } from "../../consensus/pbft/effect.ts";
import type { Message } from "../../consensus/pbft/message.ts";
import { lockedIn, mayPassOn } from "../../consensus/pbft/passable.ts";
import { relevanceOf } from "../../consensus/pbft/relevance.ts";
import type { PbftState } from "../../consensus/pbft/state.ts";
import { RateLimiter } from "../../limits/rate-limiter.ts";
import { headerHash } from "../../model/header.ts";
import { ConsensusInbox, type RelayEnd } from "./consensus-inbox.ts";
import type { ConsensusMessage } from "./consensus-wire.ts";
import type { ConsensusOptions, ShellEnd } from "./protocol.ts";
import { type CopyOrigin, RelayService } from "./relay-service.ts";

/**
 * Statuses of one peer that are verified in a second: one is due, a few are answers, and observers
 * are notified of blocks. Source: pbft 16.1
 */
export const STATUSES_A_SECOND = 20;
/** Messages of one peer in a second that may be irrelevant and are verified all the same. */
export const EVIDENCE_A_SECOND = 10;
/** So long after something that no honest node sends all messages of its sender are such. */
const DOUBT_MS = 1_000;

/** What no honest node sends, or passes on. */
export const UNLIKE_HONEST: ReadonlySet<IgnoreReason> = new Set([
  "badJustification",
  "badLock",
  "otherSigner",
]);

/** One per running PBFT group. */
export class PbftGate {
  readonly relay: RelayService;
  /** The last proposal that a message showed locked that was passed on. */
  passedLock: Hash | undefined;
  readonly #with: ConsensusOptions;
  readonly #pbft: PbftState;
  readonly #statuses: RateLimiter<string>;
  readonly #evidence: RateLimiter<string>;
  /** Until when a peer is doubted; of members only, so there are not many. */
  readonly #doubted = new Map<NodeId, number>();

  constructor(options: ConsensusOptions, pbft: PbftState) {
    const { clock, network } = options.ports;
    const { groupId, self, suite, tuning } = options.options;
    const { hash } = suite;
    this.relay = new RelayService({ groupId, self, network, clock, hash, tuning: tuning.relay });
    this.#with = options;
    this.#pbft = pbft;
    this.#statuses = new RateLimiter(clock, STATUSES_A_SECOND);
    this.#evidence = new RateLimiter(clock, EVIDENCE_A_SECOND);
  }

  /** The inbox of the group: what is irrelevant stays outside, what helps others goes on. */
  inbox(codec: PbftCodec, end: ShellEnd<PbftTypes>): ConsensusInbox {
    const { ports, group } = this.#with;
    return new ConsensusInbox({
      codec,
      compute: ports.compute,
      sealerCount: () => this.#pbft.config.sealers.length,
      relay: this.#relayEnd(),
      isOfUse: (origin, decoded) => {
        if (end.isStopped()) return false;
        const verdict = this.#judge(origin, decoded);
        if (verdict === "behind") end.input({ type: "stale", from: origin.from });
        return verdict === "verify";
      },
      onMessage: (verified) => end.onMessage(verified),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => group.fail(cause),
    });
  }

  /** A member has sent what no honest one sends. */
  reject(from: NodeId, reason: string): void {
    this.#doubt(from);
    this.#with.group.peers.reject(from, reason);
  }

  /** What the inbox knows of passing on. A justification is no node's: it proves itself to each. */
  #relayEnd(): RelayEnd {
    const pbft = this.#pbft;
    return {
      look: (copy, origin) => this.relay.look(copy, origin),
      speakerOf: (from, message) => {
        if (message.type === "viewCertificate") return from;
        return pbft.config.sealers[message.index] ?? from;
      },
      verified: (copy, from, message) => {
        const isPassed = message !== undefined && mayPassOn(pbft, message);
        const author = message?.type === "viewCertificate" ? from : message?.signer;
        this.relay.verified(copy, isPassed ? author : undefined);
        if (isPassed) this.passedLock = lockedIn(message) ?? this.passedLock;
      },
    };
  }

  /** `behind`: its sender is helped without the message being verified. */
  #judge(origin: CopyOrigin, decoded: ConsensusMessage<Message>): "verify" | "drop" | "behind" {
    const { from, speaker } = origin;
    const { message } = decoded;
    const both = `${from}${speaker}`;
    if (message.type === "status") return this.#statuses.allows(both) ? "verify" : "drop";
    const use = relevanceOf(this.#pbft, message, speaker);
    // A node that passed it on is not behind, and it is not proven who is.
    if (use === "behind" && from !== speaker) return "drop";
    if (use === "behind") return use;
    if (use === "none") return "drop";
    if (this.#isTornApart(decoded)) {
      this.#with.group.peers.reject(from, "consensus: the compact form of another proposal");
      return "drop";
    }
    if (use === "counts" && !this.#isDoubted(from) && !this.#isTooLong(decoded)) return "verify";
    if (use === "compact" && this.#isInList(message)) return "drop";
    return this.#evidence.allows(both) ? "verify" : "drop";
  }

  /** The next messages of this peer may be no better: for a second few of them are examined. */
  #doubt(peer: NodeId): void {
    this.#doubted.set(peer, this.#with.ports.clock.steady() + DOUBT_MS);
  }

  /** At once: the reports themselves wait behind what is written before them. */
  doubtBlamed(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type !== "report" || effect.report.event !== "ignored") continue;
      const { reason, from } = effect.report;
      if (UNLIKE_HONEST.has(reason)) this.#doubt(from);
    }
  }

  /** Honest nodes send a prepare with its own compact proposal; no signature covers that. */
  #isTornApart({ message, compact }: ConsensusMessage<Message>): boolean {
    if (message.type !== "prepare" || !compact) return false;
    const { header } = compact;
    if (header.number !== message.height) return true;
    return headerHash(header, this.#with.options.suite) !== message.proposal;
  }

  /** It is not taken, and so leaves no trace; the limit of the next height may be another one. */
  #isTooLong({ compact }: ConsensusMessage<Message>): boolean {
    return (
      compact !== undefined && compact.hashes.length > this.#with.group.chain.config().txCountLimit
    );
  }

  #isDoubted(peer: NodeId): boolean {
    const until = this.#doubted.get(peer);
    if (until === undefined) return false;
    if (this.#with.ports.clock.steady() < until) return true;
    this.#doubted.delete(peer);
    return false;
  }

  #isInList(message: Message): boolean {
    return (
      message.type === "prepare" && this.#with.proposals.cache.get(message.proposal) !== undefined
    );
  }
}
