/**
 * Long records of blocks in pieces: a record of 30 MB is read and written an entry of a megabyte at
 * a time, so that neither the main thread nor the memory has to take it in one go. The entries of a
 * record lie behind its key, each with a checksum of its own. Records that an earlier version wrote
 * as one entry are read as they are.
 */
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import type { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { damaged, type Reader } from "../../shared/checksums/checked-reader.ts";
import type { DamageAlarm } from "../../shared/checksums/damage-alarm.ts";
import type { EntryCensus } from "../../shared/checksums/store-pass.ts";

/** The bytes of a piece; longer records are divided. */
export const PIECE_BYTES: number = 1024 * 1024;
/** Bodies and receipts: `b` or `e` and a hash; the key of a piece has its index behind. */
const LONG_KINDS = ["b", "e"];
const BEHIND_LONG = "f";
const HASH_KEY = 33;
const PIECE_KEY = HASH_KEY + 2;
/** Begins what lies under the key of a divided record. No body and no receipts begin so. */
const MARK = bytesOf("\xff\xff\xff\xffin pieces ");
const LENGTH_BYTES = 4;

/**
 * Reads pieces one at a time, whoever wants them: those that several reads await end in one turn of
 * the event loop, and each is copied into fresh memory, which costs most. A class because the
 * readers of a store share what waits.
 */
export class PieceQueue {
  #last: Promise<unknown> = Promise.resolve();

  read<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** What a reader of long records shares with others. */
interface LongParts {
  /** Names the store in faults. */
  readonly place: string;
  readonly onDamage?: DamageAlarm["sound"];
  /** That of all readers of a store; by default one of its own. */
  readonly pieces?: PieceQueue;
  /** Drops a piece that was loaded, and is copied: of a reader that gives each out once. */
  readonly free?: (piece: Uint8Array) => void;
}

function isLongKind(key: StoreKey): boolean {
  return key.length === HASH_KEY && LONG_KINDS.includes(key.charAt(0));
}

function isPiece(key: StoreKey): boolean {
  return key.length === PIECE_KEY && LONG_KINDS.includes(key.charAt(0));
}

function pieceKey(key: StoreKey, index: number): StoreKey {
  return key + String.fromCharCode(index >> 8, index & 0xff);
}

/** The length of the record that an entry stands for; undefined for an entry that is the record. */
function dividedLength(value: Uint8Array): number | undefined {
  if (value.length !== MARK.length + LENGTH_BYTES) return undefined;
  if (MARK.some((byte, at) => value[at] !== byte)) return undefined;
  return new DataView(value.buffer, value.byteOffset + MARK.length).getUint32(0);
}

function markOf(length: number): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES);
  new DataView(bytes.buffer).setUint32(0, length);
  return concatBytes(MARK, bytes);
}

/** A write as it lies: one of a long record becomes one of each piece. */
function divided(write: StoreWrite): readonly StoreWrite[] {
  const { key, value } = write;
  if (!value || value.length <= PIECE_BYTES || !isLongKind(key)) return [write];
  const pieces: StoreWrite[] = [{ key, value: markOf(value.length) }];
  for (let at = 0; at < value.length; at += PIECE_BYTES)
    pieces.push({
      key: pieceKey(key, at / PIECE_BYTES),
      value: value.subarray(at, at + PIECE_BYTES),
    });
  return pieces;
}

/** The writes as they lie. @param load reads what lies, for pieces of records that are deleted */
async function dividedWrites(
  writes: readonly StoreWrite[],
  load: Store["load"],
): Promise<readonly StoreWrite[]> {
  const isPlain = ({ key, value }: StoreWrite): boolean =>
    !isLongKind(key) || (value !== undefined && value.length <= PIECE_BYTES);
  if (writes.every(isPlain)) return writes;
  const all: StoreWrite[] = [];
  for (const write of writes) {
    all.push(...divided(write));
    if (write.value !== undefined || !isLongKind(write.key)) continue;
    const stored = await load(write.key);
    const length = (stored && dividedLength(stored)) ?? 0;
    for (let at = 0; at < length; at += PIECE_BYTES)
      all.push({ key: pieceKey(write.key, at / PIECE_BYTES), value: undefined });
  }
  return all;
}

/**
 * Commits of records whose pieces lie in a store, in the order of the calls; none behind one whose
 * writes could not be made out.
 * @param faultOf what the later ones fail with
 */
