/** Reads of a store whose values are sealed: what the disk changed is never given. */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey } from "../../../core/ports/store.ts";
import { entryName } from "./entry-name.ts";
import { type EntryChecksum, openInTurns, openValue } from "./sealed-value.ts";
import { boundedEnd, type StoreFormat } from "./store-format.ts";

/** The reads of a store. */
export type Reader = Pick<Store, "get" | "load" | "range">;

/** What reads are checked with. */
export interface CheckedParts {
  readonly checksum: EntryChecksum;
  readonly format: StoreFormat;
  /** Names the store in faults. */
  readonly place: string;
  /** Is notified of damage before the read throws. */
  readonly onDamage?: (fault: StoreFault) => void;
  /** Others have a turn, between the parts of a long value that is loaded. */
  readonly nextTurn?: () => Promise<void>;
}

/** The fault of a record that is not as it was written. */
export function damaged(place: string, key: StoreKey): StoreFault {
  const what = `${entryName(key)} is not as it was written (its checksum differs)`;
  return new StoreFault("corrupt", `${place} holds a damaged database: ${what}`);
}

/** The value in stored bytes; undefined when it is not what was stored. */
function valueIn(parts: CheckedParts, key: StoreKey, stored: Uint8Array): Uint8Array | undefined {
  const form = parts.format.formOf(key);
  if (form === "plain") return stored;
  const value = openValue(parts.checksum, key, stored);
  return value === undefined && form === "either" ? stored : value;
}

/** As {@link valueIn}, in turns. */
async function loadedIn(parts: CheckedParts, key: StoreKey, stored: Uint8Array) {
  const { checksum, format, nextTurn } = parts;
  const form = format.formOf(key);
  if (!nextTurn || form === "plain") return valueIn(parts, key, stored);
  const value = await openInTurns(checksum, { key, sealed: stored }, nextTurn);
  return value === undefined && form === "either" ? stored : value;
}

/**
 * Checks what a reader gives. While another handle seals the store, a value may have been read
 * before it was sealed and be examined after: so it is read once more before it is called damaged.
 */
export function checkedReader(raw: Reader, parts: CheckedParts): Reader {
  const { format } = parts;

  function fail(key: StoreKey): never {
    const fault = damaged(parts.place, key);
    parts.onDamage?.(fault);
    throw fault;
  }

  async function loadAgain(key: StoreKey): Promise<Uint8Array> {
    const again = await raw.load(key);
    const value = again && (await loadedIn(parts, key, again));
    if (value === undefined) fail(key);
    return value;
  }

  return {
    get(key) {
      const wasComplete = format.isComplete;
      const stored = raw.get(key);
      if (stored === undefined) return undefined;
      const value = valueIn(parts, key, stored);
      if (value !== undefined) return value;
      const again = wasComplete ? undefined : raw.get(key);
      const second = again && valueIn(parts, key, again);
      if (second === undefined) fail(key);
      return second;
    },
    async load(key) {
      const wasComplete = format.isComplete;
      const stored = await raw.load(key);
      if (stored === undefined) return undefined;
      const value = await loadedIn(parts, key, stored);
      if (value !== undefined) return value;
      if (wasComplete) fail(key);
      return loadAgain(key);
    },
    async range(from, to, limit) {
      const wasComplete = format.isComplete;
      const entries = await raw.range(from, boundedEnd(to), limit);
      const checked: { key: StoreKey; value: Uint8Array }[] = [];
      for (const { key, value: stored } of entries) {
        let value = valueIn(parts, key, stored);
        if (value === undefined && !wasComplete) value = await loadAgain(key);
        if (value === undefined) fail(key);
        checked.push({ key, value });
      }
      return checked;
    },
  };
}
