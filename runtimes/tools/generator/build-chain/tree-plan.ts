/** What build_chain.sh is asked for: nodes, their folders and ports. Source: generator 10.1 */
import { HOST, type NodePorts } from "../../../folder/chain-layout.ts";
import { isCertificateName } from "../../../formats/certificates/certificate-terms.ts";
import { type Endpoint, PORT } from "../../../formats/config/config-kinds.ts";
import { UsageFault } from "../flags.ts";
import { GROUP_ID } from "../input/deployment-ini.ts";
import { hostKey, isAnyAddress, nodeLabel } from "../input/hosts.ts";

/** Nodes of an agency on a host: an element of -l, or a line of -f. */
export interface HostLine {
  readonly host: string;
  readonly count: number;
  readonly agency: string;
  readonly groups: readonly number[];
  /** Ports of its first node; absent, they follow those of the host's nodes before it. */
  readonly ports?: NodePorts;
}

/** A node of the tree. */
export interface TreeNode {
  readonly host: string;
  readonly agency: string;
  readonly groups: readonly number[];
  readonly ports: NodePorts;
  readonly endpoint: Endpoint;
  /** Below the output: `<ip>/node0`. */
  readonly folder: string;
  /** In its certificate. */
  readonly name: string;
}

const DEFAULT_AGENCY = "agency";
const MOST_NODES = 128;

function hostAndCount(text: string, where: string): { host: string; count: number } {
  const [, given = "", digits = ""] = /^(.+):(\d{1,3})$/.exec(text) ?? [];
  const host = HOST.read(given);
  const count = Number(digits);
  if (host === undefined || isAnyAddress(host) || count < 1 || count > MOST_NODES)
    throw new UsageFault(`${where}: "${text}" is not IP:N, N from 1 to ${MOST_NODES}`);
  return { host, count };
}

/** `P2P,CHANNEL,RPC`. @throws UsageFault */
export function readPorts(text: string, where: string): NodePorts {
  const ports = text.split(",").map((part) => PORT.read(part.trim()));
  const [p2p, channel, rpc] = ports;
  if (ports.length !== 3 || p2p === undefined || channel === undefined || rpc === undefined) {
    const wanted = "P2P,CHANNEL,RPC, each from 1024 to 65535";
    throw new UsageFault(`${where}: "${text}" is not ${wanted}`);
  }
  return { p2p, channel, rpc };
}

/** Of -l. @throws UsageFault */
export function readHostList(text: string): readonly HostLine[] {
  return text.split(",").map((part) => ({
    ...hostAndCount(part.trim(), "-l"),
    agency: DEFAULT_AGENCY,
    groups: [1],
  }));
}

/** Of the file of -f. @throws UsageFault with the line */
export function readHostFile(text: string, file: string): readonly HostLine[] {
  const found: HostLine[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const where = `${file}, line ${index + 1}`;
    const [nodes = "", agency = "", groups = "", ports, more] = line.split(/\s+/);
    if (groups === "" || more !== undefined)
      throw new UsageFault(`${where}: IP:N AGENCY GROUP[,GROUP] [P2P,CHANNEL,RPC] is wanted`);
    if (!isCertificateName(agency)) throw new UsageFault(`${where}: "${agency}" is no agency name`);
    const ids = groups.split(",").map((part) => GROUP_ID.read(part));
    if (ids.includes(undefined)) throw new UsageFault(`${where}: "${groups}" are no group IDs`);
    found.push({
      ...hostAndCount(nodes, where),
      agency,
      groups: ids.filter((id) => id !== undefined),
      ...(ports === undefined ? {} : { ports: readPorts(ports, where) }),
    });
  }
  if (found.length === 0) throw new UsageFault(`${file} names no nodes`);
  return found;
}

function portsAfter({ p2p, channel, rpc }: NodePorts, offset: number): NodePorts {
  return { p2p: p2p + offset, channel: channel + offset, rpc: rpc + offset };
}

/** Where nodes are of one host, no port may occur twice. @throws UsageFault */
function refuseClashes(nodes: readonly TreeNode[]): void {
  const owners = new Map<string, string>();
  for (const { host, ports, folder } of nodes) {
    for (const port of Object.values(ports) as number[]) {
      if (PORT.read(`${port}`) === undefined)
        throw new UsageFault(`${folder}: port ${port} is none`);
      const place = `${hostKey(host)} ${port}`;
      const other = owners.get(place);
      if (other !== undefined)
        throw new UsageFault(`port ${port} of ${host} is wanted by ${other} and ${folder}`);
      owners.set(place, folder);
    }
  }
}

/**
 * The nodes in their order: those of one host are counted on from line to line; ports that a line
 * names begin anew.
 * @param isDeployed names folders by address and port
 * @throws UsageFault
 */
export function planTree(
  lines: readonly HostLine[],
  first: NodePorts,
  isDeployed: boolean,
): readonly TreeNode[] {
  const counts = new Map<string, number>();
  const nodes = lines.flatMap(({ host, count, agency, groups, ports }) =>
    Array.from({ length: count }, (_, index): TreeNode => {
      const number = counts.get(host) ?? 0;
      counts.set(host, number + 1);
      const own = ports ? portsAfter(ports, index) : portsAfter(first, number);
      const endpoint = { host, port: own.p2p };
      const label = nodeLabel(endpoint);
      const name = isDeployed ? `node_${label}` : `node${number}`;
      const folder = `${folderOfHost(host)}/${name}`;
      return { host, agency, groups, ports: own, endpoint, folder, name: `node_${label}` };
    }),
  );
  if (nodes.length > MOST_NODES)
    throw new UsageFault(`${nodes.length} nodes are too many: ${MOST_NODES} are possible`);
  refuseClashes(nodes);
  return nodes;
}

/** The folder of a host's nodes; some systems admit no colon in a name. */
export function folderOfHost(host: string): string {
  return host.replaceAll(":", "-");
}
