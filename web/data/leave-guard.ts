/** A question before a tab is closed whose node others count on. */
import type { TabNode } from "../../runtimes/browser/link/api.ts";
import { isMissed } from "./missed-node.ts";

/** Has the browser ask, as long as the node is a sealer of a network. */
export function guardLeaving(node: Pick<TabNode, "onStatus">): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  node.onStatus((status) => {
    if (isMissed(status)) addEventListener("beforeunload", ask);
    else removeEventListener("beforeunload", ask);
  });
}
