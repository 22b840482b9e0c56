/**
 * The shell around the PBFT core: performs what the core asks for, in order, and feeds it what
 * comes of that.
 * Source: pbft 16; guide actors 2
 */
import { createEffectRunner, type EffectRunner } from "../actors/effects.ts";
import { logSealed, logViewChange, logWritten } from "../actors/journal.ts";
import type { SealingAsk } from "../actors/sealing.machine.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { PbftCodec } from "../consensus/pbft/codec.ts";
import type { Effect, ExecutionToken, ReportEvent } from "../consensus/pbft/effect.ts";
import type { Input, PbftConfig } from "../consensus/pbft/input.ts";
import type { Message } from "../consensus/pbft/message.ts";
import { InvariantFault, unreachable } from "../fault/invariant.ts";
import type { Clock } from "../ports/clock.ts";
import type { ExecuteRefusal, Executor } from "../ports/executor.ts";
import type { Log } from "../ports/log.ts";
import type { ProposalDefect } from "../txpool/proposal-check.ts";
import type { ProposalOutline } from "../sync/block-exchange.ts";
import { proposalFacts, type VerifiedMessage } from "./consensus-inbox.ts";
import {
  type BookEntry,
  executeRequestOf,
  isTooLarge,
  type ProposalBook,
} from "./proposal-book.ts";

/**
 * A cancelled execution comes back within this time where the executor can be interrupted; the
 * leader of the next view waits that long to hear which transaction is to be packed alone.
 */
const OUTCOME_PATIENCE_MS = 1_000;

/** An input without its time: the host adds it. */
export type Untimed<Of = Input> = Of extends unknown ? Omit<Of, "now"> : never;

/** What the rest of the node does for consensus. */
export interface ConsensusSurroundings {
  /** Gives the core an input. */
  input(input: Input): void;
  /** Writes the consensus record, with the body of R where asked; durable when resolved. */
  persist(
    record: Extract<Effect, { type: "persist" }>["record"],
    body: BookEntry | undefined,
  ): Promise<void>;
  /** Sends to connected members: sealers, observers, or both. */
  broadcast(message: Message, to: Extract<Effect, { type: "broadcast" }>["to"]): void;
  send(message: Message, to: NodeId): void;
  /** Whether the outline of a verified prepare may matter: the rest is not worth its memory. */
  wantsOutline(message: Message, outline: ProposalOutline): boolean;
  requestBody(proposal: Hash, to: NodeId): void;
  /** The executor works on this block; 0: on none. */
  executing(number: number): void;
  /** Fills an entry from the pool or the store. */
  assemble(proposal: Hash): Promise<BookEntry | undefined>;
  /** Why a proposal that is not decided yet gets no vote of this node. */
  defectOf(entry: BookEntry): ProposalDefect | undefined;
  propose(ask: SealingAsk): void;
  /** A block is on disk: refreshes ledger and pool; gives the configuration of the next height. */
  afterWrite(entry: BookEntry, executed: Hash): Promise<PbftConfig>;
  /** The core stands on the block. */
  written(number: number, hash: Hash): void;
  /** A view ended while this proposal was executing; `running` was being executed then. */
  outlived(entry: BookEntry, running: Hash | undefined): void;
  report(report: ReportEvent): void;
  reject(peer: NodeId, reason: string): void;
  fail(cause: unknown): void;
}

/** What the host works with. */
export interface ConsensusHostOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly executor: Executor;
  readonly book: ProposalBook;
  readonly codec: PbftCodec;
  readonly surroundings: ConsensusSurroundings;
}

/** Performs effects. One per running group. */
export class ConsensusHost {
  readonly #options: ConsensusHostOptions;
  readonly #runner: EffectRunner<Effect>;
  #cancelAlarm: () => void = () => {};
  /** Proposals whose execution outlived their view and has not come back yet. */
  readonly #outlived = new Set<Hash>();
  /** Proposals that the executor is at. */
  readonly #executing = new Set<Hash>();
  /** Consensus wants a proposal; what is to be packed alone is not known yet. */
  #waitingAsk: SealingAsk | undefined;
  #stopped = false;

