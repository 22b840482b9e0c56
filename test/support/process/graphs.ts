/** Chains of nodes of which some have no connection: rings and stars behind proxies. */
import assert from "node:assert/strict";
import { growingPauses } from "./dev-process.ts";
import type { NodeProcess, ProcessChain } from "./node-processes.ts";
import { between } from "./proxy.ts";
import { peersOf } from "./process-checks.ts";

/** The name of a form that a network has. */
export type GraphName = "mesh" | "ring" | "star";

/** The centre of a star of four. */
export const CENTRE = 2;

/** Whether two nodes of this many are connected. */
function isCable(name: GraphName, [one, other]: readonly [number, number], nodes: number): boolean {
  if (name === "mesh") return true;
  if (name === "star") return one === CENTRE || other === CENTRE;
  return (one + 1) % nodes === other || (other + 1) % nodes === one;
}

/** Cuts the connections that a graph has not; before any node is started. */
export function cutInto({ links, nodes }: ProcessChain, name: GraphName): void {
  assert.ok(links, "the nodes reach each other through proxies");
  for (const one of nodes.keys())
    for (const other of nodes.keys())
      if (one < other && !isCable(name, [one, other], nodes.length))
        links.cut(between([one], [other]));
}

/** Waits until all have the sessions that they can have. */
export async function untilGraph(nodes: readonly NodeProcess[], name: GraphName): Promise<void> {
  for (const [one, node] of nodes.entries()) {
    const near = [...nodes.keys()].filter(
      (other) => other !== one && isCable(name, [one, other], nodes.length),
    );
    for (const pause = growingPauses(); (await peersOf(node)).length < near.length; await pause());
    assert.equal((await peersOf(node)).length, near.length);
  }
}
