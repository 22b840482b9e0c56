/** Many groups on one node: side by side, failing alone, loaded while the node runs. */
// rules: groups 2, groups 3, groups 4
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { healthOf } from "../../../../runtimes/shared/health.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  FORMAT,
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
const TEN = Array.from({ length: 10 }, (_, i) => i + 1);
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

async function putGroup(machine: GroupMachine, genesis: GenesisConfig, word?: string) {
  const { files } = machine;
  const id = genesis.groupId;
  await files.write(`conf/group.${id}.genesis`, utf8Bytes(FORMAT.writeGenesis(genesis)));
  await files.write(`conf/group.${id}.ini`, utf8Bytes(FORMAT.writeTuning()));
  if (word !== undefined) await files.write(`data/group${id}/.group_status`, utf8Bytes(word));
}

async function withGroups(ids: readonly number[]): Promise<GroupMachine> {
  const machine = new GroupMachine({ suite });
  for (const id of ids) await putGroup(machine, genesisOf(id, [SELF]), "RUNNING");
  await machine.start();
  return machine;
}

async function codeOf(machine: GroupMachine, operation: string, id: number): Promise<string> {
  return (await machine.manage(operation, id))[0];
}

/** The stop of a group waits before its last word is written, until it is let go. */
function holdStops(machine: GroupMachine, groupId: number) {
  let open: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    machine.beforeWrite = async (path, text) => {
      if (!path.includes(`group${groupId}/`) || text !== "STOPPED") return;
      resolve();
      await held;
    };
  });
  return { reached, open };
}

test("ten groups run on one node, and those that stop do not disturb the others", async () => {
  const machine = await withGroups(TEN);
  assert.deepEqual(machine.node.api.groupList(), TEN);
  for (const id of TEN) await machine.commitOne(id);
  const rest = TEN.filter((id) => id % 3 !== 0);
  const churn = async () => {
    for (const id of TEN.filter((it) => !rest.includes(it))) {
      assert.equal(await codeOf(machine, "stopGroup", id), "0x0");
      assert.equal(await codeOf(machine, "removeGroup", id), "0x0");
      assert.equal(await codeOf(machine, "recoverGroup", id), "0x0");
    }
  };
  const load = async (blocks: number) => {
    for (let i = 0; i < blocks; i++) await Promise.all(rest.map((id) => machine.commitOne(id)));
  };
  await Promise.all([churn(), load(5)]);
  assert.deepEqual(machine.node.api.groupList(), rest);
  // Those that are in the middle of it hold up no node either, however long that takes.
  const held = holdStops(machine, 3);
  const operations = [3, 6, 9].map((id) => codeOf(machine, "startGroup", id));
  assert.deepEqual(await Promise.all(operations), Array(3).fill("0x0"));
  const stops = [3, 6, 9].map((id) => codeOf(machine, "stopGroup", id));
  await held.reached;
  await load(5);
  held.open();
  assert.deepEqual(await Promise.all(stops), Array(3).fill("0x0"));
  for (const id of rest) assert.ok(machine.height(id) >= 11, `group ${id}`);
  assert.deepEqual(machine.failures, []);
  await machine.stop();
  assert.deepEqual([...machine.openStores], []);
});

test("operations on all groups at once are all answered, one after the other", async () => {
  const machine = await withGroups(TEN);
  const stops = TEN.map((id) => codeOf(machine, "stopGroup", id));
  assert.deepEqual(await Promise.all(stops), Array(10).fill("0x0"));
  const starts = TEN.flatMap((id) => [
    codeOf(machine, "startGroup", id),
    codeOf(machine, "startGroup", id),
  ]);
  const codes = await Promise.all(starts);
  assert.equal(codes.filter((code) => code === "0x0").length, 10);
  assert.equal(codes.filter((code) => code === "0x3").length, 10);
  await machine.stop();
});

test("a group that stops slowly holds back no operation of another", async () => {
  const machine = await withGroups([1, 2]);
  const held = holdStops(machine, 1);
  const stop = machine.manage("stopGroup", 1);
  await held.reached;
  assert.equal(await codeOf(machine, "stopGroup", 2), "0x0");
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  assert.equal(await codeOf(machine, "startGroup", 1), "0xd");
  held.open();
  assert.equal((await stop)[0], "0x0");
  await machine.stop();
});

