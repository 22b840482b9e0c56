/**
 * Bodies of proposals between nodes: asking, serving, and checking what arrives.
 * Source: pbft 9, 16.3.3
 */
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { type Header, headerHash } from "../model/header.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import type { Network } from "../ports/network.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  encodeBlockMessage,
} from "../sync/block-exchange.ts";
import type { Intake } from "./intake.ts";
import type { BookEntry, ProposalBook } from "./proposal-book.ts";

/** Transactions of a proposal are usually under way: wait this long before asking for them. */
const BODY_PATIENCE_MS = 60;
/** Bodies asked for and not answered; the oldest is forgotten. */
const WANTED_LIMIT = 64;
/** Transactions accepted in one body before they are recovered. */
const TRANSACTION_LIMIT = 100_000;

/** What the service works with. */
export interface BlockServiceOptions {
  readonly groupId: number;
  readonly suite: CryptoSuite;
  readonly book: ProposalBook;
  readonly intake: Intake;
  readonly network: Network;
  readonly clock: Clock;
  readonly onComplete: (entry: BookEntry) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** Asks for and serves proposals. */
export class BlockService {
  readonly #options: BlockServiceOptions;
  /** In the order asked; the newest last. */
  readonly #wantedBodies = new Set<Hash>();

  constructor(options: BlockServiceOptions) {
    this.#options = options;
  }

  /** Asks a peer for a body, unless it completes by itself in the meantime. */
  requestBody(proposal: Hash, to: NodeId): void {
    const { clock, book } = this.#options;
    this.#want(proposal);
    const outline = book.get(proposal);
    if (!outline) return this.#send(to, { type: "requestBody", proposal });
    clock.after(BODY_PATIENCE_MS, () => {
      const entry = book.get(proposal);
      if (entry && entry.missing.size > 0) this.#send(to, { type: "requestBody", proposal });
    });
  }

  #want(proposal: Hash): void {
    const wanted = this.#wantedBodies;
    wanted.delete(proposal);
    wanted.add(proposal);
    for (const oldest of wanted) {
      if (wanted.size <= WANTED_LIMIT) return;
      wanted.delete(oldest);
    }
  }

  /** Takes a message of class `blocks`. */
  onMessage(from: NodeId, bytes: Uint8Array): void {
    const { onRejected, onError } = this.#options;
    const message = decodeBlockMessage(bytes);
    if (!message) return onRejected(from, "blocks: malformed");
    this.#handle(from, message).catch(onError);
  }

  async #handle(from: NodeId, message: BlockMessage): Promise<void> {
    switch (message.type) {
      case "requestBody":
        return this.#serveBody(from, message.proposal);
      case "body":
        return this.#takeBody(from, message.header, message.transactions);
    }
  }

  #send(to: NodeId, message: BlockMessage): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "blocks", bytes: encodeBlockMessage(message) });
  }

  async #serveBody(to: NodeId, proposal: Hash): Promise<void> {
    const entry = this.#options.book.get(proposal);
    if (!entry || entry.missing.size > 0) return;
    const transactions = entry.transactions.flatMap((known) => (known ? [known.raw] : []));
    this.#send(to, { type: "body", header: entry.header, transactions });
  }

  async #takeBody(from: NodeId, header: Header, raws: readonly Uint8Array[]): Promise<void> {
    const proposal = headerHash(header, this.#options.suite);
    if (!this.#wantedBodies.has(proposal)) return;
    const transactions = await this.#recoverAll(from, raws);
    if (!transactions) return;
    const entry = this.#enter(from, header, transactions);
    if (entry?.missing.size !== 0) return;
    // Only what completes it settles the want: a wrong body must not hide the right one.
    this.#wantedBodies.delete(proposal);
    this.#options.onComplete(entry);
  }

  async #recoverAll(
    from: NodeId,
    raws: readonly Uint8Array[],
  ): Promise<SignedTransaction[] | undefined> {
    const { intake, onRejected } = this.#options;
    if (raws.length > TRANSACTION_LIMIT) {
      onRejected(from, "block: too many transactions");
      return undefined;
    }
    // Copies: an entry must not keep the whole message in memory.
    const transactions = await intake.takeAll(raws.map((raw) => raw.slice()));
    if (transactions) return transactions;
    onRejected(from, "block: a transaction is invalid");
    return undefined;
  }

  #enter(
    from: NodeId,
    header: Header,
    transactions: readonly SignedTransaction[],
  ): BookEntry | undefined {
    const { book, onRejected } = this.#options;
    const byHash = new Map(transactions.map((transaction) => [transaction.hash, transaction]));
    const lookup = (hash: Hash) => byHash.get(hash);
    const hashes = transactions.map(({ hash }) => hash);
    const entry = book.add({ header, hashes }, lookup);
    if (entry && book.fill(entry, lookup)) return entry;
    onRejected(from, "block: transactions do not fit the root");
    return undefined;
  }
}
