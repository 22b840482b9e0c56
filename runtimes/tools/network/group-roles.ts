/**
 * Makes the members of groups what the file says they are, by transactions; nobody is taken out.
 * Source: groups 5
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isNodeId, nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { majority, quorum } from "../../../core/consensus/quorum.ts";
import { parsePublicKey } from "../../formats/keys/public-key.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readText } from "../../folder/whole-files.ts";
import { ask } from "../../node/client/json-rpc.ts";
import { changeRole } from "../../node/client/role-change.ts";
import type { Role } from "../../node/client/role-guard.ts";
import { isNear } from "./consensus-wait.ts";
import { groupIn, lookAt } from "./group-look.ts";
import type { LiveNetwork, LiveNode } from "./live-network.ts";
import { joiners, type NetworkGroup, type NetworkNode, type NetworkSpec } from "./network-spec.ts";
import type { Report } from "./node-processes.ts";

/** A new sealer downloads the chain first: one that lags weakens the group. Source: groups 5 */
const CATCH_UP_PATIENCE_MS = 600_000;
const POLL_MS = 300;

/** A member whose place in a group could not be made yet, and why. */
export interface PendingRole {
  readonly group: number;
  readonly node: string;
  readonly role: Role;
  readonly reason: string;
}

/** The node ID of a tab or edge; undefined while its key is not known. @throws FolderFault */
export async function joinerId(
  { name, publicKey }: NetworkNode,
  { suite }: Pick<NetworkSpec, "suite">,
): Promise<NodeId | undefined> {
  if (publicKey === undefined) return undefined;
  const id = publicKey.toLowerCase();
  if (isNodeId(id)) return id;
  const text = await readText(publicKey);
  // The user may have sent it later than the file was written.
  if (text === undefined) return undefined;
  const key = parsePublicKey(text, suite);
  if (key) return nodeIdOf(key);
  throw new FolderFault("unusable", `${publicKey}: this is no public key for ${name}.`);
}

/** One member of a group that shall have a role. */
interface MemberChange {
  readonly group: NetworkGroup;
  readonly speaker: LiveNode;
  readonly name: string;
  readonly nodeId: string;
  readonly role: "sealer" | "observer";
}

interface Roles {
  readonly sealers: readonly string[];
  readonly observers: readonly string[];
}

async function rolesIn(speaker: LiveNode, id: number): Promise<Roles> {
  const [sealers, observers] = await Promise.all(
    ["getSealerList", "getObserverList"].map((method) => ask(speaker.url, method, [id])),
  );
  return { sealers: sealers as string[], observers: observers as string[] };
}

function roleIn({ sealers, observers }: Roles, nodeId: string): Role {
  return sealers.includes(nodeId) ? "sealer" : observers.includes(nodeId) ? "observer" : "free";
}

async function give({ group, speaker, nodeId }: MemberChange, role: Role): Promise<void> {
  // What speaks against it was examined before.
  const options = { as: role, through: speaker.url, group: group.id, key: undefined, force: true };
  await changeRole(nodeId, options);
}

/** Waits until a node of this host has the blocks of a group. */
async function untilCaughtUp(node: LiveNode, { group, speaker }: MemberChange): Promise<void> {
  const deadline = performance.now() + CATCH_UP_PATIENCE_MS;
  for (;;) {
    const own = groupIn(await lookAt([node]), node, group.id);
    const head = Number(await ask(speaker.url, "getBlockNumber", [group.id]));
    if (own?.role === "observer" && isNear(head - (own.height ?? 0))) return;
    if (performance.now() > deadline) {
      const said = `${node.spec.name} does not catch up with group ${group.id}`;
      const next = "It is an observer: run the command again when it has the blocks.";
      throw new FolderFault("unusable", `${said}. ${next}`);
    }
    await sleep(POLL_MS);
  }
}

/**
 * A group decides with fewer sealers when one becomes an observer, and has to be able to.
 * @throws FolderFault unusable when it would stand still
 */
async function requireQuorumWithout({ group, speaker, name, nodeId }: MemberChange): Promise<void> {
  const health = groupIn(await lookAt([speaker]), speaker, group.id);
  const { sealers = 0, connectedSealers = 0, missingSealers = [], consensus } = health ?? {};
  const said = `group ${group.id}: ${name} stays a sealer`;
  if (sealers === 1) {
    const next = "Make another node a sealer first";
    throw new FolderFault("unusable", `${said}, because it is the only one. ${next}.`);
  }
  const rest = sealers - 1;
  const needed = consensus === "raft" ? majority(rest) : quorum(rest);
  const isThere = !missingSealers.some((id) => id === nodeId);
  const left = connectedSealers - (isThere ? 1 : 0);
  if (left >= needed) return;
  const why = `without it ${left} of ${rest} sealers are connected, and ${needed} must be`;
  const next = "Start those that are down, and run the command again";
  throw new FolderFault("unusable", `${said}: ${why}. ${next}.`);
}

/** Makes one member what it shall be; says why it cannot be yet. */
async function fulfil(
  options: MemberChange,
  node: LiveNode | undefined,
  now: Role,
  report: Report,
): Promise<string | undefined> {
  const { group, speaker, name, nodeId, role } = options;
  if (now === role) return undefined;
  const say = (what: string) => report(`group ${group.id}: ${name} ${what}`);
  if (now === "sealer") {
    await requireQuorumWithout(options);
    say("becomes an observer, and no longer votes");
    await give(options, "observer");
    return undefined;
  }
  if (now === "free") {
    say("becomes an observer");
    await give(options, "observer");
  }
  if (role === "observer") return undefined;
  if (node?.isHere) await untilCaughtUp(node, options);
  else {
    const connected = await ask(speaker.url, "getNodeIDList", [group.id]);
    if (!(connected as string[]).includes(nodeId))
      return "it is not connected: run the command again when it is";
  }
  say("becomes a sealer");
  await give(options, "sealer");
  return undefined;
}

/** The members of a group by the file, with their IDs as far as they are known. */
async function changesOf(network: LiveNetwork, group: NetworkGroup, speaker: LiveNode) {
  const { spec, nodes } = network;
  const changes: MemberChange[] = [];
  const pending: PendingRole[] = [];
  for (const role of ["sealer", "observer"] as const) {
    for (const name of role === "sealer" ? group.sealers : group.observers) {
      const joiner = joiners(spec).find((each) => each.name === name);
      const own = nodes.find((each) => each.spec.name === name)?.found.nodeId;
      const nodeId = own ?? (joiner && (await joinerId(joiner, spec)));
      if (nodeId !== undefined) changes.push({ group, speaker, name, nodeId, role });
      else pending.push({ group: group.id, node: name, role, reason: "its key is not known yet" });
    }
  }
  return { changes, pending };
}

/**
 * Gives every member of a group the role that the file has for it, observers first.
 * @param speaker a sealer of the group that runs here
 * @returns members that have to wait, for their key or for a connection
 * @throws FolderFault, RequestFault
 */
export async function giveRoles(
  network: LiveNetwork,
  group: NetworkGroup,
  speaker: LiveNode,
  report: Report,
): Promise<readonly PendingRole[]> {
  const { changes, pending } = await changesOf(network, group, speaker);
  const waiting = [...pending];
  const roles = await rolesIn(speaker, group.id);
  for (const options of changes) {
    const node = network.nodes.find(({ spec }) => spec.name === options.name);
    const reason = await fulfil(options, node, roleIn(roles, options.nodeId), report);
    if (reason !== undefined)
      waiting.push({ group: group.id, node: options.name, role: options.role, reason });
  }
  return waiting;
}