test("removing and recovering keeps the blocks, and a stop closes the store", async () => {
  const machine = await withGroups([1, 2]);
  await machine.commitOne(2);
  const head = machine.node.api.group(2)?.ledger.head();
  assert.equal(await codeOf(machine, "removeGroup", 2), "0x0");
  assert.deepEqual([...machine.openStores], [1]);
  await machine.stop();
  await machine.start();
  assert.equal(await machine.status(2), "DELETED");
  assert.equal(await codeOf(machine, "recoverGroup", 2), "0x0");
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  const again = machine.node.api.group(2)?.ledger;
  assert.equal(await again?.hashOf(head?.number ?? -1), head?.hash);
  await machine.commitOne(2);
  await machine.stop();
});

test("a group whose executor dies halts alone; it says so and can be started again", async () => {
  const machine = await withGroups([1, 2]);
  machine.killExecutor.get(2)?.(new StoreFault("io", "the thread ran out of memory"));
  await pause(10);
  assert.deepEqual(
    machine.failures.map(({ groupId }) => groupId),
    [2],
  );
  assert.equal(machine.node.api.isReady(), true);
  assert.deepEqual(machine.node.api.groupList(), [1]);
  await machine.commitOne(1);
  assert.deepEqual((await machine.request("queryGroupStatus", [2]))?.result, {
    code: "0x0",
    message: "StoreFault: the thread ran out of memory",
    status: "STOPPED",
  });
  const refused = (await machine.request("getBlockNumber", [2]))?.error;
  assert.equal(refused?.code, -32_603);
  assert.equal(refused.message, "INTERNAL_ERROR: StoreFault: the thread ran out of memory");
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  await machine.commitOne(2);
  await machine.stop();
  assert.deepEqual([...machine.openStores], []);
});

test("a full disk halts its group alone, which goes on once there is space", async () => {
  const machine = await withGroups([1, 2]);
  machine.plan = { left: 1, what: "refused" };
  await machine.submitOne(2);
  while (machine.node.api.group(2)) await pause(1);
  await machine.commitOne(1);
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  await machine.commitOne(2);
  await machine.stop();
});

/** Groups that should run and do not, as the node reports its operator. */
function failedGroups(machine: GroupMachine): (number | undefined)[] {
  const groups = machine.node.api.groups?.() ?? [];
  return groups
    .filter(({ status, isRunning }) => !isRunning && ["RUNNING", "UNKNOWN"].includes(status))
    .map(({ groupId, failure }) => {
      assert.ok(failure !== undefined && failure !== "");
      return groupId;
    });
}

test("a group that cannot start is left out with a line, and the node serves the others", async () => {
  const machine = await withGroups([2]);
  await machine.stop();
  await putGroup(machine, genesisOf(1, [SELF]));
  await putGroup(machine, { ...genesisOf(2, [SELF]), timestamp: 1_700_000_000_001n });
  await putGroup(machine, genesisOf(3, [SELF]), "nonsense");
  await machine.files.write("conf/broken.genesis", utf8Bytes("[group"));
  await machine.files.write("conf/zero.genesis", utf8Bytes(FORMAT.writeGenesis(genesisOf(0, []))));
  const double = FORMAT.writeGenesis(genesisOf(1, []));
  await machine.files.write("conf/x.genesis", utf8Bytes(double));
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1]);
  assert.deepEqual(failedGroups(machine), [2, 3, undefined, undefined, undefined]);
  const lines = machine.log.filter(({ level }) => level === "error");
  assert.deepEqual(lines.map(({ message }) => message).sort(), [
    "a group could not be started",
    "a group is left out",
    "a group is left out",
    "a group is left out",
    "a group is left out: its status is unknown",
  ]);
  await machine.stop();
});

test("a group whose genesis file is gone is reported to be, until the file is back", async () => {
  const machine = await withGroups([1, 2]);
  await machine.stop();
  const path = "conf/group.2.genesis";
  const kept = await machine.files.read(path);
  await machine.files.remove(path);
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1]);
  assert.deepEqual(failedGroups(machine), [2]);
  const lines = machine.log.filter(({ level }) => level === "error");
  assert.deepEqual(
    lines.map(({ message }) => message),
    ["a group is left out: its genesis file is missing"],
  );
  const failure = machine.node.api.groups?.().at(-1)?.failure ?? "";
  assert.match(failure, /^conf\/group\.2\.genesis is missing, but data\/group2 is there: copy it/);
  assert.equal(await machine.status(2), "INEXISTENT");
  await machine.files.write(path, kept ?? new Uint8Array());
  assert.deepEqual(await machine.node.loadNewGroups(), [2]);
  assert.deepEqual(failedGroups(machine), []);
  assert.equal(await machine.status(2), "STOPPED");
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  await machine.commitOne(2);
  assert.deepEqual(await machine.node.loadNewGroups(), []);
  await machine.stop();
});

