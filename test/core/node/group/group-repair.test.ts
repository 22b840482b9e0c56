/** A group whose store is damaged builds its ledger anew from its peers, without a vote. */
// rules: groups 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { fromHex } from "../../../../core/bytes/hex.ts";
import { createBlockProcessor } from "../../../../core/execution/block-processor.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { prepareGenesis } from "../../../../core/ledger/genesis-block.ts";
import { NEWEST_VERSION, version } from "../../../../core/model/version.ts";
import { heightOfOthers } from "../../../../core/node/group/group-repair.ts";
import type { LedgerRepair } from "../../../../core/node/options/node-ports.ts";
import { readAbstention } from "../../../../core/node/voting/abstention-store.ts";
import type { Store } from "../../../../core/ports/store.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const IDS = [0, 1, 2, 3].map((index) => identityOf(suite, index).nodeId);
const DAMAGE = "data/group2/block: 000005.ldb is damaged";

/** Stores that can be damaged, and the second ones next to them. */
class Disk {
  store: Store = openMemoryStore();
  second: Store | undefined;
  isDamaged = false;
  readonly done: string[] = [];
  /** Keys that it does not find any more. */
  loses: (key: string) => boolean = () => false;
  tell: (fault: StoreFault) => void = () => undefined;
  /** Called with each second store that is opened. */
  onSecond: (count: number, tell: (fault: StoreFault) => void) => void = () => undefined;
  #seconds = 0;

  /** The store as it is read. */
  shown(): Store {
    const { store } = this;
    return {
      ...kept(store),
      get: (key) => (this.loses(key) ? undefined : store.get(key)),
      load: async (key) => (this.loses(key) ? undefined : store.load(key)),
    };
  }

  /** Holds up the next opening. */
  onOpen: () => Promise<void> = async () => undefined;

  open = async (): Promise<Store> => {
    await this.onOpen();
    if (this.isDamaged) throw new StoreFault("corrupt", DAMAGE);
    return {
      ...kept(this.store),
      onDamage: (tell) => {
        this.tell = tell;
      },
    };
  };

  readonly repair: LedgerRepair = {
    begin: async (_, cause) => {
      this.isDamaged = true;
      this.done.push(`begin ${cause}`);
    },
    openStore: async () => {
      this.second ??= openMemoryStore();
      const store = kept(this.second);
      const listened: Store = {
        ...store,
        onDamage: (tell) => this.onSecond(++this.#seconds, tell),
      };
      return listened;
    },
    openExecutor: async (genesis) => {
      assert.ok(this.second);
      return createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store: this.second });
    },
    discard: async () => {
      this.second = undefined;
      this.done.push("discard");
    },
    adopt: async () => {
      assert.ok(this.second);
      assert.equal(readAbstention(this.second)?.mode ?? "silent", "silent");
      this.store = this.second;
      this.second = undefined;
      this.isDamaged = false;
      this.loses = () => false;
      this.done.push("adopt");
      return "block.old-1";
    },
  };
}

/** A store whose data outlive its close. */
function kept(store: Store): Store {
  return {
    get: (key) => store.get(key),
    load: (key) => store.load(key),
    range: (from, to, limit) => store.range(from, to, limit),
    commit: (writes, how) => store.commit(writes, how),
    close: async () => undefined,
  };
}

