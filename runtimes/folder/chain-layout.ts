/**
 * What a new chain consists of: nodes with their agencies and ports, and groups. Pure: options in,
 * a plan or a fault with the allowed values out. Source: generator 3, 5; groups 1, 6
 */
import type { SuiteName } from "../../core/crypto/suite.ts";
import { isCertificateName } from "../formats/certificates/certificate-terms.ts";
import { ENDPOINT, type Endpoint, type Kind } from "../formats/config/config-kinds.ts";
import { FolderFault } from "./folder-fault.ts";

/** A group to begin with. */
export interface PlannedGroup {
  readonly id: number;
  readonly consensus: "pbft" | "raft";
  /** Names of the nodes that are its members; every node is a sealer when absent. */
  readonly members?: GroupMembers;
}

/** Members of a group by the names of their nodes. */
export interface GroupMembers {
  readonly sealers: readonly string[];
  /** They have the group's files; a transaction makes them observers once the group runs. */
  readonly observers: readonly string[];
}

/** Listening ports; the WebSocket port only where browsers shall reach the node. */
export interface NodePorts {
  readonly rpc: number;
  readonly channel: number;
  readonly p2p: number;
  readonly ws?: number;
}

/** What the operator chose. */
export interface ChainChoices {
  readonly nodes: number;
  readonly agencies: readonly string[];
  readonly groups: readonly PlannedGroup[];
  /** The national algorithms in place of the standard ones; false when absent. */
  readonly sm?: boolean;
  /** Where peers reach the nodes: an address or a name. */
  readonly host: string;
  /** Ports of node 0; node i has each plus i. */
  readonly basePorts: NodePorts;
}

/** One node. */
export interface PlannedNode {
  /** `node0`, `node1`, ...: folder and CN. */
  readonly name: string;
  readonly agency: string;
  readonly ports: NodePorts;
  /** Address for peers and SDKs to be listened on; that of the plan when absent. */
  readonly listenIp?: string;
  /** Where JSON-RPC is listened for; 127.0.0.1 when absent. */
  readonly rpcIp?: string;
  /** Where SDKs are listened for; as peers when absent. */
  readonly channelIp?: string;
  /** `host:port`, IPv6 as `[ip]:port`. */
  readonly endpoint: string;
}

/** A chain that can be written. */
export interface ChainPlan {
  readonly suite: SuiteName;
  readonly nodes: readonly PlannedNode[];
  readonly agencies: readonly string[];
  readonly groups: readonly PlannedGroup[];
  /** Callers change groups and peers with a token, one for the whole chain. Source: decision 31 */
  readonly hasToken?: boolean;
  readonly listenIp: string;
  /** Where peers reach the nodes, in their order, the own one included. Source: generator 6.1 */
  readonly peers: readonly Endpoint[];
}

/** As many nodes as the deployment tool reads from one file. Source: generator 3 */
export const MOST_CHAIN_NODES = 128;
/** Group ids are positive 16-bit numbers. Source: groups 1 */
const HIGHEST_GROUP = 32_767;
/** Source: interface 8 */
const LOWEST_PORT = 1024;
const HIGHEST_PORT = 65_535;
/** Folders of a chain that no agency can be called. */
const RESERVED = /^(cert|origin|node\d+)$/;
const MAX_HOST_LENGTH = 253;

/** JSON-RPC knows no users, so it is opened to the own machine only. Source: groups 8 */
export const DEFAULT_JSON_RPC_IP = "127.0.0.1";

/**
 * Ports of node 0 when none are chosen. Those of JSON-RPC begin above the ones of `chain-node dev`,
 * so that both can run on one host.
 */
export const DEFAULT_PORTS: NodePorts = { rpc: 8645, channel: 20_200, p2p: 30_300 };

function refuse(message: string): never {
  throw new FolderFault("argument", message);
}

/** `A,B`: agencies by name. */
export function parseAgencies(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  for (const name of names) {
    if (!isCertificateName(name))
      refuse(`"${name}" is no agency name: letters, digits, ".", "_" and "-" are wanted.`);
    if (RESERVED.test(name)) refuse(`"${name}" is a folder of the chain; choose another name.`);
  }
  // Folders that differ in case only are one folder on some systems.
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  if (distinct.size < names.length) refuse("each agency may be named once.");
  return names;
}

/** `1:pbft,2:raft`, where `1` alone means PBFT. Source: groups 1, 6 */
export function parseGroups(text: string): readonly PlannedGroup[] {
  const groups = text.split(",").map((part): PlannedGroup => {
    const match = /^(\d{1,5})(?::(pbft|raft))?$/.exec(part.trim());
    const id = Number(match?.[1]);
    if (!match || id < 1 || id > HIGHEST_GROUP)
      refuse(`"${part}" is no group: ID:pbft or ID:raft is wanted, ID from 1 to ${HIGHEST_GROUP}.`);
    return { id, consensus: match[2] === "raft" ? "raft" : "pbft" };
  });
  if (new Set(groups.map(({ id }) => id)).size < groups.length)
    refuse("each group may be named once.");
  return groups;
}

