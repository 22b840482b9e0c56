/** Proposals of this height and the next, and what they miss. Source: pbft 9, 16.3.3 */
import { type Hash, isSameList, ZERO_HASH } from "../../bytes/ids.ts";
import type { Proposal } from "../../consensus/exchange.ts";
import { type Header, headerHash } from "../../model/header.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import { MERKLE_FROM, type RootRules, transactionsRoot } from "../../model/roots.ts";
import type { ExecuteRequest } from "../../ports/executor.ts";
import { BLOCK_MESSAGE_LIMIT, type CompactProposal } from "../../sync/block-exchange.ts";
import { bodyOf, type KeepableProposal } from "../voting/vote-store.ts";

/**
 * Proposals kept at most, those that consensus works on aside; the oldest goes first. Anybody can
 * fill it with compact proposals, so what is worked on does not count.
 */
export const PROPOSAL_LIMIT = 64;
/** Proposals that consensus worked on and that are not stored; the longest unused goes first. */
export const USED_LIMIT = 16;

/**
 * Raw bytes of a proposal at most. A block travels in one message to those who missed it: a larger
 * one would shut them out for good. One transaction of the largest size fits in any case.
 */
export const PROPOSAL_BYTES_LIMIT = BLOCK_MESSAGE_LIMIT - 16 * 1024 * 1024;

const NO_BYTES = new Uint8Array(0);

/** One proposal. */
export interface CachedProposal extends KeepableProposal {
  /** Same length as `hashes`. */
  readonly transactions: (SignedTransaction | undefined)[];
  /** Where each hash that is still missing stands. */
  readonly missing: Map<Hash, number>;
  /** Consensus works on it, or has. */
  used: boolean;
}

/** What consensus learns of a proposal. */
export function proposalFacts({ proposal: hash, header, hashes }: CachedProposal): Proposal {
  const { number, parentHash, sealer, sealerList: sealers } = header;
  return { hash, number, parentHash, sealer, sealers, txCount: hashes.length };
}

/** The same of one that is to be voted for. @param reference this node's. Source: decision 27 */
export function timedFacts(entry: CachedProposal, reference: number): Proposal {
  const time = { timestamp: Number(entry.header.timestamp), reference };
  return { ...proposalFacts(entry), time };
}

/** How a transaction is found by its hash. */
type Lookup = (hash: Hash) => SignedTransaction | undefined;

/**
 * Whether a header is as an honest leader makes it: what execution fills in is empty, so that R
 * follows from the executed header, and nothing else is carried along. Source: pbft 4.5
 */
function isAsProposed(header: Header): boolean {
  const { stateRoot, receiptsRoot, dbHash, gasLimit, gasUsed, extraData, logsBloom } = header;
  const roots = [stateRoot, receiptsRoot, dbHash];
  if (roots.some((root) => root !== ZERO_HASH) || extraData.length > 0) return false;
  return gasLimit === 0n && gasUsed === 0n && logsBloom.every((byte) => byte === 0);
}

/** Keeps proposals by R. */
export class ProposalCache {
  readonly #entries = new Map<Hash, CachedProposal>();
  readonly #rules: RootRules;

  constructor(rules: RootRules) {
    this.#rules = rules;
  }

  get(proposal: Hash): CachedProposal | undefined {
    return this.#entries.get(proposal);
  }

  /** An entry that consensus is to work on: compact proposals of others do not push it out. */
  use(proposal: Hash): CachedProposal | undefined {
    const entry = this.#entries.get(proposal);
    if (!entry) return undefined;
    entry.used = true;
    this.#entries.delete(proposal);
    this.#entries.set(proposal, entry);
    this.#trim();
    return entry;
  }

