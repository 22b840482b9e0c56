/** What the worker does about the data of its chain: backups, restoring, room. */
import type { Store } from "../../../core/ports/store.ts";
import type { BackupPiece, BackupStart, RestoreReport, RestoreRequest } from "../link/api.ts";
import { nodeKeyLock } from "../keys/node-keys.ts";
import { databasesOf } from "../store/chains.ts";
import type { TabStorage } from "../tab-storage.ts";
import type { TabRecord } from "../tab-record.ts";
import { suiteOf } from "../tab-request.ts";

/** A backup that is being fetched. */
interface Running {
  readonly pieces: AsyncGenerator<Uint8Array, { readonly contentHash: string }>;
  done(): Promise<void>;
}

/** A page that was closed leaves its backup behind: the oldest one ends. */
const MOST_RUNNING = 3;
const GROUP = /\/node0\/group(\d+)$/;

/** Groups that have data here. */
export async function keptGroups({ name }: TabRecord): Promise<readonly number[]> {
  const names = await databasesOf(name);
  return names
    .flatMap((one) => GROUP.exec(one)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** A class because it owns the backups under way. */
export class Keeping {
  readonly #storage: TabStorage;
  readonly #running = new Map<number, Running>();
  #count = 0;
  #place: string | undefined;

  constructor(storage: TabStorage) {
    this.#storage = storage;
  }

  /** Where a restoring is. */
  get place(): string | undefined {
    return this.#place;
  }

  /** A view of a group's store, running or not. */
  async #view(record: TabRecord, groupId: number) {
    const { store, done } = await this.#storage.borrowStore(record, 0, groupId);
    const version = (await import("./tab-backup.ts")).versionOf(record);
    return { store, done, suite: await suiteOf(record), version };
  }

  /** Begins a backup; its pieces are fetched one by one. */
  async open(record: TabRecord, groupId: number): Promise<BackupStart> {
    const { backupPieces } = await import("./tab-backup.ts");
    const { done, ...view } = await this.#view(record, groupId);
    const pieces = backupPieces(view, record, groupId);
    const id = ++this.#count;
    this.#running.set(id, { pieces, done });
    const [oldest] = this.#running.keys();
    if (oldest !== undefined && this.#running.size > MOST_RUNNING) await this.end(oldest);
    const height = Number((await this.#heightOf(view.store)) ?? 0);
    return { id, groupId, height };
  }

  async #heightOf(store: Store): Promise<number | undefined> {
    const { storedRows } = await import("../../../core/storage/row-cache.ts");
    const { currentNumber } = await import("../../../core/ledger/state-rows.ts");
    return currentNumber({ rows: (table, key) => storedRows(store, table, key) });
  }

  /** The next piece of a backup; the last answer has the content hash. */
  async next(id: number): Promise<BackupPiece> {
    const running = this.#running.get(id);
    if (!running) return { bytes: undefined, contentHash: undefined };
    try {
      const { done, value } = await running.pieces.next();
      if (!done) return { bytes: value, contentHash: undefined };
      await this.end(id);
      return { bytes: undefined, contentHash: value.contentHash };
    } catch (cause) {
      await this.end(id);
      throw cause;
    }
  }

  async end(id: number): Promise<void> {
    const running = this.#running.get(id);
    this.#running.delete(id);
    await running?.pieces.return({ contentHash: "" }).catch(() => undefined);
    await running?.done();
  }

  /** Ends all backups, before the stores are closed for good. */
  async endAll(): Promise<void> {
    for (const id of [...this.#running.keys()]) await this.end(id);
  }

  /** The genesis file of a group, for a Node server. */
  async genesis(record: TabRecord, groupId: number): Promise<string | undefined> {
    const { genesisText } = await import("./tab-backup.ts");
    const { done, ...view } = await this.#view(record, groupId);
    return genesisText(view).finally(done);
  }

  /** The text of the chain file. @throws KeysLocked, KeyFault */
  async chainFile(
    record: TabRecord,
    passphrases: { readonly ofKeys: string | undefined; readonly ofFile: string },
  ): Promise<string> {
    const { readFiles } = await import("./tab-backup.ts");
    const { writeChainFile } = await import("./chain-file.ts");
    const keys = await this.#storage.keys(record, passphrases.ofKeys);
    const files = [];
    for (const node of record.nodeIds.keys())
      files.push(await readFiles(await this.#storage.openFiles(record, node)));
    const isLocked = (await nodeKeyLock(record.name)) === "passphrase";
    const groups = await keptGroups(record);
    return writeChainFile({ record, files, groups, keys, isLocked }, passphrases.ofFile);
  }

  /**
   * Restores a chain where there is none, and keeps it, stopped.
   *
   * @throws ChainFileFault, SnapshotFault, KeyFault, StoreFault; nothing is kept then
   */
  async restore(request: RestoreRequest): Promise<{ record: TabRecord; report: RestoreReport }> {
    const { readChainFile } = await import("./chain-file.ts");
    const { restoreChain } = await import("./tab-restore.ts");
    const file = await readChainFile(await request.chainFile.text(), request.passphrase);
    const record = { ...file.record, isWanted: false };
    const progress = (place: string) => {
      this.#place = place;
    };
    try {
      await this.#storage.clear(record);
      const suite = await suiteOf(record);
      const parts = { file, snapshots: request.snapshots, suite, storage: this.#storage, progress };
      const restored = await restoreChain(parts);
      const passphrase = file.isLocked ? request.passphrase : undefined;
      await this.#storage.keep(record, { keys: file.keys, passphrase });
      const groups = restored.map(({ facts, sums }) => ({
        groupId: facts.groupId,
        height: facts.number,
        contentHash: sums.contentHash,
      }));
      return { record, report: { groups } };
    } catch (cause) {
      await this.#storage.clear(record).catch(() => undefined);
      throw cause;
    } finally {
      this.#place = undefined;
    }
  }
}
