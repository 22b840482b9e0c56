/** What the page of the tests of a lying disk does; bundled for Chromium. */
import { byteString, bytesOf } from "../../../core/bytes/byte-string.ts";
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Store } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import type { TabLedgerStore } from "../../../runtimes/browser/store/checked.ts";
import { openTabStore } from "../../../runtimes/browser/store/open.ts";
import type { StoreSizes } from "../../../runtimes/browser/store/sizes.ts";
import { Random } from "../../../runtimes/shared/theatre/stage/random.ts";
import { claim } from "../../contract/claims.ts";

/** A chain of a few blocks has a journal, segments that were merged, and some that were not. */
const SIZES: StoreSizes = {
  foldBytes: 1_000_000,
  foldRecords: 4,
  mostWaitingBytes: 100_000,
  mostPendingBytes: 200,
  fan: 2,
  residentPageBytes: 700,
  pagedPageBytes: 400,
};
const STORES = ["meta", "journal", "pages", "indexes", "records"] as const;
const PASS_MS = 30_000;

/** Writes of a commit: keys, and values as byte strings; null removes. */
type Commit = readonly (readonly [key: string, value: string | null])[];

interface Stored {
  readonly key: IDBValidKey;
  value: unknown;
}

type Contents = Record<(typeof STORES)[number], Stored[]>;

let template: Contents | undefined;
const model = openMemoryStore();
let count = 0;

async function lend<Value>(name: string, work: (database: IDBDatabase) => Promise<Value>) {
  const database = await new Promise<IDBDatabase>((done, fail) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      for (const store of STORES) opening.result.createObjectStore(store);
    };
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => fail(opening.error as Error);
  });
  return work(database).finally(() => database.close());
}

function over(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, fail) => {
    transaction.oncomplete = () => done();
    transaction.onerror = () => fail(transaction.error as Error);
  });
}

function readAll(name: string): Promise<Contents> {
  return lend(name, async (database) => {
    const found: Contents = { meta: [], journal: [], pages: [], indexes: [], records: [] };
    const transaction = database.transaction([...STORES], "readonly");
    for (const store of STORES) {
      const walk = transaction.objectStore(store).openCursor();
      walk.onsuccess = () => {
        const cursor = walk.result;
        if (!cursor) return;
        found[store].push({ key: cursor.key, value: cursor.value });
        cursor.continue();
      };
    }
    await over(transaction);
    return found;
  });
}

function writeAll(name: string, contents: Contents): Promise<void> {
  return lend(name, async (database) => {
    const transaction = database.transaction([...STORES], "readwrite");
    for (const store of STORES)
      for (const { key, value } of contents[store]) transaction.objectStore(store).put(value, key);
    await over(transaction);
  });
}

/** Writes a chain, commit by commit, into the database that is damaged later. */
export async function keepChain(commits: readonly Commit[]): Promise<Record<string, number>> {
  let store = await openTabStore("template", { sizes: SIZES });
  for (const [index, commit] of commits.entries()) {
    const writes = commit.map(([key, value]) => ({
      key,
      value: value === null ? undefined : bytesOf(value),
    }));
    await Promise.all([store, model].map((one) => one.commit(writes, { durable: true })));
    // A fold is over with the store; the last commits stay in the journal.
    if (index % 3 !== 0 || index > commits.length - 4) continue;
    await store.close();
    store = await openTabStore("template", { sizes: SIZES });
  }
  await store.close();
  template = await readAll("template");
  return Object.fromEntries(STORES.map((name) => [name, template?.[name].length ?? 0]));
}

