/** What the page of the store's tests does; bundled for Chromium. */
import fc from "fast-check";
import type { Store, StoreWrite } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { databasesOf, deleteDatabase, openChains } from "../../../runtimes/browser/store/chains.ts";
import { openTabFiles } from "../../../runtimes/browser/store/files.ts";
import { openRawTabStore, openTabStore } from "../../../runtimes/browser/store/open.ts";
import { STORE_SIZES, type StoreSizes } from "../../../runtimes/browser/store/sizes.ts";
import { claim, claimSame } from "../../contract/claims.ts";
import { STORE_CASES } from "../../contract/store-cases.ts";

/** So small that a few commits fold and merge. */
const SMALL: StoreSizes = {
  foldBytes: 300,
  foldRecords: 5,
  mostWaitingBytes: 2_000,
  mostPendingBytes: 200,
  fan: 2,
  residentPageBytes: 60,
  pagedPageBytes: 90,
};

let count = 0;

/** Runs a case of the contract; the text of what is broken. */
export async function runCase(name: string): Promise<string | undefined> {
  const found = STORE_CASES.find((one) => one.name === name);
  claim(found, `there is no case "${name}"`);
  for (const sizes of [STORE_SIZES, SMALL]) {
    const opened = async () => {
      const database = `contract ${++count}`;
      const open = () => openTabStore(database, { sizes });
      return { store: await open(), reopen: open };
    };
    const reason = await found.run(opened);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Last bytes of hashes: few, the greatest among them. */
const BYTE = fc.integer({ min: 0, max: 12 }).map((n) => (n === 12 ? 0xff : n));
/** Keys of all kinds; few, so that they are written again and removed. */
const KEYS = fc.oneof(
  fc
    .constantFrom("h", "b", "e", "t", "r", "q")
    .chain((kind) => BYTE.map((n) => `${kind}${String.fromCharCode(n).repeat(32)}`)),
  fc.integer({ min: 0, max: 20 }).map((n) => `o${"\0".repeat(7)}${String.fromCharCode(n)}`),
  fc.integer({ min: 0, max: 40 }).map((n) => `rtable\0${n}`),
  fc
    .string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) })
    // The checksums have those for themselves.
    .filter((key) => !key.startsWith("\xff\xff")),
);
const WRITE = fc.record({
  key: KEYS,
  value: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined, freq: 3 }),
});
type Action =
  | { readonly type: "commit"; readonly writes: StoreWrite[]; readonly durable: boolean }
  | { readonly type: "reopen" }
  | { readonly type: "range"; readonly from: string; readonly to: string; readonly limit: number };
const ACTION: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("commit" as const),
      writes: fc.array(WRITE, { maxLength: 8 }),
      durable: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: "reopen" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("range" as const),
      from: KEYS,
      to: KEYS,
      limit: fc.integer({ min: 0, max: 30 }),
    }),
  },
);

const plain = (entries: Awaited<ReturnType<Store["range"]>>) =>
  entries.map(({ key, value }) => [key, [...value]]);

/** Both stores hold the same, by each way of reading. */
async function compare(store: Store, model: Store): Promise<void> {
  const wanted = await model.range("", "\xff\xff", 10_000);
  claimSame(plain(await store.range("", "\xff\xff", 10_000)), plain(wanted));
  // A walk in pages, kind by kind.
  for (const kind of ["b", "e", "h", "o", "r", "t"]) {
    const end = String.fromCharCode(kind.charCodeAt(0) + 1);
    const walked = [];
    for (let next = kind; ; ) {
      const page = await store.range(next, end, 2);
      walked.push(...page);
      const last = page.at(-1);
      if (!last) break;
      next = `${last.key}\0`;
    }
    claimSame(plain(walked), plain(wanted.filter(({ key }) => key >= kind && key < end)));
  }
  for (const { key, value } of wanted) claimSame([...((await store.load(key)) ?? [])], [...value]);
  for (const { key, value } of wanted)
    if (key.length < 9) claimSame([...(store.get(key) ?? [])], [...value]);
}

/** Any commits, openings and ranges give what a store in memory gives. */
export async function runProperty(runs: number, seed: number): Promise<void> {
  const property = fc.asyncProperty(
    fc.array(ACTION, { minLength: 1, maxLength: 40 }),
    async (actions) => {
      const name = `property ${++count}`;
      const model = openMemoryStore();
      let store = await openTabStore(name, { sizes: SMALL });
      const waiting: Promise<void>[] = [];
      for (const action of actions) {
        if (action.type === "commit") {
          const { writes, durable } = action;
          const work = [store.commit(writes, { durable }), model.commit(writes, { durable })];
          waiting.push(...work);
          // What waits is written together.
          if (durable) await Promise.all(waiting.splice(0));
        } else if (action.type === "reopen") {
          await Promise.all(waiting.splice(0));
          await store.close();
          store = await openTabStore(name, { sizes: SMALL, create: false });
          await compare(store, model);
        } else {
          const { from, to, limit } = action;
          await Promise.all(waiting.splice(0));
          const found = await store.range(from, to, limit);
          claimSame(plain(found), plain(await model.range(from, to, limit)));
        }
      }
      await Promise.all(waiting.splice(0));
      const frozen = store.snapshot();
      const before = plain(await frozen.range("r", "s", 1_000));
      await store.commit([{ key: "rnew", value: new Uint8Array(3) }], { durable: true });
      claimSame(plain(await frozen.range("r", "s", 1_000)), before);
      await model.commit([{ key: "rnew", value: new Uint8Array(3) }], { durable: true });
      await compare(store, model);
      await store.close();
      await deleteDatabase(name);
    },
  );
  await fc.assert(property, { numRuns: runs, seed });
}

