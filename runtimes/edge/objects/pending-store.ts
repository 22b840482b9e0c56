/**
 * Transactions that this object has taken and no block holds yet. The pool lies in memory and an
 * object is evicted as a matter of course, so what was acknowledged is kept until its fate is
 * known.
 */
import type {
  GroupApi,
  NodeApi,
  SubmitOutcome,
  TransactionWatch,
} from "../../../core/api/node-api.ts";
import type { GroupId, Hash } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { decodeTransaction } from "../../../core/model/transaction.ts";
import { MAX_WATCHED } from "../../../core/node/feed/transaction-watches.ts";
import type { Store } from "../../../core/ports/store.ts";
import { consoleLog } from "../../shared/platform/web-platform.ts";
import { entriesOf } from "../../shared/store-pages.ts";

const SEPARATOR = " ";
const BEHIND_SEPARATOR = "!";

function keyOf(groupId: GroupId, hash: Hash): string {
  return `${groupId}${SEPARATOR}${hash}`;
}

/** The store; a class because it owns a store. */
export class PendingStore {
  /** Transactions of one group: more are not taken. */
  readonly most: number;
  readonly #store: Store;

  /** @param most no more than can be watched: what is not watched would stay for ever */
  constructor(store: Store, most: number = MAX_WATCHED) {
    this.#store = store;
    this.most = most;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#store.range("0", ":", 1)).length === 0;
  }

  /** Kept once this resolves. */
  put(groupId: GroupId, hash: Hash, value: Uint8Array): Promise<void> {
    return this.#store.commit([{ key: keyOf(groupId, hash), value }], { durable: true });
  }

  /** What is forgotten too late is taken again and refused, which does no harm. */
  remove(groupId: GroupId, hashes: readonly Hash[]): Promise<void> {
    const writes = hashes.map((hash) => ({ key: keyOf(groupId, hash), value: undefined }));
    return this.#store.commit(writes, { durable: false });
  }

  /** A transaction that is kept. */
  get(groupId: GroupId, hash: Hash): Uint8Array | undefined {
    return this.#store.get(keyOf(groupId, hash));
  }