async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 12_000; !(await holds()); left--) {
    assert.ok(left > 0, what);
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

/** Four machines with group 2; the last one's disk may be damaged. */
async function four() {
  const hub = immediateHub();
  const disk = new Disk();
  const machines = IDS.map((_, index) => {
    if (index < 3) return new GroupMachine({ suite, hub, index });
    const openExecutor = async (genesis: Parameters<LedgerRepair["openExecutor"]>[0]) =>
      createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store: disk.shown() });
    const ports = { openStore: disk.open, openExecutor, repair: disk.repair };
    return new GroupMachine({ suite, hub, index, ports });
  });
  for (const machine of machines) await machine.start();
  for (const machine of machines) await machine.generate(2, IDS);
  for (const machine of machines) assert.equal((await machine.manage("startGroup", 2))[0], "0x0");
  const [first, last] = [machines[0], machines[3]];
  assert.ok(first && last);
  for (let block = 0; block < 3; block++) await first.commitOne(2);
  await eventually("all have the blocks", () => last.height(2) >= 3);
  const stop = async () => {
    for (const machine of machines) if (machine.isUp) await machine.stop();
  };
  return { disk, first, last, stop };
}

/** The address of the contract that the one transaction of a block creates, without 0x. */
async function createdIn(machine: GroupMachine, number: number): Promise<string> {
  const block = await machine.request("getBlockByNumber", [2, String(number), false]);
  assert.ok(block);
  const [hash] = (block.result as { transactions: readonly string[] }).transactions;
  const receipt = await machine.request("getTransactionReceipt", [2, hash]);
  assert.ok(receipt);
  return (receipt.result as { contractAddress: string }).contractAddress.slice(2);
}

const runsAt = (machine: GroupMachine, height: number) => () =>
  (machine.node.api.group(2)?.ledger.head().number ?? -1) >= height;

/** The blocks of a silence are counted from the one at which the others say where they stand. */
async function votesAfterwards(disk: Disk, first: GroupMachine, last: GroupMachine): Promise<void> {
  const until = () => last.node.api.group(2)?.abstention?.()?.until;
  await eventually("the others report to it", () => until() !== undefined);
  const left = (until() ?? 0) - first.height(2);
  assert.ok(left === 1 || left === 2, `${left} blocks`);
  for (let block = 0; block < left; block++) await first.commitOne(2);
  await eventually("it votes", () => readAbstention(disk.store) === undefined);
}

test("damage at run time is repaired from peers, and the node votes again", async () => {
  const { disk, first, last, stop } = await four();
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it no longer runs", () => last.node.api.group(2) === undefined);
  await first.commitOne(2);
  await eventually("it runs again", runsAt(last, 4));
  assert.deepEqual(disk.done, [`begin StoreFault: ${DAMAGE}`, "adopt"]);
  assert.equal(readAbstention(disk.store)?.mode, "silent");
  await votesAfterwards(disk, first, last);
  await stop();
}, 240_000);

/** Two contracts: the creation of the second keeps how long the code of the first is. */
async function createTwo(first: GroupMachine, between: (contract: string) => Promise<void>) {
  // The code is one byte long.
  await first.commitOne(2, Uint8Array.of(0x60, 1, 0x60, 0, 0xf3));
  const contract = await createdIn(first, 4);
  await between(contract);
  const keepsItsLength = fromHex(`73${contract}3b600055`);
  assert.ok(keepsItsLength);
  await first.commitOne(2, keepsItsLength);
}

test("rows that are gone are found by the first block that needs them, and repaired", async () => {
  const { disk, first, last, stop } = await four();
  await createTwo(first, async (contract) => {
    await eventually("it has the contract", runsAt(last, 4));
    await last.stop();
    disk.loses = (key) => key.includes(contract);
    await last.start();
    await eventually("it runs", runsAt(last, 4));
  });
  await eventually("it is repaired", () => disk.done.includes("adopt"));
  assert.match(
    disk.done[0] ?? "",
    /^begin ResultFault: block 5 .*(gives other results|executes to)/,
  );
  await eventually("it runs again", runsAt(last, 5));
  await votesAfterwards(disk, first, last);
  await stop();
}, 240_000);