/** Words next to a genesis file that is put back, whether the signal loads it, its status then. */
const PUT_BACK: readonly (readonly [string | undefined, boolean, string])[] = [
  ["RUNNING", true, "STOPPED"],
  ["STOPPING", true, "STOPPED"],
  [undefined, true, "STOPPED"],
  ["STOPPED", false, "STOPPED"],
  ["DELETED", false, "DELETED"],
];
for (const [word, isLoaded, status] of PUT_BACK) {
  test(`a genesis file that is put back next to the word ${word} leads to ${status}`, async () => {
    const machine = await withGroups([1, 2]);
    await machine.stop();
    const kept = await machine.files.read("conf/group.2.genesis");
    await machine.files.remove("conf/group.2.genesis");
    const path = "data/group2/.group_status";
    if (word === undefined) await machine.files.remove(path);
    else await machine.files.write(path, utf8Bytes(word));
    // Its ledger, without which STOPPED would be what an interrupted generation leaves.
    await machine.files.write("data/group2/block", Uint8Array.of(1));
    await machine.start();
    await machine.files.write("conf/group.2.genesis", kept ?? new Uint8Array());
    assert.deepEqual(await machine.node.loadNewGroups(), isLoaded ? [2] : []);
    assert.equal(await machine.status(2), status);
    if (status === "DELETED") assert.equal(await codeOf(machine, "recoverGroup", 2), "0x0");
    assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
    await machine.commitOne(2);
    await machine.stop();
  });
}

test("a node is not ready while a group that the signal found has a word that no node knows", async () => {
  const machine = await withGroups([1]);
  await putGroup(machine, genesisOf(2, [SELF]), "nonsense");
  assert.deepEqual(await machine.node.loadNewGroups(), []);
  assert.deepEqual(failedGroups(machine), [2]);
  assert.match(healthOf(machine.node.api).reasons.join(), /status of the group is unknown/);
  await machine.files.write("data/group2/.group_status", utf8Bytes("STOPPED"));
  assert.deepEqual(await machine.node.loadNewGroups(), []);
  assert.deepEqual(healthOf(machine.node.api).reasons, []);
  await machine.stop();
});

test("what is left of a group that was stopped is not missed by the node", async () => {
  const machine = await withGroups([1, 2]);
  assert.equal(await codeOf(machine, "stopGroup", 2), "0x0");
  await machine.stop();
  // Its ledger, without which this would be what an interrupted generation leaves.
  await machine.files.write("data/group2/block", Uint8Array.of(1));
  await machine.files.remove("conf/group.2.genesis");
  await machine.start();
  const left = machine.node.api.groups?.().at(-1);
  assert.deepEqual([left?.groupId, left?.status, left?.isRunning], [2, "STOPPED", false]);
  assert.match(left?.failure ?? "", /is there: copy it .*, or move the folder away$/);
  assert.deepEqual(healthOf(machine.node.api).reasons, []);
  await machine.stop();
});

test("a node starts next to what is left of a generation and cannot be removed, and tries again", async () => {
  const machine = await withGroups([1]);
  await machine.stop();
  const path = "data/group3/.group_status";
  await machine.files.write(path, utf8Bytes("STOPPED"));
  machine.plan = { left: 1, what: "refused" };
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1]);
  assert.ok(machine.log.some(({ message }) => /could not be removed/.test(message)));
  assert.notEqual(await machine.files.read(path), undefined);
  await machine.stop();
  await machine.start();
  assert.equal(await machine.files.read(path), undefined);
  await machine.stop();
});

test("a group that cannot start with its node is STOPPED with the reason, and comes back", async () => {
  const machine = await withGroups([1, 2]);
  const head = machine.node.api.group(2)?.ledger.head().number;
  await machine.stop();
  const path = "conf/group.2.ini";
  const kept = await machine.files.read(path);
  await machine.files.write(path, utf8Bytes("[nonsense"));
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1]);
  const answer = (await machine.request("queryGroupStatus", [2]))?.result as Record<string, string>;
  assert.deepEqual([answer["code"], answer["status"]], ["0x0", "STOPPED"]);
  assert.notEqual(answer["message"], "");
  assert.equal((await machine.request("getBlockNumber", [2]))?.error?.code, -32_603);
  // It is tried again, and the reason is told again; the word stays.
  assert.equal(await codeOf(machine, "startGroup", 2), "0x1");
  assert.equal(await machine.status(2), "STOPPED");
  await machine.stop();
  assert.equal(
    utf8Text((await machine.files.read("data/group2/.group_status")) ?? new Uint8Array()),
    "RUNNING",
  );
  await machine.files.write(path, kept ?? new Uint8Array());
  await machine.start();
  assert.deepEqual(machine.node.api.groupList(), [1, 2]);
  assert.equal(machine.node.api.group(2)?.ledger.head().number, head);
  assert.deepEqual(failedGroups(machine), []);
  await machine.stop();
});

