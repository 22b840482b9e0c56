/**
 * PBFT in a group: the actor that hosts its core, the inbox of verified messages, the runner of
 * effects and the desk that builds proposals.
 * Source: pbft 16
 */
import { type ConsensusActor, consensusMachine } from "../../actors/consensus.machine.ts";
import { logViewChange } from "../../actors/journal.ts";
import type { Hash, NodeId, SealerIndex } from "../../bytes/ids.ts";
import { createCodec, createSigner, type PbftCodec } from "../../consensus/pbft/codec.ts";
import type { Effect, IgnoreReason, ReportEvent } from "../../consensus/pbft/effect.ts";
import { isBound } from "../../consensus/pbft/execution.ts";
import type { Input, PbftConfig, SyncedBlock } from "../../consensus/pbft/input.ts";
import type { Message } from "../../consensus/pbft/message.ts";
import { useOf } from "../../consensus/pbft/of-use.ts";
import type { PbftRecord } from "../../consensus/pbft/record.ts";
import { encodeRecord, readRecord } from "../../consensus/pbft/record-codec.ts";
import { createPbft, isSealer, type PbftState, recordOf } from "../../consensus/pbft/state.ts";
import { pbftStatus } from "../../consensus/pbft/status.ts";
import { invariant, unreachable } from "../../fault/invariant.ts";
import { headerHash } from "../../model/header.ts";
import type { ProposalOutline } from "../../sync/block-exchange.ts";
import type { ProposalDefect } from "../../txpool/proposal-check.ts";
import { ComplaintGate } from "../../limits/complaint-gate.ts";
import type { ConsensusDriver, DriverOptions, Taking } from "./consensus-driver.ts";
import { ConsensusHost } from "./consensus-host.ts";
import { ConsensusInbox, type VerifiedMessage } from "./consensus-inbox.ts";
import { ConsensusSender } from "./consensus-sender.ts";
import type { ConsensusMessage } from "./consensus-wire.ts";
import { defectOf, enterSealed, makeDesk } from "./driver-parts.ts";
import { startInGroup } from "../options/group-actors.ts";
import type { HostedProtocol, ProposeEffect, ProtocolTypes, Untimed } from "./hosted-protocol.ts";
import type { PbftStatus } from "../../api/node-api.ts";
import { pbftConfigOf } from "./pbft-config.ts";
import type { BookEntry } from "../proposals/proposal-book.ts";
import { RateGate } from "../../limits/rate-gate.ts";
import type { SealingDesk } from "../proposals/sealing-desk.ts";

/**
 * Statuses of one peer that are verified in a second: one is due, a few are answers, and observers
 * are told of blocks. Source: pbft 16.1
 */
export const STATUSES_A_SECOND = 20;
/** Messages of one peer in a second that may well be for nothing and are verified all the same. */
export const EVIDENCE_A_SECOND = 10;
/** So long after something that no honest node sends all messages of its sender are such. */
const DOUBT_MS = 1_000;

/** What no honest node sends, or passes on. */
const UNLIKE_HONEST: ReadonlySet<IgnoreReason> = new Set([
  "badJustification",
  "badLock",
  "otherSigner",
]);

/** PBFT as the host sees it. */
interface Pbft extends ProtocolTypes {
  readonly message: Message;
  readonly record: PbftRecord;
  readonly report: ReportEvent;
  readonly config: PbftConfig;
}

/** One per running PBFT group. */
export class PbftDriver implements ConsensusDriver, HostedProtocol<Pbft> {
  readonly #with: DriverOptions;
  readonly #codec: PbftCodec;
  readonly #actor: ConsensusActor;
  readonly #inbox: ConsensusInbox;
  readonly #host: ConsensusHost<Pbft>;
  readonly #desk: SealingDesk;
  /** Proofs of a fault come as often as a faulty sealer likes. */
  readonly #complaints: ComplaintGate<SealerIndex | "twin">;
  readonly #statuses: RateGate<NodeId>;
  readonly #evidence: RateGate<NodeId>;
  /** Until when a peer is doubted; of members only, so there are not many. */
  readonly #doubted = new Map<NodeId, number>();
  #config: PbftConfig;
  #stopped = false;