/** Changes one bit of a value, wherever that has its bytes. */
function flipped(value: unknown, random: Random): unknown {
  if (value instanceof Uint8Array) {
    const bit = Math.floor(random.next() * value.length * 8);
    return value.with(bit >> 3, (value[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
  }
  if (typeof value === "number") return value ^ (1 << Math.floor(random.next() * 8));
  if (typeof value === "string") return byteString(flipped(bytesOf(value), random) as Uint8Array);
  if (Array.isArray(value)) {
    const at = Math.floor(random.next() * value.length);
    return value.map((one, index) => (index === at ? flipped(one, random) : one));
  }
  const fields = Object.entries(value as object).filter(([, one]) => !isEmpty(one));
  const [name, one] = fields[Math.floor(random.next() * fields.length)] ?? ["", 0];
  return { ...(value as object), [name]: flipped(one, random) };
}

function isEmpty(value: unknown): boolean {
  return (Array.isArray(value) || typeof value === "string") && value.length === 0;
}

/** Damages the contents; what was done. */
function damage(contents: Contents, random: Random): { how: string; store: string; what: string } {
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random.next() * items.length)] as Item;
  const how = pick(["flip", "flip", "remove", "swap"]);
  const store = pick(STORES.filter((name) => contents[name].length > 1));
  const list = contents[store];
  const stored = pick(list);
  const what = JSON.stringify(stored.key).slice(0, 80);
  if (how === "flip") stored.value = flipped(stored.value, random);
  if (how === "remove") list.splice(list.indexOf(stored), 1);
  if (how !== "swap") return { how, store, what };
  const other = pick(list.filter((one) => one !== stored));
  [stored.value, other.value] = [other.value, stored.value];
  return { how, store, what: `${what} and ${JSON.stringify(other.key).slice(0, 80)}` };
}

/** What reading everything gave. */
interface Reading {
  told: string | undefined;
  wrong: string | undefined;
  lost: string | undefined;
}

async function readEverything(store: Store): Promise<Reading> {
  const reading: Reading = { told: undefined, wrong: undefined, lost: undefined };
  const tell = (cause: unknown) => {
    claim(cause instanceof StoreFault && cause.kind === "corrupt", String(cause));
    reading.told ??= cause.message;
  };
  const take = (key: string, value: Uint8Array | undefined, wanted: Uint8Array | undefined) => {
    if (value === undefined) reading.lost ??= key;
    else if (!wanted || !equalBytes(value, wanted)) reading.wrong ??= key;
  };
  for (const { key, value } of await model.range("", "\xff\xff", 1e6)) {
    await store.load(key).then((given) => take(key, given, value), tell);
    await store.range(key, `${key}\0`, 1).then(([given]) => take(key, given?.value, value), tell);
  }
  const all = await store.range("", "\xff\xff", 1e6).catch(tell);
  for (const { key, value } of all ?? []) take(key, value, model.get(key));
  return reading;
}

/** Has all of a store gone through; what that tells. */
async function passOf(store: TabLedgerStore): Promise<string | undefined> {
  let told: string | undefined;
  store.onDamage(({ message }) => {
    told = message;
  });
  for (const end = performance.now() + PASS_MS; told === undefined; ) {
    if ((store.passView()?.passes ?? 0) > 0) return undefined;
    claim(performance.now() < end, "the pass has no end");
    await new Promise((resume) => setTimeout(resume, 5));
  }
  return told;
}

/** What came of one damage. */
export interface Sight {
  readonly what: string;
  readonly outcome: "refused" | "read" | "pass" | "harmless";
  readonly told?: string | undefined;
  /** What must never be. */
  readonly fault?: string;
}

/** Damages a copy of the chain at a place that the seed draws, and reads all of it. */
export async function runDamage(seed: number): Promise<Sight> {
  claim(template, "there is a chain");
  const random = new Random(seed, 0);
  const contents = structuredClone(template);
  const { how, store: where, what: place } = damage(contents, random);
  const what = `${how} ${where} ${place}`;
  const name = `damage ${++count}`;
  await writeAll(name, contents);
  const options = { sizes: SIZES, create: false, pace: { rest: 0 } };
  const store = await openTabStore(name, options).catch((cause: unknown) => cause);
  if (store instanceof Error) {
    // A format that is not known is that of a newer version.
    const isDamage = store instanceof StoreFault && ["corrupt", "version"].includes(store.kind);
    const fault = isDamage ? {} : { fault: `refused as ${store}` };
    return { what, outcome: "refused", told: store.message, ...fault };
  }
  const open = store as TabLedgerStore;
  const { told, wrong, lost } = await readEverything(open);
  const passTold = await passOf(open);
  await open.close();
  const outcome = told ? "read" : passTold ? "pass" : "harmless";
  const sight = { what, outcome, told: told ?? passTold } as const;
  if (wrong !== undefined) return { ...sight, fault: `${wrong} is served wrong` };
  // What is gone in order has nothing that could differ: the pass tells.
  const mayBeLost = how === "remove" && where === "records";
  if (lost !== undefined && !told && !mayBeLost)
    return { ...sight, fault: `${lost} is served as if it had never been` };
  if ((told !== undefined || lost !== undefined) && passTold === undefined)
    return { ...sight, fault: "the pass calls it clean" };
  return sight;
}
