/** The statecharts of a node's actors as data, read from the machines that run. */
import type { AnyActor, AnyStateMachine, InspectionEvent } from "xstate";
import { consensusMachine } from "../../../core/actors/consensus.machine.ts";
import { groupMachine } from "../../../core/actors/group.machine.ts";
import { nodeMachine } from "../../../core/actors/node.machine.ts";
import { raftMachine } from "../../../core/actors/raft.machine.ts";
import { sealingMachine } from "../../../core/actors/sealing.machine.ts";
import { sessionMachine } from "../../../core/actors/session.machine.ts";
import { syncMachine } from "../../../core/actors/sync.machine.ts";
import { txpoolMachine } from "../../../core/actors/txpool.machine.ts";
import type { ActorView, Chart, ChartState, ChartTransition, TakenView } from "./frame.ts";

type StateNode = AnyStateMachine["root"];
type Transition = StateNode["always"] extends readonly (infer One)[] | undefined ? One : never;

/** All machines of a node; the one of the other protocol too. */
export const CHARTS: readonly Chart[] = (
  [
    nodeMachine,
    groupMachine,
    consensusMachine,
    raftMachine,
    sealingMachine,
    syncMachine,
    txpoolMachine,
    sessionMachine,
  ] as unknown as readonly AnyStateMachine[]
).map((machine) => ({ id: machine.id, root: stateOf(machine.root) }));

function stateOf(state: StateNode): ChartState {
  const initial = state.type === "compound" ? state.initial?.target[0]?.key : undefined;
  return {
    key: state.key,
    path: state.path.join("."),
    type: state.type,
    initial,
    states: Object.values(state.states as Record<string, StateNode>).map(stateOf),
    transitions: transitionsOf(state),
  };
}

function transitionsOf(state: StateNode): ChartTransition[] {
  const own = [...state.transitions.values()].flat().map(transitionOf);
  return [...own, ...(state.always ?? []).map(transitionOf)];
}

function transitionOf({ eventType, guard, target }: Transition): ChartTransition {
  return {
    event: eventText(eventType),
    guard: guardText(guard),
    targets: (target ?? []).map(({ path }) => path.join(".")),
  };
}

/** What a state waits for: `done` and `error` of what it began. */
function eventText(type: string): string {
  if (type.startsWith("xstate.done.")) return "done";
  return type.startsWith("xstate.error.") ? "error" : type;
}

function guardText(guard: unknown): string | undefined {
  if (typeof guard === "string") return guard;
  if (typeof guard !== "object" || guard === null) return undefined;
  const { type, params } = guard as { type?: unknown; params?: unknown };
  const values = typeof params === "object" && params !== null ? Object.values(params) : [];
  return [type, ...values].filter((word) => typeof word === "string").join(" ");
}

/** What an actor did, without whose it is. */
export type Taken = Pick<TakenView, "from" | "transition">;

/** What was shown of each transition: the same few are taken again and again. */
const taken = new WeakMap<object, Taken>();

/**
 * Tells each transition that the actors of a root take, with the name of the actor. They are all
 * seen from the root, or from any of them: its children, and theirs, belong to its system.
 *
 * @returns ends it
 */
export function watchTransitions(
  root: AnyActor,
  onTaken: (actor: string, it: Taken) => void,
): () => void {
  const subscription = root.system.inspect((event: InspectionEvent) => {
    if (event.type !== "@xstate.microstep") return;
    const { id } = event.actorRef as AnyActor;
    for (const transition of event._transitions) onTaken(id, takenOf(transition));
  });
  return () => subscription.unsubscribe();
}

function takenOf(definition: Transition): Taken {
  const known = taken.get(definition);
  if (known) return known;
  const from = definition.source.path.join(".");
  const view = { from, transition: transitionOf(definition) };
  taken.set(definition, view);
  return view;
}

/** Paths of the active states of a value, outer before inner. */
function activePaths(value: unknown, above = ""): string[] {
  const join = (key: string) => (above === "" ? key : `${above}.${key}`);
  if (typeof value === "string") return [join(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = join(key);
    return [path, ...activePaths(inner, path)];
  });
}

/** The snapshot of an actor, as far as it is examined. */
export interface Snapshot {
  readonly status: ActorView["status"];
  readonly value?: unknown;
  readonly context?: unknown;
  readonly machine?: { readonly id: string };
}

/** What was shown of each snapshot: a step changes those of few actors. */
const views = new WeakMap<object, ActorView>();

/** An actor as a frame shows it. */
export function actorView(name: string, actor: AnyActor): ActorView {
  const snapshot = actor.getSnapshot() as Snapshot;
  const known = views.get(snapshot);
  if (known?.name === name && known.status === snapshot.status) return known;
  const { status, value, machine } = snapshot;
  const view = { name, chart: machine?.id ?? "", active: activePaths(value), status };
  views.set(snapshot, view);
  return view;
}