  /** What is kept of a group. */
  async *of(groupId: GroupId): AsyncGenerator<{ readonly hash: Hash; readonly raw: Uint8Array }> {
    const [from, to] = [`${groupId}${SEPARATOR}`, `${groupId}${BEHIND_SEPARATOR}`];
    for await (const { key, value: raw } of entriesOf(this.#store, [from, to]))
      yield { hash: key.slice(from.length) as Hash, raw };
  }
}

/** A refusal after which a transaction may be taken another time. */
const FOR_NOW: ReadonlySet<string> = new Set([
  "overGroupMemoryLimit",
  "txPoolIsFull",
  "notInGroup",
]);

function complain(cause: unknown): void {
  consoleLog.write("error", "the store of pending transactions failed", { cause: String(cause) });
}

/** How the groups of a node keep what they take. */
interface KeepParts {
  readonly pending: PendingStore;
  readonly suite: CryptoSuite;
  /** Told of each transaction. */
  readonly onTaken: () => void;
}

/** A group that keeps what it takes; a class because it knows what lies in the store. */
class KeepingGroup {
  readonly api: GroupApi;
  readonly #group: GroupApi;
  readonly #parts: KeepParts;
  readonly #watch: TransactionWatch | undefined;
  readonly #shelved = new Set<Hash>();
  /** The pool did not take them for now, or nobody tells what becomes of them. */
  readonly #waiting = new Set<Hash>();
  readonly #known: Promise<void>;
  #taking = 0;
  #isRetrying = false;

  constructor(group: GroupApi, parts: KeepParts) {
    this.#group = group;
    this.#parts = parts;
    this.#watch = group.watchTransactions?.({
      committed: ({ found }) => this.#forget(found.map(({ hash }) => hash)),
      dropped: (hashes) => this.#forget(hashes),
      // Taken again by the next start.
      ended: () => undefined,
    });
    this.#known = this.#look().catch(complain);
    void this.#known.then(() => this.retry());
    const submit: GroupApi["submit"] = (raw) => this.#submit(raw);
    this.api = new Proxy(group, {
      get(target, name) {
        if (name === "submit") return submit;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Hands in again what waits for that. */
  async retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    try {
      for (const hash of [...this.#waiting]) await this.#again(hash);
    } catch (cause) {
      complain(cause);
    } finally {
      this.#isRetrying = false;
    }
  }

  async #look(): Promise<void> {
    for await (const { hash } of this.#parts.pending.of(this.#group.groupId)) {
      this.#shelved.add(hash);
      this.#waiting.add(hash);
    }
  }

  async #again(hash: Hash): Promise<void> {
    const raw = this.#parts.pending.get(this.#group.groupId, hash);
    if (raw === undefined) return;
    const outcome = await this.#group.submit(raw);
    // Known: its sender was quicker, and what he was told has to stay true.
    if (outcome.ok || outcome.refusal === "alreadyKnown") this.#follow(hash);
    else if (!FOR_NOW.has(outcome.refusal)) this.#forget([hash]);
  }

  /** Waits until its fate is told; where too many are watched it is asked for again and again. */
  #follow(hash: Hash): void {
    if (this.#watch?.add(hash) === false) this.#waiting.add(hash);
    else this.#waiting.delete(hash);
  }

  #forget(hashes: readonly Hash[]): void {
    for (const hash of hashes) {
      this.#shelved.delete(hash);
      this.#waiting.delete(hash);
    }
    this.#parts.pending.remove(this.#group.groupId, hashes).catch(complain);
  }

  async #submit(raw: Uint8Array): Promise<SubmitOutcome> {
    const { pending, onTaken } = this.#parts;
    await this.#known;
    const refused = this.#refusal(raw);
    if (refused !== undefined) return refused;
    this.#taking++;
    try {
      const outcome = await this.#group.submit(raw);
      if (!outcome.ok) return outcome;
      await pending.put(this.#group.groupId, outcome.hash, raw);
      this.#shelved.add(outcome.hash);
      this.#follow(outcome.hash);
      onTaken();
      return outcome;
    } finally {
      this.#taking--;
    }
  }

  /** Of a transaction for which there is no place. */
  #refusal(raw: Uint8Array): SubmitOutcome | undefined {
    const { pending, suite } = this.#parts;
    if (this.#shelved.size + this.#taking < pending.most) return undefined;
    const decoded = decodeTransaction(raw, suite);
    // What is wrong with it, or that it is known, the pool says.
    if (!decoded.ok || this.#shelved.has(decoded.transaction.hash)) return undefined;
    const { hash, blockLimit } = decoded.transaction;
    return { ok: false, refusal: "txPoolIsFull", hash, blockLimit };
  }
}

/** A node whose groups keep what they take. */
export interface KeepingNode {
  readonly api: NodeApi;
  /** Hands in again what the pools refused for a while. */
  retry(): Promise<void>;
}

/** The node with groups that keep what they take. @param onTaken told of each transaction */
export function keepingNode(api: NodeApi, pending: PendingStore, onTaken: () => void): KeepingNode {
  const known = new WeakMap<GroupApi, KeepingGroup>();
  const parts = { pending, suite: api.suite, onTaken };
  const group = (groupId: GroupId): GroupApi | undefined => {
    const plain = api.group(groupId);
    if (!plain) return undefined;
    const kept = known.get(plain) ?? new KeepingGroup(plain, parts);
    known.set(plain, kept);
    return kept.api;
  };
  for (const groupId of api.groupList()) group(groupId);
  const retry = async (): Promise<void> => {
    for (const groupId of api.groupList()) {
      const plain = api.group(groupId);
      await (plain && known.get(plain))?.retry();
    }
  };
  return { api: { ...api, group }, retry };
}