export function commitsOver(
  store: Pick<Store, "load" | "commit">,
  faultOf: (cause: unknown) => StoreFault,
): Pick<Store, "commit"> & { rest(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  let failed: StoreFault | undefined;
  return {
    commit(writes, how) {
      const lying = last.then(() => {
        if (failed) throw failed;
        return dividedWrites(writes, store.load);
      });
      lying.catch((cause: unknown) => {
        failed ??= faultOf(cause);
      });
      const done = lying.then((all) => store.commit(all, how));
      last = done.catch(() => undefined);
      return done;
    },
    rest: () => last,
  };
}

/** Reads records whose pieces lie in a reader. */
export function wholeReader(inner: Reader, parts: LongParts): Reader {
  const { place, onDamage, pieces = new PieceQueue(), free } = parts;
  function fail(key: StoreKey): never {
    const fault = damaged(place, key);
    onDamage?.(fault);
    throw fault;
  }

  /** Puts a piece to its place, and drops it if it may. */
  function put(record: Uint8Array, at: number, [key, piece]: readonly [StoreKey, unknown]): void {
    const bytes = Math.min(PIECE_BYTES, record.length - at);
    if (!(piece instanceof Uint8Array) || piece.length !== bytes) fail(key);
    record.set(piece, at);
    free?.(piece);
  }

  /** Others have their turn while each piece is read. */
  async function whole(key: StoreKey, stored: Uint8Array): Promise<Uint8Array | undefined> {
    const length = isLongKind(key) ? dividedLength(stored) : undefined;
    if (length === undefined) return stored;
    // Fresh memory costs as much as the copy: a piece of it at a time, too.
    const record = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    for (let at = 0; at < length; at += PIECE_BYTES) {
      const isThere = await pieces.read(async () => {
        const piece = await inner.load(pieceKey(key, at / PIECE_BYTES));
        // It may have been deleted meanwhile.
        if (!piece && (await inner.load(key)) === undefined) return false;
        put(record, at, [key, piece]);
        return true;
      });
      if (!isThere) return undefined;
    }
    return record;
  }

  return {
    get(key) {
      const stored = inner.get(key);
      const length = stored && isLongKind(key) ? dividedLength(stored) : undefined;
      if (length === undefined) return stored;
      const record = new Uint8Array(length);
      for (let at = 0; at < length; at += PIECE_BYTES) {
        const piece = inner.get(pieceKey(key, at / PIECE_BYTES));
        if (!piece && inner.get(key) === undefined) return undefined;
        put(record, at, [key, piece]);
      }
      return record;
    },
    async load(key) {
      const stored = await inner.load(key);
      return stored && whole(key, stored);
    },
    async range(from, to, limit) {
      if (from >= BEHIND_LONG) return inner.range(from, to, limit);
      const found: { key: StoreKey; value: Uint8Array }[] = [];
      for (let next = from; found.length < limit; ) {
        const some = limit - found.length;
        const entries = await inner.range(next, to, some);
        for (const { key, value } of entries) {
          const record = isPiece(key) ? undefined : await whole(key, value);
          if (record) found.push({ key, value: record });
        }
        const last = entries.at(-1);
        if (!last || entries.length < some) break;
        next = `${last.key}\0`;
      }
      return found;
    },
  };
}

/**
 * Looks whether divided records have all pieces, while entries come in the order of their keys.
 * @param has whether a record is there now: one that was deleted meanwhile lacks nothing
 */
export function pieceCensus(
  inner: EntryCensus,
  { place, has }: LongParts & { has(key: StoreKey): Promise<boolean> },
): EntryCensus {
  let record: StoreKey | undefined;
  let missing: StoreKey[] = [];

  async function endRecord(): Promise<void> {
    const isWhole = record === undefined || missing.length === 0 || !(await has(record));
    if (record !== undefined && !isWhole) throw damaged(place, record);
    record = undefined;
  }

  return {
    async take(key, value) {
      if (isPiece(key)) {
        if (missing[0] === key) missing.shift();
        return;
      }
      await endRecord();
      const length = isLongKind(key) ? dividedLength(value) : undefined;
      if (length !== undefined) {
        record = key;
        const count = Math.ceil(length / PIECE_BYTES);
        missing = Array.from({ length: count }, (_, index) => pieceKey(key, index));
      }
      await inner.take(key, value);
    },
    end: () => inner.end(),
  };
}
