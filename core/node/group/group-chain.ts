/** Where a group stands on its chain: what is in force for the next block, and what follows one. */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import { invariant } from "../../fault/invariant.ts";
import type { GroupConfig } from "../../model/config.ts";
import { onBlock } from "../../txpool/pool.ts";
import type { TxPool } from "../../txpool/state.ts";
import { TransactionWatches } from "../feed/transaction-watches.ts";
import type {
  GroupOptions,
  GroupPorts,
  GroupStart,
  ParentBlock,
} from "../options/group-options.ts";
import { type CachedProposal, ProposalCache } from "../proposals/proposal-cache.ts";
import { ProposalStore } from "../proposals/proposal-store.ts";
import { VoteStore } from "../voting/vote-store.ts";

/** One per running group. */
export class GroupChain {
  readonly pool: TxPool;
  readonly watches: TransactionWatches;
  readonly proposals: ProposalStore;
  readonly #options: GroupOptions;
  readonly #ledger: GroupPorts["ledger"];
  #config: GroupConfig;
  #parent: ParentBlock;
  #failed: bigint;

  constructor(options: GroupOptions, ports: GroupPorts, start: GroupStart) {
    const { store, compute, ledger, copyGuard } = ports;
    this.pool = start.pool;
    this.watches = new TransactionWatches(start.pool, ledger);
    this.proposals = new ProposalStore({
      cache: new ProposalCache(options),
      votes: new VoteStore(store, (count) => copyGuard?.noteVotes?.(options.groupId, count)),
      pool: start.pool,
      suite: options.suite,
      compute,
    });
    this.#options = options;
    this.#ledger = ledger;
    this.#config = ledger.groupConfig();
    this.#parent = start.parent;
    this.#failed = start.failed;
  }

  /** In force for the next block. */
  config(): GroupConfig {
    return this.#config;
  }

  parent(): ParentBlock {
    return this.#parent;
  }

  /** Sealers and observers in force. */
  members(): readonly NodeId[] {
    return [...this.#config.sealers, ...this.#config.observers];
  }

  /** Whether this node is one of them. */
  isMember(): boolean {
    return this.members().includes(this.#options.self);
  }

  isSealer(): boolean {
    return this.#config.sealers.includes(this.#options.self);
  }

  /** A block is on disk: the group stands on it. */
  advance({ header, hashes, transactions }: CachedProposal, executed: Hash): void {
    const head = this.#ledger.refresh();
    invariant(head.hash === executed, "the block just written is the head");
    const { number, timestamp } = header;
    this.#parent = { number, hash: executed, timestamp };
    const nonces = transactions.map((transaction) => transaction?.nonce ?? 0n);
    onBlock(this.pool, { number, hashes, nonces });
    this.watches.onBlock({ number, hash: executed }, hashes);
    this.#config = this.#ledger.groupConfig();
  }

  /** What no node needs any more of a written block goes, and listeners learn of it. */
  async settle({ header, hashes, proposal }: CachedProposal, executed: Hash): Promise<void> {
    const { number, sealer, timestamp } = header;
    await this.proposals.forgetUpTo(number, proposal);
    const { failed } = await this.#ledger.totals();
    const newlyFailed = Number(failed - this.#failed);
    this.#failed = failed;
    this.#options.onWritten({
      groupId: this.#options.groupId,
      number,
      hash: executed,
      transactions: hashes.length,
      failed: newlyFailed,
      sealer,
      timestamp: Number(timestamp),
    });
  }
}
