/** Automatic ports: the next ones that nobody has, in the network or on this host. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import {
  DEFAULT_JSON_RPC_IP,
  listenIpOf,
  type NodePorts,
  shiftedPorts,
} from "../../folder/chain-layout.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { isOfThisHost } from "../../node/machine/own-address.ts";
import { tryPort } from "../../node/observe/keyed-ports.ts";
import type { NetworkNode } from "./network-spec.ts";

const HIGHEST_PORT = 65_535;

/** Whether a host is this one, by its address or by that of its name. */
export async function isThisHost(host: string): Promise<boolean> {
  if (host === "localhost") return true;
  if (isIP(host) !== 0) return isOfThisHost(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isOfThisHost(address));
}

/** Ports as numbers. */
export function numbersOf(ports: NodePorts): readonly number[] {
  return Object.values(ports);
}

/** Ports of a node that somebody on this host listens on now. */
export async function busyPorts(host: string, ports: NodePorts): Promise<readonly number[]> {
  const { rpc, ...others } = ports;
  const listenIp = listenIpOf(host);
  const places = [
    { host: DEFAULT_JSON_RPC_IP, port: rpc },
    ...Object.values(others).map((port) => ({ host: listenIp, port })),
  ];
  const faults = await Promise.all(places.map(tryPort));
  return places.flatMap(({ port }, index) => (faults[index]?.problem === "inUse" ? [port] : []));
}

/** What is known when ports are given out. */
export interface PortChoice {
  readonly base: NodePorts;
  /** Ports that nodes have, by host. */
  readonly taken: ReadonlyMap<string, ReadonlySet<number>>;
}

/** A node whose ports are known. */
export interface PortedNode extends NetworkNode {
  readonly ports: NodePorts;
}

/**
 * Gives each node the ports that it names, or the next free ones.
 * @throws FolderFault unusable when there are none left, or a named one is in use here
 */
export async function givePorts(
  nodes: readonly NetworkNode[],
  { base, taken }: PortChoice,
): Promise<readonly PortedNode[]> {
  const used = new Map([...taken].map(([host, ports]) => [host, new Set(ports)]));
  const usedOn = (host: string) => {
    const ports = used.get(host) ?? new Set<number>();
    used.set(host, ports);
    return ports;
  };
  for (const { host, ports } of nodes)
    for (const port of numbersOf(ports ?? ({} as NodePorts))) usedOn(host).add(port);
  const given: PortedNode[] = [];
  for (const node of nodes) {
    const ports = node.ports ?? (await nextPorts(node, base, usedOn(node.host)));
    if (node.ports) await requireFree(node, ports);
    for (const port of numbersOf(ports)) usedOn(node.host).add(port);
    given.push({ ...node, ports });
  }
  return given;
}

async function nextPorts(
  { name, host }: NetworkNode,
  base: NodePorts,
  used: ReadonlySet<number>,
): Promise<NodePorts> {
  const isHere = await isThisHost(host);
  for (let by = 0; Math.max(...numbersOf(base)) + by <= HIGHEST_PORT; by++) {
    const ports = shiftedPorts(base, by);
    if (numbersOf(ports).some((port) => used.has(port))) continue;
    if (!isHere || (await busyPorts(host, ports)).length === 0) return ports;
  }
  const said = `no ports are left for ${name} above ${numbersOf(base).join(",")}`;
  throw new FolderFault("unusable", `${said}: let chain.ports begin lower.`);
}

async function requireFree({ name, host }: NetworkNode, ports: NodePorts): Promise<void> {
  if (!(await isThisHost(host))) return;
  const busy = await busyPorts(host, ports);
  if (busy.length === 0) return;
  const said = `${name}: somebody listens on ${busy.join(", ")} of ${host} already`;
  throw new FolderFault("unusable", `${said}. Name other ports, or none for free ones.`);
}
