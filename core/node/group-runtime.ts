/**
 * A running group: ledger, pool, consensus and sealing wired to the ports. Source: guide actors 3
 */
import { type ConsensusActor, consensusMachine } from "../actors/consensus.machine.ts";
import { sealingMachine } from "../actors/sealing.machine.ts";
import { startSupervised } from "../actors/supervise.ts";
import { type PoolActor, txpoolMachine } from "../actors/txpool.machine.ts";
import type { Hash, NodeId } from "../bytes/ids.ts";
import { createCodec, createSigner, type PbftCodec } from "../consensus/pbft/codec.ts";
import type { Effect, ReportEvent } from "../consensus/pbft/effect.ts";
import type { Input, PbftConfig } from "../consensus/pbft/input.ts";
import type { Message } from "../consensus/pbft/message.ts";
import { encodeRecord, readRecord } from "../consensus/pbft/record-codec.ts";
import { createPbft } from "../consensus/pbft/state.ts";
import { pbftStatus } from "../consensus/pbft/status.ts";
import { invariant } from "../fault/invariant.ts";
import type { Ledger } from "../ledger/ledger-view.ts";
import type { GroupConfig } from "../model/config.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import type { CallRequest } from "../ports/executor.ts";
import type { Incoming } from "../ports/network.ts";
import type { ProposalOutline } from "../sync/block-exchange.ts";
import { CLEANUP_PERIOD_MS } from "../txpool/limits.ts";
import { onBlock, pendingCount, pendingTransaction, pendingTransactions } from "../txpool/pool.ts";
import { type ProposalDefect, proposalDefect } from "../txpool/proposal-check.ts";
import type { TxPool } from "../txpool/state.ts";
import { BlockService } from "./block-service.ts";
import { ConsensusHost, type ConsensusSurroundings, reportSealed } from "./consensus-host.ts";
import { ConsensusInbox, proposalFacts, type VerifiedMessage } from "./consensus-inbox.ts";
import { encodeConsensusMessage } from "./consensus-wire.ts";
import type { GroupOptions, GroupPorts, GroupStart } from "./group-options.ts";
import { Intake } from "./intake.ts";
import type { GroupApi, PbftStatus, SubmitOutcome, SyncStatus } from "./node-api.ts";
import { pbftConfigOf } from "./pbft-config.ts";
import { PeerTable } from "./peer-table.ts";
import { type BookEntry, ProposalBook } from "./proposal-book.ts";
import { type ParentBlock, type SealedProposal, SealingDesk } from "./sealing-desk.ts";
import { SessionTable } from "./session-table.ts";
import { TransactionFlow } from "./transaction-flow.ts";
import { VoteStore } from "./vote-store.ts";

/** Runs one group. Made by {@link startGroup}, ended by `stop`. */
export class GroupRuntime implements GroupApi, ConsensusSurroundings {
  readonly groupId: number;
  readonly consensusType = "pbft" as const;
  readonly ledger: Ledger;
  readonly #options: GroupOptions;
  readonly #ports: GroupPorts;
  readonly #codec: PbftCodec;
  readonly #votes: VoteStore;
  readonly #book: ProposalBook;
  readonly #pool: TxPool;
  readonly #poolActor: PoolActor;
  readonly #consensus: ConsensusActor;
  readonly #peers: PeerTable;
  readonly #sessions: SessionTable;
  readonly #flow: TransactionFlow;
  readonly #blocks: BlockService;
  readonly #inbox: ConsensusInbox;
  readonly #host: ConsensusHost;
  readonly #desk: SealingDesk;
  #config: GroupConfig;
  #pbftConfig: PbftConfig;
  #parent: ParentBlock;
  #failed = 0n;
  #cancelCleanUp: () => void = () => {};
  #begun = false;
  #stopped = false;
  #lastMembers = "";

