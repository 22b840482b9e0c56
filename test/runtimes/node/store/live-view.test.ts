/** Views of a database that is written: each is a beginning of what was written, batch by batch. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { LedgerViews, sweepViews } from "../../../../runtimes/node/store/ledger-views.ts";
import { checkDatabaseFiles } from "../../../../runtimes/node/store/level-files/database-files.ts";
import { makeLiveView } from "../../../../runtimes/node/store/level-files/live-view.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { cases } from "../../../support/runner/cases.ts";

const VALUE_BYTES = 8_192;
const VIEWS = cases(12, 4);
/** This much is written between two views that tables are made and merged. */
const BATCHES_BETWEEN = 300;
let home = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "live-view-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

const rowKey = (number: number) => `r${`${number}`.padStart(8, "0")}`;

/** The newest batch that a view holds; all before it must be there, and none behind it. */
async function newestIn(view: string): Promise<number> {
  const defects: string[] = [];
  const report = ({ what }: { readonly what: string }) => defects.push(what);
  await checkDatabaseFiles({ folder: view, report, note: () => undefined });
  assert.deepEqual(defects, []);
  const store = await openLevelStore(view, { create: false });
  try {
    const newest = Number(Buffer.from(store.get("last") ?? "").toString());
    const rows = await store.range("r", "s", Number.MAX_SAFE_INTEGER);
    assert.equal(rows.length, newest);
    assert.equal(rows.at(-1)?.key, rowKey(newest));
    return newest;
  } finally {
    await store.close();
  }
}

test("views taken while batches are written hold whole batches, and none is skipped", async () => {
  const folder = join(home, "live");
  const store = await openLevelStore(folder, { create: true });
  let written = 0;
  let wanted = BATCHES_BETWEEN;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      if (written >= wanted) {
        await new Promise((resume) => setImmediate(resume));
        continue;
      }
      const number = written + 1;
      const row = { key: rowKey(number), value: randomBytes(VALUE_BYTES) };
      const last = { key: "last", value: Buffer.from(`${number}`) };
      await store.commit([row, last], { durable: number % 50 === 0 });
      written = number;
    }
  })();
  try {
    for (let index = 0; index < VIEWS; index++) {
      const before = written;
      wanted = before + BATCHES_BETWEEN;
      const view = join(home, `view-${index}`);
      await makeLiveView(folder, view);
      const newest = await newestIn(view);
      assert.ok(newest >= before && newest <= wanted, `${before} <= ${newest} <= ${wanted}`);
      await rm(view, { recursive: true });
      while (written < wanted) await new Promise((resume) => setTimeout(resume, 1));
    }
  } finally {
    isOver = true;
    await writing;
    await store.close();
  }
});

test("this many views are lent at a time, and what a killed process left is swept", async () => {
  const data = join(home, "data");
  const folder = join(data, "group1", "block");
  await mkdir(join(data, "group1"), { recursive: true });
  await (await openLevelStore(folder, { create: true })).close();
  const views = new LedgerViews(() => folder);
  const lent = await Promise.all([1, 1, 1, 1].map((group) => views.lend(group)));
  await assert.rejects(views.lend(1), /4 commands read this node's ledgers already/);
  assert.equal(new Set(lent.map((each) => each.folder)).size, 4);
  await lent[0]?.close();
  await views.lend(1);
  await writeFile(join(data, "group1", "block.made"), "");
  await sweepViews(data);
  assert.deepEqual((await readdir(join(data, "group1"))).sort(), ["block", "block.made"]);
});
