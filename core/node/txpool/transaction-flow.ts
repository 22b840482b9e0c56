/**
 * The way of a transaction through a node before consensus: submitted or received, signed,
 * imported, spread. Source: txpool 3, 7; sync 5
 */
import { endActor } from "../../actors/supervise.ts";
import type { Hash, NodeId } from "../../bytes/ids.ts";
import type { SubmitOutcome } from "../../api/node-api.ts";
import type { SignedTransaction, Transaction } from "../../model/transaction.ts";
import {
  BATCH_BYTES_LIMIT,
  BATCH_COUNT_LIMIT,
  decodeTransactionsMessage,
  encodeAnswers,
  encodeHashes,
  encodePassedOn,
  encodeTransactions,
  MESSAGE_BYTES_LIMIT,
  planPushes,
  pushTargets,
} from "../../sync/gossip.ts";
import { chargeServed, servableAt, type ServingBudgets } from "../../sync/serving-budget.ts";
import { entryRefusal, type ImportContext, unsignedRefusal } from "../../txpool/admission.ts";
import { ANNOUNCED_LIMIT } from "../../txpool/limits.ts";
import { cleanUp, isSeen, pendingTransaction, type ImportItem } from "../../txpool/pool.ts";
import {
  addKnown,
  isTravelling,
  onSealerConnected,
  takeStale,
  takeUnsynced,
  unsyncedCount,
} from "../../txpool/spreading.ts";
import type { TxPool } from "../../txpool/state.ts";
import type { GroupOptions, GroupPorts } from "../options/group-options.ts";
import type { SenderRecovery } from "./sender-recovery.ts";
import { importInto, type PoolActor, type PoolOutcome } from "../../actors/txpool.machine.ts";

/** Peer transactions that wait for their senders; more are dropped, their origin still has them. */
const PEER_BACKLOG_LIMIT = 50_000;
/** And their bytes. */
const PEER_BACKLOG_BYTES_LIMIT = 128 * 1024 * 1024;
/** What one peer may have of either: no one of them keeps out what others send. */
const ONE_PEER_SHARE = 0.5;

/** Local transactions wait this long for company before they are pushed. */
const PUSH_DELAY_MS = 15;
/** As many as this show that more are coming: these wait longer, and save their peers messages. */
const PUSH_BUSY = 4;
/** How much longer. */
const PUSH_MORE_MS = 35;
/** This many are pushed without waiting. */
const PUSH_AT_ONCE = 250;

/** What the flow needs to know of the group at any moment. */
export interface FlowView {
  head(): number;
  /** Best height that is known of peers and cannot be the claim of one Byzantine node. */
  knownHighest(): number;
  isMember(): boolean;
  sealers(): readonly NodeId[];
  isConnected(peer: NodeId): boolean;
  /** Whether a connected peer passes on what it is sent. Source: decision 34 */
  passesOn(peer: NodeId): boolean;
}

/** What the flow works with. */
export interface FlowOptions
  extends Pick<GroupOptions, "groupId" | "chainId" | "self">,
    Pick<GroupPorts, "network" | "clock" | "log"> {
  readonly pool: TxPool;
  readonly actor: PoolActor;
  readonly recovery: SenderRecovery;
  readonly view: FlowView;
  /** Called after each import with what entered the pool. */
  readonly onImported: (transactions: readonly SignedTransaction[]) => void;
  /** A peer sent what no honest node sends. */
  readonly onRejected: (peer: NodeId, reason: string) => void;
}

interface Ready {
  readonly item: ImportItem & { readonly transaction: SignedTransaction };
  readonly settle: (outcome: PoolOutcome) => void;
}

/** Transactions of peers whose senders are being recovered. A class because it counts. */
class PeerBacklog {
  readonly #all = { count: 0, bytes: 0 };
  readonly #byPeer = new Map<NodeId, { count: number; bytes: number }>();

