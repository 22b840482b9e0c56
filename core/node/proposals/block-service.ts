/** Bodies of proposals: asking, serving, checking what arrives. Source: pbft 9, 16.3.3 */
import type { Hash, NodeId } from "../../bytes/ids.ts";
import { type Header, headerHash } from "../../model/header.ts";
import { type RootRules, transactionsRoot } from "../../model/roots.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  headerOfBody,
  encodeBlockMessage,
} from "../../sync/block-exchange.ts";
import {
  chargeServed,
  SERVED_BLOCK_COST,
  servableAt,
  type ServingBudgets,
} from "../../sync/serving-budget.ts";
import type { GroupOptions, GroupPorts } from "../options/group-options.ts";
import type { SenderRecovery } from "../txpool/sender-recovery.ts";
import type { CachedProposal, ProposalCache } from "./proposal-cache.ts";

/** Transactions of a proposal are usually under way: wait this long before asking for them. */
const BODY_PATIENCE_MS = 60;
/** Bodies asked for and not answered; the oldest is forgotten. */
const WANTED_LIMIT = 64;
/** One peer is sent one body no more often: askers ask somebody else meanwhile. */
const SERVED_INTERVAL_MS = 400;
/** Answers remembered for that. */
const SERVED_LIMIT = 1_024;
/** Questions of one peer for bodies that are not here yet; the oldest goes. Source: pbft 11 */
const WAITING_OF_ONE = 8;

/** What the service works with. */
export interface BlockServiceOptions
  extends Pick<GroupOptions, "groupId">,
    Pick<GroupPorts, "network" | "clock"> {
  readonly rules: RootRules;
  readonly cache: ProposalCache;
  readonly recovery: SenderRecovery;
  /** Connected sealers: who may have a body. */
  readonly neighbours: () => readonly NodeId[];
  /** Whether consensus has learned of a proposal by its hash in what a quorum signed. */
  readonly isNamed: (proposal: Hash) => boolean;
  /** Whether a transaction is so long that it may still be under way to everybody. */
  readonly isTravelling: (transaction: Hash) => boolean;
  readonly onComplete: (entry: CachedProposal) => void;
  readonly onRejected: (peer: NodeId, reason: string) => void;
  readonly onError: (cause: unknown) => void;
}

/** Asks for and serves proposals. */
export class BlockService {
  readonly #options: BlockServiceOptions;
  /** In the order asked; the newest last. */
  readonly #wantedBodies = new Set<Hash>();
  /** When each peer was last sent each proposal; the oldest first. */
  readonly #served = new Map<string, number>();
  /** What each peer waits for that is not here yet; the oldest first. */
  readonly #waiting = new Map<NodeId, Set<Hash>>();
  /** Whom a body was asked of last in the place of a sealer without a session. */
  #turn = 0;
  readonly #budgets: ServingBudgets = new Map();
  /** Questions that wait for their time. */
  readonly #cancels = new Set<() => void>();
  #refused = 0;
  #closed = false;

  constructor(options: BlockServiceOptions) {
    this.#options = options;
  }

  /**
   * Asks a peer for a body, unless it completes by itself in the meantime. Where it has no session
   * the neighbours are asked in turns: a node that lacks it asks on. Source: pbft 11
   */
  requestBody(proposal: Hash, holder: NodeId): void {
    const { clock, cache } = this.#options;
    this.#want(proposal);
    if (!cache.get(proposal)) return this.#ask(proposal, holder);
    if (this.#closed) return;
    const cancel = clock.after(BODY_PATIENCE_MS, () => {
      this.#cancels.delete(cancel);
      this.#askOrComplete(proposal, holder);
    });
    this.#cancels.add(cancel);
  }

  #ask(proposal: Hash, holder: NodeId): void {
    const neighbours = this.#options.neighbours();
    if (neighbours.includes(holder)) this.#send(holder, { type: "requestBody", proposal });
    else this.#askInTurn(neighbours, proposal);
  }

  #askInTurn(nodes: readonly NodeId[], proposal: Hash): void {
    const to = nodes[this.#turn++ % nodes.length];
    if (to) this.#send(to, { type: "requestBody", proposal });
  }

  /** The rest may have come by another way: a node that waits for it must learn of it. */
  #askOrComplete(proposal: Hash, holder: NodeId): void {
    const { cache, onComplete } = this.#options;
    const entry = cache.get(proposal);
    if (this.#closed || !entry) return;
    if (entry.missing.size === 0) onComplete(entry);
    else this.#ask(proposal, holder);
  }

