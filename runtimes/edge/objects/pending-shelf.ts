/**
 * Transactions that this object has taken and no block holds yet. The pool lies in memory and an
 * object is evicted as a matter of course, so what was acknowledged is kept until its fate is known.
 */
import type { ObjectStorage } from "cloudflare:workers";
import type { GroupApi, NodeApi } from "../../../core/api/node-api.ts";
import type { GroupId, Hash } from "../../../core/bytes/ids.ts";
import { guarded } from "./sql-fault.ts";

const TABLE =
  "create table if not exists pending " +
  "(hash text primary key, room integer not null, raw blob not null) without rowid";

/** The shelf; a class because it owns a table. */
export class PendingShelf {
  readonly #storage: ObjectStorage;

  constructor(storage: ObjectStorage) {
    this.#storage = storage;
    guarded(() => storage.sql.exec(TABLE));
  }

  isEmpty(): boolean {
    return this.#rows("select 1 from pending limit 1").length === 0;
  }

  /** Kept once this resolves. */
  async put(groupId: GroupId, hash: Hash, raw: Uint8Array): Promise<void> {
    const bytes = raw.slice().buffer as ArrayBuffer;
    this.#rows("insert or replace into pending values (?, ?, ?)", hash, groupId, bytes);
    await this.#storage.sync();
  }

  remove(hashes: readonly Hash[]): void {
    for (const hash of hashes) this.#rows("delete from pending where hash = ?", hash);
  }

  /** What is kept of a group. */
  of(groupId: GroupId): readonly { readonly hash: Hash; readonly raw: Uint8Array }[] {
    return this.#rows("select hash, raw from pending where room = ?", groupId).map((row) => ({
      hash: row["hash"] as Hash,
      raw: new Uint8Array(row["raw"] as ArrayBuffer),
    }));
  }

  #rows(query: string, ...bindings: (string | number | ArrayBuffer)[]) {
    return guarded(() => this.#storage.sql.exec(query, ...bindings).toArray());
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
  const forget = (hashes: readonly Hash[]) => shelf.remove(hashes);
  const watch = group.watchTransactions?.({
    committed: ({ found }) => forget(found.map(({ hash }) => hash)),
    dropped: forget,
    // Taken again by the next start.
    ended: () => undefined,
  });
  const submit: GroupApi["submit"] = async (raw) => {
    const outcome = await group.submit(raw);
    if (!outcome.ok) return outcome;
    await shelf.put(group.groupId, outcome.hash, raw);
    watch?.add(outcome.hash);
    onTaken();
    return outcome;
  };
  const again = async (): Promise<void> => {
    for (const { hash, raw } of shelf.of(group.groupId)) {
      const outcome = await group.submit(raw);
      if (outcome.ok) watch?.add(hash);
      else if (!FOR_NOW.has(outcome.refusal)) forget([hash]);
    }
  };
  void again();
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
