/** What the nodes of this host say of their groups at one moment. */
import type { GroupHealth } from "../../shared/health.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import type { LiveNode } from "./live-network.ts";

/** The groups of the nodes that answer, by the nodes' names. */
export type GroupLook = ReadonlyMap<string, readonly GroupHealth[]>;

/** Asks nodes at the same time. */
export async function lookAt(nodes: readonly LiveNode[]): Promise<GroupLook> {
  const probes = await Promise.all(nodes.map(({ folder }) => probeNode(folder)));
  const found = nodes.flatMap(({ spec }, index) => {
    const groups = probes[index]?.health?.groups;
    return groups ? [[spec.name, groups] as const] : [];
  });
  return new Map(found);
}

/** What a node says of one of its groups; undefined when it does not answer or has it not. */
export function groupIn(look: GroupLook, { spec }: LiveNode, id: number): GroupHealth | undefined {
  return look.get(spec.name)?.find(({ group }) => group === id);
}
