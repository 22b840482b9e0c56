/** The power goes, or a disk refuses, at every write of every transition of a group. */
// rules: groups 2, groups 3, groups 4, groups 10
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  FORMAT,
  genesisOf,
  GroupMachine,
  identityOf,
  type WritePlan,
} from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
/** No transition has more writes. */
const MOST_WRITES = 12;
const PARAMS = { timestamp: "1700000000000", sealers: [SELF] };
const GENESIS = "conf/group.3.genesis";
const INI = "conf/group.3.ini";
const STATUS = "data/group3/.group_status";

/** A transition, what may be found after a crash in it, and what is there when it was answered. */
interface Transition {
  readonly name: string;
  readonly before: readonly string[];
  readonly operation: string;
  readonly from: string;
  readonly allowed: readonly string[];
  readonly done: string;
  /** Writes it has at least, so that the test is known to reach between them. */
  readonly writes: number;
}

const TRANSITIONS: readonly Transition[] = [
  {
    name: "a generation",
    before: [],
    operation: "generateGroup",
    from: "INEXISTENT",
    allowed: ["INEXISTENT", "STOPPED"],
    done: "STOPPED",
    writes: 3,
  },
  {
    name: "the first start",
    before: ["generateGroup"],
    operation: "startGroup",
    from: "STOPPED",
    allowed: ["STOPPED", "RUNNING"],
    done: "RUNNING",
    writes: 2,
  },
  {
    name: "a later start",
    before: ["generateGroup", "startGroup", "stopGroup"],
    operation: "startGroup",
    from: "STOPPED",
    allowed: ["STOPPED", "RUNNING"],
    done: "RUNNING",
    writes: 1,
  },
  {
    name: "a stop",
    before: ["generateGroup", "startGroup"],
    operation: "stopGroup",
    from: "RUNNING",
    allowed: ["RUNNING", "STOPPED"],
    done: "STOPPED",
    writes: 2,
  },
  {
    name: "the removal of a running group",
    before: ["generateGroup", "startGroup"],
    operation: "removeGroup",
    from: "RUNNING",
    allowed: ["RUNNING", "STOPPED", "DELETED"],
    done: "DELETED",
    writes: 3,
  },
  {
    name: "the removal of a stopped group",
    before: ["generateGroup"],
    operation: "removeGroup",
    from: "STOPPED",
    allowed: ["STOPPED", "DELETED"],
    done: "DELETED",
    writes: 1,
  },
  {
    name: "a recovery",
    before: ["generateGroup", "startGroup", "removeGroup"],
    operation: "recoverGroup",
    from: "DELETED",
    allowed: ["DELETED", "STOPPED"],
    done: "STOPPED",
    writes: 1,
  },
];

async function manage(machine: GroupMachine, operation: string): Promise<[string, string]> {
  return machine.manage(operation, 3, operation === "generateGroup" ? PARAMS : undefined);
}

async function arrange(before: readonly string[]): Promise<GroupMachine> {
  const machine = new GroupMachine({ suite });
  await machine.start();
  for (const operation of before) {
    assert.equal((await manage(machine, operation))[0], "0x0", operation);
  }
  return machine;
}

/** From wherever it is, the group can be brought to run, and commits. */
async function requireUsable(machine: GroupMachine): Promise<void> {
  const ways: Readonly<Record<string, readonly string[]>> = {
    INEXISTENT: ["generateGroup", "startGroup"],
    STOPPED: ["startGroup"],
    DELETED: ["recoverGroup", "startGroup"],
    RUNNING: [],
  };
  for (const operation of ways[await machine.status(3)] ?? []) {
    assert.deepEqual((await manage(machine, operation))[0], "0x0", operation);
  }
  await machine.commitOne(3);
}

/** Runs a transition up to a write. @returns whether it was answered */
async function runUpTo(machine: GroupMachine, operation: string, plan: WritePlan) {
  machine.plan = plan;
  const reply = await machine.request(operation, operation === "generateGroup" ? [3, PARAMS] : [3]);
  return reply?.result as { code: string; message: string } | undefined;
}

for (const { name, before, operation, allowed, done, writes } of TRANSITIONS) {
  for (const side of ["before", "after"] as const) {
    test(`power lost ${side} any write of ${name} leaves ${allowed.join(" or ")}`, async () => {
      const seen: string[] = [];
      for (let k = 1; ; k++) {
        assert.ok(k < MOST_WRITES, "the transition ends");
        const machine = await arrange(before);
        const result = await runUpTo(machine, operation, { left: k, what: side });
        if (result) {
          assert.equal(result.code, "0x0");
          assert.ok(k > writes, `${k - 1} writes`);
        }
        machine.crash();
        await machine.start();
        const status = await machine.status(3);
        assert.ok(allowed.includes(status), `${status} after write ${k}`);
        // What was answered stays.
        if (result) assert.equal(status, done);
        seen.push(status);
        if (status === "INEXISTENT") assert.deepEqual([...machine.files.content.keys()], []);
        await requireUsable(machine);
        await machine.stop();
        if (result) break;
      }
      assert.equal(seen.at(-1), done, `${seen.join()} were seen`);
    });
  }
}

