/**
 * `chain-node network upgrade`: has each node run this program, one after the other, so that every
 * group keeps its quorum.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { FolderFault } from "../../folder/folder-fault.ts";
import { NODE_PROGRAM } from "../../folder/node-package.ts";
import { launcherScript } from "../../folder/node-scripts.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { columns } from "../../node/log/terminal.ts";
import { programPlace } from "../../node/machine/program-place.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import { AgreementWatch, inability, isNear } from "./consensus-wait.ts";
import { groupIn, type GroupLook, lookAt } from "./group-look.ts";
import { chosenNodes, type LiveNetwork, type LiveNode, openNetwork } from "./live-network.ts";
import { readNetwork } from "./classic-files.ts";
import { type Report, startNode, stopNode } from "./node-processes.ts";
import { tell } from "./up.ts";
import { type GroupSight, groupSights, requireAgreement, requireQuorum } from "./upgrade-quorum.ts";

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

/** What a node has to take part in again. */
interface Duty {
  readonly sight: GroupSight;
  readonly watch: AgreementWatch;
}

/** The groups that ran on a node; of one that was down those that it has files of. */
function dutiesOf(node: LiveNode, sights: readonly GroupSight[]): readonly Duty[] {
  const isDown = sights.every((sight) => !sight.healthOf(node));
  const own = sights.filter((sight) =>
    isDown ? sight.membersHere.includes(node) : sight.healthOf(node)?.running,
  );
  return own.map((sight) => ({ sight, watch: new AgreementWatch(sight.id) }));
}

/** Why a node takes no part in a group yet. */
async function absence(
  node: LiveNode,
  { sight, watch }: Duty,
  look: GroupLook,
): Promise<string | undefined> {
  const { id } = sight;
  if (!sight.isSealer(node)) {
    const health = groupIn(look, node, id);
    if (!health?.running) return "does not run the group yet";
    return isNear(health.behind ?? 0) ? undefined : "is behind";
  }
  const own = await watch.missing(node, look);
  if (own !== undefined) return own;
  for (const other of sight.sealersHere) {
    if (other === node) continue;
    const health = groupIn(look, other, id);
    if (health?.missingSealers?.includes(node.found.nodeId))
      return `is not connected to ${other.spec.name}`;
    const reason = inability(health);
    if (reason !== undefined) return `votes, but ${other.spec.name} ${reason}`;
  }
  return undefined;
}

/** A sealer votes again when it is seen to agree, and the others of its group see it. */
async function untilVoting(
  { nodes }: LiveNetwork,
  node: LiveNode,
  duties: readonly Duty[],
  waitMs: number,
): Promise<void> {
  const here = nodes.filter(({ isHere }) => isHere);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const look = await lookAt(here);
    const reasons: string[] = [];
    for (const duty of duties) {
      const reason = await absence(node, duty, look);
      if (reason !== undefined) reasons.push(`group ${duty.sight.id}: ${node.spec.name} ${reason}`);
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

/** Restarts one node with this program. @throws FolderFault */
async function upgradeNode(
  network: LiveNetwork,
  node: LiveNode,
  { waitMs, report }: { readonly waitMs: number; readonly report: Report },
): Promise<Upgraded> {
  const { name } = node.spec;
  const duties = dutiesOf(node, await groupSights(network));
  const from = (await probeNode(node.folder)).health?.version;
  const text = launcherScript(programPlace());
  await writeWhole(node.folder.path, { path: NODE_PROGRAM, text, use: "script" });
  const began = performance.now();
  report(`${name}: stops`);
  await stopNode(node.folder);
  report(`${name}: starts`);
  await startNode(node.folder);
  await untilVoting(network, node, duties, waitMs);
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
  await requireAgreement(network);
  await requireQuorum(network, nodes, []);
  const done: Upgraded[] = [];
  for (const node of nodes) {
    // What was well at the beginning need not be by now.
    await requireQuorum(
      network,
      [node],
      done.map((each) => each.name),
    );
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
