/**
 * Bodies and blocks between nodes: asking, serving, and checking what arrives.
 * Source: pbft 9, 16.3.3, 16.3.9
 */
import type { Hash, NodeId } from "../bytes/ids.ts";
import type { SyncedBlock } from "../consensus/pbft/input.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Ledger } from "../ledger/ledger-view.ts";
import { type Header, headerHash, type Seal } from "../model/header.ts";
import type { SignedTransaction } from "../model/transaction.ts";
import type { Clock } from "../ports/clock.ts";
import type { Compute } from "../ports/compute.ts";
import type { Network } from "../ports/network.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  encodeBlockMessage,
} from "../sync/block-exchange.ts";
import { proposalFacts, recoverSeals } from "./consensus-inbox.ts";
import type { Intake } from "./intake.ts";
import { type BookEntry, type ProposalBook, unexecuted } from "./proposal-book.ts";

/** Transactions of a proposal are usually under way: wait this long before asking for them. */
const BODY_PATIENCE_MS = 60;
/** Bodies and blocks asked for and not answered; the oldest is forgotten. */
const WANTED_LIMIT = 64;
/** Requests of peers that are served at once; more are dropped, peers ask again. */
const SERVING_LIMIT = 16;
/** Transactions accepted in one body before they are recovered. */
const TRANSACTION_LIMIT = 100_000;

/** What the service works with. */
export interface BlockServiceOptions {
  readonly groupId: number;
  readonly suite: CryptoSuite;
  readonly ledger: Ledger;
  readonly book: ProposalBook;
  readonly intake: Intake;
  readonly compute: Compute;
  readonly network: Network;
  readonly clock: Clock;
  readonly onComplete: (entry: BookEntry) => void;
  readonly onBlock: (from: NodeId, block: SyncedBlock) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** Asks for and serves proposals and blocks. */
export class BlockService {
  readonly #options: BlockServiceOptions;
  readonly #wantedBodies: Wanted<Hash> = new Map();
  /**
   * Each peer that was asked may answer once, also after another one was asked: a large block takes
   * its time. An answer of anybody else could only be in the way.
   */
  readonly #wantedBlocks: Wanted<number> = new Map();
  #serving = 0;

  constructor(options: BlockServiceOptions) {
    this.#options = options;
  }

  /** Asks a peer for a body, unless it completes by itself in the meantime. */
  requestBody(proposal: Hash, to: NodeId): void {
    const { clock, book } = this.#options;
    want(this.#wantedBodies, proposal, to);
    const outline = book.get(proposal);
    if (!outline) return this.#send(to, { type: "requestBody", proposal });
    clock.after(BODY_PATIENCE_MS, () => {
      const entry = book.get(proposal);
      if (entry && entry.missing.size > 0) this.#send(to, { type: "requestBody", proposal });
    });
  }

  /** Asks a peer for a committed block. */
  requestBlock(number: number, to: NodeId): void {
    for (const older of this.#wantedBlocks.keys())
      if (older < number) this.#wantedBlocks.delete(older);
    want(this.#wantedBlocks, number, to);
    this.#send(to, { type: "requestBlock", number });
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
      case "requestBlock":
        return this.#serveBlock(from, message.number);
      case "body":
        return this.#takeBody(from, message.header, message.transactions);
      case "block":
        return this.#takeBlock(from, message);
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

  async #serveBlock(to: NodeId, number: number): Promise<void> {
    const { ledger } = this.#options;
    if (number < 1 || this.#serving >= SERVING_LIMIT) return;
    this.#serving++;
    try {
      const hash = await ledger.hashOf(number);
      const stored = hash && (await ledger.header(hash));
      const body = hash && (await ledger.rawBody(hash));
      if (!stored || !body) return;
      const { header, seals } = stored;
      this.#send(to, { type: "block", header, seals, transactions: body.transactions });
    } finally {
      this.#serving--;
    }
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

  async #takeBlock(
    from: NodeId,
    message: { header: Header; seals: readonly Seal[]; transactions: readonly Uint8Array[] },
  ): Promise<void> {
    const { suite, compute, onBlock } = this.#options;
    const { header, seals } = message;
    if (!this.#wantedBlocks.get(header.number)?.delete(from)) return;
    if (seals.length > header.sealerList.length)
      return this.#options.onRejected(from, "block: more seals than sealers");
    const transactions = await this.#recoverAll(from, message.transactions);
    if (!transactions) return;
    const executed = headerHash(header, suite);
    const recovered = await recoverSeals(seals, executed, compute);
    const entry = this.#enter(from, unexecuted(header), transactions);
    if (!entry) return;
    const proposal = proposalFacts(entry.proposal, entry.header, entry.hashes.length);
    onBlock(from, { proposal, executed, seals: recovered });
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

/** What is wanted, and who was asked for it and has not answered; bounded by the members. */
type Wanted<Item> = Map<Item, Set<NodeId>>;

function want<Item>(wanted: Wanted<Item>, item: Item, from: NodeId): void {
  const asked = wanted.get(item) ?? new Set();
  wanted.delete(item);
  wanted.set(item, asked.add(from));
  for (const oldest of wanted.keys()) {
    if (wanted.size <= WANTED_LIMIT) return;
    wanted.delete(oldest);
  }
}
