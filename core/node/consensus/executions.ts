/** Proposals in the executor, and asks for one that wait for its outcome. Source: pbft 16.3.8 */
import type { Hash } from "../../bytes/ids.ts";
import type { ExecutionToken } from "../../consensus/exchange.ts";
import { InvariantFault } from "../../fault/invariant.ts";
import type { ExecuteOutcome, ExecuteRefusal, HeavyTransaction } from "../../ports/executor.ts";
import type { ProposalDefect } from "../../txpool/proposal-check.ts";
import type { GroupPorts } from "../options/group-options.ts";
import { type CachedProposal, executeRequestOf, isTooLarge } from "../proposals/proposal-cache.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import type { ProposalBuilder } from "../proposals/proposal-builder.ts";
import type { ConsensusGroup } from "./protocol.ts";

/**
 * A cancelled execution comes back within this time where the executor can be interrupted; the
 * leader of the next view waits that long to hear which transaction is to be packed alone.
 */
const OUTCOME_PATIENCE_MS = 1_000;

/** What executions work with. */
export interface ExecutionsOptions<Ask> {
  readonly ports: Pick<GroupPorts, "clock" | "executor" | "log">;
  readonly proposals: ProposalStore;
  readonly group: Pick<ConsensusGroup, "fail"> & {
    readonly sync: Pick<ConsensusGroup["sync"], "sealing">;
  };
  readonly builder: Pick<ProposalBuilder, "onOutlived" | "onExecuted" | "onTooHeavy" | "onHeavy">;
  /** Whether this node may refuse a proposal: no node has decided it. */
  readonly mayRefuse: (proposal: Hash) => boolean;
  /** What admission would have refused of a proposal. */
  readonly defectOf: (entry: CachedProposal) => ProposalDefect | undefined;
  /** E of a proposal; undefined: refused. */
  readonly onExecuted: (token: ExecutionToken, executed: Hash | undefined) => void;
  /** A proposal is to be built now. */
  readonly onAsk: (ask: Ask) => void;
}

/** One per running group. */
export class Executions<Ask> {
  readonly #options: ExecutionsOptions<Ask>;
  /** Executions that outlived their view and have not come back yet. */
  readonly #outlived = new Set<ExecutionToken>();
  /** What the executor is at: a proposal is there twice while its cancelled run comes back. */
  readonly #executing = new Set<ExecutionToken>();
  /** Consensus wants a proposal; what is to be packed alone is not known yet. */
  #waitingAsk: Ask | undefined;
  #cancelAsk: () => void = () => {};

  constructor(options: ExecutionsOptions<Ask>) {
    this.#options = options;
  }

  /** Executes a complete proposal, or refuses it. */
  execute(token: ExecutionToken): void {
    const { proposals, ports, group, mayRefuse, defectOf } = this.#options;
    const entry = proposals.cache.get(token.proposal);
    const request = entry && executeRequestOf(entry);
    if (!entry || !request) throw new InvariantFault("a proposal is complete when it is executed");
    const undecided = mayRefuse(entry.proposal);
    const defect = isTooLarge(entry) ? "tooManyBytes" : undecided && defectOf(entry);
    if (defect) return this.#refuse(token, defect);
    this.#executing.add(token);
    group.sync.sealing(token.height);
    ports.executor
      .execute({ ...request, undecided }, (heavy) => undecided && this.#onHeavy(entry, heavy))
      .then((outcome) => this.#onOutcome(token, entry, outcome))
      .catch((cause: unknown) => group.fail(cause));
  }

  /** Whatever runs is not needed any more. */
  cancel(): void {
    this.#options.ports.executor.cancel();
  }

  /** A round ended while this proposal was executing: the next ask waits for what was running. */
  outlived(proposal: Hash): void {
    const newest = [...this.#executing].findLast((token) => token.proposal === proposal);
    if (newest) this.#outlived.add(newest);
  }

  /** Passes an ask on as soon as it is known what is to be packed alone. */
  ask(ask: Ask): void {
    const { ports, onAsk } = this.#options;
    this.withdraw();
    if (this.#outlived.size === 0) return onAsk(ask);
    this.#waitingAsk = ask;
    this.#cancelAsk = ports.clock.after(OUTCOME_PATIENCE_MS, () => this.#askNow());
  }

  /** The round ended, or its block is there: nothing is proposed in it any more. */
  withdraw(): void {
    this.#cancelAsk();
    this.#cancelAsk = () => {};
    this.#waitingAsk = undefined;
  }

  #askNow(): void {
    const ask = this.#waitingAsk;
    if (!ask) return;
    this.#waitingAsk = undefined;
    this.#options.onAsk(ask);
  }

  /** A transaction runs too long; its view may be lost for it. */
  #onHeavy(entry: CachedProposal, { hash, ms }: HeavyTransaction): void {
    const { ports, builder } = this.#options;
    ports.log.write("warning", "a transaction is heavy, and is packed alone from now on", {
      hash,
      ms,
    });
    builder.onHeavy(entry, hash);
  }

  #onOutcome(token: ExecutionToken, entry: CachedProposal, outcome: ExecuteOutcome): void {
    const { group, builder, onExecuted } = this.#options;
    this.#executing.delete(token);
    if (this.#executing.size === 0) group.sync.sealing(0);
    const wasOutlived = this.#outlived.delete(token);
    if (outcome.ok) {
      builder.onExecuted(entry, outcome.block.share ?? 0);
      onExecuted(token, outcome.block.hash);
      if (wasOutlived) this.#askNow();
      return;
    }
    if (outcome.reason === "cancelled") {
      if (wasOutlived) builder.onOutlived(entry, outcome.heavy);
      return this.#askNow();
    }
    if (outcome.reason === "tooHeavy") builder.onTooHeavy(entry, outcome.heavy);
    this.#askNow();
    this.#refuse(token, outcome.reason);
  }

  #refuse(token: ExecutionToken, reason: ExecuteRefusal | ProposalDefect | "tooManyBytes"): void {
    const { ports, onExecuted } = this.#options;
    ports.log.write("warning", "proposal refused", { reason, hash: token.proposal });
    onExecuted(token, undefined);
  }
}
