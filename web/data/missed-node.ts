/** Whether others count on the node of a tab. */
import type { TabStatus } from "../../runtimes/browser/link/api.ts";

/** Whether a network would miss the node that this very tab runs. */
export function isMissed({ phase, owner, chain, nodes }: TabStatus): boolean {
  if (phase !== "running" || owner !== "this" || chain?.kind !== "join") return false;
  return nodes.some(({ groups }) =>
    groups.some(({ isMember, consensus }) => isMember && consensus.isSealer),
  );
}