  /** Whether nothing more of the peer is taken. */
  isFull(peer: NodeId): boolean {
    const own = this.#byPeer.get(peer) ?? { count: 0, bytes: 0 };
    return isAbove(this.#all, 1) || isAbove(own, ONE_PEER_SHARE);
  }

  /** Counts until the answer is called. */
  enter(peer: NodeId, raws: readonly Uint8Array[]): () => void {
    const bytes = raws.reduce((sum, raw) => sum + raw.length, 0);
    const own = this.#byPeer.get(peer) ?? { count: 0, bytes: 0 };
    this.#byPeer.set(peer, own);
    const add = (sign: 1 | -1) => {
      for (const sums of [this.#all, own]) {
        sums.count += sign * raws.length;
        sums.bytes += sign * bytes;
      }
    };
    add(1);
    return () => {
      add(-1);
      if (own.count === 0 && this.#byPeer.get(peer) === own) this.#byPeer.delete(peer);
    };
  }
}

function isAbove({ count, bytes }: { count: number; bytes: number }, share: number): boolean {
  return count > share * PEER_BACKLOG_LIMIT || bytes > share * PEER_BACKLOG_BYTES_LIMIT;
}

/** The longest push has no room for a list next to it. */
function passOnOf(missing: readonly NodeId[], push: Uint8Array): Uint8Array {
  const passedOn = encodePassedOn(missing, push);
  return passedOn.length <= MESSAGE_BYTES_LIMIT ? passedOn : push;
}

/** Imports in batches: all whose sender became known in one turn enter the pool together. */
export class TransactionFlow {
  readonly #options: FlowOptions;
  #ready: Ready[] = [];
  #closed = false;
  readonly #backlog = new PeerBacklog();
  /** What each peer was answered, as with blocks: a hash asks for up to 32 MiB. */
  readonly #budgets: ServingBudgets = new Map();
  #cancelPush: (() => void) | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  /** Submits through this node. Source: rpc-semantics 8 */
  async submit(raw: Uint8Array): Promise<SubmitOutcome> {
    const { recovery, view } = this.#options;
    const taken = await recovery.take(raw);
    if (!taken.ok) return { ok: false, refusal: "undecodable", reason: taken.reason };
    const { transaction } = taken;
    const { hash, blockLimit } = transaction;
    const isMember = !this.#closed && view.isMember();
    const refusal = entryRefusal({ isMember, head: view.head(), knownHead: view.knownHighest() });
    if (refusal) return { ok: false, refusal, hash, blockLimit };
    const outcome = await this.#import({ transaction });
    return outcome.ok ? outcome : { ok: false, refusal: outcome.refusal, hash, blockLimit };
  }

  /** Takes a message of class `transactions`. */
  onMessage(from: NodeId, bytes: Uint8Array): void {
    const decoded = decodeTransactionsMessage(bytes);
    if (!decoded.ok) return this.#options.onRejected(from, `transactions: ${decoded.reason}`);
    const { message } = decoded;
    if (message.type === "request") return this.#answer(from, message.hashes);
    if (message.type === "announce") return this.#askFor(from, message.hashes);
    if (this.#backlog.isFull(from)) return;
    const missing = message.type === "passOn" ? message.missing : [];
    this.#takeFromPeer(from, message.transactions, missing).catch((cause: unknown) => {
      this.#options.log.write("error", "transactions could not be checked", {
        cause: String(cause),
      });
    });
  }

