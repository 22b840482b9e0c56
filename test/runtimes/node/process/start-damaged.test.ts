/** A node whose disk changed a bit: it says so, builds its ledger anew, and votes again. */
// rules: groups 2
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { noncesKey } from "../../../../core/ledger/keys.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { growingPauses, request, waitForReceipt } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { initProcessChain, untilEqual } from "../../../support/process/node-processes.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 90_000;
const send = createSender(STANDARD_SUITE);

async function sendOne(url: string, head: number): Promise<void> {
  const { raw, hash } = send({ head });
  await request(url, "sendRawTransaction", [1, raw]);
  await waitForReceipt(url, hash, LIMIT_MS);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); !(await holds()); await pause())
    assert.ok(performance.now() < end, what);
}

/** What a command prints that ends with 0. */
async function said(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHosted(...args);
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** Changes one bit in the middle of a table. */
async function flipBit(ledger: string): Promise<string> {
  // Opening makes a table of the log.
  await (await openLevelStore(ledger, { create: false })).close();
  const name = (await readdir(ledger)).find((file) => file.endsWith(".ldb"));
  assert.ok(name);
  const bytes = await readFile(join(ledger, name));
  const place = Math.floor(bytes.length / 3);
  bytes[place] = (bytes[place] ?? 0) ^ 0x10;
  await writeFile(join(ledger, name), bytes);
  return name;
}

test(
  "a bit that flips is told, and the ledger is built anew from peers",
  async () => {
    const chain = await initProcessChain({ nodes: 4, pauseMs: 100, hosted: true });
    const [first, , , last] = chain.nodes;
    assert.ok(first && last);
    const heightOf = async (url: string) =>
      request(url, "getBlockNumber", [1]).then(Number, () => -1);
    try {
      await Promise.all(chain.nodes.map((node) => node.start()));
      for (let block = 0; block < 4; block++) await sendOne(first.url, block);
      await untilEqual(chain.nodes, 4, LIMIT_MS);
      await last.end("SIGTERM");
      const ledger = join(last.folder, "data/group1/block");
      await flipBit(ledger);
      await last.start();
      await until("the damaged ledger is set aside", async () =>
        (await readdir(join(last.folder, "data/group1"))).includes("block.old-1"),
      );
      await until("it has the blocks", async () => (await heightOf(last.url)) >= 4);
      // The blocks of a silence are counted from the one at which the others say where they stand.
      const groupOf = async () => {
        const ready = (await (await fetch(`${last.url}/readyz`)).json()) as {
          readonly groups: readonly { readonly silence?: { readonly until?: number } }[];
        };
        return ready.groups[0];
      };
      await until("the others report", async () => (await groupOf())?.silence?.until !== undefined);
      for (let block = 4; block < 8; block++) await sendOne(first.url, block);
      await untilEqual(chain.nodes, 8, LIMIT_MS);
      await until("it votes", async () => {
        const group = await groupOf();
        return group !== undefined && group.silence === undefined;
      });
      await last.end("SIGTERM");
      assert.match(await said("check", last.folder, "--execute"), /^clean/m);
      // By hand: an entry that is gone has no checksum that could differ.
      assert.match(await said("repair", last.folder), /^group 1 at block 8: nothing is damaged;/);
      const store = await openLevelStore(ledger, { create: false });
      await store.commit([{ key: noncesKey(2), value: undefined }], { durable: true });
      await store.close();
      const told = await said("repair", last.folder);
      assert.match(told, /^group 1: \d+ defects?\n[\s\S]*block 2: nonces/);
      assert.match(told, /^group 1: the next start builds its ledger anew from peers/m);
      await last.start();
      await until("the marked ledger is set aside", async () =>
        (await readdir(join(last.folder, "data/group1"))).includes("block.old-2"),
      );
      await until("it has the blocks again", async () => (await heightOf(last.url)) >= 8);
      await untilEqual(chain.nodes, 8, LIMIT_MS);
      await last.end("SIGTERM");
      assert.match(await said("check", last.folder, "--execute"), /^clean/m);
    } finally {
      await chain.close();
    }
  },
  LIMIT_MS,
);
