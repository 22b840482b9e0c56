/** The store of an object, in real workerd. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { STORE_CASES } from "../../../contract/store-cases.ts";
import { bundleFor } from "../../../support/browser/platform-bundle.ts";
import { type OpenWorker, openWorker } from "../../../support/browser/workerd.ts";

/** Each case has a room of its own; `/damage` and `/lost` change what lies there. */
const MODULE = `
  import { DurableObject } from "cloudflare:workers";
  import { filesIn } from "../../runtimes/edge/objects/store-files.ts";
  import { openSqlStore } from "../../runtimes/edge/objects/sql-store.ts";
  import { STORE_CASES } from "../contract/store-cases.ts";
  let room = 0;
  const put = (key, length, byte) => ({ key, value: new Uint8Array(length).fill(byte) });
  const BIG = 3_500_000;
  export class Stores extends DurableObject {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      try {
        return Response.json({ told: await this[pathname.slice(1).split("/")[0]](request) });
      } catch (error) {
        return Response.json({ threw: String(error), kind: error.kind });
      }
    }
    open(which) { return openSqlStore(this.ctx.storage, which); }
    case(request) {
      const index = Number(new URL(request.url).pathname.split("/")[2]);
      return STORE_CASES[index].run(async () => {
        const own = ++room;
        return { store: await this.open(own), reopen: () => this.open(own) };
      });
    }
    async pieces() {
      const store = await this.open(1_001);
      const sizes = [];
      const writes = [[BIG, 1], [1_048_572, 2], [1_048_573, 3], [508, 4], [509, 6], [BIG, 5]];
      for (const [length, byte] of writes) {
        await store.commit([put("k", length, byte), put("kk", BIG, 9)], { durable: true });
        const value = store.get("k");
        const { n } = this.ctx.storage.sql.exec(
          "select count(*) n from rest where room = 1001 and key = x'6b'").one();
        sizes.push([value.length, value.every((one) => one === byte), n]);
      }
      await store.commit([{ key: "k", value: undefined }], { durable: true });
      const { n } = this.ctx.storage.sql.exec(
        "select count(*) n from rest where room = 1001").one();
      const [left] = await store.range("", "z", 5);
      return { sizes, n, left: [left.key, left.value.length] };
    }
    async damage() {
      const store = await this.open(1_002);
      await store.commit([put("row", 100, 1)], { durable: true });
      this.ctx.storage.sql.exec(
        "update entries set value = zeroblob(104) where room = 1002 and key = x'726f77'");
      return store.get("row");
    }
    async lost() {
      const store = await this.open(1_003);
      await store.commit([put("row", BIG, 1)], { durable: true });
      this.ctx.storage.sql.exec("delete from rest where room = 1003 and piece = 1");
      return store.get("row");
    }
    async half() {
      const store = await this.open(1_004);
      await store.commit([put("before", 1, 1)], { durable: true });
      const bad = { key: "second", get value() { throw new Error("no room"); } };
      let threw = "";
      try { await store.commit([put("first", 1, 1), bad], { durable: true }); }
      catch (error) { threw = error.message; }
      const again = await this.open(1_004);
      return { threw, keys: (await again.range("", "z", 9)).map(({ key }) => key) };
    }
    async apart() {
      const [one, two] = [await this.open(1_005), await this.open(1_006)];
      await one.commit([put("key", 1, 1)], { durable: true });
      return [one.get("key").length, two.get("key") === undefined];
    }
    async files() {
      const files = filesIn(await this.open(0));
      await files.write("conf/a", new Uint8Array([1]));
      await files.write("conf/b/c", new Uint8Array([2, 3]));
      await files.write("conf/a", new Uint8Array([4]));
      await files.write("data/x", new Uint8Array(0));
      const again = filesIn(await this.open(0));
      const before = [await again.list("conf"), [...await again.read("conf/a")]];
      await again.remove("conf/a");
      return [before, await files.list("conf/"), await files.read("conf/a") === undefined];
    }
  }
  export default {
    fetch: (request, { STORES }) => STORES.get(STORES.idFromName("one")).fetch(request),
  };
`;

let worker: OpenWorker;

beforeAll(async () => {
  const { script } = await bundleFor("edge", MODULE);
  worker = await openWorker(script, { STORES: { className: "Stores", useSQLite: true } });
});
afterAll(() => worker?.close());

const run = async (path: string): Promise<unknown> => (await worker.fetch(path)).json();

describe("the store of an object", () => {
  for (const [index, { name }] of STORE_CASES.entries())
    test(name, async () => {
      assert.deepEqual(await run(`/case/${index}`), {});
    });
});

test("a value over the bound of a row lies in pieces, and none outlives it", async () => {
  const sizes = [
    [3_500_000, true, 4],
    [1_048_572, true, 1],
    [1_048_573, true, 2],
    [508, true, 0],
    [509, true, 1],
    [3_500_000, true, 4],
  ];
  assert.deepEqual(await run("/pieces"), { told: { sizes, n: 4, left: ["kk", 3_500_000] } });
});

test("what is not as it was written is never given", async () => {
  const { threw, kind } = (await run("/damage")) as { threw: string; kind: string };
  assert.match(threw, /room 1002 of this object holds a damaged database: .* is not as it was/);
  assert.equal(kind, "corrupt");
  const lost = (await run("/lost")) as { threw: string; kind: string };
  assert.match(lost.threw, /has lost a piece/);
});

test("a commit of which a part cannot be written leaves nothing", async () => {
  const { told } = (await run("/half")) as { told: { threw: string; keys: string[] } };
  assert.match(told.threw, /no room/);
  assert.deepEqual(told.keys, ["before"]);
});

test("the stores of two groups in one object do not see each other", async () => {
  assert.deepEqual(await run("/apart"), { told: [1, true] });
});

test("files are there after an opening, and gone once removed", async () => {
  assert.deepEqual(await run("/files"), { told: [[["a", "b"], [4]], ["b"], true] });
});
