/**
 * `chain-node network upgrade`: has each node run this program, one after the other, so that every
 * group keeps its quorum.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { FolderFault } from "../../folder/folder-fault.ts";
import { NODE_PROGRAM } from "../../folder/node-package.ts";
import { launcherScript } from "../../folder/node-scripts.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import type { GroupHealth } from "../../shared/health.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { columns } from "../../node/log/terminal.ts";
import { programPlace } from "../../node/machine/program-place.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import { AgreementWatch, inability, isNear } from "./consensus-wait.ts";
import {
  chosenNodes,
  type LiveNetwork,
  type LiveNode,
  nodesNamed,
  openNetwork,
} from "./live-network.ts";
import { membersOf, type NetworkGroup } from "./network-spec.ts";
import { readNetwork } from "./network-source.ts";
import { type Report, startNode, stopNode } from "./node-processes.ts";
import { tell } from "./up.ts";

/** Options of `chain-node network upgrade`. */
export interface UpgradeOptions {
  /** Seconds that each node may take until it votes again. */
  readonly wait: number;
  readonly json: boolean;
}

/** A node that runs this program now. */
interface Upgraded {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string;
  /** From its stop until it voted again. */
  readonly seconds: number;
}

const POLL_MS = 250;
/** A view that changes just now is no reason to refuse. */
const QUORUM_PATIENCE_MS = 5_000;

async function healthOf(node: LiveNode, { id }: NetworkGroup): Promise<GroupHealth | undefined> {
  const { health } = await probeNode(node.folder);
  return health?.groups.find(({ group }) => group === id);
}

function groupsWith({ spec }: LiveNetwork, name: string): readonly NetworkGroup[] {
  return spec.groups.filter((group) => membersOf(group).includes(name));
}

/**
 * Why a group could not decide without a node; undefined when it could. Its other sealers of this
 * host are asked, and those elsewhere count as far as these are connected to them.
 */
async function lossOf(
  network: LiveNetwork,
  group: NetworkGroup,
  node: LiveNode,
): Promise<string | undefined> {
  const { name } = node.spec;
  if (!group.sealers.includes(name)) return undefined;
  const others = nodesNamed(network, group.sealers).filter(
    (other) => other.isHere && other.spec.name !== name,
  );
  const [first] = others;
  if (!first) return `group ${group.id} has no other sealer here: without ${name} it stands still`;
  const health = await healthOf(first, group);
  const { connectedSealers = 0, missingSealers = [], quorum = 0, sealers = 0 } = health ?? {};
  const isCounted = ({ found }: LiveNode) => !missingSealers.some((id) => id === found.nodeId);
  const unable: string[] = [];
  let left = connectedSealers;
  for (const other of others) {
    const reason = inability(await healthOf(other, group));
    if (reason === undefined) continue;
    unable.push(`${other.spec.name} ${reason}`);
    if (isCounted(other)) left--;
  }
  if (isCounted(node)) left--;
  if (left >= quorum) return undefined;
  const why = unable.length === 0 ? "" : ` (${unable.join(", ")})`;
  const rest = `without ${name} ${Math.max(0, left)} are left`;
  const said = `${sealers} sealers need ${quorum}, and ${rest}`;
  return `group ${group.id}: ${said}${why}`;
}

/** Groups that would stand still without one of the nodes, a sentence each. */
async function lossesOf(
  network: LiveNetwork,
  nodes: readonly LiveNode[],
): Promise<readonly string[]> {
  const losses = new Set<string>();
  for (const node of nodes)
    for (const group of groupsWith(network, node.spec.name)) {
      const loss = await lossOf(network, group, node);
      if (loss !== undefined) losses.add(loss);
    }
  return [...losses];
}

/** @throws FolderFault unusable, with every group that would stand still */
async function requireQuorum(
  network: LiveNetwork,
  nodes: readonly LiveNode[],
  done: readonly Upgraded[],
): Promise<void> {
  const deadline = performance.now() + QUORUM_PATIENCE_MS;
  for (;;) {
    const losses = await lossesOf(network, nodes);
    if (losses.length === 0) return;
    if (performance.now() > deadline) {
      const names = done.map(({ name }) => name).join(" ");
      const state = names === "" ? "nothing was restarted" : `${names} run it already`;
      const next =
        "Start what is down and wait, or stop the chain as a whole: network down, then network up.";
      throw new FolderFault("unusable", [`${state}, because:`, ...losses, next].join("\n"));
    }
    await sleep(POLL_MS);
  }
}

