/**
 * The Store port over the SQLite storage of an object, whose reads answer at once. Small values lie
 * next to their keys, others apart in pieces: a row holds at most 2 MB.
 */
import type { ObjectStorage, SqlValue } from "cloudflare:workers";
import { byteString, bytesOf } from "../../../core/bytes/byte-string.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { openCheckedStore, type RawStore } from "../../shared/checksums/checked-store.ts";
import { computedChecksum } from "../../shared/checksums/crc32.ts";
import { type SealedWrite, storedWrite } from "../../shared/checksums/sealed-value.ts";
import type { InPlaceStore } from "../../shared/in-place-node.ts";
import { guarded, sqlFault } from "./sql-fault.ts";

/**
 * Longer values lie apart: SQLite reads the whole of a row that does not fit into its page whenever
 * it compares the key of a table without rowid.
 */
const BESIDE_BYTES = 512;
/** Bytes of a value in one row; key and columns come on top. */
const PIECE_BYTES = 1024 * 1024;

/**
 * `pieces` counts the rows of `rest`; none: the value is here. Blobs compare by bytes, as keys do.
 * A room holds one store, so that the groups of a node may share an object.
 */
const TABLES = `
  create table if not exists entries (room integer not null, key blob not null,
    value blob not null, pieces integer not null, primary key (room, key)) without rowid;
  create table if not exists rest (room integer not null, key blob not null,
    piece integer not null, value blob not null, primary key (room, key, piece));
`;
const READ = "select value, pieces from entries where room = ? and key = ?";
const READ_REST = "select value from rest where room = ? and key = ? order by piece";
const RANGE =
  "select key, value, pieces from entries where room = ? and key >= ? and key < ? " +
  "order by key limit ?";
const WRITE = "insert or replace into entries (room, key, value, pieces) values (?, ?, ?, ?)";
const WRITE_REST = "insert into rest (room, key, piece, value) values (?, ?, ?, ?)";
const REMOVE = "delete from entries where room = ? and key = ?";
const REMOVE_REST = "delete from rest where room = ? and key = ?";
const HAS = "select 1 from entries where room = ? and key = ?";

/** Rooms that hold no group: those have numbers from 1 on. */
export const FILES_ROOM = 0;
/** Transactions that wait for their block: they outlive an eviction. */
export const PENDING_ROOM = -1;

/** The bytes as SQLite takes them: a buffer of their own. */
function blob(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}

function keyBlob(key: StoreKey): ArrayBuffer {
  return bytesOf(key).buffer as ArrayBuffer;
}

function bytesIn(value: SqlValue | undefined): Uint8Array {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new StoreFault("corrupt", "a row of the object's storage holds no bytes");
}

/** A store; a class because it knows whether it may be used. */
class SqlStore implements RawStore {
  readonly #storage: ObjectStorage;
  readonly #room: number;
  /** Why it cannot be used any more. */
  #ended: StoreFault | undefined;

  constructor(storage: ObjectStorage, room: number) {
    this.#storage = storage;
    this.#room = room;
    guarded(() => storage.sql.exec(TABLES));
  }

  get(key: StoreKey): Uint8Array | undefined {
    const bytes = keyBlob(key);
    const [row] = this.#rows(READ, bytes);
    return row && this.#whole(bytes, row);
  }

  async load(key: StoreKey): Promise<Uint8Array | undefined> {
    return this.get(key);
  }

  async loadMany(keys: readonly StoreKey[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.get(key));
  }

  async has(key: StoreKey): Promise<boolean> {
    return this.#rows(HAS, keyBlob(key)).length > 0;
  }

  async range(
    from: StoreKey,
    to: StoreKey,
    limit: number,
  ): Promise<readonly { key: StoreKey; value: Uint8Array }[]> {
    return this.#rows(RANGE, keyBlob(from), keyBlob(to), limit).map((row) => {
      const key = bytesIn(row["key"]);
      return { key: byteString(key), value: this.#whole(blob(key), row) };
    });
  }

  async commitSealed(
    writes: readonly SealedWrite[],
    { durable }: { readonly durable: boolean },
  ): Promise<void> {
    this.#requireUsable();
    try {
      this.#storage.transactionSync(() => {
        for (const write of writes) this.#apply(storedWrite(write));
      });
      if (durable) await this.#storage.sync();
    } catch (error) {
      this.#ended = sqlFault(error);
      throw this.#ended;
    }
  }

  async close(): Promise<void> {
    this.#ended ??= new StoreFault("io", "the store is closed");
  }

  #requireUsable(): void {
    if (this.#ended) throw this.#ended;
  }

  #rows(query: string, ...bindings: readonly SqlValue[]): Record<string, SqlValue>[] {
    this.#requireUsable();
    return guarded(() => this.#storage.sql.exec(query, this.#room, ...bindings).toArray());
  }

  /** The value of a row of `entries`. */
  #whole(key: ArrayBuffer, row: Record<string, SqlValue>): Uint8Array {
    if (row["pieces"] === 0) return bytesIn(row["value"]);
    const parts = this.#rows(READ_REST, key).map(({ value }) => bytesIn(value));
    if (parts.length !== row["pieces"])
      throw new StoreFault("corrupt", "a long value in the object's storage has lost a piece");
    const [only] = parts;
    if (only && parts.length === 1) return only;
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  #apply({ key: text, value }: StoreWrite): void {
    const { sql } = this.#storage;
    const key = keyBlob(text);
    // Costs a look where there is none: only rows that are there are written.
    sql.exec(REMOVE_REST, this.#room, key);
    if (value === undefined) {
      sql.exec(REMOVE, this.#room, key);
      return;
    }
    if (value.length <= BESIDE_BYTES) {
      sql.exec(WRITE, this.#room, key, blob(value), 0);
      return;
    }
    const pieces = Math.ceil(value.length / PIECE_BYTES);
    sql.exec(WRITE, this.#room, key, new ArrayBuffer(0), pieces);
    for (let piece = 0; piece < pieces; piece++) {
      const part = value.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES);
      sql.exec(WRITE_REST, this.#room, key, piece, blob(part));
    }
  }
}

/**
 * Opens the store of a room, with checksums over its entries; made when it is not there.
 *
 * @throws StoreFault corrupt, full, io
 */
export async function openSqlStore(storage: ObjectStorage, room: number): Promise<InPlaceStore> {
  const raw = new SqlStore(storage, room);
  const place = `room ${room} of this object`;
  const checked = await openCheckedStore({ raw, checksum: computedChecksum, place });
  const { get, load, range } = checked;
  return {
    ...{ get, load, range },
    has: (key) => raw.has(key),
    commit: (writes, options) => checked.commit(writes, options),
    close: () => checked.close(),
  };
}
