/**
 * Whether the groups of a chain can do without a node of this host for a while. The chain's own
 * lists and the nodes decide that: the file says only what somebody meant.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { ask } from "../../node/client/json-rpc.ts";
import type { GroupHealth } from "../../shared/health.ts";
import { abstentionText, type SealerVote, votingCount } from "../../shared/sealer-votes.ts";
import { inability } from "./consensus-wait.ts";
import { groupIn, type GroupLook, lookAt } from "./group-look.ts";
import { joinerId } from "./group-roles.ts";
import type { LiveNetwork, LiveNode } from "./live-network.ts";
import { planNetwork } from "./network-plan.ts";
import { joiners } from "./network-spec.ts";

const POLL_MS = 250;
/** A view that changes just now, or a block that is on its way, is no reason to refuse. */
const PATIENCE_MS = 5_000;
/** Digits of a node ID that distinguish nodes. */
const ID_DIGITS = 8;

/** A group as the nodes of this host show it at one moment. */
export class GroupSight {
  readonly id: number;
  /** By the chain; undefined when no member here answers. */
  readonly sealers: readonly string[] | undefined;
  /** Nodes of this host that are sealers by the chain. */
  readonly sealersHere: readonly LiveNode[];
  /** Nodes of this host that have its files. */
  readonly membersHere: readonly LiveNode[];
  readonly #look: GroupLook;

  constructor(
    id: number,
    {
      here,
      look,
      sealers,
    }: {
      readonly here: readonly LiveNode[];
      readonly look: GroupLook;
      readonly sealers: readonly string[] | undefined;
    },
  ) {
    this.id = id;
    this.sealers = sealers;
    this.sealersHere = here.filter((node) => sealers?.includes(node.found.nodeId));
    this.membersHere = here.filter(({ found }) => found.groups.some((group) => group.id === id));
    this.#look = look;
  }

  healthOf(node: LiveNode): GroupHealth | undefined {
    return groupIn(this.#look, node, this.id);
  }

  /** Whether a node has no process; one that is only busy may answer in a moment. */
  isDown({ spec }: LiveNode): boolean {
    return this.#look.down.has(spec.name);
  }

  isSealer({ found }: LiveNode): boolean {
    return this.sealers?.includes(found.nodeId) ?? false;
  }
}

async function sealersBy(members: readonly LiveNode[], id: number) {
  for (const { url } of members) {
    const list = await ask(url, "getSealerList", [id]).catch(() => undefined);
    if (Array.isArray(list)) return list.map(String);
  }
  return undefined;
}

/** All groups that nodes of this host have. */
export async function groupSights({ nodes }: LiveNetwork): Promise<readonly GroupSight[]> {
  const here = nodes.filter(({ isHere }) => isHere);
  const look = await lookAt(here);
  const ids = new Set(here.flatMap(({ found }) => found.groups.map(({ id }) => id)));
  const sights = [...ids].map(async (id) => {
    const members = here.filter((node) => groupIn(look, node, id)?.running);
    return new GroupSight(id, { here, look, sealers: await sealersBy(members, id) });
  });
  return Promise.all(sights);
}

/** Why a group could not decide without a node. */
interface Loss {
  readonly text: string;
  /** Nodes are down: that does not pass by waiting. */
  readonly isLasting: boolean;
}

/** Which sealers vote, as one of them knows it; an earlier version only knew who is connected. */
function votesBy(
  { sealerVotes, missingSealers = [] }: GroupHealth,
  sealers: readonly string[],
): readonly SealerVote[] {
  const voting = (nodeId: NodeId) => (missingSealers.includes(nodeId) ? "missing" : "unknown");
  const ids = sealers as readonly NodeId[];
  return sealerVotes ?? ids.map((nodeId) => ({ nodeId, voting: voting(nodeId) }));
}

/** The vote of a node that was asked itself, and is able to. */
function heard(vote: SealerVote): SealerVote {
  return vote.voting === "missing" ? vote : { ...vote, voting: "votes" };
}

/** Undefined: the group can decide without the node. */
function lossOf(sight: GroupSight, node: LiveNode): Loss | undefined {
  const { id, sealers } = sight;
  const { name } = node.spec;
  const areDown = (nodes: readonly LiveNode[]) => nodes.every((each) => sight.isDown(each));
  if (!sealers) {
    const { membersHere } = sight;
    if (!membersHere.includes(node)) return undefined;
    return { text: `group ${id}: no member here answers`, isLasting: areDown(membersHere) };
  }
  if (!sight.isSealer(node)) return undefined;
  if (sealers.length === 1)
    return { text: `group ${id}: ${name} is its only sealer`, isLasting: true };
  const others = sight.sealersHere.filter((other) => other !== node);
  // Sealers elsewhere count as far as one of this host is connected to them.
  const witness = [...others, node].map((each) => sight.healthOf(each)).find(isWitness);
  if (!witness)
    return { text: `group ${id}: no sealer here answers`, isLasting: areDown(sight.sealersHere) };
  const { quorum = 0 } = witness;
  // Of nodes of this host their own word counts; sealers elsewhere say it in their statuses.
  const here = new Set<string>(sight.sealersHere.map(({ found }) => found.nodeId));
  const unable = others.flatMap((other) => {
    const reason = inability(sight.healthOf(other));
    return reason === undefined ? [] : [{ other, text: `${other.spec.name} ${reason}` }];
  });
  const out = new Set<string>(
    [node, ...unable.map(({ other }) => other)].map(({ found }) => found.nodeId),
  );
  const votes = votesBy(witness, sealers)
    .filter(({ nodeId }) => !out.has(nodeId))
    .map((vote) => (here.has(vote.nodeId) ? heard(vote) : vote));
  const left = votingCount(votes);
  if (left >= quorum) return undefined;
  const there = sealers.length - unable.filter(({ other }) => sight.isDown(other)).length;
  const said = abstentionText(votes);
  const reasons = [...unable.map(({ text }) => text), ...(said === "" ? [] : [said])];
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  const rest = `without ${name} ${left} are left`;
  const text = `group ${id}: ${sealers.length} sealers need ${quorum}, and ${rest}${why}`;
  return { text, isLasting: there - 1 < quorum };
}

/** A sealer that sees the others of its group. */
function isWitness(health: GroupHealth | undefined): boolean {
  return health?.running === true && health.role === "sealer";
}

/**
 * Waits a moment until no group would stand still without one of the nodes.
 * @param done names of those that were restarted before
 * @throws FolderFault unusable, with every group that would stand still
 */
export async function requireQuorum(
  network: LiveNetwork,
  nodes: readonly LiveNode[],
  done: readonly string[],
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const sights = await groupSights(network);
    const all = nodes.flatMap((node) => sights.flatMap((sight) => lossOf(sight, node) ?? []));
    if (all.length === 0) return;
    if (performance.now() > deadline || all.some(({ isLasting }) => isLasting)) {
      const texts = new Set(all.map(({ text }) => text));
      const state =
        done.length === 0 ? "nothing was restarted" : `${done.join(" ")} run it already`;
      const next =
        "Start what is down and wait, or stop the chain as a whole: network down, then network up.";
      throw new FolderFault("unusable", [`${state}, because:`, ...texts, next].join("\n"));
    }
    await sleep(POLL_MS);
  }
}

