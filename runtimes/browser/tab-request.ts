/** What a tab is asked to run next to what it keeps: keys, sameness, and the words about it. */
import { nodeIdOf } from "../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { devAccounts } from "../shared/dev/dev-accounts.ts";
import { DEV_CHAIN_ID } from "../shared/dev/dev-genesis.ts";
import { webClock, webEntropy } from "../shared/platform/web-platform.ts";
import type { ChainRequest, TabChain } from "./link/api.ts";
import { readPem } from "./keys/read-key.ts";
import type { EvictionMark } from "./store/eviction-mark.ts";
import type { TabRecord } from "./tab-record.ts";
import { createTabSuite } from "./tab-suite.ts";

/** Why something cannot be done now; its text is for people. */
export class TabFault extends Error {
  override readonly name = "TabFault";
}

/** What went wrong, in words. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What is reported of data that the browser has thrown away. */
export function lossText({ nodeId, height }: EvictionMark): string {
  const what = `the chain of node ${nodeId.slice(0, 8)}… (about block ${height})`;
  return (
    `the browser has thrown away ${what} that was kept here: ` +
    "put a backup back, or begin a new chain with other keys"
  );
}

/** Keys in the order of the sealer list. */
export function newKeys(suite: CryptoSuite, count: number): readonly Uint8Array[] {
  const keys = Array.from({ length: count }, () => webEntropy.bytes(32));
  const named = keys.map((key) => ({ key, name: nodeIdOf(suite.publicKey(key)) }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ key }) => key);
}

/** Refuses to continue a chain as another one. */
function requireSame(
  kept: TabRecord,
  { nodes, consensus, sm }: Required<Pick<ChainRequest, "nodes" | "consensus" | "sm">>,
): void {
  const { nodeIds } = kept;
  const isSame =
    kept.kind === "chain" &&
    nodeIds.length === nodes &&
    kept.consensus === consensus &&
    kept.sm === sm;
  if (isSame) return;
  const next = "continue it as it is, or wipe it to begin anew";
  throw new TabFault(`this browser keeps ${nameOf(kept)}: ${next}`);
}

/** What is kept, in words. */
export function nameOf({ kind, consensus, sm, nodeIds }: TabRecord): string {
  const suite = sm ? " of the national suite" : "";
  if (kind === "join") return `a node of a network${suite}`;
  return `a ${consensus} chain${suite} with ${nodeIds.length} nodes`;
}

/** The suite of a chain that is kept. */
export function suiteOf({ sm }: Pick<TabRecord, "sm">): Promise<CryptoSuite> {
  return createTabSuite(sm ? "national" : "standard", { recovers: false });
}

/** What a page sees of a record. */
export async function chainOf(record: TabRecord): Promise<TabChain> {
  const { kind, name, chainId, sm, consensus, created, nodeIds } = record;
  const suite = await suiteOf(record);
  const accounts = kind === "chain" ? devAccounts(suite) : [];
  return { kind, name, chainId, sm, consensus, created, nodeIds, accounts };
}

/** The key of a text that a user brings along. @throws KeyFault, TabFault */
export function keyOf(text: string, { name }: CryptoSuite): Uint8Array {
  const { suite, privateKey } = readPem(text, name);
  if (suite === name) return privateKey;
  throw new TabFault(`this key is of the ${suite} suite, the chain of the ${name} one`);
}

/** How the groups of genesis files decide; by PBFT where they do not say it. */
export function consensusIn(groups: readonly string[]): TabRecord["consensus"] {
  const isRaft = groups.some((group) => /^\s*consensus_type\s*=\s*raft\b/im.test(group));
  return isRaft ? "raft" : "pbft";
}

/** The one chain of a tab. */
export const CHAIN_NAME = "tab";
/** Most nodes that one tab runs. */
export const MOST_TAB_NODES = 7;

/** A record, and the keys that are to be kept with it when they are new. */
export interface Made {
  readonly record: TabRecord;
  readonly keys?: readonly Uint8Array[];
}

/** The chain that is kept, or a new one with its keys. @throws TabFault for another chain */
export async function chainFor(request: ChainRequest, kept: TabRecord | undefined): Promise<Made> {
  const { nodes, consensus, sm = false } = request;
  if (kept) {
    requireSame(kept, { nodes, consensus, sm });
    return { record: kept };
  }
  const suite = await suiteOf({ sm });
  const keys = newKeys(suite, nodes);
  const record: TabRecord = {
    name: CHAIN_NAME,
    kind: "chain",
    chainId: DEV_CHAIN_ID,
    sm,
    consensus,
    created: webClock.now(),
    nodeIds: keys.map((key) => nodeIdOf(suite.publicKey(key))),
    isWanted: true,
  };
  return { record, keys };
}
