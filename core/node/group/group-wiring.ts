/** The parts of a running group, wired: what one tells the others goes through here. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import { maxFaulty } from "../../consensus/quorum.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import { ALIGNED_FROM, AlignedTime, type OwnMoment } from "../../sync/aligned-time.ts";
import type { SyncConfig } from "../../sync/planner/input.ts";
import { txpoolMachine } from "../../actors/txpool.machine.ts";
import type { ConsensusGroup, Taking } from "../consensus/protocol.ts";
import { type GroupConsensus, makeConsensus } from "../consensus/start-consensus.ts";
import {
  type GroupOptions,
  type GroupPorts,
  type GroupStart,
  startInGroup,
} from "../options/group-options.ts";
import { GroupPeers } from "../peers/group-peers.ts";
import { meteredNetwork } from "../peers/metered-network.ts";
import { BlockService } from "../proposals/block-service.ts";
import { type CachedProposal, proposalFacts } from "../proposals/proposal-cache.ts";
import { alignedClock, bandwidthOf, makeGroupSync } from "../sync/group-sync.ts";
import type { VerifiedBlock } from "../sync/sync-verifier.ts";
import { SenderRecovery } from "../txpool/sender-recovery.ts";
import { TransactionFlow } from "../txpool/transaction-flow.ts";
import { AbstentionManager } from "../voting/abstention-manager.ts";
import { GroupChain } from "./group-chain.ts";

/** One per running group. */
export class GroupWiring implements ConsensusGroup {
  readonly chain: GroupChain;
  readonly peers: GroupPeers;
  readonly abstention;
  readonly flow;
  readonly blocks: BlockService;
  readonly consensus: GroupConsensus;
  readonly sync;
  readonly #options: GroupOptions;
  readonly #time = new AlignedTime();
  readonly #now: () => OwnMoment;
  /** When the group was made. */
  readonly #wasAbstaining: boolean;
  /** `made`: nothing is reported yet; `stopped`: nothing that fails matters any more. */
  #stage: "made" | "begun" | "stopped" = "made";

