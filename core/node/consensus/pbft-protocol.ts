/** PBFT for the shell of consensus: actor, configuration, meaning of reports. Source: pbft 16 */
import { consensusMachine, stepPbft } from "../../actors/consensus.machine.ts";
import { logAlive, logViewChange } from "../../actors/journal.ts";
import { endActor } from "../../actors/supervise.ts";
import type { Hash, NodeId, SealerIndex } from "../../bytes/ids.ts";
import type { SyncedBlock } from "../../consensus/exchange.ts";
import { createCodec, createSigner, type PbftCodec } from "../../consensus/pbft/codec.ts";
import type { Effect, PbftTypes, ReportEvent } from "../../consensus/pbft/effect.ts";
import { isBound } from "../../consensus/pbft/execution.ts";
import type { Input, PbftConfig } from "../../consensus/pbft/input.ts";
import type { Message } from "../../consensus/pbft/message.ts";
import type { PbftRecord } from "../../consensus/pbft/record.ts";
import { encodeRecord, readRecord } from "../../consensus/pbft/record-codec.ts";
import { createPbft, isSealer, type PbftState, recordOf } from "../../consensus/pbft/state.ts";
import { pbftStatus } from "../../consensus/pbft/status.ts";
import { unreachable } from "../../fault/invariant.ts";
import { LogThrottle } from "../../limits/log-throttle.ts";
import type { ArrivedMessage } from "./consensus-wire.ts";
import { PbftGate, UNLIKE_HONEST } from "./pbft-gate.ts";
import { startInGroup } from "../options/group-options.ts";
import type { ConsensusOptions, Inbox, Protocol, ProposeEffect, ShellEnd } from "./protocol.ts";

/** One per running PBFT group. */
export class PbftProtocol implements Protocol<PbftTypes> {
  readonly codec: PbftCodec;
  readonly encodeRecord = encodeRecord;
  readonly relay;
  readonly tuning;
  readonly #with: ConsensusOptions;
  /** Changed by its steps. */
  readonly #pbft: PbftState;
  readonly #actor;
  readonly #gate: PbftGate;
  /** Proofs of a fault come as often as a faulty sealer likes. */
  readonly #complaints: LogThrottle<SealerIndex | NodeId | "twin">;
  /** Views that were left because nothing came of them in time; for operators. */
  #viewTimeouts = 0;
  #config: PbftConfig;

