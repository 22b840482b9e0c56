/** What this host says to the nodes of a file: its addresses, and ports that are in use. */
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { ConfigFault, type ConfigProblem } from "../../../formats/config/config-fault.ts";
import { tryPort } from "../../../node/observe/keyed-ports.ts";
import type { HostView, ToolContext } from "../context.ts";
import {
  type DeployedNode,
  type Deployment,
  type IpKey,
  listenersOf,
  problemAt,
} from "./deployment-ini.ts";
import { hostKey, isAddress, isAnyAddress, isLoopback } from "./hosts.ts";

/** The machine itself. */
export const NODE_HOST: HostView = {
  addresses: () =>
    Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((each) => each.address)),
  addressOf: (name) =>
    lookup(name).then(
      ({ address }) => address,
      () => undefined,
    ),
  busy: (places) =>
    Promise.all(places.map(async (place) => (await tryPort(place))?.problem === "inUse")),
};

type Checking = Pick<ToolContext, "host" | "report" | "options">;

function isLocal(address: string, own: ReadonlySet<string>): boolean {
  return isAnyAddress(address) || isLoopback(address) || own.has(address);
}

/**
 * The nodes with addresses to listen on in the place of names: a node binds an address.
 * @throws ConfigFault when a name has none
 */
async function withAddresses(
  { file, nodes }: Deployment,
  { host, report }: Checking,
): Promise<readonly DeployedNode[]> {
  const problems: ConfigProblem[] = [];
  const addressed = async (node: DeployedNode, key: IpKey, value: string): Promise<string> => {
    if (isAddress(value)) return value;
    const address = await host.addressOf(value);
    if (address === undefined) {
      const allowed = "an address, or a name that this host can look up";
      problems.push(problemAt(file, node, { key, value, allowed }));
      return value;
    }
    report.warn(`${file}, [${node.section}] ${key}: the node listens on ${address}, of ${value}`);
    return address;
  };
  const found: DeployedNode[] = [];
  for (const node of nodes) {
    const rpcIp = await addressed(node, "rpc_ip", node.rpcIp);
    const channelIp = await addressed(node, "channel_ip", node.channelIp);
    found.push({ ...node, rpcIp, channelIp });
  }
  if (problems.length > 0) throw new ConfigFault(file, problems);
  return found;
}

/** Addresses that this host cannot bind, each said once. Source: interface 2.7; generator 3 */
function warnOfForeign(
  { file, nodes }: Deployment,
  own: ReadonlySet<string>,
  { report }: Checking,
): void {
  const said = new Set<string>();
  for (const { section, endpoint, rpcIp, channelIp } of nodes) {
    const keyed = [
      ["p2p_ip", endpoint.host],
      ["rpc_ip", rpcIp],
      ["channel_ip", channelIp],
    ] as const;
    for (const [key, address] of keyed) {
      if (!isAddress(address) || isLocal(address, own) || said.has(address)) continue;
      said.add(address);
      const place = `${file}, [${section}] ${key} = ${address}`;
      report.warn(`${place} is no address of this host: a node can listen on it only where it is`);
    }
  }
}

/** Source: generator 3 (rpc_ip=0.0.0.0) */
function warnOfOpenings({ file, nodes }: Deployment, { report }: Checking): void {
  const open = nodes.filter(({ rpcIp }) => isAnyAddress(rpcIp)).map(({ section }) => section);
  if (open.length === 0) return;
  const says = "every host that reaches the port reads and submits there";
  report.warn(`${file}, rpc_ip of ${open.join(", ")} opens JSON-RPC to other hosts: ${says}`);
}

/**
 * Checks deployments against this host, all together.
 * @throws ConfigFault with all ports that are in use
 */
export async function checkHost(
  deployments: readonly Deployment[],
  checking: Checking,
): Promise<readonly Deployment[]> {
  const own = new Set(checking.host.addresses());
  const problems: ConfigProblem[] = [];
  const checked: Deployment[] = [];
  for (const deployment of deployments) {
    const found = { ...deployment, nodes: await withAddresses(deployment, checking) };
    checked.push(found);
    warnOfForeign(found, own, checking);
    warnOfOpenings(found, checking);
    if (!checking.options.checksPorts) continue;
    const here = found.nodes.filter(({ endpoint }) => isLocal(hostKey(endpoint.host), own));
    const listeners = here.flatMap((node) => listenersOf(node).map((each) => ({ node, ...each })));
    const busy = await checking.host.busy(listeners);
    for (const [index, { node, key, port }] of listeners.entries()) {
      if (!busy[index]) continue;
      const allowed = "a port that nothing on this host has (--no-port-check leaves this out)";
      problems.push(problemAt(found.file, node, { key, value: `${port}`, allowed }));
    }
  }
  const [first] = deployments;
  if (first && problems.length > 0) throw new ConfigFault(first.file, problems);
  return checked;
}
