/** Every cell of the table of group operations, over HTTP on a node in memory. */
// rules: groups 2, groups 3, groups 9
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { version } from "../../../../core/model/version.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  FORMAT,
  genesisOf,
  GroupMachine,
  identityOf,
} from "../../../support/world/group-machine.ts";

const suite = await createNodeSuite();
const { nodeId: SELF } = identityOf(suite, 0);
const FOREIGN = [identityOf(suite, 7).nodeId, identityOf(suite, 8).nodeId].sort();
const GENESIS = "conf/group.3.genesis";
const INI = "conf/group.3.ini";
const STATUS = "data/group3/.group_status";
const PARAMS = { timestamp: "1700000000000", sealers: [SELF] };
const UNREADABLE = "Please check `.group_status` file of the group";

type Situation =
  | "nothing"
  | "genesis only"
  | "ini only"
  | "files without word"
  | "word without files"
  | "running"
  | "stopping"
  | "stopped"
  | "stopped without genesis"
  | "stopped without ini"
  | "deleted"
  | "deleted without files"
  | "unknown";

/** Answers in the order of OPERATIONS, as code and text; the last word is the status afterwards. */
interface Row {
  readonly situation: Situation;
  readonly status: string;
  readonly answers: readonly (readonly [string, string, string])[];
}

const OPERATIONS = ["generateGroup", "startGroup", "stopGroup", "removeGroup", "recoverGroup"];
const ABSENT = "INEXISTENT";
const NOT_FOUND = ["0x6", "Group 3 not found", ABSENT] as const;
const NO_GENESIS = ["0xb", "Genesis config file for group 3 not found", ABSENT] as const;
const NO_INI = ["0xc", "Group config file for group 3 not found", ABSENT] as const;
const GENERATED = ["0x0", "Group 3 generated successfully", "STOPPED"] as const;
const HAS_GENESIS = ["0x9", "Genesis config file for group 3 already exists", ABSENT] as const;
const HAS_INI = ["0xa", "Group config file for group 3 already exists", ABSENT] as const;
const exists = (status: string) => ["0x2", "Group 3 already exists", status] as const;
const isStopping = ["0xd", "Group 3 is stopping", "STOPPING"] as const;
const unreadable = ["0x1", UNREADABLE, "UNKNOWN"] as const;
const NOT_DELETED = "Group 3 has not been deleted";