  /** Nothing more is asked or answered. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
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
    const { onRejected, onError, rules } = this.#options;
    const header = headerOfBody(bytes);
    if (header && !this.#wantedBodies.has(headerHash(header, rules.suite))) return;
    const message = decodeBlockMessage(bytes);
    if (!message) return onRejected(from, "blocks: malformed");
    const handled =
      message.type === "requestBody"
        ? this.#serveBody(from, message.proposal)
        : this.#takeBody(from, message.header, message.transactions);
    handled.catch(onError);
  }

  #send(to: NodeId, message: BlockMessage): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "blocks", bytes: encodeBlockMessage(message) });
  }

  async #serveBody(to: NodeId, proposal: Hash): Promise<void> {
    const entry = this.#options.cache.get(proposal);
    if (this.#closed) return;
    if (!entry || entry.missing.size > 0) return this.#askOn(to, proposal);
    // The asker has it sooner without a second one next to it; and it asks again.
    if (entry.hashes.some(this.#options.isTravelling)) return;
    if (!this.#mayServe(to, proposal)) return;
    const now = this.#options.clock.steady();
    if (servableAt(this.#budgets, to, now) > now) {
      this.#refused++;
      return;
    }
    const transactions = entry.transactions.flatMap((known) => (known ? [known.raw] : []));
    const bytes = transactions.reduce((sum, raw) => sum + raw.length, SERVED_BLOCK_COST);
    chargeServed(this.#budgets, to, bytes, now);
    this.#send(to, { type: "body", header: entry.header, transactions });
  }

  /**
   * A body that is not here: its asker gets it as soon as it is, and the others are asked for it.
   * Only what is known to be a proposal is asked for: no node has this node look for what he likes.
   */
  #askOn(asker: NodeId, proposal: Hash): void {
    const { cache, isNamed, neighbours } = this.#options;
    if (!cache.get(proposal) && !isNamed(proposal)) return;
    const others = neighbours();
    if (!others.includes(asker)) return;
    for (const gone of this.#waiting.keys()) if (!others.includes(gone)) this.#waiting.delete(gone);
    const waits = this.#waiting.get(asker) ?? new Set();
    this.#waiting.set(asker, waits);
    const isAgain = waits.delete(proposal);
    for (const oldest of waits) {
      if (waits.size < WAITING_OF_ONE) break;
      waits.delete(oldest);
    }
    waits.add(proposal);
    // A node that works on it here asks by itself; a node that asks again has waited for it.
    if (this.#wantedBodies.has(proposal) && !isAgain) return;
    this.#want(proposal);
    this.#askInTurn(
      others.filter((to) => to !== asker),
      proposal,
    );
  }

  /** A proposal has become complete: a node that waits for it gets it. Source: pbft 11 */
  serveWaiting(proposal: Hash): void {
    for (const [asker, waits] of this.#waiting) {
      if (!waits.delete(proposal)) continue;
      this.#serveBody(asker, proposal).catch(this.#options.onError);
    }
  }

  /** Bodies that were not sent because the asker had had its share: it asks somebody else. */
  refused(): number {
    return this.#refused;
  }

  /** A body is large and a question small: a node that asks again at once is not answered. */
  #mayServe(to: NodeId, proposal: Hash): boolean {
    const now = this.#options.clock.steady();
    const key = `${to}${proposal}`;
    if (now < (this.#served.get(key) ?? Number.NEGATIVE_INFINITY) + SERVED_INTERVAL_MS)
      return false;
    this.#served.delete(key);
    this.#served.set(key, now);
    for (const oldest of this.#served.keys()) {
      if (this.#served.size <= SERVED_LIMIT) break;
      this.#served.delete(oldest);
    }
    return true;
  }

  async #takeBody(from: NodeId, header: Header, raws: readonly Uint8Array[]): Promise<void> {
    const proposal = headerHash(header, this.#options.rules.suite);
    if (!this.#wantedBodies.has(proposal)) return;
    const transactions = await this.#recoverAll(from, raws, header.transactionsRoot);
    if (!transactions) return;
    const { cache, onRejected, onComplete } = this.#options;
    const entry = cache.addWhole(header, transactions);
    if (!entry) return onRejected(from, "block: transactions do not fit the root");
    // Only what completes it settles the want: a wrong body must not hide the right one.
    this.#wantedBodies.delete(proposal);
    onComplete(entry);
  }

  async #recoverAll(
    from: NodeId,
    raws: readonly Uint8Array[],
    root: Hash,
  ): Promise<SignedTransaction[] | undefined> {
    const { recovery, onRejected, rules } = this.#options;
    // Copies: an entry must not keep the whole message in memory.
    const decoded = await recovery.decodeAll(raws.map((raw) => raw.slice()));
    // The root first: what does not fit is not worth recovering.
    if (decoded && transactionsRoot(decoded, rules) !== root) {
      onRejected(from, "block: transactions do not fit the root");
      return undefined;
    }
    const transactions = decoded && (await recovery.recoverAll(decoded));
    if (transactions) return transactions;
    onRejected(from, "block: a transaction is invalid");
    return undefined;
  }
}