  constructor(driver: DriverOptions) {
    const { options, ports, group, shelf } = driver;
    this.#with = driver;
    this.#complaints = new ComplaintGate(ports.clock);
    this.#statuses = new RateGate(ports.clock, STATUSES_A_SECOND);
    this.#evidence = new RateGate(ports.clock, EVIDENCE_A_SECOND);
    this.#config = pbftConfigOf(options.self, group.config(), undefined, group.voice());
    this.#codec = createCodec(options);
    this.#actor = this.#startActor();
    this.#inbox = this.#makeInbox();
    const sender = this.#makeSender();
    this.#host = new ConsensusHost({ ports, shelf, group, sender, protocol: this });
    this.#desk = makeDesk(driver, {
      tuning: options.tuning,
      sealers: () => this.#config.sealers,
      onSealed: (sealed) => {
        const proposal = enterSealed(driver, sealed);
        this.input({ type: "proposal", view: sealed.view, proposal });
      },
    });
    this.#actor.on("effects", ({ effects }: { effects: readonly Effect[] }) => {
      this.#doubtBlamed(effects);
      this.#host.take(effects);
    });
  }

  begin(): void {
    this.input({ type: "start" });
  }

  /** The sealer first, then what it gave to consensus. Source: groups 2 */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#desk.close();
    await this.#host.stop();
    await this.#takeBack();
    this.#actor.stop();
  }

  /**
   * A node that stops in order says how far it went: it need not be silent when it begins again.
   */
  async #takeBack(): Promise<void> {
    const { ports, shelf } = this.#with;
    const pbft = this.#pbft();
    if (pbft.promised <= pbft.toView || !isSealer(pbft)) return;
    const record = encodeRecord(recordOf({ ...pbft, promised: pbft.toView }));
    await shelf.votes.persist(record, undefined).catch((cause: unknown) => {
      // The promise stands: the node begins with a silence.
      ports.log.write("warning", "the last record could not be written", { cause: String(cause) });
    });
  }

  receive(from: NodeId, bytes: Uint8Array): void {
    this.#inbox.receive(from, bytes);
  }

  forget(peer: NodeId): void {
    this.#inbox.forget(peer);
  }

  peersChanged(connected: readonly NodeId[]): void {
    this.input({ type: "peersChanged", connected });
  }

  onComplete(entry: BookEntry): void {
    this.#host.onComplete(entry);
  }

  onBlock(from: NodeId, block: SyncedBlock): Taking {
    this.input({ type: "block", from, block });
    return this.#pbft().decision?.proposal === block.proposal.hash ? "taken" : "busy";
  }

  onPoolChanged(): void {
    this.#desk.look();
  }

  onAdvanced(entry: BookEntry): void {
    const { options, group } = this.#with;
    this.#config = pbftConfigOf(options.self, group.config(), this.#config, group.voice());
    this.#host.withdraw();
    this.#desk.onWritten(entry, this.#pbft().decision?.view ?? 0);
  }

  voiceChanged(): void {
    const { options, group } = this.#with;
    this.#config = pbftConfigOf(options.self, group.config(), this.#config, group.voice());
    this.input({ type: "voice", config: this.#config, record: this.#record() });
  }

  sealers(): readonly NodeId[] {
    return this.#config.sealers;
  }

  status(): PbftStatus {
    return pbftStatus(this.#pbft());
  }

  input(input: Untimed<Input>): void {
    if (this.#stopped) return;
    const now = this.#with.ports.clock.steady();
    this.#actor.send({ type: "pbft", input: { ...input, now } });
  }

  encodeRecord(record: PbftRecord): Uint8Array {
    return encodeRecord(record);
  }

  wantsOutline({ message }: VerifiedMessage, { header, hashes }: ProposalOutline): boolean {
    if (message.type !== "prepare" || header.number !== message.height) return false;
    // An observer may be a sealer at the height after the one that is being decided.
    const { sealers, observers, txCountLimit } = this.#with.group.config();
    if (!sealers.includes(message.signer) && !observers.includes(message.signer)) return false;
    const { height } = this.#pbft();
    const isNear = message.height > height && message.height <= height + 2;
    return isNear && hashes.length <= txCountLimit;
  }

  /** What a quorum has locked or decided is executed whatever this node thinks of it. */
  mayRefuse(entry: BookEntry): boolean {
    return !isBound(this.#pbft(), entry.proposal);
  }

  defectOf(entry: BookEntry): ProposalDefect | undefined {
    return defectOf(this.#with, entry);
  }

  propose({ height, view, emptyFrom }: ProposeEffect): void {
    invariant(emptyFrom !== undefined, "an idle leader of PBFT proposes empty blocks");
    this.#desk.ask({ height, view, emptyFrom });
  }

  config(): PbftConfig {
    return this.#config;
  }

  outlived(entry: BookEntry, running: Hash | undefined): void {
    this.#desk.onOutlived(entry, running);
  }

  executed(entry: BookEntry, share: number): void {
    this.#desk.onExecuted(entry, share);
  }

  tooHeavy(entry: BookEntry, running: Hash | undefined): void {
    this.#desk.onTooHeavy(entry, running);
  }

  report(report: ReportEvent): Promise<void> | undefined {
    if (report.event === "lostVote") return this.#fallSilent();
    this.#onReport(report);
    return undefined;
  }

  /** A block that was being written meanwhile has brought the voice of before with it. */
  #fallSilent(): Promise<void> {
    const kept = this.#with.group.lostVotes();
    this.voiceChanged();
    return kept;
  }

  #onReport(report: Exclude<ReportEvent, { event: "lostVote" }>): void {
    switch (report.event) {
      case "executionOutlived":
        return this.#host.outlived(report.proposal);
      case "viewLeft":
        return this.#onViewLeft(report);
      case "equivocation":
        return this.#onEquivocation(report);
      case "ignored":
        if (UNLIKE_HONEST.has(report.reason))
          this.#with.group.reject(report.from, `consensus: ${report.reason}`);
        return;
      case "viewChanged":
      case "committed":
        return;
      case "twin":
        return this.#onTwin(report.message);
      default:
        return unreachable(report);
    }
  }

  #onEquivocation({ index, first }: Extract<ReportEvent, { event: "equivocation" }>): void {
    if (!this.#complaints.opens(index)) return;
    const fields = { index, type: first.type };
    this.#with.ports.log.write("error", "a sealer contradicted itself", fields);
  }

  /** The proof that a copy of this node runs. Source: decision 25 */
  #onTwin({ type, height, view }: Message): void {
    if (!this.#complaints.opens("twin")) return;
    const line = "another node votes with this node's key";
    this.#with.ports.log.write("error", line, { type, number: height, view });
  }

  /**
   * Idle rounds and views joined behind others are ordinary: only a time-out warns. Source: pbft 7
   */
  #onViewLeft(left: Extract<ReportEvent, { event: "viewLeft" }>): void {
    const { cause, height, txCount } = left;
    this.#host.withdraw();
    if (cause === "timeout") logViewChange(this.#with.ports.log, { number: height, ...left });
    this.#desk.onRoundLeft(cause === "timeout" ? txCount : undefined);
  }

  #pbft(): PbftState {
    return this.#actor.getSnapshot().context.pbft;
  }

  /** What the store holds of this node's words. */
  #record(): PbftRecord | undefined {
    const { options, ports, shelf } = this.#with;
    const { suite, self } = options;
    const bytes = shelf.votes.record();
    const context = {
      self,
      sealers: this.#config.sealers,
      signatureBytes: suite.signatureBytes,
    };
    return bytes && readRecord(bytes, context, ports.ledger.head().number + 1);
  }

  #startActor(): ConsensusActor {
    const { options, ports } = this.#with;
    const { suite, privateKey } = options;
    const { number, hash } = ports.ledger.head();
    const pbft = createPbft({
      config: this.#config,
      signer: createSigner(this.#codec, suite, privateKey),
      height: number,
      head: hash,
      record: this.#record(),
      roundsPerRecord: options.roundsPerRecord,
    });
    const actor = { name: "consensus", input: { pbft } };
    return startInGroup(consensusMachine, actor, { group: options, log: ports.log });
  }

  #makeInbox(): ConsensusInbox {
    const { ports, group } = this.#with;
    return new ConsensusInbox({
      codec: this.#codec,
      compute: ports.compute,
      sealerCount: () => this.#config.sealers.length,
      isOfUse: (from, decoded) => this.#isOfUse(from, decoded),
      onMessage: (verified) => this.#onVerified(verified),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => group.fail(cause),
    });
  }

  /** Its next messages may be no better: for a second few of them are looked at. */
  reject(from: NodeId, reason: string): void {
    this.#doubt(from);
    this.#with.group.reject(from, reason);
  }

  /** Whether the signatures of a message are looked at; a peer that is behind is helped unread. */
  #isOfUse(from: NodeId, decoded: ConsensusMessage<Message>): boolean {
    const { message } = decoded;
    if (this.#stopped) return false;
    if (message.type === "status") return this.#statuses.opens(from);
    const use = useOf(this.#pbft(), message, from);
    if (use === "behind") this.input({ type: "stale", from });
    if (use === "behind" || use === "none") return false;
    if (this.#isTornApart(decoded)) {
      this.#with.group.reject(from, "consensus: the outline of another proposal");
      return false;
    }
    if (use === "counts" && !this.#isDoubted(from) && !this.#isTooLong(decoded)) return true;
    if (use === "outline" && this.#isInBook(message)) return false;
    return this.#evidence.opens(from);
  }

  /** Honest nodes send a prepare with its own outline; its signature does not cover that. */
  #isTornApart({ message, outline }: ConsensusMessage<Message>): boolean {
    if (message.type !== "prepare" || !outline) return false;
    const { header } = outline;
    if (header.number !== message.height) return true;
    return headerHash(header, this.#with.options.suite) !== message.proposal;
  }

  /** It is not taken, and so leaves no trace; the limit of the next height may be another one. */
  #isTooLong({ outline }: ConsensusMessage<Message>): boolean {
    return outline !== undefined && outline.hashes.length > this.#with.group.config().txCountLimit;
  }

  #isDoubted(peer: NodeId): boolean {
    const until = this.#doubted.get(peer);
    if (until === undefined) return false;
    if (this.#with.ports.clock.steady() < until) return true;
    this.#doubted.delete(peer);
    return false;
  }

  #doubt(peer: NodeId): void {
    this.#doubted.set(peer, this.#with.ports.clock.steady() + DOUBT_MS);
  }

  /** At once: the reports themselves wait behind what is written before them. */
  #doubtBlamed(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type !== "report" || effect.report.event !== "ignored") continue;
      const { reason, from } = effect.report;
      if (UNLIKE_HONEST.has(reason)) this.#doubt(from);
    }
  }

  #isInBook(message: Message): boolean {
    return message.type === "prepare" && this.#with.shelf.book.get(message.proposal) !== undefined;
  }

  #makeSender(): ConsensusSender<Message> {
    const { options, ports, shelf, group } = this.#with;
    return new ConsensusSender({
      groupId: options.groupId,
      network: ports.network,
      codec: this.#codec,
      book: shelf.book,
      members: () => group.members(),
      sealers: () => this.#config.sealers,
      // Without its outline a prepare says nothing; the others ask for the body of a lock.
      withoutProposal: () => undefined,
    });
  }

  #onVerified(verified: VerifiedMessage): void {
    const { message, from } = verified;
    if (message.type === "status" && message.signer === from)
      this.#with.group.noteStatus(from, message.height, message.head);
    this.#host.onMessage(verified);
  }
}