/** A sealer votes again when it is seen to agree, and the others of its group see it. */
async function untilVoting(network: LiveNetwork, node: LiveNode, waitMs: number): Promise<void> {
  const watches = groupsWith(network, node.spec.name).map((group) => ({
    group,
    watch: new AgreementWatch(group),
  }));
  const deadline = performance.now() + waitMs;
  for (;;) {
    const reasons: string[] = [];
    for (const { group, watch } of watches) {
      const reason = await absence(network, node, { group, watch });
      if (reason !== undefined) reasons.push(`group ${group.id}: ${node.spec.name} ${reason}`);
    }
    if (reasons.length === 0) return;
    if (performance.now() > deadline) {
      const seconds = Math.round(waitMs / 1_000);
      const said = `not all is well after ${seconds} s, and no other node was touched`;
      throw new FolderFault("unusable", [`${said}:`, ...reasons].join("\n"));
    }
    await sleep(POLL_MS);
  }
}

/** Why a node takes no part in a group yet. */
async function absence(
  network: LiveNetwork,
  node: LiveNode,
  { group, watch }: { readonly group: NetworkGroup; readonly watch: AgreementWatch },
): Promise<string | undefined> {
  if (!group.sealers.includes(node.spec.name)) {
    const health = await healthOf(node, group);
    if (!health?.running) return "does not run the group yet";
    return isNear(health.behind ?? 0) ? undefined : "is behind";
  }
  const own = await watch.missing(node);
  if (own !== undefined) return own;
  for (const other of nodesNamed(network, group.sealers)) {
    if (!other.isHere || other === node) continue;
    const health = await healthOf(other, group);
    if (health?.missingSealers?.includes(node.found.nodeId))
      return `is not connected to ${other.spec.name}`;
    const reason = inability(health);
    if (reason !== undefined) return `votes, but ${other.spec.name} ${reason}`;
  }
  return undefined;
}

/** Restarts one node with this program. @throws FolderFault */
async function upgradeNode(
  network: LiveNetwork,
  node: LiveNode,
  { waitMs, report }: { readonly waitMs: number; readonly report: Report },
): Promise<Upgraded> {
  const { name } = node.spec;
  const from = (await probeNode(node.folder)).health?.version;
  const text = launcherScript(programPlace());
  await writeWhole(node.folder.path, { path: NODE_PROGRAM, text, use: "script" });
  const began = performance.now();
  report(`${name}: stops`);
  await stopNode(node.folder);
  report(`${name}: starts`);
  await startNode(node.folder);
  await untilVoting(network, node, waitMs);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  report(`${name}: takes part again after ${seconds} s`);
  const to = (await probeNode(node.folder)).health?.version ?? BUILD_INFO.version;
  return { name, from, to, seconds };
}

/** Has all nodes of this host run this program, or one of them. */
export async function runUpgrade(
  file: string,
  name: string | undefined,
  { wait, json }: UpgradeOptions,
): Promise<void> {
  const network = await openNetwork(await readNetwork(file));
  const nodes = chosenNodes(network, name).filter(({ isHere }) => isHere);
  await requireQuorum(network, nodes, []);
  const done: Upgraded[] = [];
  for (const node of nodes) {
    // What was well at the beginning need not be by now.
    await requireQuorum(network, [node], done);
    done.push(await upgradeNode(network, node, { waitMs: wait * 1_000, report: tell }));
  }
  const rows = done.map(({ name: own, from, to, seconds }) => [
    own,
    from ?? "-",
    to,
    `${seconds} s`,
  ]);
  const table = columns([["node", "from", "to", "away"], ...rows]).join("\n");
  process.stdout.write(json ? `${JSON.stringify(done)}\n` : `${table}\n`);
}
