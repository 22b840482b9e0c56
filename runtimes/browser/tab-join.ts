/** A tab as a member of a real network: its key, what it was given, its node and its peers. */
import { describe } from "../../core/actors/supervise.ts";
import type { RunningNode } from "../../core/node/create-node.ts";
import { CopyFault } from "../shared/p2p/copy-fault.ts";
import { webClock, webEntropy } from "../shared/platform/web-platform.ts";
import type { JoinFinding, JoinStartRequest, ShownGenesis, TabPeer } from "./link/api.ts";
import { storageOf } from "./brought-key.ts";
import { createTabNode, type TabMachinery } from "./tab-chain.ts";
import type { TabRecord } from "./tab-record.ts";
import { createTabSuite } from "./tab-suite.ts";
import { nextTurn } from "./turn.ts";

/** A node that is wired and not started. */
export interface JoinedTab {
  readonly node: RunningNode;
  /** How the addresses that were given stand. */
  peers(): readonly TabPeer[];
}

/** What a joining node tells its owner. */
export interface JoinEvents {
  /** An older node with this node's key runs: this one must end. */
  onCopy(reason: string): void;
}

/** What is kept of a request; the key lies elsewhere. */
export function keptJoin({
  privateKey: _key,
  passphrase: _secret,
  ...join
}: JoinStartRequest): NonNullable<TabRecord["join"]> {
  return join;
}

/** What does not fit together in a request; undefined when all does. */
export async function findingOf(
  request: JoinStartRequest,
  machinery: Pick<TabMachinery, "suite">,
  privateKey: Uint8Array,
): Promise<JoinFinding | undefined> {
  const { checkBundle } = await import("../joining/join-bundle.ts");
  const { JoinFault } = await import("../joining/join-fault.ts");
  const isSecurePage = location.protocol === "https:";
  try {
    checkBundle(request, { ...machinery, privateKey, now: webClock.now(), isSecurePage });
    return undefined;
  } catch (cause) {
    if (!(cause instanceof JoinFault)) throw cause;
    const { problem, detail, message } = cause;
    return { problem, detail, message };
  }
}

/** The genesis file that a block 0 spells; undefined when its hash does not follow from it. */
export async function genesisText(shown: ShownGenesis): Promise<string | undefined> {
  const { readShownGenesis } = await import("./network/shown-genesis.ts");
  const suite = await createTabSuite(shown.sm ? "national" : "standard", { recovers: false });
  return readShownGenesis(shown, suite);
}

/**
 * The node of a record that joins a network. Its libraries are loaded here: a chain that lies in
 * the tab alone has no use for them.
 *
 * @throws JoinFault
 */
export async function createJoinedTab(
  machinery: TabMachinery,
  record: TabRecord,
  { privateKey, events }: { readonly privateKey: Uint8Array; readonly events: JoinEvents },
): Promise<JoinedTab> {
  const { prepareJoin } = await import("../joining/join.ts");
  const { suite, log } = machinery;
  if (!record.join) throw new TypeError("the record says how the network was joined");
  const joined = await prepareJoin(record.join, {
    clock: webClock,
    entropy: webEntropy,
    log,
    suite,
    privateKey,
    schedule: nextTurn,
    onCopy: (copy) => {
      if (copy.isLater) events.onCopy(describe(new CopyFault(copy)));
    },
  });
  const { network, chainId, supportedVersion, listen, genesis } = joined;
  const parts = { record, index: 0, privateKey, network, chainId, supportedVersion, listen };
  const storage = storageOf(machinery.storage, record);
  const node = await createTabNode({ ...machinery, storage }, { ...parts, genesis });
  return { node, peers: () => network.endpointStates() };
}
