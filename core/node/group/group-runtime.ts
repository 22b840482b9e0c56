/**
 * A running group: ledger, pool, blocks and consensus wired to the ports.
 */
import { type PoolActor, txpoolMachine } from "../../actors/txpool.machine.ts";
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { Voice } from "../../consensus/pbft/input.ts";
import { maxFaulty, quorum } from "../../consensus/quorum.ts";
import { majority } from "../../consensus/raft/majority.ts";
import type { SilenceRecord, SilenceView } from "../../consensus/silence.ts";
import { invariant } from "../../fault/invariant.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import type { GroupConfig } from "../../model/config.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import type { CallRequest } from "../../ports/executor.ts";
import type { Hearing, Incoming } from "../../ports/network.ts";
import type { SyncConfig } from "../../sync/planner/input.ts";
import { AlignedTime } from "../../sync/aligned-time.ts";
import { isSyncMessage } from "../../sync/sync-message.ts";
import type { TokenBucket } from "../../limits/token-bucket.ts";
import { CLEANUP_PERIOD_MS } from "../../txpool/limits.ts";
import { onBlock, pendingCount, pendingTransactions } from "../../txpool/pool.ts";
import type { TxPool } from "../../txpool/state.ts";
import { BlockService } from "../proposals/block-service.ts";
import type { ConsensusGroup, GroupConsensus, Taking } from "../consensus/protocol.ts";
import { startInGroup } from "../options/group-actors.ts";
import type {
  GroupOptions,
  GroupPorts,
  GroupStart,
  ParentBlock,
} from "../options/group-options.ts";
import { alignedClock, bandwidthOf, makeGroupSync } from "../sync/group-sync.ts";
import { hearingOfStranger, INVITED } from "../peers/hearing.ts";
import { Intake } from "../txpool/intake.ts";
import { meteredNetwork } from "../peers/metered-network.ts";
import type {
  ConsensusStatus,
  GroupApi,
  SubmitOutcome,
  SyncStatus,
  TransactionWatch,
  TransactionWatcher,
} from "../../api/node-api.ts";
import { PbftProtocol } from "../consensus/pbft-protocol.ts";
import { PeerTable } from "../peers/peer-table.ts";
import { type BookEntry, ProposalBook, proposalFacts } from "../proposals/proposal-book.ts";
import { ProposalShelf } from "../proposals/proposal-shelf.ts";
import { RaftProtocol } from "../consensus/raft-protocol.ts";
import { ConsensusShell } from "../consensus/shell.ts";
import { SessionTable } from "../peers/session-table.ts";
import { SilenceKeeper } from "../voting/silence-keeper.ts";
import type { SyncService } from "../sync/sync-service.ts";
import type { VerifiedBlock } from "../sync/sync-verifier.ts";
import { TransactionFlow } from "../txpool/transaction-flow.ts";
import { TransactionWatches } from "../feed/transaction-watches.ts";
import { VoteStore } from "../voting/vote-store.ts";

/** Runs one group. Made by {@link startGroup}, ended by `stop`. */
export class GroupRuntime implements GroupApi, ConsensusGroup {
  readonly groupId: number;
  readonly consensusType: "pbft" | "raft";
  readonly ledger: Ledger;
  readonly eventLimits: GroupApi["eventLimits"];
  readonly #options: GroupOptions;
  readonly #ports: GroupPorts;
  readonly #buckets: readonly TokenBucket[];
  readonly #time = new AlignedTime();
  readonly #shelf: ProposalShelf;
  readonly #pool: TxPool;
  readonly #poolActor: PoolActor;
  readonly #peers: PeerTable;
  readonly #sessions: SessionTable;
  readonly #flow: TransactionFlow;
  readonly #blocks: BlockService;
  readonly #sync: SyncService;
  readonly #silence: SilenceKeeper;
  readonly #consensus: GroupConsensus;
  readonly #watches: TransactionWatches;
  #config: GroupConfig;
  #parent: ParentBlock;
  #failed = 0n;
  #cancelCleanUp: () => void = () => {};
  #begun = false;
  readonly #wasMuted: boolean;
  #stopped = false;
  #lastMembers = "";