  /**
   * Adds a compact proposal; transactions that the lookup knows are filled in.
   * @returns undefined when no honest leader makes it: it names a transaction twice, its header is
   * not as proposed, or the hashes are not those of the header's transactionsRoot: under that R a
   * Byzantine node would otherwise hide the true transactions from this node
   */
  add(compact: CompactProposal, lookup: Lookup): CachedProposal | undefined {
    const { header, hashes } = compact;
    const proposal = headerHash(header, this.#rules.suite);
    const known = this.#entries.get(proposal);
    if (known && isSameList(known.hashes, hashes)) return known;
    if (!isAsProposed(header) || new Set(hashes).size !== hashes.length) return undefined;
    const transactions = hashes.map(lookup);
    const missing = new Map<Hash, number>();
    for (const [i, hash] of hashes.entries()) if (!transactions[i]) missing.set(hash, i);
    const entry = { proposal, header, hashes, transactions, missing, stored: false, used: false };
    if (!this.#rootFits(entry)) return undefined;
    // Before 2.2.0 two lists may claim one root until one of them is complete.
    if (known && missing.size > 0) return known;
    if (known) entry.used = known.used;
    this.#entries.set(proposal, entry);
    this.#trim();
    return entry;
  }

  /** Adds a proposal with all of its transactions; undefined when they do not fit. */
  addWhole(header: Header, transactions: readonly SignedTransaction[]): CachedProposal | undefined {
    const byHash = new Map(transactions.map((transaction) => [transaction.hash, transaction]));
    const lookup = (hash: Hash) => byHash.get(hash);
    const entry = this.add({ header, hashes: transactions.map(({ hash }) => hash) }, lookup);
    return entry && this.fill(entry, lookup) ? entry : undefined;
  }

  /** Tries again to fill in what an entry misses; true when it is complete. */
  fill(entry: CachedProposal, lookup: Lookup): boolean {
    const before = entry.missing.size;
    for (const [hash, index] of entry.missing) {
      const transaction = lookup(hash);
      if (!transaction) continue;
      entry.transactions[index] = transaction;
      entry.missing.delete(hash);
    }
    return this.#isWhole(entry, before);
  }

  /** Fills in transactions that arrived; returns the entries that became complete. */
  offer(transactions: readonly SignedTransaction[]): CachedProposal[] {
    const completed: CachedProposal[] = [];
    for (const entry of this.#entries.values()) {
      const before = entry.missing.size;
      if (before === 0) continue;
      for (const transaction of transactions) {
        const index = entry.missing.get(transaction.hash);
        if (index === undefined) continue;
        entry.transactions[index] = transaction;
        entry.missing.delete(transaction.hash);
      }
      if (this.#isWhole(entry, before)) completed.push(entry);
    }
    return completed;
  }

  /** Forgets everything up to a height; returns what was forgotten. */
  dropUpTo(height: number): CachedProposal[] {
    const gone = [...this.#entries.values()].filter(({ header }) => header.number <= height);
    for (const { proposal } of gone) this.#entries.delete(proposal);
    return gone;
  }

  /** Whether nothing is missing; an entry that turns out to be a lie is forgotten. */
  #isWhole(entry: CachedProposal, missedBefore: number): boolean {
    if (entry.missing.size > 0) return false;
    const isChecked = missedBefore === 0 || this.#rules.version >= MERKLE_FROM;
    if (isChecked || this.#rootFits(entry)) return true;
    this.#entries.delete(entry.proposal);
    return false;
  }

  /** Before 2.2.0 the root covers the raw transactions: it is checked once they are there. */
  #rootFits({ header, hashes, transactions, missing }: CachedProposal): boolean {
    if (this.#rules.version < MERKLE_FROM && missing.size > 0) return true;
    const items = hashes.map((hash, i) => ({ hash, raw: transactions[i]?.raw ?? NO_BYTES }));
    return transactionsRoot(items, this.#rules) === header.transactionsRoot;
  }

  /** Stored entries stay: a lock may need them. */
  #trim(): void {
    const entries = [...this.#entries.values()].filter(({ stored }) => !stored);
    for (const isUsed of [true, false]) {
      const alike = entries.filter(({ used }) => used === isUsed);
      const surplus = Math.max(0, alike.length - (isUsed ? USED_LIMIT : PROPOSAL_LIMIT));
      for (const { proposal } of alike.slice(0, surplus)) this.#entries.delete(proposal);
    }
  }
}

/** Whether a complete entry is larger than any honest leader makes one. */
export function isTooLarge(entry: CachedProposal): boolean {
  const bytes = entry.transactions.reduce((sum, it) => sum + (it?.raw.length ?? 0), 0);
  return bytes > PROPOSAL_BYTES_LIMIT;
}

/** What the executor needs of a complete entry; undefined while something is missing. */
export function executeRequestOf(entry: CachedProposal): ExecuteRequest | undefined {
  const { header, hashes, missing } = entry;
  return missing.size > 0 ? undefined : { header, hashes, ...bodyOf(entry) };
}
