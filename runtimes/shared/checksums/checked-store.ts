/**
 * The Store port over a disk that is not believed: every value ends with a checksum over key and
 * value that reading verifies, and each table keeps a sum over its entries, so that a row which is
 * gone shows when the table is gone through. The adapters of all runtimes lie below.
 * Source: decision 30
 */
import { invariant } from "../../../core/fault/invariant.ts";
import type { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey, StoreWrite } from "../../../core/ports/store.ts";
import { type CheckedParts, checkedReader, damaged } from "./checked-reader.ts";
import {
  type EntryChecksum,
  openValue,
  type SealedWrite,
  sealedWrite,
  sealOf,
  TURN_BYTES,
} from "./sealed-value.ts";
import {
  ALL_SEALED,
  FEW_INTERVALS,
  isEmpty,
  OWN_KEYS,
  StoreFormat,
  WATERMARK_KEY,
  watermarkOf,
  watermarkRecord,
} from "./store-format.ts";
import { SumChanges } from "./sum-changes.ts";

/** A store that gives values as they lie, with their checksums behind them. */
export interface RawStore extends Omit<Store, "commit"> {
  /** Puts each checksum behind its value; else as {@link Store.commit}. */
  commitSealed(writes: readonly SealedWrite[], how: { readonly durable: boolean }): Promise<void>;
  /** The values of keys, in their order. */
  loadMany(keys: readonly StoreKey[]): Promise<readonly (Uint8Array | undefined)[]>;
}

/** A checked store. */
export interface CheckedStore extends Store {
  /** Whether all values have their checksums; false while an older store is brought up to it. */
  readonly isSealed: boolean;
  /**
   * Seals the next entries of an older store, about this many bytes of them. Only the handle that
   * writes rows may do this. Gives whether there are more.
   */
  sealMore(bytes: number): Promise<boolean>;
}

/** What a store is checked with. */
export interface CheckedStoreOptions {
  readonly raw: RawStore;
  readonly checksum: EntryChecksum;
  /** Names the store in faults. */
  readonly place: string;
  /** Is notified of damage that a read finds. */
  readonly onDamage?: (fault: StoreFault) => void;
  /** As of {@link CheckedParts}. */
  readonly nextTurn?: () => Promise<void>;
  /** Whether another handle of this process, opened before, has prepared the store. */
  readonly joined?: boolean;
}

/** Entries that are read at once to be sealed: bodies and receipts may have 16 MiB each. */
const SMALL_AT_ONCE = 64;
const LARGE_AT_ONCE = 4;
/** All keys of bodies and receipts are below. */
const BEHIND_LARGE = "f";