test("meanwhile blocks that prove themselves are given, and nothing else is", async () => {
  const { disk, first, last, stop } = await four();
  const { openStore } = disk.repair;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  Object.assign(disk.repair, { openStore: () => held.then(() => openStore(2)) });
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it no longer runs", () => last.node.api.group(2) === undefined);
  await eventually("it can be read", () => last.node.api.provenBlocks?.(2) !== undefined);
  const both = (method: string, ...params: readonly unknown[]) =>
    Promise.all([last, first].map((machine) => machine.request(method, [2, ...params])));
  const [own, other] = await both("getBlockByNumber", "2", true);
  type Seen = { readonly hash: string; readonly transactions: readonly { hash: string }[] };
  const [given, wanted] = [own?.result as Seen, other?.result as Seen];
  assert.equal(given.hash, wanted.hash);
  const [receipt, expected] = await both("getTransactionReceipt", wanted.transactions[0]?.hash);
  assert.deepEqual(receipt?.result, expected?.result);
  for (const [method, ...params] of [
    ["getBlockNumber"],
    ["getTotalTransactionCount"],
    ["getTransactionByHash", `0x${"1".repeat(64)}`],
  ]) {
    const [refused] = await both(method ?? "", ...params);
    assert.equal(refused?.error?.code, -32_603, method);
    assert.match(refused.error.message, /^INTERNAL_ERROR: repairing: .*000005\.ldb is damaged/);
  }
  release();
  await eventually("it runs again", runsAt(last, 3));
  await stop();
}, 240_000);

test("reads are refused in the same words until the repaired group runs", async () => {
  const { disk, first, last, stop } = await four();
  let release: () => void = () => undefined;
  disk.onOpen = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  disk.tell(new StoreFault("corrupt", DAMAGE));
  const begins = () => /begins again$/.test(last.node.api.groupHalt?.(2) ?? "");
  await eventually("it begins again", begins);
  const reply = await last.request("getBlockNumber", [2]);
  assert.equal(reply?.error?.code, -32_603);
  assert.match(
    reply.error.message,
    /^INTERNAL_ERROR: its ledger is repaired, and the group begins/,
  );
  release();
  await eventually("it runs again", runsAt(last, 3));
  await first.commitOne(2);
  await stop();
}, 240_000);

test("damage at a start: the status reports, and a kill in the middle leaves the repair", async () => {
  const { disk, first, last, stop } = await four();
  await last.stop();
  disk.isDamaged = true;
  // The second ledger fails to come up to the others while no node is there: hold it at its start.
  const { openStore } = disk.repair;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  Object.assign(disk.repair, { openStore: () => held.then(() => openStore(2)) });
  await last.start();
  const reply = await last.request("queryGroupStatus", [2]);
  assert.ok(reply);
  const { status, message } = reply.result as { status: string; message: string };
  assert.equal(status, "STOPPED");
  assert.match(message, /^repairing: at block 0 of 0; StoreFault: .*000005\.ldb is damaged$/);
  const [code, refusal] = await last.manage("startGroup", 2);
  assert.deepEqual([code, /repairing/.test(refusal)], ["0x1", true]);
  last.crash();
  release();
  Object.assign(disk.repair, { openStore });
  await last.start();
  await eventually("it runs again", runsAt(last, 3));
  await first.commitOne(2);
  await eventually("it follows", runsAt(last, 4));
  await stop();
}, 240_000);

test("a ledger that is damaged again and again is repaired three times until it is started", async () => {
  const { disk, last, stop } = await four();
  for (let repairs = 1; repairs <= 3; repairs++) {
    disk.tell(new StoreFault("corrupt", DAMAGE));
    await eventually("it is repaired", () => disk.done.length === 2 * repairs);
    await eventually("it runs again", runsAt(last, 3));
  }
  disk.tell(new StoreFault("corrupt", DAMAGE));
  const words = /repaired 3 times within the last hour: examine the disk, then start the group/;
  const status = () => last.manage("queryGroupStatus", 2);
  await eventually("it is not repaired", async () => words.test(String((await status())[1])));
  assert.equal(disk.done.length, 6);
  disk.isDamaged = true;
  await last.manage("startGroup", 2);
  await eventually("it is repaired once it is started", () => disk.done.at(-1) === "adopt");
  assert.equal(disk.done.length, 8);
  await eventually("it runs again", runsAt(last, 3));
  await stop();
}, 240_000);

