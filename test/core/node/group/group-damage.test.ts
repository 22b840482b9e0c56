/** Damage that an executing transaction meets ends as the failure of its group, never a receipt. */
// rules: README 30, groups 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { createBlockProcessor } from "../../../../core/execution/block-processor.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import type { LedgerRepair } from "../../../../core/node/options/node-ports.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { entryChecksum as checksum } from "../../../../runtimes/node/store/entry-checksum.ts";
import {
  openCheckedStore,
  type RawStore,
} from "../../../../runtimes/shared/checksums/checked-store.ts";
import { storedWrite } from "../../../../runtimes/shared/checksums/sealed-value.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { createSender, deployment } from "../../../support/sender.ts";
import { genesisOf, GroupMachine, identityOf } from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
/** Adds one to slot 0. */
const COUNTER = assemble("0 sload 1 add 0 sstore stop");
const PLACE = "data/group1/block";
const WAIT_MS = 60_000;

/** Entries in memory that outlive the store over them. */
function rawOver(memory: MemoryStore): RawStore {
  const loadMany = async (keys: readonly string[]) => keys.map((key) => memory.get(key));
  const commitSealed: RawStore["commitSealed"] = (writes, how) =>
    memory.commit(writes.map(storedWrite), how);
  const close = async () => undefined;
  return Object.assign(Object.create(memory), { loadMany, commitSealed, close });
}

/** A disk with one ledger that nothing can repair from. */
class Disk implements LedgerRepair {
  readonly memory = openMemoryStore();
  readonly openStore = (): Promise<Store> =>
    openCheckedStore({ raw: rawOver(this.memory), checksum, place: PLACE });
  readonly openExecutor: LedgerRepair["openExecutor"] = async (genesis) => {
    const store = await openCheckedStore({ raw: rawOver(this.memory), checksum, place: PLACE });
    return createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store });
  };
  readonly begin = async () => undefined;
  readonly discard = () => Promise.resolve();
  readonly adopt = () => Promise.resolve(undefined);

  /** Changes a bit in the middle of slot 0 of an account. */
  async flip(table: string): Promise<void> {
    const rows = await this.memory.range(`r${table}`, `r${table}\xff`, 100);
    const row = rows.find(({ key }) => key.endsWith("\x000"));
    assert.ok(row, `slot 0 of ${table}`);
    const value = row.value.slice();
    value[value.length >> 1] = (value[value.length >> 1] ?? 0) ^ 0x10;
    await this.memory.commit([{ key: row.key, value }], { durable: true });
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; !(await holds()); ) {
    assert.ok(performance.now() < end, what);
    await new Promise((resume) => setTimeout(resume, 2));
  }
}

/** A machine with the counter in block 1, started again so that no row is in a cache. */
async function withCounter() {
  const disk = new Disk();
  const { openStore, openExecutor } = disk;
  const ports = { openStore, openExecutor, repair: disk };
  const machine = new GroupMachine({ suite, fixed: [genesisOf(1, [SELF])], ports });
  await machine.start();
  const send = createSender(suite);
  const submit = async (call: { to?: string; input?: Uint8Array }) => {
    const { raw, hash } = send({ head: machine.height(1), ...call });
    assert.equal((await machine.request("sendRawTransaction", [1, raw]))?.result, hash);
    return hash;
  };
  const receiptOf = (hash: string) => machine.request("getTransactionReceipt", [1, hash]);
  const hash = await submit({ input: deployment(COUNTER) });
  await until("the counter", async () => Boolean((await receiptOf(hash))?.result));
  const created = await receiptOf(hash);
  assert.ok(created);
  const { contractAddress: to } = created.result as { readonly contractAddress: string };
  const first = await submit({ to });
  await until("a first count", async () => Boolean((await receiptOf(first))?.result));
  await machine.stop();
  return { disk, machine, submit, receiptOf, to };
}

test("a damaged row fails the group that executes over it, with its name and what helps", async () => {
  const { disk, machine, submit, receiptOf, to } = await withCounter();
  const table = `c_${to.slice(2)}`;
  const before = disk.memory.copy();
  await disk.flip(table);
  await machine.start();
  const hash = await submit({ to });
  await until("the group fails", async () => machine.node.api.group(1) === undefined);
  await until("its repair is over", async () => /restore/.test((await statusOf(machine)).message));
  const { status, message } = await statusOf(machine);
  assert.equal(status, "STOPPED");
  const row = `row 0 of table ${table} is not as it was written \\(its checksum differs\\)`;
  const damage = `block 3 could not be executed: ${PLACE} holds a damaged database: ${row}`;
  const remedy = "restore a backup with chain-node restore --replace";
  assert.match(message, new RegExp(`${damage}; no other sealer has its blocks: ${remedy}$`));
  const answer = await receiptOf(hash);
  assert.ok(answer?.result === undefined || answer.result === null, JSON.stringify(answer));
  await machine.stop();
  // Nothing of the block was written.
  assert.deepEqual(await disk.memory.range("t", "u", 10), await before.range("t", "u", 10));
});

async function statusOf(machine: GroupMachine) {
  const reply = await machine.request("queryGroupStatus", [1]);
  return reply?.result as { readonly status: string; readonly message: string };
}