/** A checked store; a class because commits take turns and share what was read. */
class Checked implements CheckedStore {
  readonly get: Store["get"];
  readonly load: Store["load"];
  readonly range: Store["range"];
  readonly #raw: RawStore;
  readonly #parts: CheckedParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(raw: RawStore, parts: CheckedParts) {
    this.#raw = raw;
    this.#parts = parts;
    const reader = checkedReader(raw, parts);
    this.get = reader.get;
    this.load = reader.load;
    this.range = reader.range;
  }

  get isSealed(): boolean {
    return this.#parts.format.isComplete;
  }

  commit(writes: readonly StoreWrite[], { durable }: { durable: boolean }): Promise<void> {
    return this.#turn(async () => {
      const sealed = await this.#allSealed(writes);
      for (const sum of await this.#changedSums(sealed)) sealed.push(sum);
      await this.#raw.commitSealed(sealed, { durable });
    });
  }

  sealMore(bytes: number): Promise<boolean> {
    return this.#turn(() => this.#sealMore(bytes));
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#raw.close();
  }

  /** Commits take turns: a sum builds on the one before. */
  #turn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Others have their turn after some bytes. */
  async #allSealed(writes: readonly StoreWrite[]): Promise<SealedWrite[]> {
    const sealed: SealedWrite[] = [];
    let bytes = 0;
    for (const write of writes) {
      sealed.push(this.#sealed(write));
      bytes += write.value?.length ?? 0;
      if (bytes <= TURN_BYTES) continue;
      bytes = 0;
      await this.#parts.nextTurn?.();
    }
    return sealed;
  }

  #sealed(write: StoreWrite): SealedWrite {
    const { key, value } = write;
    invariant(key < OWN_KEYS, "keys that begin with two bytes 0xff are the store's own");
    if (value === undefined || this.#parts.format.formOf(key) === "plain") return write;
    return sealedWrite(this.#parts.checksum, key, value);
  }

  /** What the tables' sums become with these writes. */
  async #changedSums(sealed: readonly SealedWrite[]): Promise<SealedWrite[]> {
    const { format } = this.#parts;
    const rows = new Map<StoreKey, number | undefined>();
    for (const { key, seal } of sealed)
      if (key.startsWith("r") && format.formOf(key) === "sealed") rows.set(key, seal);
    if (rows.size === 0) return [];
    const stored = await this.#raw.loadMany([...rows.keys()]);
    const changes = new SumChanges(this.#raw, this.#parts);
    let at = 0;
    for (const [key, after] of rows) {
      const before = stored[at++];
      changes.replace(key, before && sealOf(before), after);
    }
    return changes.writes();
  }

  async #sealMore(bytes: number): Promise<boolean> {
    const { checksum, format } = this.#parts;
    if (format.isComplete) return false;
    const changes = new SumChanges(this.#raw, this.#parts);
    const writes: SealedWrite[] = [];
    let [next, taken] = [format.watermark, 0];
    while (taken < bytes && next !== ALL_SEALED) {
      const page = next < BEHIND_LARGE ? LARGE_AT_ONCE : SMALL_AT_ONCE;
      const entries = await this.#raw.range(next, OWN_KEYS, page);
      for (const { key, value: stored } of entries) {
        taken += key.length + stored.length;
        const form = format.formOf(key);
        const isSealed = form === "either" && openValue(checksum, key, stored) !== undefined;
        if (form === "sealed" || isSealed) continue;
        const write = sealedWrite(checksum, key, stored);
        writes.push(write);
        changes.replace(key, undefined, write.seal);
      }
      const last = entries.at(-1);
      next = last === undefined || entries.length < page ? ALL_SEALED : `${last.key}\0`;
    }
    const own = [...changes.writes(), watermarkWrite(checksum, next)];
    await this.#raw.commitSealed([...writes, ...own], { durable: next === ALL_SEALED });
    return next !== ALL_SEALED;
  }
}

/**
 * Opens the checked form of a store. One that an earlier version wrote is brought up to it: a few
 * records now, all others by {@link CheckedStore.sealMore}.
 *
 * @throws StoreFault corrupt
 */
export async function openCheckedStore(options: CheckedStoreOptions): Promise<CheckedStore> {
  if (!options.joined) await prepare(options);
  return new Checked(options.raw, { ...options, format: formatOf(options.raw, options) });
}

/** The form in which a store, or a view of it, is. */
export function formatOf(
  raw: Pick<Store, "get">,
  { checksum, place }: Pick<CheckedStoreOptions, "checksum" | "place">,
): StoreFormat {
  return new StoreFormat(() => {
    const record = raw.get(WATERMARK_KEY);
    const watermark = record && openValue(checksum, WATERMARK_KEY, record);
    if (watermark === undefined) throw damaged(place, WATERMARK_KEY);
    return watermarkOf(watermark);
  });
}

function watermarkWrite(checksum: EntryChecksum, watermark: StoreKey): SealedWrite {
  return sealedWrite(checksum, WATERMARK_KEY, watermarkRecord(watermark));
}

/** Settles the form of a store before its first use. */
async function prepare({ raw, checksum, place }: CheckedStoreOptions): Promise<void> {
  if (raw.get(WATERMARK_KEY) !== undefined) return;
  if (await isEmpty(raw)) {
    await raw.commitSealed([watermarkWrite(checksum, ALL_SEALED)], { durable: true });
    return;
  }
  const writes: SealedWrite[] = [];
  for (const [from, to] of FEW_INTERVALS) {
    for (const { key, value } of await raw.range(from, to, Number.MAX_SAFE_INTEGER)) {
      // A sealed record without a watermark: the watermark is what is gone.
      if (openValue(checksum, key, value) !== undefined) throw damaged(place, WATERMARK_KEY);
      writes.push(sealedWrite(checksum, key, value));
    }
  }
  await raw.commitSealed([...writes, watermarkWrite(checksum, "")], { durable: true });
}
