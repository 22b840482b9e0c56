/**
 * The shell around the planner of block sync: performs what it asks for and feeds back the results.
 * Verified blocks go to consensus one by one, which executes and writes them. Source: sync 2-4, 9
 */
import type { Taking } from "../consensus/protocol.ts";
import { createEffectRunner, type EffectRunner } from "../../actors/effects.ts";
import { endActor } from "../../actors/supervise.ts";
import { stepSync, type SyncActor } from "../../actors/sync.machine.ts";
import { type Hash, isSameList, type NodeId } from "../../bytes/ids.ts";
import { ResultFault, unreachable } from "../../fault/invariant.ts";
import { Alarm } from "../../limits/alarm.ts";
import { LogThrottle } from "../../limits/log-throttle.ts";
import { type SealerVoting, type Voting, votingCode } from "../../model/voting.ts";
import type { AlignedTime } from "../../sync/aligned-time.ts";
import { awaitsBlocks, expectsBlocks } from "../../sync/planner/arrival.ts";
import type { SyncEffect, SyncReport } from "../../sync/planner/effect.ts";
import type { ImportFault, SyncConfig, SyncNews } from "../../sync/planner/input.ts";
import { isListed } from "../../sync/planner/state.ts";
import { believableHeight, syncStatus } from "../../sync/planner/status.ts";
import { readSyncNews } from "../../sync/planner/wire.ts";
import {
  type ChainStatus,
  encodeSyncBlock,
  encodeSyncMessage,
  isBlocksMessage,
  type SyncBlock,
  type SyncMessage,
} from "../../sync/sync-message.ts";
import type { VotingReports } from "../../sync/voting-reports.ts";
import type { GroupOptions, GroupPorts } from "../options/group-options.ts";
import type { SyncVerifier, VerifiedBlock } from "./sync-verifier.ts";

/** Longer than any execution: a block that was taken is offered again after this. */
const IMPORT_PATIENCE_MS = 5 * 60_000;
/** What one peer alone says, and no sealer, is told operators this seldom. */
const UNPROVABLE_INTERVAL_MS = 10 * 60_000;
/** So few blocks behind is nothing to tell. */
const QUIET_BLOCKS = 3;

