/** A running group as others see it: what peers send goes in, what clients ask is answered. */
import type {
  ChainTime,
  ConsensusStatus,
  GroupApi,
  SubmitOutcome,
  SyncStatus,
  TransactionWatch,
  TransactionWatcher,
} from "../../api/node-api.ts";
import type { NodeId } from "../../bytes/ids.ts";
import type { AbstentionView } from "../../consensus/abstention.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import type { SealerVoting } from "../../model/voting.ts";
import type { Asker } from "../../ports/asker.ts";
import type { CallRequest } from "../../ports/executor.ts";
import type { PeerAdmission, Incoming } from "../../ports/network.ts";
import type { StorePassView } from "../../ports/store.ts";
import { isSyncMessage } from "../../sync/sync-message.ts";
import { CLEANUP_PERIOD_MS } from "../../txpool/limits.ts";
import { pendingCount, pendingTransactions } from "../../txpool/pool.ts";
import type { GroupOptions, GroupPorts, GroupStart } from "../options/group-options.ts";
import { admissionOfNonMember, MEMBER } from "../peers/admission-policy.ts";
import { GroupWiring } from "./group-wiring.ts";

/** Runs one group. Made by {@link GroupInstance}, ended by `stop`. */
export class GroupRuntime implements GroupApi {
  readonly groupId: number;
  readonly consensusType: "pbft" | "raft";
  readonly ledger: Ledger;
  readonly eventLimits: GroupApi["eventLimits"];
  readonly #ports: GroupPorts;
  readonly #parts: GroupWiring;
  readonly #maxFutureMs: number;
  #cancelCleanUp: () => void = () => {};

  constructor(options: GroupOptions, ports: GroupPorts, start: GroupStart) {
    this.groupId = options.groupId;
    this.consensusType = options.raft ? "raft" : "pbft";
    this.ledger = ports.ledger;
    this.eventLimits = options.eventLimits;
    this.#ports = ports;
    this.#maxFutureMs = options.tuning.maxFutureMs;
    this.#parts = new GroupWiring(options, ports, start);
  }

  /** Joins consensus. */
  begin(): void {
    this.#parts.begin();
    this.#scheduleCleanUp();
  }

  isMember(): boolean {
    return this.#parts.chain.isMember();
  }

  consensusStatus(): ConsensusStatus {
    return this.#parts.consensus.protocol.status();
  }

  syncStatus(): SyncStatus {
    const { sync } = this.#parts;
    const forOperators = { otherGenesis: sync.otherGenesis(), quietMs: sync.quietMs() };
    const known = { ...sync.status(), ...forOperators };
    // The planner learns of a block a moment after the ledger has it.
    const { number, hash } = this.ledger.head();
    if (known.knownHighestNumber >= number) return known;
    return { ...known, knownHighestNumber: number, knownLatestHash: hash };
  }

  abstention(): AbstentionView | undefined {
    const { abstention, chain } = this.#parts;
    const isAsked = abstention.votingRole() === "silent";
    return isAsked && chain.isSealer() ? abstention.view() : undefined;
  }

  chainTime(): ChainTime {
    const timestamp = Number(this.#parts.chain.parent().timestamp);
    return { timestamp, maxFutureMs: this.#maxFutureMs };
  }

  voting(): readonly SealerVoting[] {
    return this.#parts.voting();
  }

  servingsHeldBack(): number {
    return this.#parts.sync.servingsHeldBack() + this.#parts.blocks.refused();
  }

  storePass(): StorePassView | undefined {
    return this.#ports.store.passView?.();
  }

  heavyFound(): number {
    return this.#parts.chain.pool.heavyFound;
  }

  async confirmOnlyCopy(): Promise<boolean> {
    const { abstention, consensus, sync } = this.#parts;
    if (this.#parts.isStopped() || !(await abstention.confirm())) return false;
    consensus.votingRoleChanged();
    sync.sendStatus();
    return true;
  }

  /** The node keeps quiet as a sealer from now on, or no longer. */
  muteChanged(): void {
    this.#parts.votingRoleChanged();
  }

  pendingTransactions(): readonly SignedTransaction[] {
    return pendingTransactions(this.#parts.chain.pool);
  }

  pendingCount(): number {
    return pendingCount(this.#parts.chain.pool);
  }

  call(request: CallRequest, asker?: Asker) {
    return this.#ports.executor.call(request, asker);
  }

  submit(raw: Uint8Array): Promise<SubmitOutcome> {
    return this.#parts.flow.submit(raw);
  }

  watchTransactions(watcher: TransactionWatcher): TransactionWatch {
    return this.#parts.chain.watches.watch(watcher);
  }

  /** What the group thinks of a message that `receive` would get. */
  admission(message: Incoming): PeerAdmission {
    if (this.hasMember(message.from)) return MEMBER;
    return admissionOfNonMember(message, this.#parts.sync, this.#parts.chain.parent().number);
  }

  hasMember(node: NodeId): boolean {
    return this.#parts.peers.isMember(node);
  }

  /** Takes a message of this group. */
  receive(message: Incoming): void {
    const { peers, sync, consensus, flow, blocks } = this.#parts;
    const { from, kind, bytes } = message;
    if (this.#parts.isStopped() || !peers.admits(message)) return;
    if (kind === "blocks" && isSyncMessage(bytes)) return sync.onMessage(from, bytes);
    // Of others only where they stand is heard: this node's own lists may be old.
    // Source: sync 1; node-network 8
    if (!peers.isMember(from)) return;
    if (kind === "consensus") consensus.inbox.receive(from, bytes);
    else if (kind === "transactions") flow.onMessage(from, bytes);
    else blocks.onMessage(from, bytes);
  }

  peerUp(peer: NodeId): void {
    const { peers, sync, consensus, flow } = this.#parts;
    if (this.#parts.isStopped() || !peers.up(peer)) return;
    sync.peerUp(peer);
    this.#parts.peersChanged();
    if (consensus.sealers().includes(peer)) flow.onPeerUp(peer);
  }

  peerDown(peer: NodeId): void {
    const { peers, sync, consensus } = this.#parts;
    peers.down(peer);
    sync.peerDown(peer);
    consensus.inbox.forget(peer);
    this.#parts.peersChanged();
  }

  /** Everything that was begun ends; the executor is closed by its owner. */
  async stop(): Promise<void> {
    if (this.#parts.isStopped()) return;
    this.#cancelCleanUp();
    await this.#parts.stop();
  }

  #scheduleCleanUp(): void {
    const { flow, chain, peers } = this.#parts;
    this.#cancelCleanUp = this.#ports.clock.after(CLEANUP_PERIOD_MS, () => {
      flow.cleanUp();
      chain.watches.sweep().catch((cause: unknown) => this.#parts.fail(cause));
      peers.cleanUp();
      if (!this.#parts.isStopped()) this.#scheduleCleanUp();
    });
  }
}