const bytesOfText = (text: string) => new TextEncoder().encode(text);

/** Files, and the list of chains: what is deleted is gone, what is not stays. */
export async function runFiles(): Promise<void> {
  const files = await openTabFiles("files");
  claimSame(await files.read("conf/group.1.ini"), undefined);
  await files.write("conf/group.1.ini", bytesOfText("one"));
  await files.write("conf/deep/x", bytesOfText("two"));
  files.close();
  const again = await openTabFiles("files");
  claimSame(await again.list("conf"), ["deep", "group.1.ini"]);
  claimSame([...((await again.read("conf/group.1.ini")) ?? [])], [...bytesOfText("one")]);
  await again.remove("conf/group.1.ini");
  claimSame(await again.list("conf/"), ["deep"]);
  claimSame(await again.list("nothing"), []);
  again.close();
}

/** Two chains, of which one is wiped. */
export async function runChains(): Promise<void> {
  const chains = await openChains();
  for (const name of ["first", "second"]) {
    await chains.put({ name, kind: "chain", created: count++, nodeIds: ["ab"] });
    const store = await openTabStore(`chain-node/${name}/node0/group1`);
    await store.commit([{ key: "rx", value: new Uint8Array(1) }], { durable: true });
    await store.close();
    (await openTabFiles(`chain-node/${name}/node0/files`)).close();
  }
  claimSame((await databasesOf("first")).length, 2);
  await chains.wipe("first");
  claimSame(await databasesOf("first"), []);
  claimSame((await databasesOf("second")).length, 2);
  claimSame(
    (await chains.list()).map(({ name }) => name),
    ["second"],
  );
  // What is left without a record is cleared, with its marks.
  const database = "chain-node/left/node0/group1";
  await (await openTabStore(database)).close();
  await chains.setMade(database);
  claimSame(await chains.isMade(database), true);
  await chains.clear("left");
  claimSame(await databasesOf("left"), []);
  claimSame(await chains.isMade(database), false);
  // A deletion that was cut short is completed by the next opening.
  const second = (await chains.list()).find(({ name }) => name === "second");
  claim(second, "the second chain is there");
  await chains.put({ ...second, ending: true });
  chains.close();
  const reopened = await openChains();
  claimSame(await reopened.list(), []);
  claimSame(await databasesOf("second"), []);
  reopened.close();
}

/** Changes what lies in a database beneath its store. */
async function tamper(
  name: string,
  kind: string,
  change: (value: Uint8Array) => Uint8Array,
): Promise<void> {
  const database = await new Promise<IDBDatabase>((done, fail) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => fail(opening.error as Error);
  });
  const transaction = database.transaction(kind, "readwrite");
  await new Promise<void>((done, fail) => {
    transaction.oncomplete = () => done();
    transaction.onerror = () => fail(transaction.error as Error);
    const walk = transaction.objectStore(kind).openCursor();
    walk.onsuccess = () => {
      const cursor = walk.result;
      if (!cursor) return;
      cursor.update(change(cursor.value as Uint8Array));
      cursor.continue();
    };
  });
  database.close();
}

/** One bit in the middle of a value, wherever that lies, is told and never given. */
export async function runDamage(kind: "records" | "pages" | "journal"): Promise<string> {
  const name = `damaged ${kind}`;
  const key = kind === "records" ? `h${"d".repeat(32)}` : "rtable\0row";
  const sizes = kind === "pages" ? { ...SMALL, foldRecords: 1 } : STORE_SIZES;
  for (let round = 0; round < 8; round++) {
    // A fold begins with a commit, takes what was committed until then, and is over with the store.
    const store = await openTabStore(name, { sizes });
    const wanted = round < 4 ? key : "rtable\0other";
    await store.commit([{ key: wanted, value: new Uint8Array(400).fill(round) }], {
      durable: true,
    });
    await store.close();
  }
  await tamper(name, kind, (bytes) =>
    bytes.length < 400 ? bytes : bytes.with(200, (bytes[200] ?? 0) ^ 0x10),
  );
  const again = await openTabStore(name, { sizes, create: false }).catch((fault: Error) => fault);
  if (again instanceof Error) return again.message;
  const told = new Promise<string>((tell) => again.onDamage(({ message }) => tell(message)));
  const given = await again.load(key).then(
    () => "given",
    (fault: Error) => fault.message,
  );
  if (given === "given") return given;
  const heard = await told;
  await again.close();
  return given === heard ? heard : `${given}, but ${heard}`;
}

