/**
 * Raft in a group: the actor that hosts its core, the runner of effects and the desk that builds
 * proposals. Messages carry no signature: the session says who sent them. A download by block sync
 * does not suspend the engine: a node that is behind wins no vote, and its own vote does no harm.
 * Source: raft 8
 */
import { type RaftActor, raftMachine } from "../../actors/raft.machine.ts";
import { logLeaderChange } from "../../actors/journal.ts";
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SyncedBlock } from "../../consensus/pbft/input.ts";
import { decodeMessage, encodeMessage } from "../../consensus/raft/codec.ts";
import type { Effect, ReportEvent } from "../../consensus/raft/effect.ts";
import type { Input, RaftConfig } from "../../consensus/raft/input.ts";
import type { Message } from "../../consensus/raft/message.ts";
import { encodeRecord, type RaftRecord, readRecord } from "../../consensus/raft/record.ts";
import { createRaft, type RaftState } from "../../consensus/raft/state.ts";
import { raftStatus } from "../../consensus/raft/status.ts";
import { EMPTY_INTERVAL_MS } from "../../consensus/sealing.ts";
import { unreachable } from "../../fault/invariant.ts";
import type { ProposalOutline } from "../../sync/block-exchange.ts";
import type { ProposalDefect } from "../../txpool/proposal-check.ts";
import type { ConsensusDriver, DriverOptions, Taking } from "./consensus-driver.ts";
import { ConsensusHost } from "./consensus-host.ts";
import { ConsensusSender } from "./consensus-sender.ts";
import { type ArrivedMessage, decodeConsensusMessage } from "./consensus-wire.ts";
import { defectOf, enterSealed, makeDesk } from "./driver-parts.ts";
import { startInGroup } from "../options/group-actors.ts";
import type { RaftTimes } from "../options/group-options.ts";
import type { HostedProtocol, ProposeEffect, ProtocolTypes, Untimed } from "./hosted-protocol.ts";
import type { RaftStatus } from "../../api/node-api.ts";
import type { BookEntry } from "../proposals/proposal-book.ts";
import type { SealingDesk } from "../proposals/sealing-desk.ts";

/** Raft as the host sees it. */
interface Raft extends ProtocolTypes {
  readonly message: Message;
  readonly record: RaftRecord;
  readonly report: ReportEvent;
  readonly config: RaftConfig;
}

/** Why a block by sync was given up after it was taken. */
const BAD_BLOCK: ReadonlySet<string> = new Set(["executionDiffers", "refused"]);
const CODEC = { encode: encodeMessage, decode: decodeMessage };

/** One per running Raft group. */
export class RaftDriver implements ConsensusDriver, HostedProtocol<Raft> {
  readonly #with: DriverOptions;
  readonly #times: RaftTimes;
  readonly #actor: RaftActor;
  readonly #host: ConsensusHost<Raft>;
  readonly #desk: SealingDesk;
  #config: RaftConfig;
  /** When the last block was written here; the next one waits for its time. Source: raft 3 */
  #writtenAt: number;
  /** The first height at which this node has proposed since its start. */
  #proposedFrom: number | undefined;
  /** Heights that this node cannot have proposed before the start, as its disk has it. */
  readonly #unspokenFrom: number;
  #stopped = false;

