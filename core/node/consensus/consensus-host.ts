/**
 * The shell around a consensus core: performs what the core asks for, in order, and feeds it what
 * comes of that.
 * Source: pbft 16; raft 8
 */
import { createEffectRunner, type EffectRunner } from "../../actors/effects.ts";
import { logWritten } from "../../actors/journal.ts";
import type { Hash } from "../../bytes/ids.ts";
import type { ExecutionToken } from "../../consensus/pbft/effect.ts";
import { InvariantFault, unreachable } from "../../fault/invariant.ts";
import type { ExecuteRefusal } from "../../ports/executor.ts";
import type { ProposalDefect } from "../../txpool/proposal-check.ts";
import type { ConsensusGroup } from "./consensus-driver.ts";
import { proposalFacts } from "./consensus-inbox.ts";
import type { ConsensusSender } from "./consensus-sender.ts";
import type { ArrivedMessage } from "./consensus-wire.ts";
import type { GroupPorts } from "../options/group-options.ts";
import type {
  HostedProtocol,
  HostEffect,
  HostInput,
  ProposeEffect,
  ProtocolTypes,
  StopEffect,
  WriteEffect,
} from "./hosted-protocol.ts";
import { type BookEntry, executeRequestOf, isTooLarge } from "../proposals/proposal-book.ts";
import type { ProposalShelf } from "../proposals/proposal-shelf.ts";

/**
 * A cancelled execution comes back within this time where the executor can be interrupted; the
 * leader of the next view waits that long to hear which transaction is to be packed alone.
 */
const OUTCOME_PATIENCE_MS = 1_000;

/** What the host works with. */
export interface ConsensusHostOptions<Of extends ProtocolTypes> {
  readonly ports: Pick<GroupPorts, "clock" | "executor" | "log">;
  readonly shelf: ProposalShelf;
  readonly group: ConsensusGroup;
  readonly sender: Pick<ConsensusSender<Of["message"]>, "broadcast" | "send">;
  readonly protocol: HostedProtocol<Of>;
}

/** Performs effects. One per running group. */
export class ConsensusHost<Of extends ProtocolTypes> {
  readonly #options: ConsensusHostOptions<Of>;
  readonly #runner: EffectRunner<HostEffect<Of>>;
  #cancelAlarm: () => void = () => {};
  #cancelAsk: () => void = () => {};
  /** Executions that outlived their view and have not come back yet. */
  readonly #outlived = new Set<ExecutionToken>();
  /** What the executor is at: a proposal is there twice while its cancelled run comes back. */
  readonly #executing = new Set<ExecutionToken>();
  /** Consensus wants a proposal; what is to be packed alone is not known yet. */
  #waitingAsk: ProposeEffect | undefined;
  #stopped = false;

