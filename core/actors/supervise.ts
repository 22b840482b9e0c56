/** Starts actors so that none fails unnoticed: the node has groups, these their parts. */
import {
  type Actor,
  type ActorOptions,
  type AnyActor,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyMachineSnapshot,
  createActor,
  type InputFrom,
  waitFor,
} from "xstate";
import { GroupFault } from "../fault/group-fault.ts";
import { invariant } from "../fault/invariant.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** Gets to know each actor as it starts; costs nothing afterwards. */
export interface ActorGallery {
  onActor(actor: AnyActor): void;
}

/** Sees every transition of the actors of a node, or only gets to know them. */
export type Inspector = NonNullable<ActorOptions<AnyActorLogic>["inspect"]> | ActorGallery;

/** An actor of a machine that takes {@link ChildEvent}s. */
export type Parent = AnyActorRef;

/** What a machine with children is notified of them. A child that fails is an event of its own. */
export type ChildEvent = Readonly<
  | { type: "child.begin"; id: string; logic: AnyActorLogic; input: unknown }
  | { type: "child.end"; child: AnyActorRef }
>;

/** What a supervised actor needs. */
export interface SuperviseOptions<Logic extends AnyActorLogic> {
  readonly id: string;
  readonly input: InputFrom<Logic>;
  readonly log: Log;
  readonly inspect?: Inspector | undefined;
  /** Whose child it is; absent: it is a root. */
  readonly parent?: Parent | undefined;
  /** Called once when the actor ends with an error; decides what stops with it. */
  readonly onError: (cause: unknown) => void;
}

/** Creates and starts an actor whose failure is logged and handed to its owner, never lost. */
export function startSupervised<Logic extends AnyActorLogic>(
  logic: Logic,
  options: SuperviseOptions<Logic>,
) {
  const { inspect, parent } = options;
  const actor = parent ? startChild(logic, parent, options) : makeRoot(logic, options);
  if (inspect && isGallery(inspect)) inspect.onActor(actor);
  actor.subscribe({
    error: (cause: unknown) => {
      options.log.write("error", "actor failed", { actor: options.id, cause: describe(cause) });
      options.onError(cause);
    },
  });
  actor.start();
  return actor;
}

/** An inspector sees the children of a root too. */
function makeRoot<Logic extends AnyActorLogic>(
  logic: Logic,
  { id, input, inspect }: SuperviseOptions<Logic>,
): Actor<Logic> {
  const seeing = inspect && !isGallery(inspect) ? { inspect } : {};
  return createActor(logic, { id, input, ...seeing } as ActorOptions<Logic>);
}

function startChild<Logic extends AnyActorLogic>(
  logic: Logic,
  parent: Parent,
  { id, input }: Pick<SuperviseOptions<Logic>, "id" | "input">,
): Actor<Logic> {
  const before = childrenOf(parent)[id];
  parent.send({ type: "child.begin", id, logic, input });
  const child = childrenOf(parent)[id];
  invariant(child && child !== before, `${parent.id} has begun ${id}`);
  return child as Actor<Logic>;
}

/** The children of an actor, by their names. */
export function childrenOf(parent: Parent): Readonly<Record<string, AnyActorRef>> {
  return (parent.getSnapshot() as Partial<AnyMachineSnapshot>).children ?? {};
}

/** Ends an actor: a child by its parent, and with that at the latest. */
export function endActor(actor: AnyActorRef): void {
  const { _parent: parent } = actor;
  if (!parent) actor.stop();
  else if (parent.getSnapshot().status === "active")
    parent.send({ type: "child.end", child: actor });
}

function isGallery(inspector: Inspector): inspector is ActorGallery {
  return "onActor" in inspector;
}

/**
 * A listener to what an actor emits. What it throws goes to the owner: the actor would throw it
 * again in a turn of its own, where no caller catches it and the whole process ends.
 */
export function guarded<Emitted>(
  listener: (emitted: Emitted) => void,
  onError: (cause: unknown) => void,
): (emitted: Emitted) => void {
  return (emitted) => {
    try {
      listener(emitted);
    } catch (cause) {
      onError(cause);
    }
  };
}

/** One line about a thrown value, for logs. */
export function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

/** How long something may take, by the clock of the node. */
export interface Patience {
  readonly clock: Pick<Clock, "after">;
  readonly ms: number;
}

/** Resolves once the snapshot satisfies the condition. @throws GroupFault after the patience */
export function until<Snapshot extends AnyMachineSnapshot>(
  actor: { getSnapshot(): Snapshot } & Parameters<typeof waitFor>[0],
  holds: (snapshot: Snapshot) => boolean,
  patience?: Patience,
): Promise<Snapshot> {
  const condition = (snapshot: unknown) => holds(snapshot as Snapshot);
  const reached = waitFor(actor, condition) as Promise<Snapshot>;
  if (!patience) return reached;
  return new Promise((resolve, reject) => {
    const { clock, ms } = patience;
    const cancel = clock.after(ms, () => reject(new GroupFault(`not done within ${ms} ms`)));
    reached.then(resolve, reject).finally(cancel);
  });
}