  constructor(options: GroupOptions, ports: GroupPorts, start: GroupStart) {
    this.groupId = options.groupId;
    this.consensusType = options.raft ? "raft" : "pbft";
    this.ledger = ports.ledger;
    this.eventLimits = options.eventLimits;
    this.#options = options;
    this.#buckets = bandwidthOf(options, ports.clock.steady());
    const network = meteredNetwork(ports.network, this.#buckets, ports.clock);
    this.#ports = { ...ports, network };
    this.#config = ports.ledger.groupConfig();
    this.#parent = start.parent;
    this.#failed = start.failed;
    this.#pool = start.pool;
    this.#watches = new TransactionWatches(start.pool, ports.ledger);
    this.#shelf = this.#makeShelf();
    this.#peers = new PeerTable();
    this.#peers.setMembers([...this.#config.sealers, ...this.#config.observers]);
    this.#sessions = new SessionTable({
      groupId: options.groupId,
      log: ports.log,
      inspect: options.inspect,
      onError: options.onFailure,
      onBlocked: (peer, reason) => network.penalise?.(peer, reason),
    });
    this.#wasMuted = this.#isMuted();
    this.#silence = this.#makeSilence(start.silence);
    const intake = new Intake({ suite: options.suite, compute: ports.compute });
    this.#poolActor = this.#startPool();
    this.#flow = this.#makeFlow(intake);
    this.#blocks = this.#makeBlockService(intake);
    this.#consensus = this.#makeConsensus();
    this.#sync = this.#makeSync(intake);
    // In no list since before this start: nothing of peers is imported. Source: sync 2
    if (!this.isMember()) this.#poolActor.send({ type: "group.left" });
  }

  /** Joins consensus: the first input of the core. */
  begin(): void {
    this.#begun = true;
    this.#silence.begin();
    this.#consensus.begin();
    if (this.#wasMuted !== this.#isMuted()) this.#consensus.voiceChanged();
    this.#sync.begin();
    this.#peersChanged();
    this.#scheduleCleanUp();
  }

  isMember(): boolean {
    const { sealers, observers } = this.#config;
    const { self } = this.#options;
    return sealers.includes(self) || observers.includes(self);
  }

  consensusStatus(): ConsensusStatus {
    return this.#consensus.status();
  }

  syncStatus(): SyncStatus {
    const forOperators = { otherGenesis: this.#sync.otherGenesis(), quietMs: this.#sync.quietMs() };
    const known = { ...this.#sync.status(), ...forOperators };
    // The planner hears of a block a moment after the ledger has it.
    const { number, hash } = this.ledger.head();
    if (known.knownHighestNumber >= number) return known;
    return { ...known, knownHighestNumber: number, knownLatestHash: hash };
  }

  silence(): SilenceView | undefined {
    const isAsked = this.#silence.voice() === "silent";
    return isAsked && this.#listed() ? this.#silence.view() : undefined;
  }

  servingsHeldBack(): number {
    return this.#sync.servingsHeldBack() + this.#blocks.refused();
  }

  async confirmOnlyCopy(): Promise<boolean> {
    if (this.#stopped || !(await this.#silence.confirm())) return false;
    this.#consensus.voiceChanged();
    return true;
  }

  /** The node keeps quiet as a sealer from now on, or no longer. */
  muteChanged(): void {
    if (this.#begun && !this.#stopped) this.#consensus.voiceChanged();
  }

  #isMuted(): boolean {
    return this.#options.isMuted?.() ?? false;
  }

  pendingTransactions(): readonly SignedTransaction[] {
    return pendingTransactions(this.#pool);
  }

  pendingCount(): number {
    return pendingCount(this.#pool);
  }

  call(request: CallRequest) {
    return this.#ports.executor.call(request);
  }

  submit(raw: Uint8Array): Promise<SubmitOutcome> {
    return this.#flow.submit(raw);
  }

  watchTransactions(watcher: TransactionWatcher): TransactionWatch {
    return this.#watches.watch(watcher);
  }

  /** What the group thinks of a message that `receive` would get. */
  hearing(message: Incoming): Hearing {
    if (this.hasMember(message.from)) return INVITED;
    return hearingOfStranger(message, this.#sync, this.#parent.number);
  }

  hasMember(node: NodeId): boolean {
    return this.#peers.isMember(node);
  }

  /** Takes a message of this group. */
  receive({ from, kind, bytes }: Incoming): void {
    if (this.#stopped || !this.#sessions.isUp(from)) return;
    if (kind === "blocks" && isSyncMessage(bytes)) return this.#sync.onMessage(from, bytes);
    // Of others only where they stand is heard: this node's own lists may be old.
    // Source: sync 1; node-network 8
    if (!this.#peers.isMember(from)) return;
    if (kind === "consensus") this.#consensus.receive(from, bytes);
    else if (kind === "transactions") this.#flow.onMessage(from, bytes);
    else this.#blocks.onMessage(from, bytes);
  }

  peerUp(peer: NodeId): void {
    if (this.#stopped) return;
    if (!this.#sessions.up(peer)) return;
    this.#peers.up(peer);
    this.#sync.peerUp(peer);
    this.#peersChanged();
    if (this.#consensus.sealers().includes(peer)) this.#flow.onPeerUp(peer);
  }

  peerDown(peer: NodeId): void {
    this.#sessions.down(peer);
    this.#peers.down(peer);
    this.#sync.peerDown(peer);
    this.#consensus.forget(peer);
    if (!this.#stopped) this.#peersChanged();
  }

  /**
   * Stops in the order sealer, consensus, pool; the executor is closed by its owner.
   * Source: groups 2
   */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelCleanUp();
    this.#flow.close();
    this.#blocks.close();
    this.#sync.stop();
    await this.#consensus.stop();
    this.#poolActor.send({ type: "pool.close" });
    this.#watches.close();
    this.#sessions.close();
  }

  config(): GroupConfig {
    return this.#config;
  }

  parent(): ParentBlock {
    return this.#parent;
  }

  members(): readonly NodeId[] {
    return this.#peers.members();
  }

  requestBody(proposal: Hash, to: NodeId): void {
    this.#blocks.requestBody(proposal, to);
  }

  voice(): Voice | undefined {
    return this.#silence.voice();
  }

  lostVotes(): Promise<void> {
    return this.#silence.lost();
  }

  noteStatus(peer: NodeId, number: number, latestHash: Hash): void {
    this.#silence.heard(peer, number);
    this.#sync.heard(peer, number, latestHash);
  }

  onRefused(number: number): void {
    this.#sync.refused(number);
  }

  noteExecuting(number: number): void {
    this.#sync.sealing(number);
  }

  onWritten(number: number, hash: Hash): void {
    this.#sync.written(number, hash);
  }

  async advance(entry: BookEntry, executed: Hash): Promise<void> {
    const { ledger } = this.#ports;
    const head = ledger.refresh();
    invariant(head.hash === executed, "the block just written is the head");
    const { number, timestamp, sealer } = entry.header;
    this.#parent = { number, hash: executed, timestamp };
    const nonces = entry.transactions.map((transaction) => transaction?.nonce ?? 0n);
    onBlock(this.#pool, { number, hashes: entry.hashes, nonces });
    this.#watches.onBlock({ number, hash: executed }, entry.hashes);
    this.#applyConfig(ledger.groupConfig());
    const speaking = this.#silence.advanced();
    this.#consensus.onAdvanced(entry);
    if (speaking) await speaking;
    if (this.#config.sealers.length > 0) this.#peersChangedIfNew();
    await this.#shelf.forgetUpTo(number, entry.proposal);
    const { failed } = await ledger.totals();
    const newlyFailed = Number(failed - this.#failed);
    this.#failed = failed;
    this.#options.onWritten({
      groupId: this.groupId,
      number,
      hash: executed,
      transactions: entry.hashes.length,
      failed: newlyFailed,
      sealer,
      timestamp: Number(timestamp),
    });
  }

  reject(peer: NodeId, reason: string): void {
    this.#sessions.reject(peer, reason);
  }

  fail(cause: unknown): void {
    if (!this.#stopped) this.#options.onFailure(cause);
  }

  #makeShelf(): ProposalShelf {
    const { store, compute } = this.#ports;
    const { suite } = this.#options;
    const book = new ProposalBook(this.#options);
    const votes = new VoteStore(store);
    return new ProposalShelf({ book, votes, pool: this.#pool, suite, compute });
  }

  #makeConsensus(): GroupConsensus {
    const clock = alignedClock(this.#ports.clock, () => this.#clockOffset());
    const options = this.#options;
    const ports = { ...this.#ports, clock };
    const made = { options, ports, pool: this.#pool, shelf: this.#shelf, group: this };
    return options.raft
      ? new ConsensusShell(made, new RaftProtocol(made, options.raft))
      : new ConsensusShell(made, new PbftProtocol(made));
  }

  #makeSilence(record: SilenceRecord | undefined): SilenceKeeper {
    const { options, ports } = { options: this.#options, ports: this.#ports };
    const { self, raft } = options;
    return new SilenceKeeper({
      store: ports.store,
      log: ports.log,
      record,
      isMuted: options.isMuted,
      sight: () => {
        const sealers = [...this.#config.sealers].sort();
        const { length } = sealers;
        return {
          self,
          head: this.#parent.number,
          sealers,
          quorum: raft ? majority(length) : quorum(length),
          now: ports.clock.steady(),
          // A candidate that has this node's lost vote gives up within an election.
          patienceMs: raft ? 2 * raft.maxElectMs : 0,
        };
      },
    });
  }

  #listed(): boolean {
    return this.#config.sealers.includes(this.#options.self);
  }

  #clockOffset(): number {
    const { sealers } = this.#config;
    return this.#time.offset(sealers, maxFaulty(sealers.length));
  }

  #startPool() {
    const actor = { name: "txpool", input: { pool: this.#pool } };
    return startInGroup(txpoolMachine, actor, { group: this.#options, log: this.#ports.log });
  }

  #makeFlow(intake: Intake): TransactionFlow {
    const { groupId, chainId, self } = this.#options;
    const { network, clock, log } = this.#ports;
    return new TransactionFlow({
      groupId,
      chainId,
      self,
      pool: this.#pool,
      actor: this.#poolActor,
      intake,
      network,
      clock,
      log,
      view: {
        head: () => this.#parent.number,
        knownHighest: () => this.#sync.believableHeight(),
        isMember: () => this.isMember(),
        sealers: () => this.#consensus.sealers(),
        isConnected: (peer) => this.#peers.isConnected(peer),
      },
      onImported: (transactions) => this.#onImported(transactions),
      onRejected: (peer, reason) => this.reject(peer, reason),
    });
  }

  #makeBlockService(intake: Intake): BlockService {
    const { groupId } = this.#options;
    const { network, clock } = this.#ports;
    return new BlockService({
      groupId,
      rules: this.#options,
      book: this.#shelf.book,
      intake,
      network,
      clock,
      onComplete: (entry) => this.#consensus.onComplete(entry),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  #makeSync(intake: Intake): SyncService {
    return makeGroupSync({
      options: this.#options,
      ports: this.#ports,
      intake,
      time: this.#time,
      buckets: this.#buckets,
      config: () => this.#syncConfig(),
      take: (from, block) => this.#takeBlock(from, block),
      onStatus: (from, number) => this.#silence.heard(from, number),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  #syncConfig(): SyncConfig {
    const sealers = this.#consensus.sealers();
    const certified = this.consensusType === "pbft";
    return {
      self: this.#options.self,
      sealers,
      observers: this.#config.observers,
      maxFaulty: certified ? maxFaulty(sealers.length) : 0,
      certified,
    };
  }

  /** Puts a verified block into the book and hands it to consensus. */
  #takeBlock(from: NodeId, { header, transactions, executed, seals }: VerifiedBlock): Taking {
    const entry = this.#shelf.enterWhole({ header, transactions });
    if (!entry) return "refused";
    const proposal = proposalFacts(entry);
    const own = this.#consensus.sealers().indexOf(this.#options.self);
    if (header.sealer === own || seals.some(({ index }) => index === own))
      this.#silence.sawOwnBlock(header.number).catch((cause: unknown) => this.fail(cause));
    return this.#consensus.onBlock(from, { proposal, executed, seals });
  }

  #onImported(transactions: readonly SignedTransaction[]): void {
    for (const entry of this.#shelf.book.offer(transactions)) this.#consensus.onComplete(entry);
    this.#consensus.onPoolChanged();
  }

  #applyConfig(config: GroupConfig): void {
    const wasMember = this.isMember();
    this.#config = config;
    this.#peers.setMembers([...config.sealers, ...config.observers]);
    if (wasMember && !this.isMember()) this.#poolActor.send({ type: "group.left" });
    if (!wasMember && this.isMember()) this.#poolActor.send({ type: "group.joined" });
  }

  #peersChangedIfNew(): void {
    if (this.#peers.members().join() !== this.#lastMembers) this.#peersChanged();
  }

  #peersChanged(): void {
    if (!this.#begun) return;
    const connected = this.#peers.members();
    this.#lastMembers = connected.join();
    this.#consensus.peersChanged(connected);
  }

  #scheduleCleanUp(): void {
    this.#cancelCleanUp = this.#ports.clock.after(CLEANUP_PERIOD_MS, () => {
      this.#flow.cleanUp();
      this.#watches.sweep().catch((cause: unknown) => this.fail(cause));
      this.#sessions.cleanUp();
      if (!this.#stopped) this.#scheduleCleanUp();
    });
  }
}
