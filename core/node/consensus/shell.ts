/**
 * The shell around a consensus core: gives it what happens, performs what it asks for, in order,
 * and feeds it what comes of that. All that differs between protocols is in their tables.
 * Source: pbft 16; raft 8
 */
import { createEffectRunner, type EffectRunner } from "../../actors/effects.ts";
import { logSealed, logWritten } from "../../actors/journal.ts";
import { sealingMachine } from "../../actors/sealing.machine.ts";
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { CoreEffect, CoreNews, CoreTypes, SyncedBlock } from "../../consensus/exchange.ts";
import { InvariantFault, ResultFault, unreachable } from "../../fault/invariant.ts";
import { Alarm } from "../../limits/alarm.ts";
import { LogThrottle } from "../../limits/log-throttle.ts";
import { isTimely, type ProposalDefect, proposalDefect } from "../../txpool/proposal-check.ts";
import { startInGroup } from "../options/group-options.ts";
import { type CachedProposal, timedFacts } from "../proposals/proposal-cache.ts";
import { ProposalBuilder, type SealedProposal } from "../proposals/proposal-builder.ts";
import { type ArrivedMessage, ConsensusSender } from "./consensus-wire.ts";
import { Executions } from "./executions.ts";
import type {
  ConsensusOptions,
  Inbox,
  ProposeEffect,
  Protocol,
  ProtocolTypes,
  ShellEnd,
  Taking,
  Untimed,
} from "./protocol.ts";

type Effect<Type extends string> = Extract<CoreEffect<CoreTypes>, { readonly type: Type }>;

/** One per running group. */
export class ConsensusShell<Of extends ProtocolTypes> implements ShellEnd<Of> {
  /** Takes messages of class `consensus`. */
  readonly inbox: Inbox;
  readonly protocol: Protocol<Of>;
  readonly #with: ConsensusOptions;
  readonly #sender: ConsensusSender<Of["message"]>;
  readonly #builder: ProposalBuilder;
  readonly #executions: Executions<ProposeEffect<Of>>;
  readonly #runner: EffectRunner<CoreEffect<Of>>;
  /** What happened while a step was taken, or its effects were performed: the next steps. */
  readonly #inputs: Of["input"][] = [];
  readonly #alarm: Alarm;
  readonly #complaints: LogThrottle<"clock">;
  #isStepping = false;
  #stopped = false;

