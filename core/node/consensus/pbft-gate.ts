/**
 * Which messages of PBFT are worth the signatures in them; asked before anything is verified.
 * Source: pbft 6, 16.1
 */
import type { NodeId } from "../../bytes/ids.ts";
import type { Effect, IgnoreReason } from "../../consensus/pbft/effect.ts";
import type { Message } from "../../consensus/pbft/message.ts";
import { relevanceOf } from "../../consensus/pbft/relevance.ts";
import type { PbftState } from "../../consensus/pbft/state.ts";
import { RateLimiter } from "../../limits/rate-limiter.ts";
import { headerHash } from "../../model/header.ts";
import type { ConsensusMessage } from "./consensus-wire.ts";
import type { ConsensusOptions } from "./protocol.ts";
import type { CopyOrigin } from "./relay-service.ts";

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
  readonly #with: ConsensusOptions;
  readonly #pbft: PbftState;
  readonly #statuses: RateLimiter<string>;
  readonly #evidence: RateLimiter<string>;
  /** Until when a peer is doubted; of members only, so there are not many. */
  readonly #doubted = new Map<NodeId, number>();

  constructor(options: ConsensusOptions, pbft: PbftState) {
    const { clock } = options.ports;
    this.#with = options;
    this.#pbft = pbft;
    this.#statuses = new RateLimiter(clock, STATUSES_A_SECOND);
    this.#evidence = new RateLimiter(clock, EVIDENCE_A_SECOND);
  }

  /** `behind`: its sender is helped without the message being verified. */
  judge(origin: CopyOrigin, decoded: ConsensusMessage<Message>): "verify" | "drop" | "behind" {
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
      this.#with.group.reject(from, "consensus: the compact form of another proposal");
      return "drop";
    }
    if (use === "counts" && !this.#isDoubted(from) && !this.#isTooLong(decoded)) return "verify";
    if (use === "compact" && this.#isInList(message)) return "drop";
    return this.#evidence.allows(both) ? "verify" : "drop";
  }

  /** The next messages of this peer may be no better: for a second few of them are examined. */
  doubt(peer: NodeId): void {
    this.#doubted.set(peer, this.#with.ports.clock.steady() + DOUBT_MS);
  }

  /** At once: the reports themselves wait behind what is written before them. */
  doubtBlamed(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type !== "report" || effect.report.event !== "ignored") continue;
      const { reason, from } = effect.report;
      if (UNLIKE_HONEST.has(reason)) this.doubt(from);
    }
  }

  /**
   * Honest nodes send a prepare with its own compact proposal; its signature does not cover that.
   */
  #isTornApart({ message, compact }: ConsensusMessage<Message>): boolean {
    if (message.type !== "prepare" || !compact) return false;
    const { header } = compact;
    if (header.number !== message.height) return true;
    return headerHash(header, this.#with.options.suite) !== message.proposal;
  }

  /** It is not taken, and so leaves no trace; the limit of the next height may be another one. */
  #isTooLong({ compact }: ConsensusMessage<Message>): boolean {
    return compact !== undefined && compact.hashes.length > this.#with.group.config().txCountLimit;
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
