/** Packs the pool when consensus asks, fills headers, learns from time-outs. Source: pbft 4, 5 */
import type { ParentBlock } from "../options/group-options.ts";
import type { SealingActor, SealingAsk, SealingFacts } from "../../actors/sealing.machine.ts";
import { endActor, guarded } from "../../actors/supervise.ts";
import { type Hash, type NodeId, ZERO_HASH } from "../../bytes/ids.ts";
import {
  type BlockSize,
  type BlockSizeSettings,
  blockSizeAfterCommit,
  blockSizeAfterTimeout,
  ceilingAfterExecution,
  initialBlockSize,
  noteExecuted,
  noteOutlived,
  type SlowTransactions,
  sealLimit,
} from "../../consensus/sealing.ts";
import { Alarm } from "../../limits/alarm.ts";
import type { GroupConfig, GroupTuning } from "../../model/config.ts";
import type { Header } from "../../model/header.ts";
import { type RootRules, transactionsRoot } from "../../model/roots.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import type { Clock } from "../../ports/clock.ts";
import { giveLightTurn, markHeavy, pack, sendBack } from "../../txpool/packing.ts";
import { packableCount } from "../../txpool/pool.ts";
import type { TxPool } from "../../txpool/state.ts";
import { isFromFuture } from "../../consensus/block-time.ts";
import type { CachedProposal } from "./proposal-cache.ts";

/** What the builder is made with. */
export interface ProposalBuilderOptions {
  readonly self: NodeId;
  readonly rules: RootRules;
  readonly pool: TxPool;
  readonly tuning: GroupTuning;
  readonly clock: Clock;
  readonly actor: SealingActor;
  readonly config: () => GroupConfig;
  /** Sealers in force, ascending. */
  readonly sealers: () => readonly NodeId[];
  readonly parent: () => ParentBlock;
  /** What this node takes for the time when it judges a proposal. Source: decision 27 */
  readonly referenceTime: () => number;
  /** Whether enough clocks are known to say so. Source: decision 27 */
  readonly knowsClocks: () => boolean;
  /** The own clock is so far ahead that no node would vote for a block of now. */
  readonly onAhead: (aheadMs: number) => void;
  /** Takes a finished proposal. */
  readonly onSealed: (proposal: SealedProposal) => void;
  /** A proposal could not be built. */
  readonly onError: (cause: unknown) => void;
}

/** A proposal of this node. */
export interface SealedProposal {
  readonly view: number;
  readonly header: Header;
  readonly transactions: readonly SignedTransaction[];
}

const NO_BLOOM = new Uint8Array(256);
/** Statuses carry clocks every five seconds; nodes of old versions tell none. Source: sync 3, 6 */
const CLOCK_PATIENCE_MS = 15_000;
const CLOCK_LOOK_MS = 100;

/** One per running group. */
export class ProposalBuilder {
  readonly #options: ProposalBuilderOptions;
  readonly #slow: SlowTransactions = new Set();
  #size: BlockSize;
  /** Of how many transactions a proposal is, after an own one that would have kept too much. */
  #ceiling: number | undefined;
  /** The same for the next block only, after one of another leader. */
  #warned: number | undefined;
  /** May ring a little early: the machine then waits again, so it is always asked. */
  readonly #alarm: Alarm;
  /** Looks again whether enough clocks are known. */
  readonly #clockAlarm: Alarm;
  #lastPackable = 0;
  /** Since when, and in which view, too few clocks are known. */
  #unsure: { readonly view: number; readonly since: number } | undefined;