for (const { name, before, operation, from, done, writes } of TRANSITIONS) {
  test(`a disk that refuses any write of ${name} leaves a group that can be used`, async () => {
    for (let k = 1; k <= writes; k++) {
      const machine = await arrange(before);
      const result = await runUpTo(machine, operation, { left: k, what: "refused" });
      assert.deepEqual(result, { code: "0x1", message: "StoreFault: no space is left" });
      const status = await machine.status(3);
      // What stops in several steps may have stopped by then.
      const partial = operation === "stopGroup" || operation === "removeGroup";
      assert.ok(status === from || (partial && status === "STOPPED"), `${status} at write ${k}`);
      const files = [...machine.files.content.keys()];
      if (status === "INEXISTENT") assert.deepEqual(files, [], "nothing of it is left");
      if (status === "RUNNING" && !machine.node.api.group(3)) {
        assert.equal((await machine.manage("stopGroup", 3))[0], "0x0", "a halted group stops");
      }
      await requireUsable(machine);
      if (done === "STOPPED") assert.equal((await machine.manage("stopGroup", 3))[0], "0x0");
      await machine.stop();
      assert.deepEqual([...machine.openStores], []);
    }
  });
}

test("no status is seen before it is stored", async () => {
  const machine = new GroupMachine({ suite });
  await machine.start();
  const words: string[] = [];
  machine.beforeWrite = async (path, text) => {
    if (path !== STATUS) return;
    words.push(text);
    assert.notEqual(await machine.status(3), text);
    const list = await machine.request("getGroupList", []);
    assert.deepEqual(list?.result, [], "it runs from when that is stored to when it is stopped");
  };
  for (const operation of ["generateGroup", "startGroup", "removeGroup", "recoverGroup"])
    assert.equal((await manage(machine, operation))[0], "0x0");
  assert.deepEqual(words, ["STOPPED", "RUNNING", "STOPPING", "STOPPED", "DELETED", "STOPPED"]);
  await machine.stop();
});

/** What a node finds when it starts, and what becomes of it. */
const BOOTS: readonly (readonly [string | undefined, string])[] = [
  ["RUNNING", "RUNNING"],
  [undefined, "RUNNING"],
  ["STOPPING", "STOPPED"],
  ["STOPPED", "STOPPED"],
  ["DELETED", "DELETED"],
  ["RUNNING\n", "RUNNING"],
  ["", "UNKNOWN"],
  ["garbage", "UNKNOWN"],
];
for (const [word, status] of BOOTS) {
  test(`a node that finds the word ${JSON.stringify(word)} makes it ${status}`, async () => {
    for (let k = 0; k < 4; k++) {
      const machine = new GroupMachine({ suite });
      await machine.files.write(GENESIS, utf8Bytes(FORMAT.writeGenesis(genesisOf(3, [SELF]))));
      await machine.files.write(INI, utf8Bytes(FORMAT.writeTuning()));
      if (word !== undefined) await machine.files.write(STATUS, utf8Bytes(word));
      // The power may go during the start, too: the next one comes to the same.
      if (k > 0) machine.plan = { left: k, what: "before" };
      await machine.start();
      if (!machine.isUp) await machine.start();
      machine.plan = undefined;
      assert.equal(await machine.status(3), status);
      const stored = await machine.files.read(STATUS);
      const text = Buffer.from(stored ?? []).toString();
      assert.equal(text, status === "UNKNOWN" ? word : status);
      await machine.stop();
      assert.deepEqual(await machine.files.read(STATUS), stored, "the end leaves the word");
    }
  });
}

/** Words whose place was full when the node started, and how the group comes to run after that. */
const LEFT_OUT: readonly (readonly [string | undefined, string, readonly string[]])[] = [
  ["STOPPING", "STOPPING", ["startGroup"]],
  [undefined, "INEXISTENT", ["startGroup"]],
  ["RUNNING\n", "STOPPED", ["startGroup"]],
];
for (const [word, status, operations] of LEFT_OUT) {
  test(`a group left out with the word ${JSON.stringify(word)} runs without a restart`, async () => {
    for (const way of ["operations", "signal"]) {
      const machine = new GroupMachine({ suite });
      await machine.files.write(GENESIS, utf8Bytes(FORMAT.writeGenesis(genesisOf(3, [SELF]))));
      await machine.files.write(INI, utf8Bytes(FORMAT.writeTuning()));
      if (word !== undefined) await machine.files.write(STATUS, utf8Bytes(word));
      machine.plan = { left: 1, what: "refused" };
      await machine.start();
      assert.equal(await machine.status(3), status);
      const [summary] = machine.node.api.groups?.() ?? [];
      assert.equal(summary?.groupId, 3);
      assert.match(summary.failure ?? "", /no space is left/);
      // While there is no room the answer says so.
      machine.plan = { left: 1, what: "refused" };
      const refused = { code: "0x1", message: "StoreFault: no space is left" };
      const reply = await machine.request("startGroup", [3]);
      assert.deepEqual(reply?.result, refused);
      machine.plan = undefined;
      if (way === "signal") {
        const isTaken = word !== "RUNNING\n";
        assert.deepEqual(await machine.node.loadNewGroups(), isTaken ? [3] : []);
        assert.deepEqual(await machine.node.loadNewGroups(), []);
      }
      for (const operation of operations)
        assert.equal((await machine.manage(operation, 3))[0], "0x0", operation);
      await machine.commitOne(3);
      assert.equal(machine.node.api.groups?.().length, 1);
      await machine.stop();
    }
  });
}