test("a second ledger that is damaged, too, is begun anew", async () => {
  const { disk, last, stop } = await four();
  disk.onSecond = (count, tell) => {
    if (count === 1) tell(new StoreFault("corrupt", "block.repair is damaged"));
  };
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it is repaired", () => disk.done.includes("adopt"));
  await eventually("it runs again", runsAt(last, 3));
  assert.deepEqual(disk.done.slice(1), ["discard", "adopt"]);
  await stop();
}, 240_000);

test("a second ledger that gives other results is begun anew, and once only", async () => {
  const { disk, last, stop } = await four();
  let [opened, bad] = [0, 1];
  Object.assign(disk.repair, {
    openExecutor: async (genesis: Parameters<LedgerRepair["openExecutor"]>[0]) => {
      assert.ok(disk.second);
      const executes = ++opened <= bad ? version(2, 0, 0) : NEWEST_VERSION;
      return createBlockProcessor({ suite, version: executes, genesis, store: disk.second });
    },
  });
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it is repaired", () => disk.done.includes("adopt"));
  assert.deepEqual(disk.done.slice(1), ["discard", "adopt"]);
  await eventually("it runs again", runsAt(last, 3));
  bad = opened + 9;
  disk.tell(new StoreFault("corrupt", DAMAGE));
  const gaveUp = () => /its repair failed: ResultFault: /.test(last.node.api.groupHalt?.(2) ?? "");
  await eventually("it gives up", gaveUp);
  assert.equal(disk.done.filter((each) => each === "discard").length, 2);
  await stop();
}, 240_000);

test("a second ledger that was begun with another genesis file is begun anew", async () => {
  const { disk, stop } = await four();
  const other = openMemoryStore();
  const genesis = { ...genesisOf(2, IDS), gasLimit: 1_000_000n };
  await prepareGenesis(other, { suite, version: NEWEST_VERSION, genesis });
  disk.second = other;
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it is repaired", () => disk.done.includes("adopt"));
  assert.deepEqual(disk.done.slice(1), ["discard", "adopt"]);
  await stop();
}, 240_000);

test("a group without other sealers says what to do", async () => {
  const disk = new Disk();
  const openExecutor = async (genesis: Parameters<LedgerRepair["openExecutor"]>[0]) =>
    createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store: disk.store });
  const ports = { openStore: disk.open, openExecutor, repair: disk.repair };
  const machine = new GroupMachine({ suite, ports });
  await machine.start();
  await machine.generate(2);
  assert.equal((await machine.manage("startGroup", 2))[0], "0x0");
  disk.tell(new StoreFault("corrupt", DAMAGE));
  await eventually("it failed", async () => {
    const reply = await machine.request("queryGroupStatus", [2]);
    const { message } = (reply?.result ?? { message: "" }) as { message: string };
    return /restore a backup/.test(message);
  });
  assert.deepEqual(disk.done, []);
  await machine.stop();
}, 240_000);

test("the height of the others is one that no f Byzantine sealers can raise", () => {
  const [a = "", b = "", c = "", d = ""] = IDS;
  const peer = (nodeId: string, number: number, isHeard = true) => ({ nodeId, number, isHeard });
  const height = (sealers: readonly string[], peers: readonly ReturnType<typeof peer>[]) =>
    heightOfOthers(sealers as typeof IDS, peers as never, 1);
  const peers = [peer(a, 1_000_000), peer(b, 7)];
  assert.equal(height([a, b, c, d], peers), 7);
  assert.equal(height([a, c, d], peers), undefined);
  assert.equal(height([a, b, c, d], [peer(a, 7), peer(b, 0, false), peer(c, 0, false)]), undefined);
});