  constructor(driver: DriverOptions, times: RaftTimes) {
    const { options, ports, group, shelf } = driver;
    this.#with = driver;
    this.#times = times;
    this.#config = this.#configNow();
    this.#writtenAt = ports.clock.steady();
    this.#unspokenFrom = ports.ledger.head().number + 2;
    this.#actor = this.#startActor();
    const sender = this.#makeSender();
    this.#host = new ConsensusHost({ ports, shelf, group, sender, protocol: this });
    this.#desk = makeDesk(driver, {
      // No round ends before its block: nothing is learnt about sizes. Source: raft 7
      tuning: { ...options.tuning, dynamicBlockSize: false },
      sealers: () => this.#config.sealers,
      onSealed: (sealed) => {
        this.#proposedFrom ??= sealed.header.number;
        const proposal = enterSealed(driver, sealed);
        this.input({ type: "proposal", view: sealed.view, proposal });
      },
    });
    this.#actor.on("effects", ({ effects }: { effects: readonly Effect[] }) =>
      this.#host.take(effects),
    );
  }

  begin(): void {
    this.input({ type: "start" });
  }

  reject(from: NodeId, reason: string): void {
    this.#with.group.reject(from, reason);
  }

  /** The sealer first, then what it gave to consensus. Source: groups 2 */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#desk.close();
    await this.#host.stop();
    this.#actor.stop();
  }

  receive(from: NodeId, bytes: Uint8Array): void {
    const { group } = this.#with;
    const decoded = decodeConsensusMessage(bytes, CODEC);
    if (!decoded) return this.reject(from, "consensus: malformed");
    // Who is no sealer here may be one that is ahead; its word counts for nothing. Source: raft 2
    if (!this.#config.sealers.includes(from)) return;
    const { height, head } = decoded.message;
    group.noteStatus(from, height, head);
    this.#host.onMessage({ from, ...decoded });
  }

  forget(): void {}

  peersChanged(): void {}

  onComplete(entry: BookEntry): void {
    this.#host.onComplete(entry);
  }

  /** Only from a sealer: nothing but the session proves such a block. Source: raft 8 */
  onBlock(from: NodeId, { proposal, executed, seals }: SyncedBlock): Taking {
    if (seals.length > 0) return "refused";
    if (this.#isLostWord(proposal)) {
      this.#fallSilent();
      return "busy";
    }
    this.input({ type: "block", from, block: { proposal, executed } });
    return this.#raft().decision?.proposal === proposal.hash ? "taken" : "busy";
  }

  onPoolChanged(): void {
    this.#desk.look();
  }

  onAdvanced(entry: BookEntry): void {
    this.#config = this.#configNow();
    this.#writtenAt = this.#with.ports.clock.steady();
    this.#desk.onWritten(entry, 0);
  }

  voiceChanged(): void {
    this.#config = this.#configNow();
    this.input({ type: "voice", config: this.#config });
  }

  sealers(): readonly NodeId[] {
    return this.#config.sealers;
  }

  status(): RaftStatus {
    return raftStatus(this.#raft());
  }

  input(input: Untimed<Input>): void {
    if (this.#stopped) return;
    const now = this.#with.ports.clock.steady();
    this.#actor.send({ type: "raft", input: { ...input, now } });
  }

  encodeRecord(record: RaftRecord): Uint8Array {
    return encodeRecord(record);
  }

  wantsOutline({ message }: ArrivedMessage<Message>, { header, hashes }: ProposalOutline): boolean {
    if (header.number !== message.height + 1) return false;
    const { height } = this.#raft();
    const isNear = header.number > height && header.number <= height + 2;
    return isNear && hashes.length <= this.#with.group.config().txCountLimit;
  }

  /** What a leader has stored may be final already: only an own new proposal can be dropped. */
  mayRefuse(entry: BookEntry): boolean {
    return this.#raft().fresh?.hash === entry.proposal;
  }

  defectOf(entry: BookEntry): ProposalDefect | undefined {
    return defectOf(this.#with, entry);
  }

  propose({ height, view }: ProposeEffect): void {
    const emptyFrom = this.#writtenAt + EMPTY_INTERVAL_MS;
    this.#desk.ask({ height, view, emptyFrom, neverEmpty: true });
  }

  config(): RaftConfig {
    return this.#config;
  }

  outlived(): void {}

  executed(entry: BookEntry, share: number): void {
    this.#desk.onExecuted(entry, share);
  }

  tooHeavy(entry: BookEntry, running: Hash | undefined): void {
    this.#desk.onTooHeavy(entry, running);
  }

  report(report: ReportEvent): undefined {
    this.#onReport(report);
  }

  #onReport(report: ReportEvent): void {
    switch (report.event) {
      case "leaderElected":
      case "steppedDown":
        logLeaderChange(this.#with.ports.log, report);
        if (report.event === "steppedDown") this.#desk.onRoundLeft();
        return;
      case "ignored":
        // A block of a peer that does not execute to its header.
        if (report.type === "block" && BAD_BLOCK.has(report.reason))
          this.#with.group.onRefused(this.#raft().height + 1);
        return;
      // The transactions of a dropped proposal never left the pool.
      case "proposalDropped":
      case "electionStarted":
      case "committed":
        return;
      default:
        return unreachable(report);
    }
  }

  /**
   * A block under the own key that this node never proposed: who proposes stands on the block
   * before, and this node's disk never had that one.
   */
  #isLostWord({ number, sealer }: SyncedBlock["proposal"]): boolean {
    const { options, group } = this.#with;
    // A muted node looks too: it votes on what its disk says as soon as it is heard again.
    const voice = group.voice();
    const isWatched = voice === undefined || voice === "muted";
    if (!isWatched || this.#config.sealers[sealer] !== options.self) return false;
    return number >= this.#unspokenFrom && number < (this.#proposedFrom ?? number + 1);
  }

  /** The block is taken once the silence is on disk. Source: decision 25 */
  #fallSilent(): void {
    const { group } = this.#with;
    group.lostVotes().catch((cause: unknown) => group.fail(cause));
    this.voiceChanged();
  }

  #raft(): RaftState {
    return this.#actor.getSnapshot().context.raft;
  }

  #configNow(): RaftConfig {
    const { options, group } = this.#with;
    const sealers = [...group.config().sealers].sort();
    const voice = group.voice();
    const silent = voice === "silent" || voice === "muted";
    return { self: options.self, sealers, silent, ...this.#times };
  }

  #startActor(): RaftActor {
    const { options, ports, shelf } = this.#with;
    const bytes = shelf.votes.record();
    const { number, hash } = ports.ledger.head();
    const raft = createRaft({
      config: this.#config,
      height: number,
      head: hash,
      record: bytes && readRecord(bytes),
      seed: new DataView(ports.entropy.bytes(4).slice().buffer).getInt32(0),
    });
    const actor = { name: "consensus", input: { raft } };
    return startInGroup(raftMachine, actor, { group: options, log: ports.log });
  }

  #makeSender(): ConsensusSender<Message> {
    const { options, ports, shelf, group } = this.#with;
    return new ConsensusSender({
      groupId: options.groupId,
      network: ports.network,
      codec: CODEC,
      book: shelf.book,
      members: () => group.members(),
      sealers: () => this.#config.sealers,
      // A leader that has just restarted is heard while it reads its entry from disk.
      withoutProposal: (message) =>
        message.type === "append" ? { ...message, entry: undefined } : undefined,
    });
  }
}
