/**
 * The proposals of the current and the next height: headers, the transactions they name, what is
 * still missing.
 * Source: pbft 9, 16.3.3
 */
import type { Address, Hash } from "../bytes/ids.ts";
import { ZERO_HASH } from "../bytes/ids.ts";
import { type Header, headerHash } from "../model/header.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import { MERKLE_FROM, type RootRules, transactionsRoot } from "../model/roots.ts";
import type { ExecuteRequest } from "../ports/executor.ts";

/** Proposals kept at most; the oldest that nothing needs goes first. */
export const BOOK_LIMIT = 64;

const NO_BYTES = new Uint8Array(0);

/** One proposal. */
export interface BookEntry {
  readonly proposal: Hash;
  readonly header: Header;
  readonly hashes: readonly Hash[];
  /** Same length as `hashes`. */
  readonly transactions: (SignedTransaction | undefined)[];
  /** Where each hash that is still missing stands. */
  readonly missing: Map<Hash, number>;
  /** The body is in the store under R. */
  stored: boolean;
}

/**
 * The header as it was proposed, of one that was executed: the roots that execution fills are zero.
 */
export function unexecuted(header: Header): Header {
  return { ...header, stateRoot: ZERO_HASH, receiptsRoot: ZERO_HASH, dbHash: ZERO_HASH };
}

/** Keeps proposals by R. */
export class ProposalBook {
  readonly #entries = new Map<Hash, BookEntry>();
  readonly #rules: RootRules;

  constructor(rules: RootRules) {
    this.#rules = rules;
  }

  get(proposal: Hash): BookEntry | undefined {
    return this.#entries.get(proposal);
  }

  /**
   * Adds an outline; transactions that the lookup knows are filled in.
   *
   * @returns undefined when the hashes are not those of the header's transactionsRoot: under that R
   * a liar would otherwise hide the true transactions from this node
   */
  add(
    outline: { readonly header: Header; readonly hashes: readonly Hash[] },
    lookup: (hash: Hash) => SignedTransaction | undefined,
  ): BookEntry | undefined {
    const proposal = headerHash(outline.header, this.#rules.suite);
    const known = this.#entries.get(proposal);
    if (known) return known;
    if (!this.#rootFits(outline)) return undefined;
    const transactions = outline.hashes.map(lookup);
    const missing = new Map<Hash, number>();
    for (const [i, hash] of outline.hashes.entries()) {
      if (!transactions[i]) missing.set(hash, i);
    }
    const entry = { proposal, ...outline, transactions, missing, stored: false };
    this.#entries.set(proposal, entry);
    this.#trim();
    return entry;
  }

  /** Tries again to fill in what an entry misses; true when it is complete. */
  fill(entry: BookEntry, lookup: (hash: Hash) => SignedTransaction | undefined): boolean {
    for (const [hash, index] of entry.missing) {
      const transaction = lookup(hash);
      if (!transaction) continue;
      entry.transactions[index] = transaction;
      entry.missing.delete(hash);
    }
    return entry.missing.size === 0;
  }

  /** Fills in transactions that arrived; returns the entries that became complete. */
  offer(transactions: readonly SignedTransaction[]): BookEntry[] {
    const completed: BookEntry[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.missing.size === 0) continue;
      for (const transaction of transactions) {
        const index = entry.missing.get(transaction.hash);
        if (index === undefined) continue;
        entry.transactions[index] = transaction;
        entry.missing.delete(transaction.hash);
      }
      if (entry.missing.size === 0) completed.push(entry);
    }
    return completed;
  }

  /** Forgets everything up to a height; returns what was forgotten. */
  dropUpTo(height: number): BookEntry[] {
    const gone = [...this.#entries.values()].filter(({ header }) => header.number <= height);
    for (const { proposal } of gone) this.#entries.delete(proposal);
    return gone;
  }

  /**
   * Before 2.2.0 the root covers the raw transactions: there the executor is the first to see a
   * difference.
   */
  #rootFits(outline: { readonly header: Header; readonly hashes: readonly Hash[] }): boolean {
    if (this.#rules.version < MERKLE_FROM) return true;
    const items = outline.hashes.map((hash) => ({ hash, raw: NO_BYTES }));
    return transactionsRoot(items, this.#rules) === outline.header.transactionsRoot;
  }

  /** Stored entries stay: a lock may need them. */
  #trim(): void {
    for (const [proposal, entry] of this.#entries) {
      if (this.#entries.size <= BOOK_LIMIT) return;
      if (!entry.stored) this.#entries.delete(proposal);
    }
  }
}

/** What the executor needs of a complete entry; undefined while something is missing. */
export function executeRequestOf(entry: BookEntry): ExecuteRequest | undefined {
  const transactions: Uint8Array[] = [];
  const senders: Address[] = [];
  for (const transaction of entry.transactions) {
    if (!transaction) return undefined;
    transactions.push(transaction.raw);
    senders.push(transaction.from);
  }
  return { header: entry.header, transactions, hashes: entry.hashes, senders };
}
