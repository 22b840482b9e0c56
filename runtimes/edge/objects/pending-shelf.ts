/**
 * Transactions that this object has taken and no block holds yet. The pool lies in memory and an
 * object is evicted as a matter of course, so what was acknowledged is kept until its fate is
 * known.
 */
import type { GroupApi, NodeApi } from "../../../core/api/node-api.ts";
import type { GroupId, Hash } from "../../../core/bytes/ids.ts";
import type { Store } from "../../../core/ports/store.ts";
import { consoleLog } from "../../shared/platform/web-platform.ts";
import { entriesOf } from "../../shared/store-pages.ts";

const SEPARATOR = " ";
const BEHIND_SEPARATOR = "!";

function keyOf(groupId: GroupId, hash: Hash): string {
  return `${groupId}${SEPARATOR}${hash}`;
}

/** The shelf; a class because it owns a store. */
export class PendingShelf {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
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

/** A group that keeps what it takes. */
function keepingGroup(group: GroupApi, shelf: PendingShelf, onTaken: () => void): GroupApi {
  const { groupId } = group;
  const failed = (cause: unknown) =>
    consoleLog.write("error", "the shelf of transactions failed", { cause: String(cause) });
  const forget = (hashes: readonly Hash[]) => void shelf.remove(groupId, hashes).catch(failed);
  const watch = group.watchTransactions?.({
    committed: ({ found }) => forget(found.map(({ hash }) => hash)),
    dropped: forget,
    // Taken again by the next start.
    ended: () => undefined,
  });
  const submit: GroupApi["submit"] = async (raw) => {
    const outcome = await group.submit(raw);
    if (!outcome.ok) return outcome;
    await shelf.put(groupId, outcome.hash, raw);
    watch?.add(outcome.hash);
    onTaken();
    return outcome;
  };
  const again = async (): Promise<void> => {
    for await (const { hash, raw } of shelf.of(groupId)) {
      const outcome = await group.submit(raw);
      // Known: its sender was quicker, and what he was told has to stay true.
      if (outcome.ok || outcome.refusal === "alreadyKnown") watch?.add(hash);
      else if (!FOR_NOW.has(outcome.refusal)) forget([hash]);
    }
  };
  again().catch(failed);
  return new Proxy(group, {
    get(target, name) {
      if (name === "submit") return submit;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The node with groups that keep what they take. @param onTaken told of each transaction */
export function keepingNode(api: NodeApi, shelf: PendingShelf, onTaken: () => void): NodeApi {
  const known = new WeakMap<GroupApi, GroupApi>();
  const group = (groupId: GroupId): GroupApi | undefined => {
    const plain = api.group(groupId);
    if (!plain) return undefined;
    const kept = known.get(plain) ?? keepingGroup(plain, shelf, onTaken);
    known.set(plain, kept);
    return kept;
  };
  for (const groupId of api.groupList()) group(groupId);
  return { ...api, group };
}