  constructor(options: ProposalBuilderOptions) {
    this.#options = options;
    this.#size = initialBlockSize(options.config().txCountLimit);
    const { actor, onError } = options;
    const decideAgain = () => this.#decideAgain(this.#facts());
    this.#alarm = new Alarm(options.clock, decideAgain);
    this.#clockAlarm = new Alarm(options.clock, decideAgain);
    actor.on("wake", ({ at }) => this.#alarm.set(at));
    actor.on(
      "build",
      guarded(({ ask, limit }) => this.#build(ask, limit), onError),
    );
  }

  /** Consensus wants a proposal. */
  ask(ask: SealingAsk): void {
    this.#options.actor.send({ type: "seal.asked", ask, facts: this.#facts() });
  }

  /** The pool or the time changed. */
  look(): void {
    const { actor } = this.#options;
    const { value, context } = actor.getSnapshot();
    if (value !== "collecting") return;
    // While the pause before a block that has something in it runs, only a full block ends it
    // early.
    const before = this.#lastPackable;
    const facts = this.#facts();
    const until = context.decision?.kind === "wait" ? (context.decision.untilMs ?? 0) : 0;
    const isPause = before > 0 && facts.now < until;
    if (isPause && facts.packable < facts.sealLimit) return;
    this.#decideAgain(facts);
  }

  #decideAgain(facts: SealingFacts): void {
    this.#options.actor.send({ type: "facts.changed", facts });
  }

  /** The round that was asked for is over; this many transactions were too slow for it. */
  onRoundLeft(slowCount?: number): void {
    this.#withdraw();
    if (slowCount) this.#size = blockSizeAfterTimeout(this.#size, slowCount);
  }

  /** A block is written. Commits in the first view teach how large blocks may be. */
  onWritten(entry: CachedProposal, view: number): void {
    this.#withdraw();
    noteExecuted(this.#slow, entry.hashes);
    this.#warned = undefined;
    if (view === 0)
      this.#size = blockSizeAfterCommit(this.#size, entry.hashes.length, this.#sizeSettings());
  }

  /** A view ended while this proposal was executing. Source: pbft 16.3.8 */
  onOutlived(entry: CachedProposal, running: Hash | undefined): void {
    const { pool } = this.#options;
    markHeavy(pool, noteOutlived(this.#slow, { hashes: entry.hashes, running }));
    // One that the executor names among others is packed alone at once: to be wrong costs one lone
    // block, to wait for a second time-out costs a view.
    if (running !== undefined && entry.hashes.length > 1) markHeavy(pool, [running]);
  }

  /**
   * A transaction of a proposal runs too long. If its view is lost, those before it are packed
   * without it; if there is none, unknown ones behind it come first. Source: decision 33
   */
  onHeavy({ hashes }: CachedProposal, running: Hash): void {
    const { pool } = this.#options;
    markHeavy(pool, [running]);
    const count = hashes.indexOf(running);
    if (hashes.length === 1 || count < 0) return;
    if (count === 0) return sendBack(pool, hashes);
    this.#warned = count;
    giveLightTurn(pool);
  }

  /**
   * A proposal would have kept too much once it came to `running`: those before it fit, and it is
   * packed alone. What another leader proposed counts for the next block only, or a lying one could
   * make the blocks of all small.
   */
  onTooHeavy(entry: CachedProposal, running: Hash | undefined): void {
    const count = running === undefined ? -1 : entry.hashes.indexOf(running);
    if (running === undefined || count < 0) return;
    markHeavy(this.#options.pool, [running]);
    if (count === 0) return;
    if (this.#isOwn(entry)) this.#ceiling = count;
    else this.#warned = count;
  }

  /** A proposal was executed; it keeps this much of what one may keep. */
  onExecuted(entry: CachedProposal, share: number): void {
    if (!this.#isOwn(entry)) return;
    this.#ceiling = ceilingAfterExecution(this.#ceiling, entry.hashes.length, share);
  }

  /** Nothing more is built. */
  close(): void {
    this.#alarm.set(undefined);
    this.#clockAlarm.set(undefined);
    this.#withdraw();
    endActor(this.#options.actor);
  }

  /** The block that was under way when the builder was closed may still be written. */
  #withdraw(): void {
    const { actor } = this.#options;
    if (actor.getSnapshot().status === "active") actor.send({ type: "seal.withdrawn" });
  }

  #sizeSettings(): BlockSizeSettings {
    const { tuning, config } = this.#options;
    return {
      dynamic: tuning.dynamicBlockSize,
      increaseRatio: tuning.blockSizeIncreaseRatio,
      txCountLimit: config().txCountLimit,
    };
  }

  #limit(): number {
    const limit = sealLimit(this.#size, this.#sizeSettings());
    return Math.min(limit, this.#ceiling ?? limit, this.#warned ?? limit);
  }

  #isOwn({ header }: CachedProposal): boolean {
    const { self, sealers } = this.#options;
    return sealers()[header.sealer] === self;
  }

  #facts(): SealingFacts {
    const { clock, pool, tuning } = this.#options;
    this.#lastPackable = packableCount(pool);
    return {
      now: clock.steady(),
      packable: this.#lastPackable,
      sealLimit: this.#limit(),
      minBlockMs: tuning.minBlockGenerationTimeMs,
    };
  }

  #build(ask: SealingAsk, limit: number): void {
    const { pool, clock, parent, onSealed } = this.#options;
    const { number } = parent();
    if (number + 1 !== ask.height) return;
    if (ask.neverEmpty && !this.#knowsTime(ask)) {
      this.#clockAlarm.set(clock.steady() + CLOCK_LOOK_MS);
      return this.#askAgain(ask);
    }
    // A node that knows that no node would vote for its block lets its turn pass.
    const isPassed = !ask.neverEmpty && this.#isFromFuture();
    const most = isPassed ? 0 : limit;
    const packed = pack(pool, { limit: most, head: number, now: clock.steady() });
    // Nothing was packable after all, and an empty proposal is not due: ask again when it is.
    const mayBeEmpty = !ask.neverEmpty && clock.steady() >= ask.emptyFrom;
    if (packed.transactions.length === 0 && !mayBeEmpty) {
      this.#alarm.set(Math.min(ask.emptyFrom, packed.arrivesAt ?? ask.emptyFrom));
      return this.#askAgain(ask);
    }
    const { transactions } = packed;
    onSealed({ view: ask.view, header: this.#header(transactions), transactions });
  }

  /** As if nothing were packable, until the builder looks again. */
  #askAgain(ask: SealingAsk): void {
    const facts = { ...this.#facts(), packable: 0 };
    this.#options.actor.send({ type: "seal.asked", ask, facts });
  }

  /** An entry of Raft stays with its leader, whatever the clocks say that are learned of later. */
  #knowsTime({ view }: SealingAsk): boolean {
    const { clock, knowsClocks } = this.#options;
    if (knowsClocks()) return true;
    const now = clock.steady();
    if (this.#unsure?.view !== view) this.#unsure = { view, since: now };
    return now >= this.#unsure.since + CLOCK_PATIENCE_MS;
  }

  /** Whether a block of now would be too far ahead. Source: decision 27 */
  #isFromFuture(): boolean {
    const { parent, tuning, onAhead } = this.#options;
    const { maxFutureMs } = tuning;
    const time = { timestamp: Number(this.#timestamp()), reference: this.#options.referenceTime() };
    const isAhead = isFromFuture(time, { maxFutureMs, parent: Number(parent().timestamp) });
    if (isAhead) onAhead(time.timestamp - time.reference);
    return isAhead;
  }

  #timestamp(): bigint {
    const { clock, parent } = this.#options;
    const now = BigInt(Math.floor(clock.now()));
    const { timestamp } = parent();
    return now > timestamp ? now : timestamp + 1n;
  }

  #header(transactions: readonly SignedTransaction[]): Header {
    const { self, sealers, parent, rules } = this.#options;
    const { number, hash } = parent();
    const sealerList = sealers();
    return {
      parentHash: hash,
      stateRoot: ZERO_HASH,
      transactionsRoot: transactionsRoot(transactions, rules),
      receiptsRoot: ZERO_HASH,
      dbHash: ZERO_HASH,
      logsBloom: NO_BLOOM,
      number: number + 1,
      gasLimit: 0n,
      gasUsed: 0n,
      timestamp: this.#timestamp(),
      extraData: [],
      sealer: sealerList.indexOf(self),
      sealerList,
    };
  }
}
