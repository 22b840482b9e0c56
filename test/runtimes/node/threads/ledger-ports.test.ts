/**
 * What a call finds damaged in its thread reaches a caller that opened the ledger: its group fails.
 */
// rules: README 30
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterAll, beforeAll, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../core/bytes/ids.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { Executor } from "../../../../core/ports/executor.ts";
import { Undo } from "../../../../runtimes/node/machine/undo.ts";
import { ledgerPorts } from "../../../../runtimes/node/threads/ledger-ports.ts";
import { startMachinery } from "../../../../runtimes/node/threads/machinery.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { temporaryFolder } from "../../../support/ledger/recorded-folder.ts";
import { useBuiltWorkers } from "./built-workers.ts";
import { GENESIS, startChain, VERSION } from "./threaded-chain.ts";

const LOG = { write: () => undefined };
/** The row that says which block is the newest: calls and blocks begin with it. */
const ROW = Buffer.from("r_sys_current_state_\0current_number");

let root = "";
const undo = new Undo();
beforeAll(async () => {
  useBuiltWorkers();
  root = await temporaryFolder();
});
afterAll(async () => {
  await undo.run();
  await rm(root, { recursive: true, force: true });
});

/** The ports over a ledger in a folder, and a way to flip a bit in one of its rows. */
async function openPorts(name: string) {
  const machinery = await startMachinery(LOG, undo);
  const folder = join(root, name);
  const ports = ledgerPorts({ machinery, version: VERSION, log: LOG, folderOf: () => folder });
  const store = await ports.openStore(1);
  const told: unknown[] = [];
  const open = (): Promise<Executor> => ports.openExecutor(GENESIS, (cause) => told.push(cause));
  /** Through another handle of this process, beneath the checksums. */
  async function damage(key: Buffer): Promise<void> {
    const level = new ClassicLevel<Buffer, Buffer>(folder, {
      keyEncoding: "buffer",
      valueEncoding: "buffer",
      multithreading: true,
    });
    const value = await level.get(key);
    assert.ok(value);
    value[value.length >> 1] = (value[value.length >> 1] ?? 0) ^ 1;
    await level.put(key, value);
    await level.close();
  }
  return { store, open, told, damage };
}

const isDamage = (pattern: RegExp) => (cause: unknown) =>
  cause instanceof StoreFault && cause.kind === "corrupt" && pattern.test(cause.message);

test("a call that meets a damaged row fails, and a caller that opened the ledger is told", async () => {
  const { store, open, told, damage } = await openPorts("called");
  const { chain, executor } = await startChain(store, await createNodeSuite(), open);
  await chain.write(executor, [chain.counter]);
  await damage(ROW);
  const isTold = isDamage(/row current_number .*checksum differs/);
  const request = { from: ZERO_ADDRESS, to: chain.counter, value: 0n, data: Uint8Array.of(1) };
  await assert.rejects(executor.call(request), isTold);
  assert.ok(told.length === 1 && isTold(told[0]), String(told));
  await executor.close();
  await store.close();
});

test("a block that meets a damaged row is not executed, and its fault names both", async () => {
  const { store, open, damage } = await openPorts("executed");
  const { chain, executor } = await startChain(store, await createNodeSuite(), open);
  await chain.write(executor, [chain.counter]);
  const table = `c_${chain.counter.slice(2)}`;
  // A thread that has read nothing yet: what is in its cache is not read again.
  await executor.close();
  const again = await open();
  await damage(Buffer.from(`r${table}\x000`));
  const fault = /^block 3 could not be executed: .* row .* of table c_[0-9a-f]{40} is not as it/;
  await assert.rejects(again.execute(chain.propose([chain.counter])), isDamage(fault));
  await again.close();
  await store.close();
});
