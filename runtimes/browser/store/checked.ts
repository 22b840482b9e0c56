/** The store of a tab with checksums over its entries. Source: decision 30 */
import type { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store, StoreKey, StorePassView } from "../../../core/ports/store.ts";
import {
  type BackgroundPass,
  type PassedStore,
  type PassPace,
  type Pause,
  passInBackground,
} from "../../shared/checksums/background-pass.ts";
import { checkedReader } from "../../shared/checksums/checked-reader.ts";
import {
  type CheckedStore,
  formatOf,
  openCheckedStore,
  type RawStore,
} from "../../shared/checksums/checked-store.ts";
import { computedChecksum } from "../../shared/checksums/crc32.ts";
import { DamageAlarm } from "../../shared/checksums/damage-alarm.ts";
import { storedWrite } from "../../shared/checksums/sealed-value.ts";
import { sealInBackground } from "../../shared/checksums/sealing.ts";
import { passOver } from "../../shared/checksums/store-pass.ts";
import { LedgerCensus } from "../../shared/ledger-check/census.ts";
import type { TabStore } from "./tab-store.ts";

/** The store of a group in a tab. */
export interface TabLedgerStore extends CheckedStore {
  readonly name: string;
  /** Whether there is a value, without reading it. */
  has(key: StoreKey): Promise<boolean>;
  /** Rows as they are now, unaffected by later commits; records of blocks as they come. */
  snapshot(): Store;
  onDamage(listener: (fault: StoreFault) => void): void;
  passView(): StorePassView | undefined;
}

const pause: Pause = (ms, signal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });

function withMany(raw: TabStore): RawStore {
  return {
    get: (key) => raw.get(key),
    load: (key) => raw.load(key),
    loadMany: (keys) => Promise.all(keys.map((key) => raw.load(key))),
    range: (from, to, limit) => raw.range(from, to, limit),
    commitSealed: (writes, how) => raw.commit(writes.map(storedWrite), how),
    close: () => raw.close(),
  };
}

/** Puts checksums over the entries of a store that was just opened. @throws StoreFault corrupt */
export async function checkedTabStore(raw: TabStore, pace: PassPace = {}): Promise<TabLedgerStore> {
  const alarm = new DamageAlarm();
  const { name } = raw;
  const parts = { checksum: computedChecksum, place: name, onDamage: alarm.sound };
  const store = await openCheckedStore({ ...parts, raw: withMany(raw) });
  const stopSealing = sealInBackground(store, pause);
  let background: BackgroundPass | undefined;

  const checked: TabLedgerStore & PassedStore = {
    name,
    get isSealed() {
      return store.isSealed;
    },
    get: store.get,
    load: store.load,
    range: store.range,
    has: (key) => raw.has(key),
    commit: (writes, options) => store.commit(writes, options),
    sealMore: (bytes) => store.sealMore(bytes),
    pass: () =>
      passOver({
        ...parts,
        view: () => raw.snapshot(),
        census: () => new LedgerCensus(checked, name),
      }),
    snapshot() {
      const view = raw.snapshot();
      return { ...view, ...checkedReader(view, { ...parts, format: formatOf(view, parts) }) };
    },
    onDamage(listener) {
      alarm.listen(listener);
      background ??= passInBackground(checked, { ...pace, pause, onDamage: alarm.sound });
    },
    passView: () => background?.view(),
    async close() {
      stopSealing();
      await background?.stop();
      await store.close();
    },
  };
  return checked;
}
