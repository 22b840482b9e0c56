/** Whether the chain that the page shows is a trial of its user, and not one of many operators. */
import type { TabChain } from "../../runtimes/browser/link/api.ts";
import { pageFacts } from "./open-source.ts";
import type { ChainSource, SourceKind } from "./source.ts";

/** All nodes in this browser, or all in the process behind the page; undefined for other chains. */
export type OwnChain = "tab" | "dev" | undefined;

/** What is known of a chain without asking it. */
interface ChainOrigin {
  readonly kind: SourceKind;
  /** Whether the node behind the page says that it is a development chain. */
  readonly isDev: boolean;
  /** What the node of this browser runs: a chain of its own, or one that it joined. */
  readonly tabKind: TabChain["kind"] | undefined;
}

/** A chain that a node of the tab joined, and any that nothing is known of, belong to others. */
export function ownKind({ kind, isDev, tabKind }: ChainOrigin): OwnChain {
  if (kind === "tab") return tabKind === "chain" ? "tab" : undefined;
  return isDev ? "dev" : undefined;
}

/** Whose chain is behind a source. @throws what connecting to the node of the tab throws */
export async function ownChain({ kind }: Pick<ChainSource, "kind">): Promise<OwnChain> {
  if (kind === "node") return ownKind({ kind, isDev: (await pageFacts()).dev, tabKind: undefined });
  const { tabNode } = await import("./tab-node.ts");
  const { chain } = (await tabNode()).status();
  return ownKind({ kind, isDev: false, tabKind: chain?.kind });
}
