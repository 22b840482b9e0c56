/** The life of a group on a node: every operation, and a loss of power at any effect of them. */
// rules: groups 2, groups 3
import assert from "node:assert/strict";
import { test } from "vitest";
import { GROUP_CODE, type GroupCodeName } from "../../../../core/fault/group-code.ts";
import type { GroupOperation, GroupStatus } from "../../../../core/api/node-api.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";

const suite = await createNodeSuite();
/** No operation has more effects than this. */
const MOST_EFFECTS = 40;

async function startWorld(): Promise<NodeWorld> {
  const world = new NodeWorld({ suite, seed: 2, nodes: 1 });
  await world.startAll();
  return world;
}

async function perform(world: NodeWorld, operation: GroupOperation): Promise<number> {
  const { api } = world.node(0);
  return (await world.settle(api.manageGroup(operation, 1), operation)).code;
}

async function statusOf(world: NodeWorld): Promise<GroupStatus> {
  return (await world.node(0).api.groupStatus(1)).status;
}

async function walk(world: NodeWorld, operations: readonly GroupOperation[]): Promise<void> {
  for (const operation of operations) assert.equal(await perform(world, operation), 0, operation);
}

const WAYS: readonly (readonly [readonly GroupOperation[], GroupStatus])[] = [
  [[], "RUNNING"],
  [["stopGroup"], "STOPPED"],
  [["stopGroup", "startGroup"], "RUNNING"],
  [["removeGroup"], "DELETED"],
  [["stopGroup", "removeGroup"], "DELETED"],
  [["removeGroup", "recoverGroup"], "STOPPED"],
  [["removeGroup", "recoverGroup", "startGroup"], "RUNNING"],
];

for (const [operations, status] of WAYS) {
  test(`${operations.join(", ") || "nothing"} leads to ${status}, and a restart keeps that`, async () => {
    const world = await startWorld();
    await walk(world, operations);
    assert.equal(await statusOf(world), status);
    assert.deepEqual(world.node(0).api.groupList(), status === "RUNNING" ? [1] : []);
    await world.stopAll();
    world.crash(world.machine(0));
    await world.start(0);
    assert.equal(await statusOf(world), status);
  });
}

/** Answers by status, in the order of OPERATIONS. Source: interface 7.4; groups 3 */
const OPERATIONS = [
  "generateGroup",
  "startGroup",
  "stopGroup",
  "removeGroup",
  "recoverGroup",
] as const;
const ANSWERS: readonly (readonly [
  GroupStatus,
  readonly GroupOperation[],
  readonly GroupCodeName[],
])[] = [
  [
    "RUNNING",
    [],
    ["GROUP_ALREADY_EXISTS", "GROUP_ALREADY_RUNNING", "SUCCESS", "SUCCESS", "GROUP_NOT_DELETED"],
  ],
  [
    "STOPPED",
    ["stopGroup"],
    ["GROUP_ALREADY_EXISTS", "SUCCESS", "GROUP_ALREADY_STOPPED", "SUCCESS", "GROUP_NOT_DELETED"],
  ],
  [
    "DELETED",
    ["removeGroup"],
    [
      "GROUP_ALREADY_EXISTS",
      "GROUP_ALREADY_DELETED",
      "GROUP_ALREADY_DELETED",
      "GROUP_ALREADY_DELETED",
      "SUCCESS",
    ],
  ],
];

for (const [status, way, answers] of ANSWERS) {
  for (const [i, operation] of OPERATIONS.entries()) {
    const answer = answers[i] ?? "SUCCESS";
    test(`${operation} on a group that is ${status} answers ${answer}`, async () => {
      const world = await startWorld();
      await walk(world, way);
      assert.equal(await perform(world, operation), GROUP_CODE[answer]);
      await world.stopAll();
    });
  }
}

test("a transaction is committed again after stop and start, and after remove, recover and start", async () => {
  const world = await startWorld();
  for (const way of [["stopGroup"], ["removeGroup", "recoverGroup"]] as const) {
    await walk(world, [...way, "startGroup"]);
    const { outcome } = world.submit(0);
    assert.equal((await world.settle(outcome, "admission")).ok, true);
    const before = world.group(0).ledger.head().number;
    await world.until(() => world.group(0).ledger.head().number > before, 30_000, "a block");
  }
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

test("operations that come at the same time are performed one after the other", async () => {
  const world = await startWorld();
  const { api } = world.node(0);
  const answers = Promise.all([
    api.manageGroup("stopGroup", 1),
    api.manageGroup("stopGroup", 1),
    api.manageGroup("removeGroup", 1),
  ]);
  const codes = (await world.settle(answers, "operations")).map(({ code }) => code);
  assert.equal(codes.filter((code) => code === 0x0).length >= 1, true);
  assert.ok(["STOPPED", "DELETED"].includes(await statusOf(world)));
  await world.stopAll();
});

/** What the table allows after a loss of power: any status passed through, a stop completed. */
const CUTS: readonly {
  readonly operation: GroupOperation;
  readonly before: readonly GroupOperation[];
  readonly allowed: readonly GroupStatus[];
  readonly done: GroupStatus;
}[] = [
  { operation: "stopGroup", before: [], allowed: ["RUNNING", "STOPPED"], done: "STOPPED" },
  {
    operation: "removeGroup",
    before: [],
    allowed: ["RUNNING", "STOPPED", "DELETED"],
    done: "DELETED",
  },
  {
    operation: "removeGroup",
    before: ["stopGroup"],
    allowed: ["STOPPED", "DELETED"],
    done: "DELETED",
  },
  {
    operation: "recoverGroup",
    before: ["removeGroup"],
    allowed: ["DELETED", "STOPPED"],
    done: "STOPPED",
  },
  {
    operation: "startGroup",
    before: ["stopGroup"],
    allowed: ["STOPPED", "RUNNING"],
    done: "RUNNING",
  },
];

for (const { operation, before, allowed, done } of CUTS) {
  const from = before.join(", ") || "start";
  test(`power lost at any effect of ${operation} after ${from} leaves ${allowed.join(" or ")}`, async () => {
    const seen = new Set<GroupStatus>();
    for (let effects = 1; effects <= MOST_EFFECTS; effects++) {
      const world = await startWorld();
      await walk(world, before);
      world.machine(0).effectsLeft = effects;
      let answered = false;
      world
        .node(0)
        .api.manageGroup(operation, 1)
        .then(
          () => (answered = true),
          () => undefined,
        );
      await world.until(() => answered || !world.machine(0).life, 60_000, operation);
      const finished = answered && world.machine(0).life !== undefined;
      world.crash(world.machine(0));
      await world.start(0);
      const status = await statusOf(world);
      assert.ok(allowed.includes(status), `${status} after ${effects} effects`);
      // What was answered stays.
      if (answered) assert.equal(status, done, `after ${effects} effects`);
      seen.add(status);
      assert.deepEqual(world.node(0).api.groupList(), status === "RUNNING" ? [1] : []);
      if (finished) break;
      assert.ok(effects < MOST_EFFECTS, "the operation ends");
    }
    assert.ok(seen.has(done), `${[...seen].join()} were seen`);
  });
}