  constructor(options: GroupOptions, given: GroupPorts, start: GroupStart) {
    const buckets = bandwidthOf(options, given.clock.steady());
    const network = meteredNetwork(given.network, buckets, given.clock);
    const ports = { ...given, network };
    const { compute, examineLong } = ports;
    const recovery = new SenderRecovery({ suite: options.suite, compute, examineLong });
    const time = this.#time;
    this.#options = options;
    this.#wasAbstaining = options.isAbstaining?.() ?? false;
    this.#now = () => ({ wall: given.clock.now(), steady: given.clock.steady() });
    this.chain = new GroupChain(options, ports, start);
    this.peers = this.#makePeers(ports);
    const { chain } = this;
    this.abstention = new AbstentionManager(options, ports, chain, start.abstention);
    this.flow = this.#makeFlow(ports, recovery);
    this.blocks = this.#makeBlocks(ports, recovery);
    const offset = () => this.#clockOffset();
    const aligned = { ...ports, clock: alignedClock(ports.clock, offset) };
    const { pool, proposals } = chain;
    this.consensus = makeConsensus({ options, ports: aligned, pool, proposals, group: this });
    this.sync = makeGroupSync({
      options,
      ports,
      recovery,
      time,
      buckets,
      config: () => this.#syncConfig(),
      take: (from, block) => this.#takeBlock(from, block),
      onStatus: (from, number) => this.abstention.heard(from, number),
      voting: () => this.abstention.voting(),
      readsVoting: (peer) => this.peers.passesOn(peer),
      onRejected: (peer, reason) => this.peers.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
    // In no list since before this start: nothing of peers is imported. Source: sync 2
    if (!this.chain.isMember()) this.flow.memberChanged(false);
  }

  isStopped(): boolean {
    return this.#stage === "stopped";
  }

  /** Joins consensus: the first input of the core. */
  begin(): void {
    this.#stage = "begun";
    this.abstention.begin();
    this.consensus.begin();
    if (this.#wasAbstaining !== (this.#options.isAbstaining?.() ?? false))
      this.consensus.votingRoleChanged();
    this.sync.begin();
    this.peersChanged();
  }

  /** The voting role of the node has changed; consensus learns it with its first input. */
  votingRoleChanged(): void {
    if (this.#stage === "begun") this.consensus.votingRoleChanged();
  }

  /** Consensus hears who is connected. */
  peersChanged(): void {
    if (this.#stage === "begun") this.consensus.peersChanged(this.peers.report());
  }

  /** In the order sealer, consensus, pool; the executor is closed by its owner. Source: groups 2 */
  async stop(): Promise<void> {
    this.#stage = "stopped";
    this.flow.close();
    this.blocks.close();
    this.sync.stop();
    await this.consensus.stop();
    this.flow.closePool();
    this.chain.watches.close();
    this.peers.close();
  }

  referenceTime(): number {
    return this.#referenceTime("own");
  }

  /** A node that holds an entry of Raft is not voted out: all halves must take it. */
  ownReferenceTime(): number {
    return this.#referenceTime(this.#options.raft ? "lowest" : "own");
  }

  /** Sealers in force, ascending, and whether they vote as far as is known. Source: decision 34 */
  voting() {
    return this.sync.sealerVoting(this.#options.self, this.consensus.sealers());
  }

  noteStatus(peer: NodeId, number: number, latestHash: Hash): void {
    this.abstention.heard(peer, number);
    this.sync.heard(peer, number, latestHash);
  }

  async advance(entry: CachedProposal, executed: Hash): Promise<void> {
    const wasMember = this.chain.isMember();
    this.chain.advance(entry, executed);
    this.peers.setMembers(this.chain.members());
    const isMember = this.chain.isMember();
    if (wasMember !== isMember) this.flow.memberChanged(isMember);
    const speaking = this.abstention.advanced();
    this.consensus.onAdvanced(entry);
    if (speaking) await speaking;
    if (this.chain.config().sealers.length > 0 && this.peers.hasNews()) this.peersChanged();
    await this.chain.settle(entry, executed);
  }

  fail(cause: unknown): void {
    if (!this.isStopped()) this.#options.onFailure(cause);
  }

  #makePeers({ log, network }: GroupPorts): GroupPeers {
    const { groupId, inspect, parent, onFailure } = this.#options;
    const onBlocked = (peer: NodeId, reason: string) => network.penalise?.(peer, reason);
    const versionOf = (peer: NodeId) =>
      network.peers().find(({ nodeId }) => nodeId === peer)?.version;
    const watch = { groupId, log, inspect, parent, onError: onFailure };
    return new GroupPeers({ ...watch, onBlocked, versionOf }, this.chain.members());
  }

  #makeFlow(ports: GroupPorts, recovery: SenderRecovery) {
    const { pool } = this.chain;
    const actor = { name: "txpool", input: { pool } };
    return new TransactionFlow({
      ...this.#options,
      ...ports,
      pool,
      actor: startInGroup(txpoolMachine, actor, { group: this.#options, log: ports.log }),
      recovery,
      view: {
        head: () => this.chain.parent().number,
        knownHighest: () => this.sync.believableHeight(),
        isMember: () => this.chain.isMember(),
        sealers: () => this.consensus.sealers(),
        isConnected: (peer) => this.peers.isConnected(peer),
        passesOn: (peer) => this.peers.passesOn(peer),
      },
      onImported: (transactions) => this.#onImported(transactions),
      onRejected: (peer, reason) => this.peers.reject(peer, reason),
    });
  }

  #makeBlocks({ network, clock }: GroupPorts, recovery: SenderRecovery): BlockService {
    return new BlockService({
      groupId: this.#options.groupId,
      rules: this.#options,
      cache: this.chain.proposals.cache,
      recovery,
      network,
      clock,
      neighbours: () => this.#neighbours(),
      isNamed: (proposal) => this.consensus.protocol.isNamed(proposal),
      isTravelling: (hash) => this.flow.isTravelling(hash),
      onComplete: (entry) => this.#onComplete(entry),
      onRejected: (peer, reason) => this.peers.reject(peer, reason),
      onError: (cause) => this.fail(cause),
    });
  }

  knowsClocks(): boolean {
    const { self } = this.#options;
    return this.#time.knowsMajority({ self, sealers: this.chain.config().sealers });
  }

  #referenceTime(tie: "own" | "lowest"): number {
    const { self } = this.#options;
    const { sealers } = this.chain.config();
    return this.#time.reference({ self, sealers }, this.#now(), {
      byzantine: maxFaulty(sealers.length),
      tie,
    });
  }

  #clockOffset(): number {
    if (this.#options.version < ALIGNED_FROM) return 0;
    const { sealers } = this.chain.config();
    return this.#time.offset(sealers, maxFaulty(sealers.length));
  }

  #syncConfig(): SyncConfig {
    const { self, raft } = this.#options;
    const sealers = this.consensus.sealers();
    const certified = raft === undefined;
    return {
      self,
      sealers,
      observers: this.chain.config().observers,
      maxFaulty: certified ? maxFaulty(sealers.length) : 0,
      certified,
    };
  }

  /** Puts a verified block into the book and hands it to consensus. */
  #takeBlock(from: NodeId, { header, transactions, executed, seals }: VerifiedBlock): Taking {
    const entry = this.chain.proposals.cache.addWhole(header, transactions);
    if (!entry) return "refused";
    const own = this.consensus.sealers().indexOf(this.#options.self);
    if (header.sealer === own || seals.some(({ index }) => index === own))
      this.abstention.sawOwnBlock(header.number).catch((cause: unknown) => this.fail(cause));
    return this.consensus.onBlock(from, { proposal: proposalFacts(entry), executed, seals });
  }

  #onImported(transactions: readonly SignedTransaction[]): void {
    for (const entry of this.chain.proposals.cache.offer(transactions)) this.#onComplete(entry);
    this.consensus.onPoolChanged();
  }

  #onComplete(entry: CachedProposal): void {
    this.consensus.onComplete(entry);
    this.blocks.serveWaiting(entry.proposal);
  }

  /** Connected sealers. */
  #neighbours(): readonly NodeId[] {
    return this.consensus.sealers().filter((sealer) => this.peers.isConnected(sealer));
  }
}