/** `RPC,CHANNEL,P2P[,WS]`. */
export function parseBasePorts(text: string): NodePorts {
  const parts = text.split(",").map((part) => part.trim());
  const [rpc = 0, channel = 0, p2p = 0, ws] = parts.map((part) =>
    /^\d{1,5}$/.test(part) ? Number(part) : 0,
  );
  const ports = [rpc, channel, p2p, ...(ws === undefined ? [] : [ws])];
  const allFit = ports.every((port) => port >= LOWEST_PORT && port <= HIGHEST_PORT);
  if (parts.length < 3 || parts.length > 4 || !allFit) {
    refuse(
      `RPC,CHANNEL,P2P or RPC,CHANNEL,P2P,WS is wanted, ports from ${LOWEST_PORT} to ` +
        `${HIGHEST_PORT}, such as 8645,20200,30300.`,
    );
  }
  return { rpc, channel, p2p, ...(ws === undefined ? {} : { ws }) };
}

/** An address or a name; IPv6 with or without brackets, given without. Source: generator 3 */
export const HOST: Kind<string> = {
  allowed: "an IPv4 or IPv6 address or a host name",
  read(text) {
    const host = /^\[(.+)\]$/.exec(text)?.[1] ?? text;
    // What config.ini can hold is what is allowed here.
    const endpoint = ENDPOINT.read(ENDPOINT.write({ host, port: 1 }));
    return endpoint && host.length <= MAX_HOST_LENGTH && !host.includes("..") ? host : undefined;
  },
  write: (host) => host,
};

/** An IPv4 address, an IPv6 address with or without brackets, or a name; without brackets. */
export function parseHost(text: string): string {
  const host = HOST.read(text);
  if (host === undefined)
    return refuse(`"${text}" is no host: an IPv4 or IPv6 address or a name is wanted.`);
  if (host === "0.0.0.0" || host === "::")
    refuse(`${host} cannot be dialled; give the address at which peers reach the nodes.`);
  return host;
}

/** Loopback when the chain stays on this machine, else every address of the host's family. */
export function listenIpOf(host: string): string {
  if (host === "localhost" || /^127\./.test(host)) return "127.0.0.1";
  if (host === "::1") return "::1";
  return host.includes(":") ? "::" : "0.0.0.0";
}

/** The ports of a node that is this many after another one. */
export function shiftedPorts(base: NodePorts, index: number): NodePorts {
  const { rpc, channel, p2p, ws } = base;
  return {
    rpc: rpc + index,
    channel: channel + index,
    p2p: p2p + index,
    ...(ws === undefined ? {} : { ws: ws + index }),
  };
}

/** All nodes run on one machine, so no port may occur twice. */
function refuseClashes(nodes: readonly PlannedNode[]): void {
  const owners = new Map<number, string>();
  for (const { name, ports } of nodes) {
    for (const [use, port] of Object.entries(ports)) {
      const owner = `${use} of ${name}`;
      const other = owners.get(port);
      if (port > HIGHEST_PORT) refuse(`port ${port} (${owner}) is above ${HIGHEST_PORT}.`);
      if (other !== undefined) {
        refuse(
          `port ${port} is wanted twice, for ${other} and ${owner}; choose base ports that are ` +
            `at least ${nodes.length} apart.`,
        );
      }
      owners.set(port, owner);
    }
  }
}

/**
 * The chain of these choices; agencies get their nodes in blocks of about the same size.
 * @throws FolderFault argument, with a sentence that names what is allowed
 */
export function planChain(choices: ChainChoices): ChainPlan {
  const { agencies, groups, host, basePorts } = choices;
  const count = choices.nodes;
  if (!Number.isInteger(count) || count < 1 || count > MOST_CHAIN_NODES)
    refuse(`${count} nodes cannot be: from 1 to ${MOST_CHAIN_NODES} are possible.`);
  if (agencies.length > count)
    refuse(`${agencies.length} agencies cannot share ${count} nodes: each needs one at least.`);
  const nodes = Array.from({ length: count }, (_, index): PlannedNode => {
    const ports = shiftedPorts(basePorts, index);
    const agency = agencies[Math.floor((index * agencies.length) / count)] ?? "";
    return {
      name: `node${index}`,
      agency,
      ports,
      endpoint: ENDPOINT.write({ host, port: ports.p2p }),
    };
  });
  refuseClashes(nodes);
  const peers = nodes.map(({ ports }) => ({ host, port: ports.p2p }));
  const suite = choices.sm ? "national" : "standard";
  return { suite, nodes, agencies, groups, listenIp: listenIpOf(host), peers };
}
