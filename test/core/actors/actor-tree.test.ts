/** The actors of a node are a tree: the node has groups, a group has its parts. Source: groups 2 */
import assert from "node:assert/strict";
import { afterEach, test } from "vitest";
import { type AnyActor, type AnyActorLogic, type AnyActorRef, type InputFrom, setup } from "xstate";
import { groupMachine } from "../../../core/actors/group.machine.ts";
import { nodeMachine } from "../../../core/actors/node.machine.ts";
import { childrenOf, endActor, startSupervised } from "../../../core/actors/supervise.ts";
import type { PoolActor } from "../../../core/actors/txpool.machine.ts";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../../support/world/group-machine.ts";

const PARTS = ["consensus", "sealing", "sync", "txpool"] as const;

let machines: readonly GroupMachine[] = [];

afterEach(async () => {
  await Promise.all(machines.map((machine) => machine.stop()));
  machines = [];
});

/** Two nodes with two groups: one of PBFT, one of Raft. The actors are those of the first node. */
async function startNodes() {
  const suite = await createNodeSuite();
  const actors = new Map<string, AnyActor>();
  const ended: string[] = [];
  const onActor = (actor: AnyActor) => {
    actors.set(actor.id, actor);
    // A node that looks on at an actor without hearing of its failure has that thrown at the
    // process.
    actor.subscribe({ complete: () => void ended.push(actor.id), error: () => undefined });
  };
  const sealers = [0, 1].map((index) => identityOf(suite, index).nodeId);
  const raft = { ...genesisOf(2, sealers), consensusType: "raft" } as const;
  const fixed = [genesisOf(1, sealers), raft];
  const hub = immediateHub();
  machines = [0, 1].map((index) => {
    const node = index === 0 ? { inspect: { onActor } } : {};
    return new GroupMachine({ suite, hub, index, fixed, node });
  });
  await Promise.all(machines.map((machine) => machine.start()));
  while (![...actors.keys()].some((id) => id.includes("session"))) await turn();
  const [machine] = machines;
  assert.ok(machine);
  return { machine, actors, ended };
}

const turn = () => new Promise((resume) => void setImmediate(resume));

/** The tree below an actor, a line for each, indented by its level. */
function drawn(actor: AnyActorRef, level = 0): readonly string[] {
  const children = Object.values(childrenOf(actor)).sort((a, b) => (a.id < b.id ? -1 : 1));
  return ["  ".repeat(level) + actor.id, ...children.flatMap((it) => drawn(it, level + 1))];
}

const withoutPeers = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/session\.\w+$/, "session"));

const groupLines = (group: number, parts: readonly string[]) => [
  `  group${group}`,
  ...parts.map((part) => `    g${group}.${part}`),
];

const RUNNING = ["consensus", "sealing", "session", "sync", "txpool"];

test("a node has its groups below it, and each group its parts", async () => {
  const { actors } = await startNodes();
  const node = actors.get("node");
  assert.ok(node);
  const lines = withoutPeers(drawn(node));
  assert.deepEqual(lines, ["node", ...groupLines(1, RUNNING), ...groupLines(2, RUNNING)]);
});

test("a part that fails stops its group, and neither the node nor the other group", async () => {
  const { machine, actors, ended } = await startNodes();
  const node = actors.get("node");
  const pool = actors.get("g1.txpool") as PoolActor | undefined;
  assert.ok(node && pool);
  pool.send({ type: "pool.broke", cause: new Error("out of order") });
  const group = actors.get("group1");
  while (group?.getSnapshot().value !== "failed") await turn();
  assert.match(String(machine.node.api.groupHalt?.(1)), /out of order/);
  assert.deepEqual(withoutPeers(drawn(node)), ["node", "  group1", ...groupLines(2, RUNNING)]);
  assert.equal(node.getSnapshot().value, "serving");
  assert.ok(machine.node.api.group(2));
  for (const part of PARTS) assert.equal(ended.includes(`g2.${part}`), false);
});

/** Ends with an error as soon as it is told anything. */
const fragile = setup({
  types: {} as { events: { readonly type: "pool.broke"; readonly cause: unknown } },
  actions: {
    fail: ({ event }) => {
      throw event.cause;
    },
  },
}).createMachine({ id: "fragile", on: { "pool.broke": { actions: "fail" } } });

test("a child that fails is an event of its parent: a group fails with it, a node does not", async () => {
  const log = { write: () => undefined };
  const heard: string[] = [];
  const begin = <Logic extends AnyActorLogic>(logic: Logic, id: string, parent?: AnyActor) => {
    const onError = () => void heard.push(id);
    const input = { boot: "start" } as InputFrom<Logic>;
    return startSupervised(logic, { id, input, log, parent, onError });
  };
  const node = begin(nodeMachine, "node");
  const group = begin(groupMachine, "group1", node);
  while (group.getSnapshot().value !== "running") await turn();
  const [part, own] = [begin(fragile, "part", group), begin(fragile, "own", node)];
  assert.deepEqual(drawn(node), ["node", "  group1", "    part", "  own"]);
  part.send({ type: "pool.broke", cause: new Error("out of order") });
  while (group.getSnapshot().value !== "failed") await turn();
  assert.equal(group.getSnapshot().context.failure, "Error: out of order");
  own.send({ type: "pool.broke", cause: new Error("out of order") });
  assert.deepEqual(heard, ["part", "own"]);
  assert.deepEqual([node.getSnapshot().status, group.getSnapshot().status], ["active", "active"]);
  endActor(group);
  assert.equal(group.getSnapshot().status, "stopped");
  endActor(node);
});

test("parents stop their children in order: sync, sealer, consensus, pool; then group and node", async () => {
  const { machine, ended } = await startNodes();
  await machine.stop();
  const order = (names: readonly string[]) => ended.filter((id) => names.includes(id));
  for (const group of [1, 2]) {
    const names = ["sync", "sealing", "consensus", "txpool"].map((part) => `g${group}.${part}`);
    assert.deepEqual(order(names), names);
    assert.deepEqual(order([`g${group}.txpool`, `group${group}`, "node"]), [
      `g${group}.txpool`,
      `group${group}`,
      "node",
    ]);
  }
});
