/**
 * What a network file asks for beyond what its folder holds, and what of it cannot be done to a
 * chain that is there. Pure.
 */
import type { FoundChain, FoundNode } from "../../folder/chain-reader.ts";
import { ownEndpoint } from "../../folder/further-node.ts";
import {
  membersOf,
  type NetworkGroup,
  type NetworkNode,
  type NetworkSpec,
  servers,
} from "./network-spec.ts";

/** A group's files that a node lacks. */
export interface MissingFiles {
  readonly node: FoundNode;
  readonly group: NetworkGroup;
}

/** What is to be written. */
export interface NetworkPlan {
  readonly agencies: readonly string[];
  readonly nodes: readonly NetworkNode[];
  /** Groups that no node has yet. */
  readonly groups: readonly NetworkGroup[];
  /** Nodes that are there, and groups that they join. */
  readonly files: readonly MissingFiles[];
  /** Why the file cannot be followed, one sentence each. */
  readonly refusals: readonly string[];
}

/** Whether nothing is to be written. */
export function isEmpty({ agencies, nodes, groups, files }: NetworkPlan): boolean {
  return agencies.length + nodes.length + groups.length + files.length === 0;
}

const FIXED = "It is fixed in the life of a chain.";

function portsText(ports: object): string {
  return Object.values(ports).join(",");
}

function refusalsOfNode(node: NetworkNode, found: FoundNode, spec: NetworkSpec): string[] {
  const { name } = node;
  const said: string[] = [];
  if (found.agency !== undefined && found.agency !== node.agency) {
    const what = `${name} belongs to agency ${found.agency}, not to ${node.agency}`;
    said.push(`${what}: a certificate stays with its agency. Add another node instead.`);
  }
  if (node.ports && portsText(node.ports) !== portsText(found.ports)) {
    const what = `${name} has the ports ${portsText(found.ports)}, not ${portsText(node.ports)}`;
    said.push(`${what}. Change them in ${found.path}, or say auto.`);
  }
  const own = ownEndpoint(found);
  if (own && own.host !== node.host) {
    const what = `${name} is reached at ${own.host}, not at ${node.host}`;
    said.push(`${what}. Change it in the peer lists of all nodes, as operators.md says.`);
  }
  const { mode } = found.config.rpc.management;
  if (mode !== spec.management) {
    const what = `${name} has management = ${mode}, not ${spec.management}`;
    said.push(`${what}. Change it in ${found.path}, and restart the node.`);
  }
  return said;
}

function refusalsOfGroups(spec: NetworkSpec, nodes: readonly FoundNode[]): string[] {
  const said = new Set<string>();
  for (const { name, groups } of nodes) {
    for (const { id, genesis } of groups) {
      const group = spec.groups.find((each) => each.id === id);
      if (!group) {
        const next = "Add it to the file; or stopGroup and removeGroup it, and move its files away";
        said.add(`${name} has group ${id}, which the file does not name. ${next}.`);
      } else if (group.consensus !== genesis.consensusType) {
        const what = `group ${id} has consensus ${genesis.consensusType}, not ${group.consensus}`;
        said.add(`${what}. ${FIXED}`);
      } else if (!membersOf(group).includes(name)) {
        const what = `${name} is in group ${id}, and the file does not name it there`;
        const next = `chain-node role ${name} --as free takes it out, then move its files away`;
        said.add(`${what}. Add it to the file; or ${next}.`);
      }
    }
  }
  return [...said];
}

function refusals(spec: NetworkSpec, chain: FoundChain): string[] {
  const said: string[] = [];
  if (chain.suite !== spec.suite)
    said.push(`the chain in ${chain.folder} is of the suite ${chain.suite}. ${FIXED}`);
  for (const found of chain.nodes) {
    const node = servers(spec).find(({ name }) => name === found.name);
    if (node) said.push(...refusalsOfNode(node, found, spec));
    else {
      const next = "take it out with chain-node role --as free, stop it, and move its folder away";
      said.push(`${found.folder} is a node that the file does not name: add it, or ${next}.`);
    }
  }
  const named = chain.nodes.filter(({ name }) => servers(spec).some((node) => node.name === name));
  return [...said, ...refusalsOfGroups(spec, named)];
}

/** What is missing. @param chain undefined when nothing is there yet */
export function planNetwork(spec: NetworkSpec, chain: FoundChain | undefined): NetworkPlan {
  const { agencies, groups } = spec;
  if (!chain) return { agencies, nodes: servers(spec), groups, files: [], refusals: [] };
  const known = new Set(chain.nodes.flatMap((node) => node.groups.map(({ id }) => id)));
  const files = groups.flatMap((group) =>
    chain.nodes
      .filter(({ name }) => membersOf(group).includes(name))
      .filter((node) => !node.groups.some(({ id }) => id === group.id))
      .map((node) => ({ node, group })),
  );
  return {
    agencies: agencies.filter((name) => !chain.agencies.includes(name)),
    nodes: servers(spec).filter(({ name }) => !chain.nodes.some((node) => node.name === name)),
    groups: groups.filter(({ id }) => !known.has(id)),
    files,
    refusals: refusals(spec, chain),
  };
}