  constructor(options: ConsensusHostOptions) {
    this.#options = options;
    this.#runner = createEffectRunner(
      (effect) => this.#perform(effect),
      (cause) => options.surroundings.fail(cause),
    );
  }

  /** Gives the core an input with the time of now. */
  input(input: Untimed): void {
    if (this.#stopped) return;
    const { surroundings, clock } = this.#options;
    surroundings.input({ ...input, now: clock.steady() } as Input);
  }

  /** Performs what a step asked for. */
  take(effects: readonly Effect[]): void {
    this.#runner.push(effects);
  }

  /** A verified message from a peer. */
  onMessage({ from, message, outline }: VerifiedMessage): void {
    const { book, surroundings } = this.#options;
    if (!outline || !surroundings.wantsOutline(message, outline))
      return this.input({ type: "message", from, message });
    const entry = book.add(outline, () => undefined);
    if (!entry) return surroundings.reject(from, "prepare: no honest leader proposes this");
    const proposal = proposalFacts(entry.proposal, outline.header, outline.hashes.length);
    this.input({ type: "message", from, message, proposal });
  }

  /** An entry has become complete. */
  onComplete(entry: BookEntry): void {
    const { proposal, hashes } = entry;
    this.input({ type: "assembled", proposal, complete: true, txCount: hashes.length });
  }

  /** Performs nothing further; resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelAlarm();
    this.#options.executor.cancel();
    await this.#runner.stop();
  }

  #perform(effect: Effect): Promise<void> | undefined {
    const { surroundings, book, executor } = this.#options;
    switch (effect.type) {
      case "persist":
        return surroundings.persist(effect.record, effect.body ? book.get(effect.body) : undefined);
      case "broadcast":
        return void surroundings.broadcast(effect.message, effect.to);
      case "send":
        return void surroundings.send(effect.message, effect.to);
      case "assemble":
        return void this.#assemble(effect.proposal);
      case "requestBody":
        return void surroundings.requestBody(effect.proposal, effect.to);
      case "requestBlock":
        // Block sync asks for it: it has heard of the same height.
        return undefined;
      case "execute":
        return void this.#execute(effect.token);
      case "cancelExecution":
        return void executor.cancel();
      case "write":
        return this.#write(effect);
      case "propose":
        return void this.#propose(effect);
      case "deadline":
        return void this.#setAlarm(effect.at);
      case "report":
        return void this.#report(effect.report);
      case "stopGroup":
        throw new InvariantFault(stopReason(effect));
      default:
        return unreachable(effect);
    }
  }

  #setAlarm(at: number | undefined): void {
    this.#cancelAlarm();
    this.#cancelAlarm = () => {};
    if (at === undefined || this.#stopped) return;
    const { clock } = this.#options;
    const delay = Math.max(0, Math.ceil(at - clock.steady()));
    this.#cancelAlarm = clock.after(delay, () => this.input({ type: "tick" }));
  }

  #propose(ask: SealingAsk): void {
    const { surroundings, clock } = this.#options;
    if (this.#outlived.size === 0) return surroundings.propose(ask);
    this.#waitingAsk = ask;
    clock.after(OUTCOME_PATIENCE_MS, () => this.#askNow(ask));
  }

  /** Passes on the ask that waits; nothing when it was withdrawn. */
  #askNow(ask: SealingAsk | undefined): void {
    if (!ask || ask !== this.#waitingAsk || this.#stopped) return;
    this.#waitingAsk = undefined;
    this.#options.surroundings.propose(ask);
  }

  #assemble(proposal: Hash): void {
    const { surroundings } = this.#options;
    surroundings
      .assemble(proposal)
      .then((entry) => {
        const complete = entry !== undefined && entry.missing.size === 0;
        const txCount = entry?.hashes.length ?? 0;
        this.input({ type: "assembled", proposal, complete, txCount });
      })
      .catch((cause: unknown) => surroundings.fail(cause));
  }

  #execute(token: ExecutionToken): void {
    const { book, executor, surroundings } = this.#options;
    const entry = book.get(token.proposal);
    const request = entry && executeRequestOf(entry);
    if (!entry || !request) throw new InvariantFault("a proposal is complete when it is executed");
    const defect = isTooLarge(entry) ? "tooManyBytes" : surroundings.defectOf(entry);
    if (defect) return this.#refuse(token, defect);
    this.#executing.add(token.proposal);
    surroundings.executing(token.height);
    executor
      .execute(request)
      .then((outcome) => {
        this.#executing.delete(token.proposal);
        if (this.#executing.size === 0) surroundings.executing(0);
        const wasOutlived = this.#outlived.delete(token.proposal);
        if (outcome.ok) {
          this.input({ type: "executed", token, executed: outcome.block.hash });
          return;
        }
        if (outcome.reason === "cancelled") {
          if (wasOutlived) surroundings.outlived(entry, outcome.heavy);
          this.#askNow(this.#waitingAsk);
          return;
        }
        this.#refuse(token, outcome.reason);
      })
      .catch((cause: unknown) => surroundings.fail(cause));
  }

  #refuse(token: ExecutionToken, reason: ExecuteRefusal | ProposalDefect | "tooManyBytes"): void {
    this.#options.log.write("warning", "proposal refused", { reason, hash: token.proposal });
    this.input({ type: "executed", token, executed: undefined });
  }

  async #write(effect: Extract<Effect, { type: "write" }>): Promise<void> {
    const { book, executor, surroundings, log } = this.#options;
    const entry = book.get(effect.proposal);
    if (!entry) throw new InvariantFault("a block is known when it is written");
    await executor.write(effect.executed, effect.seals);
    const config = await surroundings.afterWrite(entry, effect.executed);
    logWritten(log, {
      number: effect.height,
      transactions: entry.hashes.length,
      hash: effect.executed,
      sealer: entry.header.sealer,
      seals: effect.seals.length,
    });
    const { height, executed: hash } = effect;
    this.input({ type: "written", height, hash, config });
    surroundings.written(height, hash);
  }

  #report(report: ReportEvent): void {
    const { log, surroundings } = this.#options;
    if (report.event === "executionOutlived" && this.#executing.has(report.proposal))
      this.#outlived.add(report.proposal);
    if (report.event === "viewLeft") this.#waitingAsk = undefined;
    // Idle rounds and views joined behind others are ordinary: only a time-out warns.
    // Source: pbft 7
    if (report.event === "viewLeft" && report.cause === "timeout")
      logViewChange(log, { number: report.height, ...report });
    if (report.event === "equivocation")
      log.write("error", "a sealer contradicted itself", {
        index: report.index,
        type: report.first.type,
      });
    surroundings.report(report);
  }
}

function stopReason(effect: Extract<Effect, { type: "stopGroup" }>): string {
  const { reason, height, own, certified } = effect;
  const found =
    reason === "executionDiffers"
      ? `executes to ${own} on this node, a quorum found`
      : "is refused by this node, a quorum executed it to";
  return `block ${height} ${found} ${certified}; the group stops here`;
}

/** Writes the sealed line of an own proposal. */
export function reportSealed(log: Log, entry: BookEntry, view: number): void {
  logSealed(log, {
    number: entry.header.number,
    view,
    transactions: entry.hashes.length,
    hash: entry.proposal,
  });
}