/** A row that is gone is told by the look through all. */
export async function runLostRow(): Promise<string> {
  const name = "lost row";
  const store = await openTabStore(name);
  const rows = ["a", "b"].map((row) => ({ key: `rtable\0${row}`, value: new Uint8Array(9) }));
  await store.commit(rows, { durable: true });
  await store.close();
  const raw = await openRawTabStore(name, { create: false });
  await raw.commit([{ key: "rtable\0a", value: undefined }], { durable: true });
  await raw.close();
  const again = await openTabStore(name, { create: false });
  const told = await new Promise<string>((tell) => again.onDamage(({ message }) => tell(message)));
  await again.close();
  return told;
}

/** A second handle is refused while the first is open. */
export async function runLocked(): Promise<string> {
  const first = await openTabStore("locked");
  const fault = await openTabStore("locked").then(
    () => undefined,
    (error: { kind?: string }) => error.kind,
  );
  await first.close();
  await (await openTabStore("locked")).close();
  return String(fault);
}

/** What a read says that the browser cuts off, as when the site's data are cleared. */
export async function runCutRead(): Promise<string> {
  const files = await openTabFiles("cut");
  const { transaction } = IDBDatabase.prototype;
  let cut: IDBTransaction | undefined;
  IDBDatabase.prototype.transaction = function (...args) {
    cut = transaction.apply(this, args);
    queueMicrotask(() => cut?.abort());
    return cut;
  };
  const read = files.read("path").then(String, (error: { message: string }) => error.message);
  IDBDatabase.prototype.transaction = transaction;
  // What nobody handles is told in the turn after the end.
  await new Promise((resolve) => cut?.addEventListener("abort", () => setTimeout(resolve)));
  files.close();
  return await read;
}

type Put = IDBObjectStore["put"];

/** Runs the work while `put` fails where it is told to. */
async function withBrokenPut<Value>(
  breaks: (store: string, key: IDBValidKey | undefined) => string | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const { put } = IDBObjectStore.prototype;
  const broken: Put = function (this: IDBObjectStore, value: unknown, key?: IDBValidKey) {
    const name = breaks(this.name, key);
    if (name !== undefined) throw new DOMException("as the test wants it", name);
    return put.call(this, value, key);
  };
  IDBObjectStore.prototype.put = broken;
  try {
    return await work();
  } finally {
    IDBObjectStore.prototype.put = put;
  }
}

/** A commit of which one record cannot even be asked for leaves nothing. */
export async function runHalf(): Promise<void> {
  const header = `h${"a".repeat(32)}`;
  const store = await openTabStore("half");
  await store.commit([{ key: "rnumber", value: Uint8Array.of(1) }], { durable: true });
  const fails = await withBrokenPut(
    (name) => (name === "records" ? "DataCloneError" : undefined),
    () =>
      store
        .commit(
          [
            { key: "rnumber", value: Uint8Array.of(2) },
            { key: header, value: Uint8Array.of(2) },
          ],
          { durable: true },
        )
        .then(
          () => "committed",
          (error: Error) => error.name,
        ),
  );
  claimSame(fails, "StoreFault");
  await store.close();
  const again = await openTabStore("half");
  claimSame([...(again.get("rnumber") ?? [])], [1]);
  claimSame(await again.load(header), undefined);
  await again.close();
}

/** Merges find no room after their first pages: nothing is lost, and it can be opened again. */
export async function runNoRoom(): Promise<void> {
  const sizes = { ...SMALL, foldBytes: 2_000, foldRecords: 1_000, residentPageBytes: 300 };
  const model = openMemoryStore();
  const store = await openTabStore("room", { sizes: { ...sizes, mostWaitingBytes: 1 } });
  const write = async (round: number): Promise<void> => {
    const writes = Array.from({ length: 40 }, (_, row) => ({
      key: `r${round % 7}.${row}`,
      value: new Uint8Array(60).fill(round),
    }));
    await Promise.all([store, model].map((one) => one.commit(writes, { durable: true })));
  };
  let hit = 0;
  const isLate = (name: string, key: IDBValidKey | undefined) =>
    name === "pages" && Array.isArray(key) && Number(key[1]) >= 12;
  await withBrokenPut(
    (name, key) => {
      if (!isLate(name, key)) return undefined;
      hit += 1;
      return "QuotaExceededError";
    },
    async () => {
      for (let round = 0; round < 40; round++) await write(round);
    },
  );
  claim(hit > 0, "no merge was hindered");
  claim(hit < 20, `a merge that finds no room was tried ${hit} times`);
  await compare(store, model);
  await store.close();
  const again = await openTabStore("room", { sizes, create: false });
  await compare(again, model);
  await again.close();
}