/** What file and chain say differently of the sealers of a group, a sentence each. */
async function differencesOf(
  { spec, nodes }: LiveNetwork,
  { id, sealers }: GroupSight,
): Promise<readonly string[]> {
  const group = spec.groups.find((each) => each.id === id);
  if (!group || !sealers) return [];
  const meant = new Set<string>();
  for (const joiner of joiners(spec)) {
    const joinersId = group.sealers.includes(joiner.name)
      ? await joinerId(joiner, spec)
      : undefined;
    if (joinersId !== undefined) meant.add(joinersId);
  }
  const said: string[] = [];
  for (const { spec: node, found, isHere } of nodes) {
    const isMeant = group.sealers.includes(node.name);
    const isSealer = sealers.includes(found.nodeId);
    meant.add(found.nodeId);
    // One elsewhere becomes a sealer when it is there.
    if (isMeant === isSealer || (isMeant && !isHere)) continue;
    const [chain, file] = isSealer ? ["a", "none"] : ["no", "one"];
    const what = `${node.name} is ${chain} sealer by the chain, and ${file} by the file`;
    const next = "network up makes it what the file says; or change the file";
    said.push(`group ${id}: ${what}: ${next}.`);
  }
  for (const sealer of sealers.filter((each) => !meant.has(each))) {
    const what = `the sealer ${sealer.slice(0, ID_DIGITS)}... of the chain is none of the file`;
    const next = `add it to the file, or take it out: chain-node role ${sealer} --as free`;
    said.push(`group ${id}: ${what}: ${next}.`);
  }
  return said;
}

/**
 * File, folder and chain must agree on who is a sealer: otherwise nobody can say what the groups
 * need.
 * @throws FolderFault unusable, with what differs and what to do
 */
export async function requireAgreement(network: LiveNetwork): Promise<void> {
  const { refusals } = planNetwork(network.spec, network.chain);
  const sights = await groupSights(network);
  const differences = await Promise.all(sights.map((sight) => differencesOf(network, sight)));
  const all = [...refusals, ...differences.flat()];
  if (all.length === 0) return;
  const said = "nothing was restarted, because the file says otherwise than the chain:";
  throw new FolderFault("unusable", [said, ...all].join("\n"));
}