  constructor(options: GroupOptions, ports: GroupPorts, start: GroupStart) {
    this.groupId = options.groupId;
    this.ledger = ports.ledger;
    this.#options = options;
    this.#ports = ports;
    this.#config = ports.ledger.groupConfig();
    this.#parent = start.parent;
    this.#failed = start.failed;
    this.#pbftConfig = pbftConfigOf(options.self, this.#config, undefined);
    this.#codec = createCodec(options);
    this.#votes = new VoteStore(ports.store);
    this.#pool = start.pool;
    this.#book = new ProposalBook(options);
    this.#peers = new PeerTable(ports.ledger.genesisHash());
    this.#peers.setMembers([...this.#config.sealers, ...this.#config.observers]);
    this.#sessions = new SessionTable({
      groupId: options.groupId,
      log: ports.log,
      inspect: options.inspect,
      onError: options.onFailure,
    });
    const intake = new Intake({ suite: options.suite, compute: ports.compute });
    this.#poolActor = this.#startPool();
    this.#consensus = this.#startConsensus();
    this.#flow = this.#makeFlow(intake);
    this.#inbox = this.#makeInbox();
    const { clock, log, executor } = ports;
    const shared = { clock, log, executor, book: this.#book, codec: this.#codec };
    this.#host = new ConsensusHost({ ...shared, surroundings: this });
    this.#blocks = this.#makeBlockService(intake);
    this.#desk = this.#makeDesk();
    this.#consensus.on("effects", ({ effects }: { effects: readonly Effect[] }) =>
      this.#host.take(effects),
    );
  }

  /** Joins consensus: the first input of the core. */
  begin(): void {
    this.#begun = true;
    this.#host.input({ type: "start" });
    this.#peersChanged();
    this.#scheduleCleanUp();
  }

  isMember(): boolean {
    const { sealers, observers } = this.#config;
    const { self } = this.#options;
    return sealers.includes(self) || observers.includes(self);
  }

  consensusStatus(): PbftStatus {
    return pbftStatus(this.#consensus.getSnapshot().context.pbft);
  }

  syncStatus(): SyncStatus {
    const head = this.ledger.head();
    const best = this.#peers.highestAbove(head.number);
    const genesisHash = this.ledger.genesisHash();
    const catchingUp = this.#consensus.getSnapshot().context.pbft.catchUpAt !== undefined;
    return {
      isSyncing: catchingUp && best !== undefined,
      knownHighestNumber: best?.number ?? head.number,
      knownLatestHash: best?.latestHash ?? head.hash,
      peers: this.#peers.statuses().map((peer) => ({ ...peer, genesisHash })),
    };
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

  /** Takes a message of this group. */
  receive({ from, kind, bytes }: Incoming): void {
    if (this.#stopped || !this.#sessions.isUp(from)) return;
    if (kind === "consensus") this.#inbox.receive(from, bytes);
    else if (kind === "transactions") this.#flow.onMessage(from, bytes);
    else this.#blocks.onMessage(from, bytes);
  }

  peerUp(peer: NodeId): void {
    if (this.#stopped) return;
    if (!this.#sessions.up(peer)) return;
    this.#peers.up(peer);
    this.#peersChanged();
    if (this.#pbftConfig.sealers.includes(peer)) this.#flow.onPeerUp(peer);
  }

  peerDown(peer: NodeId): void {
    this.#sessions.down(peer);
    this.#peers.down(peer);
    this.#inbox.forget(peer);
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
    this.#desk.close();
    await this.#host.stop();
    this.#consensus.stop();
    this.#poolActor.send({ type: "pool.close" });
    this.#sessions.close();
  }

  input(input: Input): void {
    if (!this.#stopped) this.#consensus.send({ type: "pbft", input });
  }

  persist(record: Parameters<ConsensusSurroundings["persist"]>[0], body: BookEntry | undefined) {
    return this.#votes.persist(encodeRecord(record), body);
  }

  broadcast(message: Message, to: Parameters<ConsensusSurroundings["broadcast"]>[1]): void {
    const bytes = this.#encode(message);
    if (!bytes) return;
    for (const peer of this.#peers.members()) {
      const isSealer = this.#pbftConfig.sealers.includes(peer);
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
    const { sealers, observers } = this.#config;
    if (!sealers.includes(message.signer) && !observers.includes(message.signer)) return false;
    const { height } = this.#consensus.getSnapshot().context.pbft;
    const isNear = message.height > height && message.height <= height + 2;
    return isNear && hashes.length <= this.#config.txCountLimit;
  }

  requestBody(proposal: Hash, to: NodeId): void {
    this.#blocks.requestBody(proposal, to);
  }

  requestBlock(number: number, to: NodeId): void {
    this.#blocks.requestBlock(number, to);
  }

  async assemble(proposal: Hash): Promise<BookEntry | undefined> {
    const known = this.#book.use(proposal);
    if (!known) return this.#restoreEntry(proposal);
    const isWhole = this.#book.fill(known, (hash) => pendingTransaction(this.#pool, hash));
    return isWhole || known.missing.size > 0 ? known : undefined;
  }

  defectOf({ proposal, transactions }: BookEntry): ProposalDefect | undefined {
    // What a quorum has decided is executed whatever this node thinks of it.
    if (this.#consensus.getSnapshot().context.pbft.decision?.proposal === proposal)
      return undefined;
    const known = transactions.filter((transaction) => transaction !== undefined);
    const { chainId, groupId } = this.#options;
    return proposalDefect(this.#pool.window, known, {
      head: this.#parent.number,
      chainId,
      groupId,
    });
  }

  propose(ask: Parameters<ConsensusSurroundings["propose"]>[0]): void {
    this.#desk.ask(ask);
  }

  async afterWrite(entry: BookEntry, executed: Hash): Promise<PbftConfig> {
    const { ledger } = this.#ports;
    const head = ledger.refresh();
    invariant(head.hash === executed, "the block just written is the head");
    const { number, timestamp, sealer } = entry.header;
    this.#parent = { number, hash: executed, timestamp };
    const nonces = entry.transactions.map((transaction) => transaction?.nonce ?? 0n);
    onBlock(this.#pool, { number, hashes: entry.hashes, nonces });
    this.#applyConfig(ledger.groupConfig());
    this.#desk.onWritten(entry, this.#consensus.getSnapshot().context.pbft.decision?.view ?? 0);
    await this.#forgetProposals(number, entry.proposal);
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
    return this.#pbftConfig;
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
    this.#sessions.reject(peer, reason);
  }

  fail(cause: unknown): void {
    if (!this.#stopped) this.#options.onFailure(cause);
  }

  #supervise<Logic extends Parameters<typeof startSupervised>[0]>(
    logic: Logic,
    id: string,
    input: unknown,
  ) {
    const { inspect, onFailure } = this.#options;
    const common = { log: this.#ports.log, inspect, onError: onFailure };
    return startSupervised(logic, {
      id: `g${this.groupId}.${id}`,
      input: input as never,
      ...common,
    });
  }

  #startPool() {
    return this.#supervise(txpoolMachine, "txpool", { pool: this.#pool });
  }

  #startConsensus() {
    const { suite, privateKey, self } = this.#options;
    const { sealers } = this.#pbftConfig;
    const bytes = this.#votes.record();
    const context = { self, sealers, signatureBytes: suite.signatureBytes };
    const { number, hash } = this.ledger.head();
    const pbft = createPbft({
      config: this.#pbftConfig,
      signer: createSigner(this.#codec, suite, privateKey),
      height: number,
      head: hash,
      record: bytes && readRecord(bytes, context, number + 1),
    });
    return this.#supervise(consensusMachine, "consensus", { pbft });
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
        knownHighest: () => this.#peers.believableHeight(this.#pbftConfig.sealers),
        isMember: () => this.isMember(),
        sealers: () => this.#pbftConfig.sealers,
        isConnected: (peer) => this.#peers.isConnected(peer),
      },
      onImported: (transactions) => this.#onImported(transactions),
      onRejected: (peer, reason) => this.reject(peer, reason),
    });
  }

  #makeInbox(): ConsensusInbox {
    return new ConsensusInbox({
      codec: this.#codec,
      compute: this.#ports.compute,
      sealerCount: () => this.#pbftConfig.sealers.length,
      onMessage: (verified) => this.#onVerified(verified),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  #makeBlockService(intake: Intake): BlockService {
    const { suite, groupId } = this.#options;
    const { ledger, compute, network, clock } = this.#ports;
    return new BlockService({
      groupId,
      suite,
      ledger,
      book: this.#book,
      intake,
      compute,
      network,
      clock,
      onComplete: (entry) => this.#host.onComplete(entry),
      onBlock: (from, block) => this.#host.input({ type: "block", from, block }),
      onRejected: (peer, reason) => this.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  #makeDesk(): SealingDesk {
    const { self, tuning } = this.#options;
    return new SealingDesk({
      self,
      rules: this.#options,
      pool: this.#pool,
      tuning,
      clock: this.#ports.clock,
      actor: this.#supervise(sealingMachine, "sealing", undefined),
      config: () => this.#config,
      sealers: () => this.#pbftConfig.sealers,
      parent: () => this.#parent,
      onSealed: (proposal) => this.#onSealed(proposal),
    });
  }

  #onVerified(verified: VerifiedMessage): void {
    const { message, from } = verified;
    if (message.type === "status" && message.signer === from)
      this.#peers.note(from, { number: message.height, latestHash: message.head });
    this.#host.onMessage(verified);
  }

  #onImported(transactions: readonly SignedTransaction[]): void {
    for (const entry of this.#book.offer(transactions)) this.#host.onComplete(entry);
    this.#desk.look();
  }

  #onSealed({ view, header, transactions }: SealedProposal): void {
    const byHash = new Map(transactions.map((transaction) => [transaction.hash, transaction]));
    const hashes = [...byHash.keys()];
    const entry = this.#book.add({ header, hashes }, (hash) => byHash.get(hash));
    invariant(entry, "an own proposal has the root of its transactions");
    this.#book.use(entry.proposal);
    if (hashes.length > 0) reportSealed(this.#ports.log, entry, view);
    const proposal = proposalFacts(entry.proposal, header, hashes.length);
    this.#host.input({ type: "proposal", view, proposal });
  }

  #encode(message: Message): Uint8Array | undefined {
    const outline = message.type === "prepare" ? this.#book.get(message.proposal) : undefined;
    // Without its outline a prepare says nothing; the others ask for the body of a lock.
    if (message.type === "prepare" && !outline) return undefined;
    return encodeConsensusMessage({ message, outline }, this.#codec);
  }

  #sendBytes(to: NodeId, bytes: Uint8Array): void {
    this.#ports.network.send(to, { groupId: this.groupId, kind: "consensus", bytes });
  }

  async #restoreEntry(proposal: Hash): Promise<BookEntry | undefined> {
    const kept = await this.#votes.load(proposal);
    if (!kept) return undefined;
    const intake = new Intake({ suite: this.#options.suite, compute: this.#ports.compute });
    const taken = (await intake.takeAll(kept.body.transactions)) ?? [];
    const byHash = new Map(taken.map((transaction) => [transaction.hash, transaction]));
    const entry = this.#book.add(kept, (hash) => byHash.get(hash));
    if (!entry) return undefined;
    entry.stored = true;
    return this.#book.use(entry.proposal);
  }

  async #forgetProposals(number: number, written: Hash): Promise<void> {
    const gone = this.#book.dropUpTo(number).filter(({ stored }) => stored);
    await this.#votes.forget(
      gone.map(({ proposal }) => proposal),
      written,
    );
  }

  #applyConfig(config: GroupConfig): void {
    const wasMember = this.isMember();
    this.#config = config;
    this.#pbftConfig = pbftConfigOf(this.#options.self, config, this.#pbftConfig);
    this.#peers.setMembers([...config.sealers, ...config.observers]);
    if (wasMember && !this.isMember()) this.#poolActor.send({ type: "group.left" });
    if (!wasMember && this.isMember()) this.#poolActor.send({ type: "group.joined" });
    if (this.#pbftConfig.sealers.length > 0) this.#peersChangedIfNew();
  }

  #peersChangedIfNew(): void {
    if (this.#peers.members().join() !== this.#lastMembers) this.#peersChanged();
  }

  #peersChanged(): void {
    if (!this.#begun) return;
    const connected = this.#peers.members();
    this.#lastMembers = connected.join();
    this.#host.input({ type: "peersChanged", connected });
  }

  #scheduleCleanUp(): void {
    this.#cancelCleanUp = this.#ports.clock.after(CLEANUP_PERIOD_MS, () => {
      this.#flow.cleanUp();
      this.#sessions.cleanUp();
      if (!this.#stopped) this.#scheduleCleanUp();
    });
  }
}
