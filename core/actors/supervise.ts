/**
 * Starts actors so that none fails in silence: every root gets an error observer.
 * Source: guide actors 3
 */
import {
  type ActorOptions,
  type AnyActorLogic,
  type AnyMachineSnapshot,
  createActor,
  type InputFrom,
  waitFor,
} from "xstate";
import type { Log } from "../ports/log.ts";

/** Sees every transition of the actors of a node; a page or a test subscribes here. */
export type Inspector = NonNullable<ActorOptions<AnyActorLogic>["inspect"]>;

/** What a supervised actor needs. */
export interface SuperviseOptions<Logic extends AnyActorLogic> {
  readonly id: string;
  readonly input: InputFrom<Logic>;
  readonly log: Log;
  readonly inspect?: Inspector | undefined;
  /** Called once when the actor ends with an error; decides what stops with it. */
  readonly onError: (cause: unknown) => void;
}

/** Creates and starts an actor whose failure is logged and handed to its owner, never lost. */
export function startSupervised<Logic extends AnyActorLogic>(
  logic: Logic,
  options: SuperviseOptions<Logic>,
) {
  const actor = createActor(logic, {
    id: options.id,
    input: options.input,
    ...(options.inspect ? { inspect: options.inspect } : {}),
  } as ActorOptions<Logic>);
  actor.subscribe({
    error: (cause: unknown) => {
      options.log.write("error", "actor failed", { actor: options.id, cause: describe(cause) });
      options.onError(cause);
    },
  });
  actor.start();
  return actor;
}

/** One line about a thrown value, for logs. */
export function describe(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}

/** Resolves with the snapshot once it satisfies the condition. @throws Error after the time-out */
export function until<Snapshot extends AnyMachineSnapshot>(
  actor: { getSnapshot(): Snapshot } & Parameters<typeof waitFor>[0],
  holds: (snapshot: Snapshot) => boolean,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Snapshot> {
  const condition = (snapshot: unknown) => holds(snapshot as Snapshot);
  return waitFor(actor, condition, { timeout: timeoutMs }) as Promise<Snapshot>;
}