const TABLE: readonly Row[] = [
  {
    situation: "nothing",
    status: ABSENT,
    answers: [GENERATED, NO_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "genesis only",
    status: ABSENT,
    answers: [HAS_GENESIS, NO_INI, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "ini only",
    status: ABSENT,
    answers: [HAS_INI, NO_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "files without word",
    status: ABSENT,
    answers: [HAS_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "word without files",
    status: ABSENT,
    answers: [GENERATED, NO_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "running",
    status: "RUNNING",
    answers: [
      exists("RUNNING"),
      ["0x3", "Group 3 is already running", "RUNNING"],
      ["0x0", "Group 3 stopped successfully", "STOPPED"],
      ["0x0", "Group 3 deleted successfully", "DELETED"],
      ["0xf", NOT_DELETED, "RUNNING"],
    ],
  },
  {
    situation: "stopping",
    status: "STOPPING",
    answers: [isStopping, isStopping, isStopping, isStopping, isStopping],
  },
  {
    situation: "stopped",
    status: "STOPPED",
    answers: [
      exists("STOPPED"),
      ["0x0", "Group 3 started successfully", "RUNNING"],
      ["0x4", "Group 3 has already been stopped", "STOPPED"],
      ["0x0", "Group 3 deleted successfully", "DELETED"],
      ["0xf", NOT_DELETED, "STOPPED"],
    ],
  },
  {
    situation: "stopped without genesis",
    status: ABSENT,
    answers: [HAS_INI, NO_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "stopped without ini",
    status: "STOPPED",
    answers: [
      exists("STOPPED"),
      ["0xc", "Group config file for group 3 not found", "STOPPED"],
      ["0x4", "Group 3 has already been stopped", "STOPPED"],
      ["0x0", "Group 3 deleted successfully", "DELETED"],
      ["0xf", NOT_DELETED, "STOPPED"],
    ],
  },
  {
    situation: "deleted",
    status: "DELETED",
    answers: [
      exists("DELETED"),
      ["0x5", "Group 3 has been deleted", "DELETED"],
      ["0x5", "Group 3 has already been deleted", "DELETED"],
      ["0x5", "Group 3 has already been deleted", "DELETED"],
      ["0x0", "Group 3 recovered successfully", "STOPPED"],
    ],
  },
  {
    situation: "deleted without files",
    status: ABSENT,
    answers: [GENERATED, NO_GENESIS, NOT_FOUND, NOT_FOUND, NOT_FOUND],
  },
  {
    situation: "unknown",
    status: "UNKNOWN",
    answers: [unreadable, unreadable, unreadable, unreadable, unreadable],
  },
];

interface Scene {
  readonly machine: GroupMachine;
  /** Drops what was held back. */
  readonly release: () => Promise<void>;
}

async function runningGroup(machine: GroupMachine): Promise<void> {
  await machine.generate(3);
  assert.equal((await machine.manage("startGroup", 3))[0], "0x0");
}

/** A stop whose modules are down and whose last word is held back. */
async function stoppingGroup(machine: GroupMachine): Promise<() => Promise<void>> {
  let open: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  await runningGroup(machine);
  const reached = new Promise<void>((resolve) => {
    machine.beforeWrite = async (path, text) => {
      if (path !== STATUS || text !== "STOPPED") return;
      resolve();
      await held;
    };
  });
  const stop = machine.manage("stopGroup", 3);
  await reached;
  return async () => {
    open();
    assert.deepEqual(await stop, ["0x0", "Group 3 stopped successfully"]);
  };
}

async function arrange(situation: Situation): Promise<Scene> {
  const machine = new GroupMachine({ suite });
  await machine.start();
  const { files } = machine;
  const put = (path: string, text: string) => files.write(path, utf8Bytes(text));
  const genesis = FORMAT.writeGenesis(genesisOf(3, [SELF]));
  let release = async (): Promise<void> => undefined;
  if (situation === "genesis only" || situation === "files without word")
    await put(GENESIS, genesis);
  if (situation === "ini only" || situation === "files without word") await put(INI, "{}");
  if (situation === "word without files") await put(STATUS, "STOPPED");
  if (situation.startsWith("stopped") || situation.startsWith("deleted")) await machine.generate(3);
  if (situation.startsWith("deleted")) await machine.manage("removeGroup", 3);
  if (situation === "running") await runningGroup(machine);
  if (situation === "stopping") release = await stoppingGroup(machine);
  if (/without (genesis|files)/.test(situation)) await files.remove(GENESIS);
  if (/without (ini|files)/.test(situation)) await files.remove(INI);
  if (situation === "unknown") {
    await put(GENESIS, genesis);
    await put(INI, "{}");
    await put(STATUS, "PAUSED");
  }
  return { machine, release };
}

for (const { situation, status, answers } of TABLE) {
  test(`a group of which there is: ${situation}, has status ${status}`, async () => {
    const { machine, release } = await arrange(situation);
    const unknown = status === "UNKNOWN";
    const { result } = (await machine.request("queryGroupStatus", [3])) ?? {};
    const expected = { code: unknown ? "0x1" : "0x0", message: unknown ? UNREADABLE : "", status };
    assert.deepEqual(result, expected);
    await release();
    await machine.stop();
  });

  for (const [i, operation] of OPERATIONS.entries()) {
    const [code, message, after] = answers[i] ?? ["", "", ""];
    test(`${operation} of a group of which there is: ${situation}, answers ${code}`, async () => {
      const { machine, release } = await arrange(situation);
      const params = operation === "generateGroup" ? PARAMS : undefined;
      assert.deepEqual(await machine.manage(operation, 3, params), [code, message]);
      assert.equal(await machine.status(3), after);
      const isRunning = after === "RUNNING";
      const reply = await machine.request("getBlockNumber", [3]);
      assert.equal(reply?.error?.code, isRunning ? undefined : -40_001);
      const list = await machine.request("getGroupList", []);
      assert.deepEqual(list?.result, isRunning ? [3] : []);
      await release();
      await machine.stop();
      assert.deepEqual([...machine.openStores], []);
    });
  }
}

for (const situation of ["nothing", "running", "stopping", "stopped", "unknown"] as const) {
  test(`sealers without a session come first, also for a group: ${situation}`, async () => {
    const { machine, release } = await arrange(situation);
    const sealers = [...FOREIGN].reverse().concat(SELF);
    const answer = await machine.manage("generateGroup", 3, { ...PARAMS, sealers });
    assert.deepEqual(answer, ["0x8", `Peer(s) not connected: ${FOREIGN.join(", ")}`]);
    await release();
    await machine.stop();
  });
}

test("where dynamic groups are disabled only the query answers", async () => {
  const machine = new GroupMachine({ suite, node: { dynamicGroupDisabled: true } });
  await machine.start();
  for (const operation of OPERATIONS) {
    const params = operation === "generateGroup" ? [3, PARAMS] : [3];
    assert.equal((await machine.request(operation, params))?.error?.code, -100_001);
  }
  assert.equal(await machine.status(3), ABSENT);
  await machine.stop();
});

test("below compatibility version 2.2.0 no operation answers", async () => {
  const machine = new GroupMachine({ suite, node: { supportedVersion: version(2, 1, 0) } });
  await machine.start();
  for (const operation of [...OPERATIONS, "queryGroupStatus"]) {
    const params = operation === "generateGroup" ? [3, PARAMS] : [3];
    const error = (await machine.request(operation, params))?.error;
    assert.equal(error?.code, -40_009);
    assert.equal(error.message, `method ${operation} not support this version`);
  }
  await machine.stop();
});

test("a group without this node runs, is not in the list, and refuses its members' methods", async () => {
  for (const actAsGroupMember of [false, true]) {
    const other = identityOf(suite, 5).nodeId;
    const machine = new GroupMachine({ suite, node: { actAsGroupMember } });
    await machine.start();
    const { files } = machine;
    await files.write(GENESIS, utf8Bytes(FORMAT.writeGenesis(genesisOf(3, [other]))));
    await files.write(INI, utf8Bytes("{}"));
    await files.write(STATUS, utf8Bytes("STOPPED"));
    assert.equal((await machine.manage("startGroup", 3))[0], "0x0");
    const reply = await machine.request("getBlockNumber", [3]);
    assert.equal(reply?.error?.code, actAsGroupMember ? undefined : -40_009);
    assert.deepEqual((await machine.request("getGroupList", []))?.result, []);
    await machine.stop();
  }
});