  async #takeFromPeer(
    from: NodeId,
    raws: readonly Uint8Array[],
    missing: readonly NodeId[],
  ): Promise<void> {
    const { recovery, pool, onRejected } = this.#options;
    const seen: Hash[] = [];
    const context = this.#context();
    // A signature costs a hundred times as much to recover as everything else to check.
    const isUnwanted = (transaction: Transaction) =>
      isSeen(pool, transaction.hash)
        ? seen.push(transaction.hash) > 0
        : unsignedRefusal(pool, transaction, context) !== undefined;
    const leave = this.#backlog.enter(from, raws);
    const transactions = await recovery.takeAll(raws, isUnwanted).finally(leave);
    addKnown(pool, seen, [from]);
    if (!transactions) return onRejected(from, "transactions: one is invalid");
    if (transactions.length === 0) return;
    const items = transactions.map((transaction) => ({ transaction, fromPeer: from }));
    const outcomes = this.#importItems(items);
    const entered = transactions.filter((_, i) => outcomes[i]?.ok);
    this.#passOn(entered, missing);
  }

  /** What was new here goes on to those that its origin has not reached. Source: pbft 11 */
  #passOn(entered: readonly SignedTransaction[], missing: readonly NodeId[]): void {
    if (entered.length === 0 || missing.length === 0) return;
    const { self } = this.#options;
    const to = this.#targets();
    const receivers = to.filter((peer) => missing.includes(peer));
    const left = missing.filter((it) => it !== self && !to.includes(it));
    this.#spread(entered, receivers, left);
  }

  /** Sends transactions, and to those that pass on who else lacks them. */
  #spread(
    transactions: readonly SignedTransaction[],
    receivers: readonly NodeId[],
    missing: readonly NodeId[],
  ): void {
    const { pool, view } = this.#options;
    const raws = transactions.map(({ raw }) => raw);
    const push = encodeTransactions("push", raws);
    const passedOn = missing.length > 0 ? passOnOf(missing, push) : push;
    for (const peer of receivers) this.#send(peer, view.passesOn(peer) ? passedOn : push);
    const hashes = transactions.map(({ hash }) => hash);
    addKnown(pool, hashes, receivers);
  }

  #send(to: NodeId, bytes: Uint8Array): void {
    const { network, groupId } = this.#options;
    network.send(to, { groupId, kind: "transactions", bytes });
  }

  /** Connected sealers but this node. */
  #targets(): readonly NodeId[] {
    const { view, self } = this.#options;
    return pushTargets(view.sealers(), self, (peer) => view.isConnected(peer));
  }

  /** Asks for what is not known here. Source: sync 5 */
  #askFor(from: NodeId, announced: readonly Hash[]): void {
    const { pool, view } = this.#options;
    if (this.#closed || !view.isMember() || this.#backlog.isFull(from)) return;
    const unknown = announced.filter((hash) => !isSeen(pool, hash));
    if (unknown.length > 0) this.#send(from, encodeHashes("request", unknown));
  }

  #answer(to: NodeId, hashes: readonly Hash[]): void {
    const { pool, view, clock } = this.#options;
    const now = clock.steady();
    // A node that has had its share learns of the transactions again.
    if (this.#closed || !view.isMember() || servableAt(this.#budgets, to, now) > now) return;
    const found = [...new Set(hashes)]
      .map((hash) => pendingTransaction(pool, hash)?.raw)
      .filter((raw) => raw !== undefined);
    for (const bytes of encodeAnswers(found)) {
      chargeServed(this.#budgets, to, bytes.length, now);
      this.#send(to, bytes);
    }
  }

  #import(item: Ready["item"]): Promise<PoolOutcome> {
    return new Promise((settle) => {
      this.#ready.push({ item, settle });
      // The senders of a batch become known in one turn: the flush runs behind all of them.
      if (this.#ready.length === 1) void Promise.resolve().then(() => this.#flush());
    });
  }

  #flush(): void {
    const batch = this.#ready;
    this.#ready = [];
    const outcomes = this.#importItems(batch.map(({ item }) => item));
    for (const [i, outcome] of outcomes.entries()) batch[i]?.settle(outcome);
  }

  #context(): ImportContext {
    const { view, chainId, groupId, clock } = this.#options;
    return { head: view.head(), chainId, groupId, now: clock.steady() };
  }

  /** Imports together; tells what entered, and has it pushed. */
  #importItems(items: readonly Ready["item"][]): readonly PoolOutcome[] {
    const { actor } = this.#options;
    const context = this.#context();
    if (this.#closed) return items.map(() => ({ ok: false, refusal: "notInGroup" }));
    const outcomes = importInto(actor, items, context);
    const imported = items.flatMap(({ transaction }, i) => (outcomes[i]?.ok ? [transaction] : []));
    this.#schedulePush();
    if (imported.length > 0) this.#options.onImported(imported);
    return outcomes;
  }

  /** Soon, so that what arrives within a few milliseconds travels together; at once when much. */
  #schedulePush(): void {
    const waiting = unsyncedCount(this.#options.pool);
    if (waiting === 0) return;
    if (waiting >= PUSH_AT_ONCE) return this.push();
    this.#cancelPush ??= this.#options.clock.after(PUSH_DELAY_MS, () => this.#pushOrWait());
  }

  #pushOrWait(): void {
    if (unsyncedCount(this.#options.pool) < PUSH_BUSY) return this.push();
    this.#cancelPush = this.#options.clock.after(PUSH_MORE_MS, () => this.push());
  }

  /** Sends local transactions that no peer has been sent yet. Source: txpool 7 */
  push(): void {
    this.#cancelPush?.();
    this.#cancelPush = undefined;
    const { pool, view, self } = this.#options;
    if (this.#closed || unsyncedCount(pool) === 0 || !view.isMember()) return;
    const targets = this.#targets();
    if (targets.length === 0) return;
    const missing = view.sealers().filter((it) => it !== self && !targets.includes(it));
    while (unsyncedCount(pool) > 0) {
      const limit = { count: BATCH_COUNT_LIMIT, bytes: BATCH_BYTES_LIMIT };
      for (const { to, entries } of planPushes(takeUnsynced(pool, limit), targets)) {
        const transactions = entries.map(({ transaction }) => transaction);
        this.#spread(transactions, to, missing);
      }
    }
  }

  /** A sealer (re)connected: it may have lost what it was sent. */
  onPeerUp(peer: NodeId): void {
    onSealerConnected(this.#options.pool, peer);
    this.push();
  }

  /** Whether a pending transaction is so long that its push may still be under way. */
  isTravelling(hash: Hash): boolean {
    const { pool, clock } = this.#options;
    return isTravelling(pool, hash, clock.steady());
  }

  /** One pass of the clean-up timer. Source: txpool 1, 6 */
  cleanUp(): void {
    const { pool, view, clock } = this.#options;
    cleanUp(pool, { head: view.head(), now: clock.steady() });
    this.#announce();
  }

  /**
   * Names what has waited for long: a node that should seal it may not have it. Nothing else brings
   * a transaction on when its one push was lost and the leader stays the same. Source: sync 5
   */
  #announce(): void {
    const { pool, view, clock } = this.#options;
    if (this.#closed || !view.isMember()) return;
    const targets = this.#targets();
    if (targets.length === 0) return;
    const hashes = takeStale(pool, { now: clock.steady(), count: ANNOUNCED_LIMIT });
    for (let from = 0; from < hashes.length; from += BATCH_COUNT_LIMIT) {
      const bytes = encodeHashes("announce", hashes.slice(from, from + BATCH_COUNT_LIMIT));
      for (const peer of targets) this.#send(peer, bytes);
    }
  }

  /** The node is a member of the group from now on, or no longer. */
  memberChanged(isMember: boolean): void {
    this.#options.actor.send({ type: isMember ? "group.joined" : "group.left" });
  }

  /** The pool ends; nothing is taken from it any more. */
  closePool(): void {
    const { actor } = this.#options;
    actor.send({ type: "pool.close" });
    endActor(actor);
  }

  /**
   * Refuses everything from now on. What was taken within the last milliseconds goes to the others
   * first: it was answered with a hash, and here no node seals it any more.
   */
  close(): void {
    this.push();
    this.#closed = true;
  }
}
