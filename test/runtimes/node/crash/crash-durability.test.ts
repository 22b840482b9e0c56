/**
 * What goes to disk, and when: one synced batch for each block and vote record, and next to nothing
 * when idle.
 */
// rules: pbft 16.2, storage 13.3-4
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import type { StoreWrite } from "../../../../core/ports/store.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { viewOf } from "../../../support/process/consensus-place.ts";

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const IDLE_MS = 60_000;
const BLOCKS = 10;

const suite = await createNodeSuite();

/** Keys of the store by kind. Source: architecture/storage "Keys of the store" */
const isBlock = ({ key }: StoreWrite) => key.startsWith("n");
const isRecord = ({ key }: StoreWrite) => key === "c";

async function commitBlocks(world: NodeWorld): Promise<void> {
  for (let i = 1; i <= BLOCKS; i++) {
    world.submit(i % 4).outcome.catch(() => undefined);
    const has = () =>
      world.machines.every(({ index }) => world.group(index).ledger.head().number >= i);
    await world.until(has, 30_000, `block ${i}`);
  }
}

test("each block is one synced batch, and no word leaves before the record with it is synced", async () => {
  const world = new NodeWorld({ suite, seed: 7 });
  const blocks: number[] = [0, 0, 0, 0];
  const records: number[] = [0, 0, 0, 0];
  const open = new Map<number, string>();
  const early: string[] = [];
  world.effectListeners.add(({ index, writes }, effect, batch) => {
    assert.ok(writes.durable <= writes.commits);
    const kind = batch.some(isBlock) ? "block" : batch.some(isRecord) ? "record" : undefined;
    if (effect === "handed" && kind) open.set(index, kind);
    if (effect !== "synced" || !kind) return;
    open.delete(index);
    const counts = kind === "block" ? blocks : records;
    counts[index] = (counts[index] ?? 0) + 1;
  });
  world.sendListeners.add(({ index }, _to, kind) => {
    if (kind === "consensus" && open.get(index) === "record")
      early.push(`${index} at ${world.now}`);
  });
  await world.startAll();
  await commitBlocks(world);
  assert.deepEqual(early, [], "nothing is reported between a record and its sync");
  // The genesis block is one of them.
  assert.deepEqual(blocks, [BLOCKS + 1, BLOCKS + 1, BLOCKS + 1, BLOCKS + 1]);
  // A sign vote and a lock for each block.
  for (const count of records) assert.ok(count >= 2 * BLOCKS, `${count} records`);
  await world.stopAll();
});

test("four idle nodes write less than 20 MB an hour", async () => {
  const world = new NodeWorld({ suite, seed: 3 });
  await world.startAll();
  await world.advance(10_000);
  const bytes = () => world.machines.reduce((sum, { writes }) => sum + writes.bytes, 0);
  const commits = () => world.machines.reduce((sum, { writes }) => sum + writes.commits, 0);
  const view = () => viewOf(world.group(0));
  const before = { bytes: bytes(), commits: commits(), view: view() };
  await world.advance(IDLE_MS);
  const views = view() - before.view;
  assert.ok(views > IDLE_MS / 2_000, `the view rotates: ${views} times`);
  const perHour = ((bytes() - before.bytes) * HOUR_MS) / IDLE_MS;
  const perView = (bytes() - before.bytes) / views;
  const perCommit = (commits() - before.commits) / views;
  process.stdout.write(
    `idle: ${views} views in ${IDLE_MS / 1000} s, ${perView.toFixed(0)} bytes and ` +
      `${perCommit.toFixed(1)} batches a view, ${(perHour / MIB).toFixed(2)} MiB an hour\n`,
  );
  assert.ok(perHour < 20 * MIB, `${(perHour / MIB).toFixed(1)} MiB an hour`);
  await world.stopAll();
});
