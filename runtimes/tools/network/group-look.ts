/** What the nodes of this host say of their groups at one moment. */
import type { GroupHealth } from "../../shared/health.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import type { LiveNode } from "./live-network.ts";
import { pidOf } from "./node-processes.ts";

/** What was seen, by the nodes' names. */
export interface GroupLook {
  readonly groups: ReadonlyMap<string, readonly GroupHealth[]>;
  /** Nodes that have no process. */
  readonly down: ReadonlySet<string>;
}

/** Asks nodes at the same time. */
export async function lookAt(nodes: readonly LiveNode[]): Promise<GroupLook> {
  const probes = await Promise.all(nodes.map(({ folder }) => probeNode(folder)));
  const found = nodes.flatMap(({ spec }, index) => {
    const probe = probes[index];
    return probe ? [{ name: spec.name, probe }] : [];
  });
  const answered = found.flatMap(({ name, probe }) =>
    probe.health ? [[name, probe.health.groups] as const] : [],
  );
  const down = found.filter(({ probe }) => pidOf(probe) === undefined).map(({ name }) => name);
  return { groups: new Map(answered), down: new Set(down) };
}

/** What a node reports of one of its groups; undefined when it does not answer or has it not. */
export function groupIn(look: GroupLook, { spec }: LiveNode, id: number): GroupHealth | undefined {
  return look.groups.get(spec.name)?.find(({ group }) => group === id);
}
