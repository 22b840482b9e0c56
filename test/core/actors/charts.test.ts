/** The statecharts that run: nothing in them is dead, and each is the one that pages show. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import type { AnyActor, AnyStateMachine } from "xstate";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { CHARTS } from "../../../runtimes/shared/theatre/charts.ts";
import {
  genesisOf,
  GroupMachine,
  identityOf,
  immediateHub,
} from "../../support/world/group-machine.ts";

type StateNode = AnyStateMachine["root"];

const ROOT = join(import.meta.dirname, "../../..");
const ACTORS = join(ROOT, "core/actors");
/** What the machines of a running node begin by themselves. */
const OWN_EVENTS = /^(xstate\.(done|error)\.|$)/;

async function allMachines(): Promise<readonly AnyStateMachine[]> {
  const files = readdirSync(ACTORS).filter((name) => name.endsWith(".machine.ts"));
  const machines: AnyStateMachine[] = [];
  for (const name of files) {
    const exported = Object.values((await import(join(ACTORS, name))) as Record<string, unknown>);
    machines.push(...exported.filter((value): value is AnyStateMachine => isMachine(value)));
  }
  assert.equal(machines.length, files.length, "one machine in each file");
  return machines;
}

function isMachine(value: unknown): value is AnyStateMachine {
  return typeof value === "object" && value !== null && "root" in value && "transition" in value;
}

function statesOf(state: StateNode): readonly StateNode[] {
  return [state, ...(Object.values(state.states) as StateNode[]).flatMap(statesOf)];
}

function arrowsOf(state: StateNode) {
  return [...[...state.transitions.values()].flat(), ...(state.always ?? [])];
}

/** All states that can be active, by the arrows alone. */
function reachable(machine: AnyStateMachine): ReadonlySet<StateNode> {
  const seen = new Set<StateNode>();
  const enter = (state: StateNode): void => {
    for (let outer: StateNode | undefined = state; outer; outer = outer.parent) visit(outer);
    const inner = Object.values(state.states) as StateNode[];
    if (state.type === "parallel") inner.forEach(enter);
    else for (const first of state.initial?.target ?? []) enter(first as StateNode);
  };
  const visit = (state: StateNode): void => {
    if (seen.has(state)) return;
    seen.add(state);
    for (const { target } of arrowsOf(state)) for (const to of target ?? []) enter(to as StateNode);
  };
  enter(machine.root);
  return seen;
}

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesOf(path);
    return path.endsWith(".ts") ? [readFileSync(path, "utf8")] : [];
  });
}

test("every state of every chart can be reached", async () => {
  for (const machine of await allMachines()) {
    const states = reachable(machine);
    const dead = statesOf(machine.root).filter((state) => !states.has(state));
    assert.deepEqual(
      dead.map(({ id }) => id),
      [],
    );
  }
});

test("every event of every chart is sent by somebody", async () => {
  const sources = sourcesOf(join(ROOT, "core")).join("\n");
  // `.send({ type: "x"` or `"x" : "y"` by a condition; declarations begin with `readonly`.
  const types = sources.matchAll(/(?<!readonly )\btype: (?:\w+ \? "([\w.]+)" : )?"([\w.]+)"/g);
  const sent = new Set([...types].flatMap(([, one, other]) => [one, other]));
  const named = sources.match(/#perform\("group\.\w+"\)/g) ?? [];
  for (const call of named) sent.add(call.slice('#perform("'.length, -2));
  for (const machine of await allMachines()) {
    const events = statesOf(machine.root).flatMap((state) => [...state.transitions.keys()]);
    const unsent = [...new Set(events)].filter((e) => !OWN_EVENTS.test(e) && !sent.has(e));
    assert.deepEqual(unsent, [], machine.id);
  }
});

test("the charts that pages show are those of the actors that run", async () => {
  const suite = await createNodeSuite();
  const actors: AnyActor[] = [];
  const sealers = [0, 1].map((index) => identityOf(suite, index).nodeId);
  const fixed = [
    genesisOf(1, sealers),
    { ...genesisOf(2, sealers), consensusType: "raft" } as const,
  ];
  const inspect = { onActor: (actor: AnyActor) => void actors.push(actor) };
  const hub = immediateHub();
  const machines = [0, 1].map(
    (index) => new GroupMachine({ suite, hub, index, fixed, node: { inspect } }),
  );
  await Promise.all(machines.map((machine) => machine.start()));
  const idOf = (actor: AnyActor) => (actor.logic as AnyStateMachine).id;
  // The two learn of each other in a later turn.
  while (!actors.some((actor) => idOf(actor) === "session"))
    await new Promise((resume) => void setImmediate(resume));
  const shown = new Map(CHARTS.map((chart) => [chart.id, chart]));
  const running = new Set<string>();
  for (const actor of actors) {
    const logic = actor.logic as AnyStateMachine;
    running.add(logic.id);
    const chart = shown.get(logic.id);
    assert.ok(chart, `${logic.id} is not shown`);
    const keys = (state: StateNode): unknown => [
      state.path.join("."),
      arrowsOf(state).map(({ eventType, target }) => [
        eventType.replace(/^xstate\.(done|error)\..*/, "$1"),
        (target ?? []).map(({ path }) => path.join(".")),
      ]),
      (Object.values(state.states) as StateNode[]).map(keys),
    ];
    const shownKeys = (state: (typeof CHARTS)[number]["root"]): unknown => [
      state.path,
      state.transitions.map(({ event, targets }) => [event, targets]),
      state.states.map(shownKeys),
    ];
    assert.deepEqual(shownKeys(chart.root), keys(logic.root), logic.id);
  }
  await Promise.all(machines.map((machine) => machine.stop()));
  assert.deepEqual(
    [...shown.keys()].filter((id) => !running.has(id)),
    [],
  );
});
