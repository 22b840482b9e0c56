/**
 * PBFT in a group: the actor that hosts its core, the inbox of verified messages, the runner of
 * effects and the desk that builds proposals.
 * Source: pbft 16; guide actors 3
 */
import { type ConsensusActor, consensusMachine } from "../actors/consensus.machine.ts";
import { sealingMachine } from "../actors/sealing.machine.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import { createCodec, createSigner, type PbftCodec } from "../consensus/pbft/codec.ts";
import type { Effect, ReportEvent } from "../consensus/pbft/effect.ts";
import type { Input, PbftConfig, SyncedBlock } from "../consensus/pbft/input.ts";
import type { Message } from "../consensus/pbft/message.ts";
import { encodeRecord, readRecord } from "../consensus/pbft/record-codec.ts";
import { createPbft, type PbftState } from "../consensus/pbft/state.ts";
import { pbftStatus } from "../consensus/pbft/status.ts";
import type { ProposalOutline } from "../sync/block-exchange.ts";
import { type ProposalDefect, proposalDefect } from "../txpool/proposal-check.ts";
import type { ConsensusDriver, DriverOptions } from "./consensus-driver.ts";
import { ConsensusHost, type ConsensusSurroundings, reportSealed } from "./consensus-host.ts";
import { ConsensusInbox, proposalFacts, type VerifiedMessage } from "./consensus-inbox.ts";
import { encodeConsensusMessage } from "./consensus-wire.ts";
import { startInGroup } from "./group-actors.ts";
import type { PbftStatus } from "./node-api.ts";
import { pbftConfigOf } from "./pbft-config.ts";
import type { BookEntry } from "./proposal-book.ts";
import { type SealedProposal, SealingDesk } from "./sealing-desk.ts";
import type { Taking } from "./sync-service.ts";

/** One per running PBFT group. */
export class PbftDriver implements ConsensusDriver, ConsensusSurroundings {
  readonly #with: DriverOptions;
  readonly #codec: PbftCodec;
  readonly #actor: ConsensusActor;
  readonly #inbox: ConsensusInbox;
  readonly #host: ConsensusHost;
  readonly #desk: SealingDesk;
  #config: PbftConfig;
  #stopped = false;

  constructor(driver: DriverOptions) {
    const { options, ports, group, shelf } = driver;
    this.#with = driver;
    this.#config = pbftConfigOf(options.self, group.config(), undefined);
    this.#codec = createCodec(options);
    this.#actor = this.#startActor();
    this.#inbox = this.#makeInbox();
    const { clock, log, executor } = ports;
    const shared = { clock, log, executor, book: shelf.book, codec: this.#codec };
    this.#host = new ConsensusHost({ ...shared, surroundings: this });
    this.#desk = this.#makeDesk();
    this.#actor.on("effects", ({ effects }: { effects: readonly Effect[] }) =>
      this.#host.take(effects),
    );
  }

  begin(): void {
    this.#host.input({ type: "start" });
  }

