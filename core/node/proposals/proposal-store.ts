/**
 * Where proposals are found: in the book, in the pool, on disk. What consensus keeps of them
 * between blocks is kept here. Source: pbft 16.2, 16.3.3
 */
import type { Hash } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { invariant } from "../../fault/invariant.ts";
import type { Compute } from "../../ports/compute.ts";
import { pendingTransaction } from "../../txpool/pool.ts";
import type { TxPool } from "../../txpool/state.ts";
import { SenderRecovery } from "../txpool/sender-recovery.ts";
import type { CachedProposal, ProposalCache } from "./proposal-cache.ts";
import type { SealedProposal } from "./proposal-builder.ts";
import type { VoteStore } from "../voting/vote-store.ts";

/** What the store is made with. */
export interface ProposalStoreOptions {
  readonly cache: ProposalCache;
  readonly pool: TxPool;
  readonly votes: VoteStore;
  readonly suite: CryptoSuite;
  readonly compute: Compute;
}

/** One per running group. */
export class ProposalStore {
  readonly cache: ProposalCache;
  readonly votes: VoteStore;
  readonly #pool: TxPool;
  readonly #recovery: SenderRecovery;
  /** The height up to which proposals are over. */
  #over = 0;

  constructor(options: ProposalStoreOptions) {
    this.cache = options.cache;
    this.votes = options.votes;
    this.#pool = options.pool;
    this.#recovery = new SenderRecovery(options);
  }

  /** Takes an own proposal. */
  enter({ header, transactions }: SealedProposal): CachedProposal {
    const entry = this.cache.addWhole(header, transactions);
    invariant(entry, "an own proposal has the root of its transactions");
    this.cache.use(entry.proposal);
    return entry;
  }

  /** Fills an entry from the pool, or brings it back from the store. */
  async assemble(proposal: Hash): Promise<CachedProposal | undefined> {
    // It may have come by another way while the store was read.
    return this.#known(proposal) ?? (await this.#restore(proposal)) ?? this.#known(proposal);
  }

  /** The entry in the book, with what the pool has of it. */
  #known(proposal: Hash): CachedProposal | undefined {
    const known = this.cache.use(proposal);
    if (!known) return undefined;
    const isWhole = this.cache.fill(known, (hash) => pendingTransaction(this.#pool, hash));
    return isWhole || known.missing.size > 0 ? known : undefined;
  }

  /** Forgets what was kept up to a height; the body of the written block is the ledger's now. */
  async forgetUpTo(number: number, written: Hash): Promise<void> {
    this.#over = number;
    const gone = this.cache.dropUpTo(number).filter(({ stored }) => stored);
    const proposals = gone.map(({ proposal }) => proposal);
    await this.votes.forget(proposals, written);
  }

  async #restore(proposal: Hash): Promise<CachedProposal | undefined> {
    const kept = await this.votes.load(proposal);
    if (!kept) return undefined;
    const taken = (await this.#recovery.takeAll(kept.body.transactions)) ?? [];
    // The block may have been written by another way meanwhile: its body belongs to the ledger now,
    // and must not be forgotten with the next one.
    if (kept.header.number <= this.#over) return undefined;
    const byHash = new Map(taken.map((transaction) => [transaction.hash, transaction]));
    const entry = this.cache.add(kept, (hash) => byHash.get(hash));
    if (!entry) return undefined;
    entry.stored = true;
    return this.cache.use(entry.proposal);
  }
}
