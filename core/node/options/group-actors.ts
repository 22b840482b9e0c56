/** Starts the actors of a group: named after it, watched by its owner. */
import { startSupervised } from "../../actors/supervise.ts";
import type { Log } from "../../ports/log.ts";
import type { GroupOptions } from "./group-options.ts";

type AnyLogic = Parameters<typeof startSupervised>[0];

/** Starts an actor of the group; what it fails with ends the group. */
export function startInGroup<Logic extends AnyLogic>(
  logic: Logic,
  actor: { readonly name: string; readonly input: unknown },
  { group, log }: { readonly group: GroupOptions; readonly log: Log },
) {
  const { groupId, inspect, parent, onFailure } = group;
  return startSupervised(logic, {
    id: `g${groupId}.${actor.name}`,
    input: actor.input as never,
    log,
    inspect,
    parent,
    onError: onFailure,
  });
}