  constructor(options: ConsensusOptions, protocol: Protocol<Of>) {
    this.#with = options;
    this.protocol = protocol;
    this.#complaints = new LogThrottle(options.ports.clock);
    this.inbox = protocol.inbox(this);
    this.#sender = this.#makeSender();
    this.#builder = this.#makeBuilder();
    this.#executions = this.#makeExecutions();
    this.#runner = createEffectRunner(
      (effect) => this.#perform(effect),
      (cause) => options.group.fail(cause),
    );
    this.#alarm = new Alarm(options.ports.clock, () => this.input({ type: "tick" }));
  }

  /** Joins consensus: the first input of the core. */
  begin(): void {
    this.input({ type: "start" });
  }

  /** Ends; resolves when what is under way is done: sealer, then consensus. Source: groups 2 */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#builder.close();
    this.#alarm.set(undefined);
    this.#executions.withdraw();
    this.#executions.cancel();
    await this.#runner.stop();
    // What was performed on the way may have asked for another one.
    this.#executions.withdraw();
    await this.#writeLastRecord();
    this.protocol.stop();
  }

  /** Other members have a session now. */
  peersChanged(connected: readonly NodeId[]): void {
    this.#refreshRelay();
    const input = this.protocol.peersInput(connected);
    if (input) this.input(input);
  }

  /** A proposal has become complete. */
  onComplete({ proposal, hashes }: CachedProposal): void {
    this.input({ type: "assembled", proposal, complete: true, txCount: hashes.length });
  }

  /** A block of the next height that block sync has verified. Source: pbft 8; raft 8 */
  onBlock(from: NodeId, block: SyncedBlock): Taking {
    const input = this.protocol.blockInput(from, block);
    if (input === "refused") return input;
    if (input === "lostVotes") {
      // The block is taken once the abstention is on disk. Source: decision 25
      this.abstainAfterLoss().catch((cause: unknown) => this.#with.group.fail(cause));
      return "busy";
    }
    this.input(input);
    return this.protocol.decided() === block.proposal.hash ? "taken" : "busy";
  }

  /** Transactions entered the pool. */
  onPoolChanged(): void {
    this.#builder.look();
  }

  /** The group stands on another block: its configuration is in force. */
  onAdvanced(entry: CachedProposal): void {
    const view = this.protocol.advanced();
    this.#refreshRelay();
    this.#executions.withdraw();
    this.#builder.onWritten(entry, view);
  }

  /** The voting role of the group has changed. */
  votingRoleChanged(): void {
    this.input(this.protocol.votingRoleInput());
  }

  /** Sealers in force, ascending. */
  sealers(): readonly NodeId[] {
    return this.protocol.config().sealers;
  }

  isStopped(): boolean {
    return this.#stopped;
  }

  input(input: Untimed<Of["input"]> | CoreNews<Of["message"], Of["config"]>): void {
    if (this.#stopped) return;
    const now = this.#with.ports.clock.steady();
    this.#inputs.push({ ...input, now } as unknown as Of["input"]);
    if (!this.#isStepping) this.#takeSteps();
  }

  onMessage(arrived: ArrivedMessage<Of["message"]>): void {
    const { from, via, message, compact } = arrived;
    const heard = { type: "message", from, ...(via && { via }), message } as const;
    const isCompactWanted = this.protocol.heard(arrived);
    if (!compact || !isCompactWanted) return this.input(heard);
    const entry = this.#with.proposals.cache.add(compact, () => undefined);
    if (!entry) return this.protocol.reject(via ?? from, "prepare: no honest leader proposes this");
    this.input({ ...heard, proposal: timedFacts(entry, this.#with.group.referenceTime()) });
  }

  roundLeft(slowCount?: number): void {
    this.#executions.withdraw();
    this.#builder.onRoundLeft(slowCount);
  }

  outlived(proposal: Hash): void {
    this.#executions.outlived(proposal);
  }

  /** A block that was being written meanwhile has brought the former voting role with it. */
  abstainAfterLoss(): Promise<void> {
    const kept = this.#with.group.abstention.lost();
    this.votingRoleChanged();
    return kept;
  }

  #refreshRelay(): void {
    const { group } = this.#with;
    const passesOn = (peer: NodeId) => group.peers.passesOn(peer);
    this.protocol.relay?.refresh(this.sealers(), group.peers.members(), passesOn);
  }

  #takeSteps(): void {
    this.#isStepping = true;
    for (let input = this.#inputs.shift(); input; input = this.#inputs.shift())
      this.#runner.push(this.protocol.step(input));
    this.#isStepping = false;
  }

  #perform(effect: CoreEffect<Of>): Promise<void> | undefined {
    const { group } = this.#with;
    switch (effect.type) {
      case "persist":
        return this.#persist(effect.record, effect.body);
      case "broadcast":
        return void this.#sender.broadcast(effect.message, effect.to);
      case "send":
        return void this.#sender.send(effect.message, effect.to);
      case "assemble":
        return void this.#assemble(effect.proposal);
      case "requestBody":
        return void group.blocks.requestBody(effect.proposal, effect.to);
      case "requestBlock":
        // Block sync asks for it: it has learned of the same height.
        return undefined;
      case "execute":
        return void this.#executions.execute(effect.token);
      case "cancelExecution":
        return void this.#executions.cancel();
      case "write":
        return this.#write(effect);
      case "propose":
        return void this.#executions.ask(effect);
      case "deadline":
        return void this.#alarm.set(this.#stopped ? undefined : effect.at);
      case "report":
        return this.protocol.report(effect.report, this);
      case "stopGroup":
        throw stopFault(effect);
      default:
        return unreachable(effect);
    }
  }

  #persist(record: Of["record"], body: Hash | undefined): Promise<void> {
    const { proposals } = this.#with;
    const entry = body === undefined ? undefined : proposals.cache.get(body);
    return proposals.votes.persist(this.protocol.encodeRecord(record), entry);
  }

  async #writeLastRecord(): Promise<void> {
    const { ports, proposals } = this.#with;
    const record = this.protocol.lastRecord();
    if (!record) return;
    await proposals.votes.persist(record, undefined).catch((cause: unknown) => {
      // The reservation stands: the node begins with an abstention.
      ports.log.write("warning", "the last record could not be written", { cause: String(cause) });
    });
  }

  #assemble(proposal: Hash): void {
    const { proposals, group } = this.#with;
    proposals
      .assemble(proposal)
      .then((entry) => {
        const complete = entry !== undefined && entry.missing.size === 0;
        const txCount = entry?.hashes.length ?? 0;
        if (complete) group.blocks.serveWaiting(proposal);
        this.input({ type: "assembled", proposal, complete, txCount });
      })
      .catch((cause: unknown) => group.fail(cause));
  }

  async #write(effect: Effect<"write">): Promise<void> {
    const { proposals, ports, group } = this.#with;
    const { height, executed: hash, seals = [] } = effect;
    const entry = proposals.cache.get(effect.proposal);
    if (!entry) throw new InvariantFault("a block is known when it is written");
    await ports.executor.write(hash, seals);
    await group.advance(entry, hash);
    logWritten(ports.log, {
      number: height,
      transactions: entry.hashes.length,
      hash,
      proposal: entry.proposal,
      sealer: entry.header.sealer,
      seals: seals.length,
    });
    this.input({ type: "written", height, hash, config: this.protocol.config() });
    group.sync.written(height, hash);
  }

  #makeSender(): ConsensusSender<Of["message"]> {
    const { options, ports, proposals, group } = this.#with;
    return new ConsensusSender({
      groupId: options.groupId,
      network: ports.network,
      codec: this.protocol.codec,
      cache: proposals.cache,
      members: () => group.peers.members(),
      sealers: () => this.sealers(),
      withoutProposal: (message) => this.protocol.withoutProposal(message),
      relay: this.protocol.relay,
    });
  }

  /** The builder of proposals, with an actor of its own. */
  #makeBuilder(): ProposalBuilder {
    const { options, ports, pool, group } = this.#with;
    const actor = { name: "sealing", input: undefined };
    return new ProposalBuilder({
      self: options.self,
      rules: options,
      tuning: this.protocol.tuning,
      pool,
      clock: ports.clock,
      actor: startInGroup(sealingMachine, actor, { group: options, log: ports.log }),
      config: () => group.chain.config(),
      sealers: () => this.sealers(),
      parent: () => group.chain.parent(),
      referenceTime: () => group.ownReferenceTime(),
      knowsClocks: () => group.knowsClocks(),
      onAhead: (aheadMs) => this.#onAhead(aheadMs),
      onSealed: (sealed) => this.#onSealed(sealed),
      onError: (cause) => group.fail(cause),
    });
  }

  /** Others would not vote for what this node proposes now. Source: decision 27 */
  #onAhead(aheadMs: number): void {
    if (!this.#complaints.allows("clock")) return;
    const line = "this node's clock is ahead of the sealers': it proposes no blocks; set it by NTP";
    this.#with.ports.log.write("warning", line, { seconds: Math.round(aheadMs / 1_000) });
  }

  /** Puts an own proposal where it is found, and gives it to the core. */
  #onSealed(sealed: SealedProposal): void {
    const { proposals, ports, options, group } = this.#with;
    const { view } = sealed;
    this.protocol.sealed(sealed.header.number);
    const entry = proposals.enter(sealed);
    const facts = timedFacts(entry, group.ownReferenceTime());
    const { number, txCount: transactions, hash: proposal } = facts;
    if (transactions > 0)
      logSealed(ports.log, options.groupId, { number, view, transactions, proposal });
    this.input({ type: "proposal", view, proposal: facts });
  }

  #makeExecutions(): Executions<ProposeEffect<Of>> {
    const { ports, proposals, group } = this.#with;
    return new Executions({
      ports,
      proposals,
      group,
      builder: this.#builder,
      mayRefuse: (proposal) => this.protocol.mayRefuse(proposal),
      defectOf: (entry) => this.#defectOf(entry),
      onExecuted: (token, executed) => this.input({ type: "executed", token, executed }),
      onAsk: (ask) => {
        if (!this.#stopped) this.#builder.ask(this.protocol.askOf(ask));
      },
    });
  }

  /** What admission would have refused of a proposal that is complete. */
  #defectOf(entry: CachedProposal): ProposalDefect | undefined {
    const { options, pool, group } = this.#with;
    const known = entry.transactions.filter((transaction) => transaction !== undefined);
    const { chainId, groupId } = options;
    const { number: head, timestamp } = group.chain.parent();
    if (!isTimely(entry.header.timestamp, timestamp)) return "wrongTimestamp";
    return proposalDefect(pool.window, known, { head, chainId, groupId });
  }
}

/** What a quorum found otherwise reports the ledger; what this node alone says, of its program. */
function stopFault({ reason, height, own, certified }: Effect<"stopGroup">): Error {
  const block = `block ${height}`;
  if (certified === undefined)
    return new InvariantFault(`${block} is final and this node refuses it`);
  const end = `${certified}; the group stops here`;
  const executes = `${block} executes to ${own} on this node`;
  if (reason === "ownSignDiffers") return new InvariantFault(`${executes}, which signed ${end}`);
  const found =
    reason === "executionDiffers"
      ? `${executes}, a quorum found`
      : `${block} is refused by this node, a quorum executed it to`;
  return new ResultFault(`${found} ${end}`);
}