/** What the service works with. */
export interface SyncServiceOptions
  extends Pick<GroupPorts, "ledger" | "network" | "clock" | "log">,
    Pick<GroupOptions, "groupId" | "suite"> {
  readonly actor: SyncActor;
  /** The clocks of peers. Source: sync 6; decision 27 */
  readonly time: AlignedTime;
  readonly verifier: SyncVerifier;
  /** What the ledger says about the next block. */
  readonly config: () => SyncConfig;
  /** Gives a verified block of the next height to consensus. */
  readonly take: (from: NodeId, block: VerifiedBlock) => Taking;
  /** A peer of the same chain said where it stands. */
  readonly onStatus: (from: NodeId, number: number) => void;
  /** What peers have reported of their votes. Source: decision 34 */
  readonly votes: VotingReports;
  /** Whether this node votes, but for blocks that it lacks. Source: decision 34 */
  readonly voting: () => Voting;
  /** Whether a peer reads in a status whether its sender votes. Source: decision 34 */
  readonly readsVoting: (peer: NodeId) => boolean;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

type Effect<Type extends SyncEffect["type"]> = Extract<SyncEffect, { type: Type }>;
type OwnStatus = Extract<SyncMessage, { type: "status" }>;
type Unprovable = Extract<SyncReport, { event: "unprovable" }>;

/** One per running group. */
export class SyncService {
  readonly #options: SyncServiceOptions;
  /** Who sent a block; as long as the planner holds it. */
  readonly #senders = new WeakMap<SyncBlock, NodeId>();
  /** Sessions that were up before the first input. */
  #early: Set<NodeId> | undefined = new Set();
  #awaited: { readonly number: number; readonly settle: (written: boolean) => void } | undefined;
  readonly #alarm: Alarm;
  /** What an effect leads to at once is done behind it. */
  readonly #runner: EffectRunner<SyncEffect>;
  #stopped = false;
  /** What operators know. No node makes the height change by words: at another one it is news. */
  #toldOf = { at: -1, until: 0, otherHash: -1 };
  #isToldSyncing = false;
  /** Warnings about a peer while it has a session, and lines about downloads. */
  readonly #complaints: LogThrottle<NodeId | "syncing">;
  /** Peers whose last status names another genesis block; sessions bound their number. */
  readonly #otherGenesis = new Set<NodeId>();
  /** When a peer reported last where it stands. */
  #heardAt: number;

  constructor(options: SyncServiceOptions) {
    this.#options = options;
    this.#heardAt = options.clock.steady();
    this.#alarm = new Alarm(options.clock, () => this.#input({ type: "tick" }));
    this.#complaints = new LogThrottle(options.clock);
    this.#runner = createEffectRunner((effect) => void this.#perform(effect), options.onError);
  }

  /** Begins to tell peers where this node stands, and to ask them. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#input({ type: "start" });
    for (const peer of early) this.#input({ type: "peerUp", peer });
  }

  /** A session is up, with a member or not. */
  peerUp(peer: NodeId): void {
    this.#options.votes.meet(peer, this.#options.clock.steady());
    if (this.#early) this.#early.add(peer);
    else this.#input({ type: "peerUp", peer });
  }

  /** A session is gone. */
  peerDown(peer: NodeId): void {
    this.#options.time.forget(peer);
    this.#options.votes.forget(peer);
    this.#complaints.forget(peer);
    this.#otherGenesis.delete(peer);
    if (this.#early) this.#early.delete(peer);
    else this.#input({ type: "peerDown", peer });
  }

  /** Whether a packet of blocks of a peer could be an answer. */
  expectsBlocks(from: NodeId): boolean {
    return expectsBlocks(this.#state(), from);
  }

  /** Whether it could answer a question that was not given up. */
  awaitsBlocks(from: NodeId): boolean {
    return awaitsBlocks(this.#state(), from);
  }

  /** Takes a message of which `isSyncMessage` is true. */
  onMessage(from: NodeId, bytes: Uint8Array): void {
    const { suite, onRejected } = this.#options;
    // No node makes this node hash what it did not ask for; honest answers may come too late.
    if (isBlocksMessage(bytes) && !this.expectsBlocks(from)) return;
    const news = readSyncNews(from, bytes, suite);
    if (news.type === "malformed") onRejected(from, "sync: malformed");
    if (news.type === "status") this.#noteStatus(from, news.status);
    if (news.type === "blocks") for (const block of news.blocks) this.#senders.set(block, from);
    this.#input(news);
  }

  /** Consensus heard where a peer stands; most likely fresher than the peer's status here. */
  heard(from: NodeId, number: number, latestHash: Hash): void {
    const { ledger } = this.#options;
    const genesisHash = ledger.genesisHash();
    this.#heardAt = this.#options.clock.steady();
    const status = { number, genesisHash, latestHash };
    this.#input({ type: "status", from, status, ofConsensus: true });
  }

  /** Consensus executes this block now; 0 when none. Source: sync 4 (currentSealingNumber) */
  sealing(number: number): void {
    this.#input({ type: "sealing", number });
  }

  /** A block is on disk and consensus stands on it. */
  written(number: number, hash: Hash): void {
    this.#input({ type: "committed", number, hash, config: this.#options.config() });
    if (this.#awaited && number >= this.#awaited.number) this.#settle(true);
  }

  /** Consensus found that the block of this height is not what its header says. */
  refused(number: number): void {
    if (this.#awaited?.number === number) this.#settle(false);
  }

  /** Source: sync 8 */
  status() {
    return syncStatus(this.#state());
  }

  /** Connected nodes with another genesis block, ascending. */
  otherGenesis(): readonly NodeId[] {
    return [...this.#otherGenesis].sort();
  }

  /** How long no peer has reported where it stands. */
  quietMs(): number {
    return this.#options.clock.steady() - this.#heardAt;
  }

  /** Best height that cannot be the claim of one Byzantine node. */
  believableHeight(): number {
    return believableHeight(this.#state());
  }

  /** Whether this node votes, as its statuses report. Source: decision 34 */
  voting(): Voting {
    if (this.#stopped) return "stopped";
    const voting = this.#options.voting();
    const isBehind = this.believableHeight() - this.#state().height > QUIET_BLOCKS;
    return voting === "votes" && isBehind ? "behind" : voting;
  }

  /** Whether sealers vote, as each says. Source: decision 34 */
  sealerVoting(self: NodeId, sealers: readonly NodeId[]): readonly SealerVoting[] {
    const { votes, clock } = this.#options;
    const of = (id: NodeId) => (id === self ? this.voting() : votes.of(id, clock.steady()));
    return sealers.map((nodeId) => ({ nodeId, voting: of(nodeId) }));
  }

  /** Times that a peer that asked was to wait, because it had been served its share. */
  servingsHeldBack(): number {
    return this.#state().counters.budgetWaits;
  }

  /** Nothing more is asked, answered or taken. */
  stop(): void {
    const wasHeard = !this.#stopped && !this.#early;
    this.#stopped = true;
    if (wasHeard) this.sendStatus();
    this.#alarm.set(undefined);
    this.#settle(false);
    endActor(this.#options.actor);
  }

  #state() {
    return this.#options.actor.getSnapshot().context.sync;
  }

  #input(news: SyncNews): void {
    const { actor, clock } = this.#options;
    if (this.#stopped || this.#early) return;
    this.#runner.push(stepSync(actor, { ...news, now: clock.steady() }) ?? []);
  }

  #settle(written: boolean): void {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    awaited?.settle(written);
  }

  #perform(effect: SyncEffect): void {
    switch (effect.type) {
      case "send":
        return this.#send(effect);
      case "verify":
        return this.#run(this.#verify(effect));
      case "import":
        return this.#run(this.#import(effect));
      case "load":
        return this.#run(this.#load(effect));
      case "deadline":
        return this.#alarm.set(this.#stopped ? undefined : effect.at);
      case "report":
        return this.#report(effect.report);
      case "stop": {
        const what = `block ${effect.number} is certified and gives other results on this node`;
        return this.#options.onError(new ResultFault(what));
      }
      default:
        return unreachable(effect);
    }
  }

  #run(work: Promise<void>): void {
    work.catch((cause: unknown) => {
      if (!this.#stopped) this.#options.onError(cause);
    });
  }

  #send({ to, message }: Effect<"send">): void {
    if (message.type === "status") return this.#sendStatus(to, message);
    const bytes = encodeSyncMessage(message);
    for (const peer of to) this.#sendBytes(peer, bytes);
  }

  #sendBytes(to: NodeId, bytes: Uint8Array): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "blocks", bytes });
  }

  #sendStatus(to: readonly NodeId[], status: OwnStatus): void {
    const { clock, readsVoting } = this.#options;
    const timed = { ...status, time: Math.floor(clock.now()) };
    const plain = encodeSyncMessage(timed);
    const full = encodeSyncMessage({ ...timed, voting: votingCode(this.voting()) });
    for (const peer of to) this.#sendBytes(peer, readsVoting(peer) ? full : plain);
  }

  /**
   * Says at once whether this node votes, so that peers are not left to find out: it votes again,
   * or the group stops, which its sessions outlast. Source: decision 34
   */
  sendStatus(): void {
    this.#sendStatus([...this.#state().peers.keys()], this.#ownStatus());
  }

  #ownStatus(): OwnStatus {
    const { height: number, head: latestHash, genesis: genesisHash } = this.#state();
    return { type: "status", number, genesisHash, latestHash };
  }

  #noteStatus(from: NodeId, status: ChainStatus): void {
    const { config, time } = this.#options;
    const isFirst = !time.knows(from);
    this.#noteTime(from, status.time);
    // Who begins later than its peer has missed the peer's: a leader of Raft waits for clocks.
    if (isFirst && !config().certified && !this.#early && !this.#stopped)
      this.#sendStatus([from], this.#ownStatus());
    const { number, genesisHash, voting } = status;
    this.#options.votes.note(from, voting, this.#options.clock.steady());
    this.#noteGenesis(from, genesisHash, number);
    const { onStatus, ledger } = this.#options;
    if (genesisHash === ledger.genesisHash()) onStatus(from, number);
  }

  #noteTime(from: NodeId, theirs: number | undefined): void {
    const { time, clock, log } = this.#options;
    const own = { wall: clock.now(), steady: clock.steady() };
    if (theirs === undefined || !time.note(from, theirs, own)) return;
    const minutes = Math.round((theirs - clock.now()) / 60_000);
    const level = this.#complaints.allows(from) ? "warning" : "debug";
    log.write(level, "the clock of a peer is far off", { peer: from.slice(0, 8), minutes });
  }

  #noteGenesis(from: NodeId, theirs: Hash, number: number): void {
    const { ledger, clock } = this.#options;
    if (theirs !== ledger.genesisHash()) return void this.#otherGenesis.add(from);
    this.#otherGenesis.delete(from);
    // Nodes that were removed go on speaking: this node may be cut off from all others.
    const state = this.#state();
    if (number > state.height || isListed(state, from) || state.tuning.allowFreeNode)
      this.#heardAt = clock.steady();
  }

  async #verify({ token, blocks, sealers }: Effect<"verify">): Promise<void> {
    const { verifier, config } = this.#options;
    const defect = await verifier.verify({ blocks, sealers, certified: config().certified });
    this.#input({ type: "verified", token, defect });
  }

  async #import({ token, blocks }: Effect<"import">): Promise<void> {
    const { config, ledger } = this.#options;
    const { sealers } = config();
    let fault: ImportFault | undefined;
    for (const block of blocks) {
      if (this.#stopped || fault) return;
      // Consensus may have written it meanwhile.
      if (block.number <= ledger.head().number) continue;
      if (!isSameList(sealers, config().sealers)) break;
      fault = await this.#importOne(block);
      if (fault) break;
    }
    this.#input({ type: "imported", token, fault });
  }

  async #importOne(block: SyncBlock): Promise<ImportFault | undefined> {
    const { verifier, take } = this.#options;
    const from = this.#senders.get(block);
    const content = verifier.verified(block);
    if (from === undefined || !content) return "peer";
    const { number } = block;
    const written = new Promise<boolean>((settle) => {
      this.#awaited = { number, settle };
    });
    const taking = take(from, content);
    if (taking === "taken") return this.#outcome(number, written);
    this.#awaited = undefined;
    return taking === "busy" ? "busy" : "peer";
  }

  /** Consensus writes what it has taken; whatever becomes of it, sync goes on. */
  async #outcome(number: number, written: Promise<boolean>): Promise<ImportFault | undefined> {
    const { clock, log } = this.#options;
    let isLate = false;
    const cancel = clock.after(IMPORT_PATIENCE_MS, () => {
      isLate = true;
      log.write("warning", "a block that was taken is not written yet", { number });
      this.refused(number);
    });
    const isWritten = await written;
    cancel();
    if (isWritten) return undefined;
    return isLate ? "busy" : "peer";
  }

  async #load({ token, from, count, maxBytes }: Effect<"load">): Promise<void> {
    const blocks: Uint8Array[] = [];
    let bytes = 0;
    for (let number = from; number < from + count && !this.#stopped; number++) {
      const block = await this.#read(number);
      if (!block) break;
      bytes += block.length;
      if (blocks.length > 0 && bytes > maxBytes) break;
      blocks.push(block);
    }
    this.#input({ type: "loaded", token, blocks });
  }

  async #read(number: number): Promise<Uint8Array | undefined> {
    const { ledger } = this.#options;
    const hash = await ledger.hashOf(number);
    const stored = hash && (await ledger.header(hash));
    const body = hash && (await ledger.rawBody(hash));
    if (!stored || !body) return undefined;
    const { header, seals } = stored;
    return encodeSyncBlock({ header, seals, transactions: body.transactions });
  }

  #report(report: SyncReport): void {
    const { log, onRejected } = this.#options;
    switch (report.event) {
      case "penalised": {
        const { peer, offence } = report;
        const level = this.#complaints.allows(peer) ? "warning" : "debug";
        log.write(level, "a peer did not serve blocks as it should", {
          peer: peer.slice(0, 8),
          offence,
        });
        // Abstention and late answers may be bad luck: they cost turns, not the session.
        if (offence !== "silence" && offence !== "unasked") onRejected(peer, `sync: ${offence}`);
        return;
      }
      case "otherHash":
        return this.#reportOtherHash(report.peer, report.number);
      case "unprovable":
        return this.#reportUnprovable(report);
      case "syncing":
        return this.#reportSyncing(report.number, report.highest);
      case "idle":
        return log.write(this.#isToldSyncing ? "info" : "debug", "block sync is over", {
          number: report.number,
        });
      case "ignored":
        if (report.reason === "otherGenesis") this.#reportOtherGenesis(report.from);
        return;
      default:
        return unreachable(report);
    }
  }

  /**
   * They are down, or were replaced while this node was away: the operator has to help.
   * The peer may lie: it says nothing of what is so, and now and then at most.
   */
  #reportUnprovable({ peer, number, silent }: Unprovable): void {
    const { clock, log } = this.#options;
    const { height } = this.#state();
    const { at, until } = this.#toldOf;
    if (height === at && clock.steady() < until) return;
    this.#toldOf = { ...this.#toldOf, at: height, until: clock.steady() + UNPROVABLE_INTERVAL_MS };
    const sealers = silent.map((sealer) => sealer.slice(0, 8));
    const text = "another node speaks of newer blocks, the sealers that this node needs are silent";
    const next = "start them; if others took their place, see the alarms in docs/operators.md";
    const fields = { peer: peer.slice(0, 8), number, height, sealers: sealers.join() };
    log.write("warning", `${text}: ${next}`, fields);
  }

  /**
   * An observer fetches every block: only a way of several is worth a line. A peer that claims
   * blocks and takes it back again and again must not fill the log.
   */
  #reportSyncing(number: number, highest: number): void {
    this.#isToldSyncing = highest - number > QUIET_BLOCKS && this.#complaints.allows("syncing");
    const level = this.#isToldSyncing ? "info" : "debug";
    this.#options.log.write(level, "block sync begins", { number, highest });
  }

  /** Nothing of that peer can ever fit: the files of the group differ between the two nodes. */
  #reportOtherGenesis(peer: NodeId): void {
    const { log, groupId } = this.#options;
    const level = this.#complaints.allows(peer) ? "error" : "debug";
    const next = `compare group.${groupId}.genesis on both nodes`;
    log.write(level, `a peer has another genesis block: ${next}`, { peer: peer.slice(0, 8) });
  }

  /** Each status reports it again: one line per height is enough. */
  #reportOtherHash(peer: NodeId, number: number): void {
    if (number <= this.#toldOf.otherHash) return;
    this.#toldOf.otherHash = number;
    const fields = { peer: peer.slice(0, 8), number };
    this.#options.log.write("error", "a peer has another block at the same height", fields);
  }
}
