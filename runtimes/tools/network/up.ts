/** `chain-node network up`: writes what is missing, starts nodes, waits for consensus. */
import type { ChainContext } from "../../folder/chain-folder.ts";
import { LEAF_DAYS } from "../../formats/certificates/certificate-terms.ts";
import { readChainFolder } from "../../folder/chain-reader.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { createNodeEntropy } from "../../node/machine/entropy.ts";
import { programPlace } from "../../node/machine/program-place.ts";
import { isColourful } from "../../node/log/terminal.ts";
import { untilConsensus } from "./consensus-wait.ts";
import { giveRoles, type PendingRole } from "./group-roles.ts";
import { runningNodes, speakerOf, startGroupsOf, tellPeers } from "./group-start.ts";
import { writeJoins } from "./joins.ts";
import { liveNetwork, type LiveNetwork } from "./live-network.ts";
import { isEmpty, planNetwork } from "./network-plan.ts";
import { readNetwork } from "./classic-files.ts";
import type { NetworkSpec } from "./network-spec.ts";
import { isWell, type NetworkState, readState, stateScreen } from "./network-state.ts";
import { finishEarlier, writeNetwork } from "./network-writing.ts";
import { forEachNode, type Report, startNode } from "./node-processes.ts";

/** Options of `chain-node network up` and of the commands that end with it. */
export interface UpOptions {
  /** Seconds to wait for consensus. */
  readonly wait: number;
  readonly json: boolean;
}

/** What came of it. */
export interface UpResult {
  readonly state: NetworkState;
  readonly pending: readonly PendingRole[];
  readonly seconds: number;
}

/** A line on stderr. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What new files are made with. */
export function writingContext(): ChainContext {
  const entropy = createNodeEntropy();
  return { entropy, now: Date.now(), days: LEAF_DAYS, program: programPlace() };
}

function some(count: number, one: string, more = `${one}s`): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];
}

/**
 * Writes what the file has and the folder lacks.
 * @throws FolderFault unusable, with everything that cannot be done; nothing is written then
 */
export async function writeMissing(spec: NetworkSpec, report: Report): Promise<LiveNetwork> {
  const earlier = await finishEarlier(spec);
  if (earlier !== undefined) report(`brought an earlier run to its end: ${earlier}`);
  const chain = await readChainFolder(spec.folder);
  const plan = planNetwork(spec, chain);
  if (plan.refusals.length > 0) throw new FolderFault("unusable", plan.refusals.join("\n"));
  const context = writingContext();
  const live = chain && (await liveNetwork(spec, chain));
  const running = await runningNodes(live?.nodes ?? []);
  const names = new Set(running.map((node) => node.spec.name));
  const nodes = chain?.nodes ?? [];
  const stopped = new Set(nodes.map(({ name }) => name).filter((name) => !names.has(name)));
  const network =
    live && isEmpty(plan)
      ? live
      : await liveNetwork(spec, await writeNetwork({ spec, plan, chain, stopped, context }));
  const wrote = [
    ...some(plan.agencies.length, "agency", "agencies"),
    ...some(plan.nodes.length, "node"),
    ...some(plan.groups.length, "group"),
    ...(plan.groups.length === 0 ? some(plan.files.length, "membership") : []),
  ];
  if (wrote.length > 0) report(`wrote ${wrote.join(", ")} to ${spec.folder}`);
  for (const { name, formerId } of await writeJoins(network, context)) {
    report(`wrote the join bundle of ${name}`);
    const out = `chain-node role ${formerId} --as free takes the former out of a group.`;
    if (formerId !== undefined) report(`${name} has another key than before: ${out}`);
  }
  return network;
}

async function startAll(network: LiveNetwork, report: Report): Promise<void> {
  const running = await runningNodes(network.nodes);
  const stopped = network.nodes.filter((node) => node.isHere && !running.includes(node));
  if (stopped.length > 0) report(`starts ${stopped.map(({ spec }) => spec.name).join(" ")}`);
  const peers = network.nodes.map(({ spec, found }) => ({
    host: spec.host,
    port: found.ports.p2p,
  }));
  await forEachNode(running, ({ found }) => tellPeers(found, peers));
  await forEachNode(stopped, async (node) => {
    await startNode(node.folder);
    report(`${node.spec.name} runs`);
  });
  const here = network.nodes.filter(({ isHere }) => isHere);
  await forEachNode(here, (node) => startGroupsOf(node, network, report));
}

/** Sealers that only the file names are made such by transactions, once there are blocks. */
async function settleGroups(network: LiveNetwork, waitMs: number, report: Report) {
  const pending: PendingRole[] = [];
  for (const group of network.spec.groups) {
    const known = network.chain.nodes.flatMap(({ groups }) => groups);
    const first = known.find(({ id }) => id === group.id)?.genesis.sealers ?? [];
    const names = network.nodes
      .filter(({ found }) => first.includes(found.nodeId))
      .map(({ spec }) => spec.name);
    const sealers = group.sealers.filter((name) => names.includes(name));
    const speaker = await speakerOf(network, sealers.length > 0 ? sealers : group.sealers);
    if (!speaker) continue;
    pending.push(...(await giveRoles(network, group, speaker, report)));
  }
  report("waits until the groups have consensus");
  await untilConsensus(network, network.spec.groups, waitMs);
  return pending;
}

/** Makes a network what its file says. @throws FolderFault, RequestFault, ConfigFault */
export async function bringUp(
  spec: NetworkSpec,
  waitMs: number,
  report: Report,
): Promise<UpResult> {
  const began = performance.now();
  const network = await writeMissing(spec, report);
  await startAll(network, report);
  const pending = await settleGroups(network, waitMs, report);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { state: await readState(network), pending, seconds };
}

function pendingText({ group, node, role, reason }: PendingRole): string {
  return `group ${group}: ${node} is no ${role} yet: ${reason}`;
}

/** Prints what came of it; the exit code is 0 when all that runs here can write. */
export function printUp({ state, pending, seconds }: UpResult, isJson: boolean): number {
  if (isJson) process.stdout.write(`${JSON.stringify({ ...state, pending, seconds })}\n`);
  else {
    process.stdout.write(stateScreen(state, isColourful()));
    for (const role of pending) tell(pendingText(role));
    tell(`up after ${seconds} s`);
  }
  return isWell(state) ? 0 : 1;
}

/** Brings a network up. */
export async function runUp(file: string, options: UpOptions): Promise<number> {
  const spec = await readNetwork(file);
  return printUp(await bringUp(spec, options.wait * 1_000, tell), options.json);
}
