/**
 * What consensus keeps on disk between blocks: its record, and the proposals that the record may
 * need again. A body lies under the key where the ledger expects it, so that its bytes are written
 * once. Source: pbft 16.2
 */
import { numberOfBytes, uintBytes } from "../../bytes/bytes.ts";
import { byteString, bytesOf, type ByteString } from "../../bytes/byte-string.ts";
import { hashOf, idBytes } from "../../bytes/hex.ts";
import type { Address, Hash } from "../../bytes/ids.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import type { Store, StoreWrite } from "../../ports/store.ts";
import { bodyKey, metaKey } from "../../ledger/keys.ts";
import { type Body, decodeBody, encodeBody } from "../../ledger/records.ts";
import {
  type CompactProposal,
  decodeCompactProposal,
  encodeCompactProposal,
} from "../../sync/block-exchange.ts";

/** Key of the consensus record. */
const RECORD_KEY: ByteString = "c";
/** How often the record was written; empty in stores of before that count: once at least. */
const WRITTEN_KEY = metaKey("votes");
/** Kept proposals: R to header and transaction hashes. */
const COMPACT_PREFIX = "p";
const COMPACT_END = "q";
/** Compact proposals examined when the store is opened; a crash leaves a handful. */
const COMPACT_SCAN = 10_000;

function compactKey(proposal: Hash): ByteString {
  return COMPACT_PREFIX + byteString(idBytes(proposal));
}

/** A proposal that may have to be kept. */
export interface KeepableProposal extends CompactProposal {
  readonly proposal: Hash;
  readonly transactions: readonly (SignedTransaction | undefined)[];
  /** The body is in the store under R. */
  stored: boolean;
}

/** The transactions of a proposal that are there, with their senders. */
export function bodyOf(entry: Pick<KeepableProposal, "transactions">): Body {
  const transactions: Uint8Array[] = [];
  const senders: Address[] = [];
  for (const transaction of entry.transactions) {
    if (!transaction) continue;
    transactions.push(transaction.raw);
    senders.push(transaction.from);
  }
  return { transactions, senders };
}

/** Whether the records of votes in this store were counted; those of before were not. */
export function votesAreCounted(store: Store): boolean {
  return (store.get(WRITTEN_KEY)?.length ?? 0) > 0;
}

/** How often the record of votes was written in this store. */
export function votesWritten(store: Store): number {
  const count = store.get(WRITTEN_KEY);
  return count ? Math.max(1, numberOfBytes(count)) : 0;
}

/** The consensus record and kept proposals of one group. */
export class VoteStore {
  readonly #store: Store;
  readonly #onWritten: ((count: number) => Promise<void> | undefined) | undefined;
  #written: number;

  /** @param onWritten told, each time that the record is on disk, how often that was; awaited */
  constructor(store: Store, onWritten?: (count: number) => Promise<void> | undefined) {
    this.#store = store;
    this.#onWritten = onWritten;
    this.#written = votesWritten(store);
  }

  /** Whether there was a record, and is none: this node may have voted for anything. */
  get isLost(): boolean {
    return this.#written > 0 && this.record() === undefined;
  }

  /** The bytes of the record; undefined in a new store. */
  record(): Uint8Array | undefined {
    return this.#store.get(RECORD_KEY);
  }

  /** Writes the record, and the proposal with it; on disk when resolved. */
  async persist(record: Uint8Array, entry: KeepableProposal | undefined): Promise<void> {
    const written = ++this.#written;
    const writes: StoreWrite[] = [
      { key: RECORD_KEY, value: record },
      { key: WRITTEN_KEY, value: uintBytes(written) },
    ];
    if (entry && !entry.stored) {
      writes.push({ key: compactKey(entry.proposal), value: encodeCompactProposal(entry) });
      if (entry.hashes.length > 0)
        writes.push({ key: bodyKey(entry.proposal), value: encodeBody(bodyOf(entry)) });
      entry.stored = true;
    }
    await this.#store.commit(writes, { durable: true });
    await this.#onWritten?.(written);
  }

  /** A kept proposal; undefined when there is none. */
  async load(proposal: Hash): Promise<(CompactProposal & { readonly body: Body }) | undefined> {
    const kept = this.#store.get(compactKey(proposal));
    const compact = kept && decodeCompactProposal(kept);
    const body = await this.#store.load(bodyKey(proposal));
    return compact && body ? { ...compact, body: decodeBody(body) } : undefined;
  }

  /** Forgets kept proposals; the body of the one that was written belongs to the ledger now. */
  async forget(proposals: readonly Hash[], written: Hash | undefined): Promise<void> {
    if (proposals.length === 0) return;
    const writes = proposals.flatMap((proposal): StoreWrite[] => {
      const compact = { key: compactKey(proposal), value: undefined };
      return proposal === written
        ? [compact]
        : [compact, { key: bodyKey(proposal), value: undefined }];
    });
    await this.#store.commit(writes, { durable: false });
  }

  /** Kept proposals for a height that is written already: what a crash left behind. */
  async stale(
    head: number,
  ): Promise<readonly { readonly proposal: Hash; readonly number: number }[]> {
    const kept = await this.#store.range(COMPACT_PREFIX, COMPACT_END, COMPACT_SCAN);
    return kept.flatMap(({ key, value }) => {
      const compact = decodeCompactProposal(value);
      const number = compact?.header.number ?? 0;
      if (number > head) return [];
      return [{ proposal: hashOf(bytesOf(key.slice(1))), number }];
    });
  }
}