test("a group that failed at the start of its node can be kept down, and started after a repair", async () => {
  const machine = await withGroups([1, 2]);
  await machine.stop();
  const path = "conf/group.2.ini";
  const kept = await machine.files.read(path);
  await machine.files.write(path, utf8Bytes("[nonsense"));
  await machine.start();
  assert.equal(await codeOf(machine, "stopGroup", 2), "0x4");
  assert.equal(await machine.status(2), "STOPPED");
  assert.deepEqual(failedGroups(machine), []);
  await machine.stop();
  await machine.start();
  assert.deepEqual(failedGroups(machine), []);
  assert.equal(await codeOf(machine, "startGroup", 2), "0x1");
  assert.equal(await machine.status(2), "STOPPED");
  await machine.files.write(path, kept ?? new Uint8Array());
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  await machine.commitOne(2);
  await machine.stop();
});

test("a genesis file of another group under a group's name is refused", async () => {
  const machine = await withGroups([1]);
  await putGroup(machine, genesisOf(2, [SELF]), "STOPPED");
  const wrong = FORMAT.writeGenesis(genesisOf(9, [SELF]));
  await machine.files.write("conf/group.2.genesis", utf8Bytes(wrong));
  const [code, message] = await machine.manage("startGroup", 2);
  assert.equal(code, "0x1");
  assert.equal(message, "GroupFault: conf/group.2.genesis is of group 9, not of group 2");
  await machine.stop();
});

test("new groups are loaded on the signal, stopped, and started by the operation", async () => {
  const machine = await withGroups([1]);
  await putGroup(machine, genesisOf(5, [SELF]));
  await putGroup(machine, genesisOf(4, [SELF]));
  await putGroup(machine, genesisOf(6, [SELF]), "DELETED");
  assert.equal(await machine.status(4), "INEXISTENT");
  assert.equal(await codeOf(machine, "startGroup", 4), "0x6");
  assert.deepEqual(await machine.node.loadNewGroups(), [4, 5]);
  assert.deepEqual(await machine.node.loadNewGroups(), []);
  assert.equal(await machine.status(4), "STOPPED");
  assert.equal(await machine.status(6), "DELETED");
  assert.deepEqual(machine.node.api.groupList(), [1]);
  for (const id of [5, 4]) assert.equal(await codeOf(machine, "startGroup", id), "0x0");
  assert.deepEqual(machine.node.api.groupList(), [1, 4, 5]);
  await machine.stop();
});

test("a status file that an operator repairs counts at once", async () => {
  const machine = await withGroups([1]);
  await putGroup(machine, genesisOf(2, [SELF]), "garbage");
  assert.equal(await machine.status(2), "UNKNOWN");
  await machine.files.write("data/group2/.group_status", utf8Bytes("STOPPED\n"));
  assert.equal(await machine.status(2), "STOPPED");
  assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  await machine.stop();
});

test("four nodes generate a group, start it and agree in it, next to their first", async () => {
  const hub = immediateHub();
  const ids = [0, 1, 2, 3].map((index) => identityOf(suite, index).nodeId);
  const fixed = [genesisOf(1, ids)];
  const machines = [0, 1, 2, 3].map((index) => new GroupMachine({ suite, hub, index, fixed }));
  await Promise.all(machines.map((machine) => machine.start()));
  while (machines.some(({ node }) => node.api.peers().length < 3)) await pause(1);
  for (const machine of machines) await machine.generate(2, ids);
  for (const machine of machines) assert.equal(await codeOf(machine, "startGroup", 2), "0x0");
  const [first, second] = machines;
  assert.ok(first && second);
  for (let i = 0; i < 3; i++) await first.commitOne(2);
  await second.commitOne(1);
  for (const machine of machines) {
    while (machine.height(2) < 3) await pause(1);
    assert.deepEqual(machine.node.api.groupList(), [1, 2]);
  }
  const hashes = machines.map(({ node }) => node.api.group(2)?.ledger.hashOf(3));
  assert.equal(new Set(await Promise.all(hashes)).size, 1);
  // One of four stops its group: the three others go on, and its first group does, too.
  assert.equal(await codeOf(second, "stopGroup", 2), "0x0");
  await first.commitOne(2);
  await second.commitOne(1);
  await Promise.all(machines.map((machine) => machine.stop()));
});