  constructor(options: ConsensusOptions) {
    this.#with = options;
    this.tuning = options.options.tuning;
    this.codec = createCodec(options.options);
    this.#complaints = new LogThrottle(options.ports.clock);
    this.#config = this.#configNow(undefined);
    this.#pbft = this.#createCore();
    this.#gate = new PbftGate(options, this.#pbft);
    this.relay = this.#gate.relay;
    const actor = { name: "consensus", input: { pbft: this.#pbft } };
    const { options: group, ports } = options;
    this.#actor = startInGroup(consensusMachine, actor, { group, log: ports.log });
  }

  inbox(end: ShellEnd<PbftTypes>): Inbox {
    return this.#gate.inbox(this.codec, end);
  }

  heard({ message, from, via, compact }: ArrivedMessage<Message>): boolean {
    const { group } = this.#with;
    // Of a sealer with a session an old word that somebody repeats is none.
    const isHeard = via === undefined || this.relay.isDistant(from);
    if (message.type === "status" && message.signer === from && isHeard)
      group.noteStatus(from, message.height, message.head);
    if (message.type !== "prepare" || compact?.header.number !== message.height) return false;
    // An observer may be a sealer at the height after the one that is being decided.
    const { sealers, observers, txCountLimit } = group.chain.config();
    if (!sealers.includes(message.signer) && !observers.includes(message.signer)) return false;
    const { height } = this.#pbft;
    const isNear = message.height > height && message.height <= height + 2;
    return isNear && compact.hashes.length <= txCountLimit;
  }

  reject(from: NodeId, reason: string): void {
    this.#gate.reject(from, reason);
  }

  step(input: Input): readonly Effect[] {
    const effects = stepPbft(this.#actor, input);
    if (!effects) return [];
    this.#gate.doubtBlamed(effects);
    return effects;
  }

  stop(): void {
    endActor(this.#actor);
  }

  config(): PbftConfig {
    return this.#config;
  }

  advanced(): number {
    this.#config = this.#configNow(this.#config);
    return this.#pbft.decision?.view ?? 0;
  }

  votingRoleInput() {
    this.#config = this.#configNow(this.#config);
    return { type: "votingRole", config: this.#config, record: this.#record() } as const;
  }

  peersInput(connected: readonly NodeId[]) {
    return { type: "peersChanged", connected } as const;
  }

  blockInput(from: NodeId, block: SyncedBlock) {
    return { type: "block", from, block } as const;
  }

  decided(): Hash | undefined {
    return this.#pbft.decision?.proposal;
  }

  /** How far the node went: it need not be silent when it begins again. */
  lastRecord(): Uint8Array | undefined {
    const pbft = this.#pbft;
    if (pbft.reserved <= pbft.toView || !isSealer(pbft)) return undefined;
    return encodeRecord(recordOf({ ...pbft, reserved: pbft.toView }));
  }

  /** Without its compact proposal a prepare says nothing; the others ask for the body of a lock. */
  withoutProposal(): undefined {}

  /** A node that keeps quiet counts no votes: it learns of locks by what it passes on. */
  isNamed(proposal: Hash): boolean {
    const { lock } = this.#pbft;
    if (isBound(this.#pbft, proposal) || lock?.proposal === proposal) return true;
    return this.#gate.passedLock === proposal;
  }

  /** What a quorum has locked or decided is executed whatever this node thinks of it. */
  mayRefuse(proposal: Hash): boolean {
    return !isBound(this.#pbft, proposal);
  }

  askOf({ height, view, emptyFrom }: ProposeEffect<PbftTypes>) {
    return { height, view, emptyFrom };
  }

  sealed(): void {}

  report(report: ReportEvent, end: ShellEnd<PbftTypes>): Promise<void> | undefined {
    switch (report.event) {
      case "lostVote":
        return end.abstainAfterLoss();
      case "executionOutlived":
        return void end.outlived(report.proposal);
      case "viewLeft":
        return void this.#onViewLeft(report, end);
      case "equivocation":
        return void this.#onEquivocation(report);
      case "ignored":
        if (report.reason === "aheadOfTime") this.#onAhead(report.from);
        if (UNLIKE_HONEST.has(report.reason))
          this.#with.group.peers.reject(report.from, `consensus: ${report.reason}`);
        return undefined;
      case "viewChanged":
        return void this.#onViewChanged(report);
      case "committed":
        return undefined;
      case "twin":
        return void this.#onTwin(report.message);
      default:
        return unreachable(report);
    }
  }

  status() {
    return { ...pbftStatus(this.#pbft), viewTimeouts: this.#viewTimeouts };
  }

  #onViewChanged({ height, view }: Extract<ReportEvent, { event: "viewChanged" }>): void {
    const { ports, options } = this.#with;
    logAlive(ports.log, options.groupId, { number: height, view });
  }

  #onEquivocation({ index, first }: Extract<ReportEvent, { event: "equivocation" }>): void {
    if (!this.#complaints.allows(index)) return;
    const fields = { index, type: first.type };
    this.#with.ports.log.write("error", "a sealer contradicted itself", fields);
  }

  /** Its leader's clock is ahead, or the own one is behind more than half of the others. */
  #onAhead(from: NodeId): void {
    if (!this.#complaints.allows(from)) return;
    const line = "no vote for a proposal that is ahead of the time: set the clocks by NTP";
    this.#with.ports.log.write("warning", line, { sealer: from.slice(0, 8) });
  }

  /** The proof that a copy of this node runs. Source: decision 25 */
  #onTwin({ type, height, view }: Message): void {
    if (!this.#complaints.allows("twin")) return;
    const line = "another node votes with this node's key";
    this.#with.ports.log.write("error", line, { type, number: height, view });
  }

  /** Idle rounds and views joined behind others are usual: only a time-out warns. Source: pbft 7 */
  #onViewLeft(left: Extract<ReportEvent, { event: "viewLeft" }>, end: ShellEnd<PbftTypes>): void {
    const { cause, height, txCount } = left;
    if (cause === "timeout") {
      this.#viewTimeouts += 1;
      logViewChange(this.#with.ports.log, { number: height, ...left });
    }
    end.roundLeft(cause === "timeout" ? txCount : undefined);
  }

  /** The core compares lists by identity: an unchanged list stays the same array. */
  #configNow(before: PbftConfig | undefined): PbftConfig {
    const { options, group } = this.#with;
    const { sealers, consensusTimeoutSeconds } = group.chain.config();
    const sorted = [...sealers].sort();
    const isSame = before?.sealers.join() === sorted.join();
    return {
      self: options.self,
      sealers: before && isSame ? before.sealers : sorted,
      consensusTimeoutMs: consensusTimeoutSeconds * 1000,
      time: {
        maxFutureMs: options.tuning.maxFutureMs,
        parent: Number(group.chain.parent().timestamp),
      },
      votingRole: group.abstention.votingRole(),
    };
  }

  /** What the store holds of this node's messages. */
  #record(): PbftRecord | undefined {
    const { options, ports, proposals } = this.#with;
    const { suite, self } = options;
    const bytes = proposals.votes.record();
    const context = { self, sealers: this.#config.sealers, signatureBytes: suite.signatureBytes };
    return bytes && readRecord(bytes, context, ports.ledger.head().number + 1);
  }

  #createCore(): PbftState {
    const { options, ports } = this.#with;
    const { number, hash } = ports.ledger.head();
    return createPbft({
      config: this.#config,
      signer: createSigner(this.codec, options.suite, options.privateKey),
      height: number,
      head: hash,
      record: this.#record(),
      roundsPerRecord: options.roundsPerRecord,
    });
  }
}
