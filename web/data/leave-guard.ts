/** A question before a tab is closed whose node others count on. */
import type { TabNode, TabStatus } from "../../runtimes/browser/link/api.ts";

/** Whether a network would miss the node that this very tab runs. */
export function isMissed({ phase, owner, chain, nodes }: TabStatus): boolean {
  if (phase !== "running" || owner !== "this" || chain?.kind !== "join") return false;
  return nodes.some(({ groups }) =>
    groups.some(({ isMember, consensus }) => isMember && consensus.isSealer),
  );
}

/** Has the browser ask, as long as the node is a sealer of a network. */
export function guardLeaving(node: Pick<TabNode, "onStatus">): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  node.onStatus((status) => {
    if (isMissed(status)) addEventListener("beforeunload", ask);
    else removeEventListener("beforeunload", ask);
  });
}