test("a generation that a full disk cut short is made again without a restart", async () => {
  for (const restarts of [false, true]) {
    for (let left = 1; left <= 3; left++) {
      const machine = new GroupMachine({ suite });
      await machine.start();
      machine.plan = { left, what: "full" };
      const full: [string, string] = ["0x1", "StoreFault: no space is left"];
      assert.deepEqual(await manage(machine, "generateGroup"), full);
      if (restarts) {
        machine.crash();
        await machine.start();
        machine.plan = { left: 1, what: "full" };
      }
      assert.deepEqual(await manage(machine, "generateGroup"), full, `write ${left}`);
      machine.plan = undefined;
      assert.equal((await manage(machine, "generateGroup"))[0], "0x0", `write ${left}`);
      await requireUsable(machine);
      await machine.stop();
    }
  }
});

test("what is refused of a group that was left out changes nothing", async () => {
  const machine = new GroupMachine({ suite });
  await machine.files.write(GENESIS, utf8Bytes(FORMAT.writeGenesis(genesisOf(3, [SELF]))));
  await machine.files.write(INI, utf8Bytes(FORMAT.writeTuning()));
  machine.plan = { left: 1, what: "refused" };
  await machine.start();
  for (const operation of ["stopGroup", "removeGroup", "recoverGroup"])
    assert.deepEqual(await manage(machine, operation), ["0x6", "Group 3 not found"]);
  assert.equal((await manage(machine, "generateGroup"))[0], "0x9");
  assert.equal(await machine.files.read(STATUS), undefined);
  await machine.stop();
  await machine.start();
  assert.equal(await machine.status(3), "RUNNING");
  await machine.stop();
});

test("a generation that was cut short takes nothing of another group with it", async () => {
  const machine = new GroupMachine({ suite });
  await machine.start();
  machine.plan = { left: 3, what: "full" };
  assert.equal((await manage(machine, "generateGroup"))[0], "0x1");
  machine.plan = undefined;
  // Somebody puts the files of another group in place; its genesis file comes last.
  await machine.files.write("data/group8/.group_status", utf8Bytes("STOPPED"));
  await machine.files.write("conf/group.8.ini", utf8Bytes("{}"));
  assert.equal((await manage(machine, "generateGroup"))[0], "0x0");
  assert.ok(await machine.files.read("conf/group.8.ini"));
  assert.ok(await machine.files.read("data/group8/.group_status"));
  await machine.stop();
});

test("a genesis file that cannot be read puts the removal of remains off", async () => {
  const machine = new GroupMachine({ suite });
  await machine.start();
  machine.plan = { left: 3, what: "full" };
  assert.equal((await manage(machine, "generateGroup"))[0], "0x1");
  machine.plan = undefined;
  await machine.files.write("conf/group.9.genesis", utf8Bytes("rubbish"));
  assert.equal((await manage(machine, "generateGroup"))[0], "0xa");
  await machine.files.remove("conf/group.9.genesis");
  assert.equal((await manage(machine, "generateGroup"))[0], "0x0");
  await machine.stop();
});

test("the signal to load new groups may be cut short and given again", async () => {
  for (const left of [1, 2, 3]) {
    for (const what of ["before", "after", "refused"] as const) {
      const machine = new GroupMachine({ suite });
      await machine.start();
      for (const id of [3, 4]) {
        const genesis = FORMAT.writeGenesis(genesisOf(id, [SELF]));
        await machine.files.write(`conf/group.${id}.genesis`, utf8Bytes(genesis));
        await machine.files.write(`conf/group.${id}.ini`, utf8Bytes("{}"));
      }
      machine.plan = { left, what };
      const loading = machine.node.loadNewGroups().catch(() => undefined);
      const gone = async () => {
        while (machine.isUp) await new Promise((resume) => setTimeout(resume, 1));
      };
      await Promise.race([loading, gone()]);
      machine.plan = undefined;
      const crashed = !machine.isUp;
      if (crashed) await machine.start();
      else await machine.node.loadNewGroups();
      for (const id of [3, 4]) {
        // A start of the node brings up what is new: it has no word yet.
        const status = await machine.status(id);
        assert.ok(status === "STOPPED" || (crashed && status === "RUNNING"), status);
        if (status === "STOPPED") assert.equal((await machine.manage("startGroup", id))[0], "0x0");
        await machine.commitOne(id);
      }
      await machine.stop();
    }
  }
});