  constructor(options: ConsensusHostOptions<Of>) {
    this.#options = options;
    this.#runner = createEffectRunner(
      (effect) => this.#perform(effect),
      (cause) => options.group.fail(cause),
    );
  }

  /** Performs what a step asked for. */
  take(effects: readonly HostEffect<Of>[]): void {
    this.#runner.push(effects);
  }

  /** A verified message from a peer. */
  onMessage(arrived: ArrivedMessage<Of["message"]>): void {
    const { shelf, protocol } = this.#options;
    const { from, message, outline } = arrived;
    if (!outline || !protocol.wantsOutline(arrived, outline))
      return this.#input({ type: "message", from, message });
    const entry = shelf.book.add(outline, () => undefined);
    if (!entry) return protocol.reject(from, "prepare: no honest leader proposes this");
    const proposal = proposalFacts(entry.proposal, outline.header, outline.hashes.length);
    this.#input({ type: "message", from, message, proposal });
  }

  /** An entry has become complete. */
  onComplete(entry: BookEntry): void {
    const { proposal, hashes } = entry;
    this.#input({ type: "assembled", proposal, complete: true, txCount: hashes.length });
  }

  /** A round ended while this proposal was executing: the next ask waits for what was running. */
  outlived(proposal: Hash): void {
    const newest = [...this.#executing].findLast((token) => token.proposal === proposal);
    if (newest) this.#outlived.add(newest);
  }

  /** The round ended, or its block is there: nothing is proposed in it any more. */
  withdraw(): void {
    this.#cancelAsk();
    this.#cancelAsk = () => {};
    this.#waitingAsk = undefined;
  }

  /** Performs nothing further; resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelAlarm();
    this.withdraw();
    this.#options.ports.executor.cancel();
    await this.#runner.stop();
    // What was performed on the way may have asked for another one.
    this.withdraw();
  }

  #perform(effect: HostEffect<Of>): Promise<void> | undefined {
    const { protocol, group, sender, ports } = this.#options;
    switch (effect.type) {
      case "persist":
        return this.#persist(effect.record, effect.body);
      case "broadcast":
        return void sender.broadcast(effect.message, effect.to);
      case "send":
        return void sender.send(effect.message, effect.to);
      case "assemble":
        return void this.#assemble(effect.proposal);
      case "requestBody":
        return void group.requestBody(effect.proposal, effect.to);
      case "requestBlock":
        // Block sync asks for it: it has heard of the same height.
        return undefined;
      case "execute":
        return void this.#execute(effect.token);
      case "cancelExecution":
        return void ports.executor.cancel();
      case "write":
        return this.#write(effect);
      case "propose":
        return void this.#propose(effect);
      case "deadline":
        return void this.#setAlarm(effect.at);
      case "report":
        return protocol.report(effect.report);
      case "stopGroup":
        throw new InvariantFault(stopReason(effect));
      default:
        return unreachable(effect);
    }
  }

  #persist(record: Of["record"], body: Hash | undefined): Promise<void> {
    const { protocol, shelf } = this.#options;
    const entry = body === undefined ? undefined : shelf.book.get(body);
    return shelf.votes.persist(protocol.encodeRecord(record), entry);
  }

  #setAlarm(at: number | undefined): void {
    this.#cancelAlarm();
    this.#cancelAlarm = () => {};
    if (at === undefined || this.#stopped) return;
    const { clock } = this.#options.ports;
    const delay = Math.max(0, Math.ceil(at - clock.steady()));
    this.#cancelAlarm = clock.after(delay, () => this.#input({ type: "tick" }));
  }

  #propose(ask: ProposeEffect): void {
    const { protocol, ports } = this.#options;
    this.withdraw();
    if (this.#outlived.size === 0) return protocol.propose(ask);
    this.#waitingAsk = ask;
    this.#cancelAsk = ports.clock.after(OUTCOME_PATIENCE_MS, () => this.#askNow(ask));
  }

  /** Passes on the ask that waits; nothing when it was withdrawn. */
  #askNow(ask: ProposeEffect | undefined): void {
    if (!ask || ask !== this.#waitingAsk || this.#stopped) return;
    this.#waitingAsk = undefined;
    this.#options.protocol.propose(ask);
  }

  #assemble(proposal: Hash): void {
    const { shelf, group } = this.#options;
    shelf
      .assemble(proposal)
      .then((entry) => {
        const complete = entry !== undefined && entry.missing.size === 0;
        const txCount = entry?.hashes.length ?? 0;
        this.#input({ type: "assembled", proposal, complete, txCount });
      })
      .catch((cause: unknown) => group.fail(cause));
  }

  #execute(token: ExecutionToken): void {
    const { shelf, ports, protocol, group } = this.#options;
    const entry = shelf.book.get(token.proposal);
    const request = entry && executeRequestOf(entry);
    if (!entry || !request) throw new InvariantFault("a proposal is complete when it is executed");
    const undecided = protocol.mayRefuse(entry);
    const defect = isTooLarge(entry) ? "tooManyBytes" : undecided && protocol.defectOf(entry);
    if (defect) return this.#refuse(token, defect);
    this.#executing.add(token);
    group.noteExecuting(token.height);
    ports.executor
      .execute({ ...request, undecided })
      .then((outcome) => {
        this.#executing.delete(token);
        if (this.#executing.size === 0) group.noteExecuting(0);
        const wasOutlived = this.#outlived.delete(token);
        if (outcome.ok) {
          protocol.executed(entry, outcome.block.share ?? 0);
          this.#input({ type: "executed", token, executed: outcome.block.hash });
          if (wasOutlived) this.#askNow(this.#waitingAsk);
          return;
        }
        if (outcome.reason === "cancelled") {
          if (wasOutlived) protocol.outlived(entry, outcome.heavy);
          this.#askNow(this.#waitingAsk);
          return;
        }
        if (outcome.reason === "tooHeavy") protocol.tooHeavy(entry, outcome.heavy);
        this.#askNow(this.#waitingAsk);
        this.#refuse(token, outcome.reason);
      })
      .catch((cause: unknown) => group.fail(cause));
  }

  #refuse(token: ExecutionToken, reason: ExecuteRefusal | ProposalDefect | "tooManyBytes"): void {
    this.#options.ports.log.write("warning", "proposal refused", { reason, hash: token.proposal });
    this.#input({ type: "executed", token, executed: undefined });
  }

  async #write(effect: WriteEffect): Promise<void> {
    const { shelf, ports, group, protocol } = this.#options;
    const seals = effect.seals ?? [];
    const entry = shelf.book.get(effect.proposal);
    if (!entry) throw new InvariantFault("a block is known when it is written");
    await ports.executor.write(effect.executed, seals);
    await group.advance(entry, effect.executed);
    logWritten(ports.log, {
      number: effect.height,
      transactions: entry.hashes.length,
      hash: effect.executed,
      proposal: entry.proposal,
      sealer: entry.header.sealer,
      seals: seals.length,
    });
    const { height, executed: hash } = effect;
    this.#input({ type: "written", height, hash, config: protocol.config() });
    group.onWritten(height, hash);
  }

  #input(input: HostInput<Of>): void {
    if (!this.#stopped) this.#options.protocol.input(input);
  }
}

function stopReason(effect: StopEffect): string {
  const { reason, height, own, certified } = effect;
  const found =
    reason === "executionDiffers"
      ? `executes to ${own} on this node, a quorum found`
      : "is refused by this node, a quorum executed it to";
  if (certified === undefined) return `block ${height} is final and this node refuses it`;
  return `block ${height} ${found} ${certified}; the group stops here`;
}
