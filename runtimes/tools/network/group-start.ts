/**
 * Has nodes that run know of new peers and new groups: what others do by hand with addPeers, signal
 * files and startGroup. Source: groups 2, 4; node-network 5
 */
import { stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ENDPOINT, type Endpoint } from "../../formats/config/config-kinds.ts";
import type { FoundNode } from "../../folder/chain-reader.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import type { GroupHealth } from "../../shared/health.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import {
  fileOf,
  type LiveNetwork,
  type LiveNode,
  manage,
  manageFound,
  nodesNamed,
} from "./live-network.ts";
import { membersOf } from "./network-spec.ts";
import type { Report } from "./node-processes.ts";

/** The signal to load group files that are new. Source: groups 4 */
const SIGNAL_FILE = "config.ini.append_group";
/** A node takes a signal in a tenth of a second, unless it is busy. */
const SIGNAL_PATIENCE_MS = 15_000;
const POLL_MS = 100;
/** Results of startGroup that mean that it runs now. Source: interface 7.4 */
const STARTED = new Set(["0x0", "0x3"]);

/** The groups of a node that runs, by their ids. @throws FolderFault when it does not answer */
async function groupsOf({ folder }: LiveNode): Promise<ReadonlyMap<number, GroupHealth>> {
  const { health, silence } = await probeNode(folder);
  if (!health) throw new FolderFault("unusable", `${folder.name} does not answer: ${silence}.`);
  return new Map(
    health.groups.flatMap((group) => (group.group === null ? [] : [[group.group, group]])),
  );
}

async function sendSignal(node: LiveNode): Promise<void> {
  const path = fileOf(node, SIGNAL_FILE);
  await writeFile(path, "");
  const isThere = () =>
    stat(path).then(
      () => true,
      () => false,
    );
  const deadline = performance.now() + SIGNAL_PATIENCE_MS;
  while (await isThere()) {
    if (performance.now() > deadline)
      throw new FolderFault("unusable", `${node.spec.name} has not taken ${path}: is it hung?`);
    await sleep(POLL_MS);
  }
}

async function untilKnown(node: LiveNode, id: number): Promise<GroupHealth> {
  const deadline = performance.now() + SIGNAL_PATIENCE_MS;
  for (;;) {
    const group = (await groupsOf(node)).get(id);
    if (group) return group;
    if (performance.now() > deadline) {
      const said = `${node.spec.name} has not loaded group ${id}`;
      throw new FolderFault("unusable", `${said}; its log says why.`);
    }
    await sleep(POLL_MS);
  }
}

async function startGroup(node: LiveNode, id: number): Promise<void> {
  const result = await manage(node, "startGroup", [id]);
  const { code = "", message = "" } = result as { code?: string; message?: string };
  if (STARTED.has(code)) return;
  const said = `${node.spec.name} does not start group ${id}: ${message} (${code})`;
  const next = code === "0x5" ? ". recoverGroup brings it back first." : ".";
  throw new FolderFault("unusable", `${said}${next}`);
}

/**
 * Starts on a node that runs each of its groups that does not.
 * @throws FolderFault, RequestFault
 */
export async function startGroupsOf(
  node: LiveNode,
  { spec }: LiveNetwork,
  report: Report,
): Promise<void> {
  const ids = spec.groups
    .filter((group) => membersOf(group).includes(node.spec.name))
    .map(({ id }) => id);
  const known = await groupsOf(node);
  if (ids.some((id) => !known.has(id))) await sendSignal(node);
  for (const id of ids) {
    const group = known.get(id) ?? (await untilKnown(node, id));
    if (group.running) continue;
    report(`${node.spec.name}: starts group ${id}`);
    await startGroup(node, id);
  }
}

/** Those peers that a node's list lacks. */
export function unknownPeers({ config }: FoundNode, peers: readonly Endpoint[]): Endpoint[] {
  const known = new Set(config.p2p.peers.map(ENDPOINT.write));
  return peers.filter((peer) => !known.has(ENDPOINT.write(peer)));
}

/**
 * Informs a node that runs of peers that its list lacks; it writes the list itself.
 * @throws FolderFault unusable when it takes them not; RequestFault
 */
export async function tellPeers(node: FoundNode, peers: readonly Endpoint[]): Promise<void> {
  const missing = unknownPeers(node, peers).map(ENDPOINT.write);
  const most = node.config.p2p.peersParamLimit;
  for (let at = 0; at < missing.length; at += most) {
    const result = await manageFound(node, "addPeers", [missing.slice(at, at + most)]);
    const { code, message } = result as { code?: string; message?: string };
    if (code !== undefined && code !== "0x0")
      throw new FolderFault("unusable", `${node.name} does not take peers: ${message} (${code}).`);
  }
}

/** Nodes of this host that run now. */
export async function runningNodes(nodes: readonly LiveNode[]): Promise<readonly LiveNode[]> {
  const here = nodes.filter(({ isHere }) => isHere);
  const probes = await Promise.all(here.map(({ folder }) => probeNode(folder)));
  return here.filter((_, index) => probes[index]?.health !== undefined);
}

/** A node of this host that runs and is a sealer of a group by the file. */
export async function speakerOf(
  network: LiveNetwork,
  sealers: readonly string[],
): Promise<LiveNode | undefined> {
  const [speaker] = await runningNodes(nodesNamed(network, sealers));
  return speaker;
}