  /** The sealer first, then what it gave to consensus. Source: groups 2 */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#desk.close();
    await this.#host.stop();
    this.#actor.stop();
  }

  receive(from: NodeId, bytes: Uint8Array): void {
    this.#inbox.receive(from, bytes);
  }

  forget(peer: NodeId): void {
    this.#inbox.forget(peer);
  }

  peersChanged(connected: readonly NodeId[]): void {
    this.#host.input({ type: "peersChanged", connected });
  }

  onComplete(entry: BookEntry): void {
    this.#host.onComplete(entry);
  }

  onBlock(from: NodeId, block: SyncedBlock): Taking {
    this.#host.input({ type: "block", from, block });
    return this.#pbft().decision?.proposal === block.proposal.hash ? "taken" : "busy";
  }

  onPoolChanged(): void {
    this.#desk.look();
  }

  onAdvanced(entry: BookEntry): void {
    const { options, group } = this.#with;
    this.#config = pbftConfigOf(options.self, group.config(), this.#config);
    this.#desk.onWritten(entry, this.#pbft().decision?.view ?? 0);
  }

  sealers(): readonly NodeId[] {
    return this.#config.sealers;
  }

  status(): PbftStatus {
    return pbftStatus(this.#pbft());
  }

  input(input: Input): void {
    if (!this.#stopped) this.#actor.send({ type: "pbft", input });
  }

  persist(record: Parameters<ConsensusSurroundings["persist"]>[0], body: BookEntry | undefined) {
    return this.#with.shelf.votes.persist(encodeRecord(record), body);
  }

  broadcast(message: Message, to: Parameters<ConsensusSurroundings["broadcast"]>[1]): void {
    const bytes = this.#encode(message);
    if (!bytes) return;
    for (const peer of this.#with.group.members()) {
      const isSealer = this.#config.sealers.includes(peer);
      if (to === "members" || isSealer === (to === "sealers")) this.#sendBytes(peer, bytes);
    }
  }

  send(message: Message, to: NodeId): void {
    const bytes = this.#encode(message);
    if (bytes) this.#sendBytes(to, bytes);
  }

  wantsOutline(message: Message, { header, hashes }: ProposalOutline): boolean {
    if (message.type !== "prepare" || header.number !== message.height) return false;
    // An observer may be a sealer at the height after the one that is being decided.
    const { sealers, observers, txCountLimit } = this.#with.group.config();
    if (!sealers.includes(message.signer) && !observers.includes(message.signer)) return false;
    const { height } = this.#pbft();
    const isNear = message.height > height && message.height <= height + 2;
    return isNear && hashes.length <= txCountLimit;
  }

  requestBody(proposal: Hash, to: NodeId): void {
    this.#with.group.requestBody(proposal, to);
  }

  executing(number: number): void {
    this.#with.group.noteExecuting(number);
  }

  assemble(proposal: Hash): Promise<BookEntry | undefined> {
    return this.#with.shelf.assemble(proposal);
  }

  defectOf({ proposal, transactions }: BookEntry): ProposalDefect | undefined {
    // What a quorum has decided is executed whatever this node thinks of it.
    if (this.#pbft().decision?.proposal === proposal) return undefined;
    const known = transactions.filter((transaction) => transaction !== undefined);
    const { options, pool, group } = this.#with;
    const { chainId, groupId } = options;
    const head = group.parent().number;
    return proposalDefect(pool.window, known, { head, chainId, groupId });
  }

  propose(ask: Parameters<ConsensusSurroundings["propose"]>[0]): void {
    this.#desk.ask(ask);
  }

  async afterWrite(entry: BookEntry, executed: Hash): Promise<PbftConfig> {
    await this.#with.group.advance(entry, executed);
    return this.#config;
  }

  written(number: number, hash: Hash): void {
    this.#with.group.onWritten(number, hash);
  }

  outlived(entry: BookEntry, running: Hash | undefined): void {
    this.#desk.onOutlived(entry, running);
  }

  report(report: ReportEvent): void {
    this.#desk.onReport(report);
    if (report.event === "ignored" && report.reason === "badJustification")
      this.reject(report.from, `consensus: ${report.reason}`);
  }

  reject(peer: NodeId, reason: string): void {
    this.#with.group.reject(peer, reason);
  }

  fail(cause: unknown): void {
    this.#with.group.fail(cause);
  }

  #pbft(): PbftState {
    return this.#actor.getSnapshot().context.pbft;
  }

  #startActor(): ConsensusActor {
    const { options, ports, shelf } = this.#with;
    const { suite, privateKey, self } = options;
    const bytes = shelf.votes.record();
    const { sealers } = this.#config;
    const context = { self, sealers, signatureBytes: suite.signatureBytes };
    const { number, hash } = ports.ledger.head();
    const pbft = createPbft({
      config: this.#config,
      signer: createSigner(this.#codec, suite, privateKey),
      height: number,
      head: hash,
      record: bytes && readRecord(bytes, context, number + 1),
    });
    const actor = { name: "consensus", input: { pbft } };
    return startInGroup(consensusMachine, actor, { group: options, log: ports.log });
  }

  #makeInbox(): ConsensusInbox {
    return new ConsensusInbox({
      codec: this.#codec,
      compute: this.#with.ports.compute,
      sealerCount: () => this.#config.sealers.length,
      onMessage: (verified) => this.#onVerified(verified),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  #makeDesk(): SealingDesk {
    const { options, ports, pool, group } = this.#with;
    const actor = { name: "sealing", input: undefined };
    return new SealingDesk({
      self: options.self,
      rules: options,
      pool,
      tuning: options.tuning,
      clock: ports.clock,
      actor: startInGroup(sealingMachine, actor, { group: options, log: ports.log }),
      config: () => group.config(),
      sealers: () => this.#config.sealers,
      parent: () => group.parent(),
      onSealed: (proposal) => this.#onSealed(proposal),
    });
  }

  #onVerified(verified: VerifiedMessage): void {
    const { message, from } = verified;
    if (message.type === "status" && message.signer === from)
      this.#with.group.noteStatus(from, message.height, message.head);
    this.#host.onMessage(verified);
  }

  #onSealed(sealed: SealedProposal): void {
    const { view, header } = sealed;
    const entry = this.#with.shelf.enter(sealed);
    const count = entry.hashes.length;
    if (count > 0) reportSealed(this.#with.ports.log, entry, view);
    const proposal = proposalFacts(entry.proposal, header, count);
    this.#host.input({ type: "proposal", view, proposal });
  }

  #encode(message: Message): Uint8Array | undefined {
    const isPrepare = message.type === "prepare";
    const outline = isPrepare ? this.#with.shelf.book.get(message.proposal) : undefined;
    // Without its outline a prepare says nothing; the others ask for the body of a lock.
    if (isPrepare && !outline) return undefined;
    return encodeConsensusMessage({ message, outline }, this.#codec);
  }

  #sendBytes(to: NodeId, bytes: Uint8Array): void {
    const { options, ports } = this.#with;
    ports.network.send(to, { groupId: options.groupId, kind: "consensus", bytes });
  }
}
