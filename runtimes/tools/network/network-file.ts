/** Reads a network file and checks that its parts fit together. */
import { basename, dirname, resolve } from "node:path";
import { MOST_CHAIN_NODES, type NodePorts } from "../../folder/chain-layout.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readText } from "../../folder/whole-files.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { FileFindings } from "./file-findings.ts";
import type { NetworkGroup, NetworkNode, NetworkSpec } from "./network-spec.ts";
import { checkSpec, type SpecPlaces } from "./spec-checks.ts";
import { type FoundFile, type FoundMap, readYaml } from "./yaml-values.ts";

/** A chain's ports when none are chosen. */
export const BASE_PORTS: NodePorts = { rpc: 8645, channel: 20_200, p2p: 30_300 };
/** WebSocket ports begin here where browsers shall reach the nodes and no port is named. */
const BASE_WS_PORT = 40_400;
const DEFAULT_HOST = "127.0.0.1";

/** The image of this release, as the Dockerfile of manifests says how to build it. */
export function defaultImage(): string {
  return `chain-node:${BUILD_INFO.version}`;
}

/** A value that the schema has read by its own kind. */
function valueIn<T>(map: FoundMap | undefined, name: string): T | undefined {
  return map?.values.get(name)?.value as T | undefined;
}

function nodeOf(map: FoundMap, home: string, host: string): NetworkNode {
  const runtime = valueIn<NetworkNode["runtime"]>(map, "runtime") ?? "node";
  const ports = valueIn<NodePorts | "auto">(map, "ports");
  const publicKey = valueIn<string>(map, "public_key");
  const isId = publicKey !== undefined && /^[0-9a-fA-F]{128}$/.test(publicKey);
  return {
    name: valueIn<string>(map, "name") ?? "",
    agency: valueIn<string>(map, "agency") ?? "",
    host: valueIn<string>(map, "host") ?? host,
    ports: ports === "auto" ? undefined : ports,
    rpcIp: valueIn<string>(map, "rpc_ip"),
    channelIp: valueIn<string>(map, "channel_ip"),
    role: valueIn<NetworkNode["role"]>(map, "role") ?? (runtime === "node" ? "sealer" : "observer"),
    runtime,
    publicKey: publicKey === undefined || isId ? publicKey : resolve(home, publicKey),
  };
}

/** Those that the group names, or all whose role it is and that are not named otherwise. */
function groupOf(map: FoundMap | undefined, nodes: readonly NetworkNode[]): NetworkGroup {
  const named = (list: string) => map?.lists.get(list)?.map(({ value }) => value);
  const byRole = (role: NetworkNode["role"], others: readonly string[] = []) =>
    nodes.filter((node) => node.role === role && !others.includes(node.name)).map(nameOf);
  const [sealers, observers] = [named("sealers"), named("observers")];
  return {
    id: valueIn<number>(map, "id") ?? 1,
    consensus: valueIn<NetworkGroup["consensus"]>(map, "consensus") ?? "pbft",
    sealers: sealers ?? byRole("sealer", observers),
    observers: observers ?? byRole("observer", sealers),
  };
}

function nameOf({ name }: NetworkNode): string {
  return name;
}

/** Tabs dial WebSocket ports: without a word about ports, nodes have them where there is a tab. */
function basePortsOf(asked: NodePorts | undefined, nodes: readonly NetworkNode[]): NodePorts {
  if (asked) return asked;
  const hasTab = nodes.some(({ runtime }) => runtime === "tab");
  return hasTab ? { ...BASE_PORTS, ws: BASE_WS_PORT } : BASE_PORTS;
}

function specOf(found: FoundFile, file: string): NetworkSpec {
  const { chain } = found;
  const home = dirname(file);
  const host = valueIn<string>(chain, "host") ?? DEFAULT_HOST;
  const nodes = found.nodes.map((map) => nodeOf(map, home, host));
  const name = valueIn<string>(chain, "name") ?? "";
  return {
    file,
    form: "yaml",
    name,
    suite: valueIn<NetworkSpec["suite"]>(chain, "suite") ?? "standard",
    folder: resolve(home, valueIn<string>(chain, "folder") ?? name),
    basePorts: basePortsOf(valueIn<NodePorts>(chain, "ports"), nodes),
    management: valueIn<NetworkSpec["management"]>(chain, "management") ?? "local",
    image: valueIn<string>(chain, "image") ?? defaultImage(),
    agencies: found.agencies.map(({ value }) => value),
    nodes,
    groups: found.groups?.map((map) => groupOf(map, nodes)) ?? [groupOf(undefined, nodes)],
  };
}

/** Where the parts of a spec stand. */
function placesOf({ agencies, nodes, groups }: FoundFile): SpecPlaces {
  const inMap = (map: FoundMap | undefined, name: string, key: string) => ({
    line: map?.values.get(name)?.line ?? map?.line,
    key: `${map?.key ?? key}.${name}`,
  });
  return {
    agency: (index) => ({ line: agencies[index]?.line, key: `agencies[${index}]` }),
    node: (index, name) => inMap(nodes[index], name, `nodes[${index}]`),
    group: (index, name) => inMap(groups?.[index], name, `groups[${index}]`),
    member: (index, list, name) => {
      const found = groups?.[index]?.lists.get(list)?.find(({ value }) => value === name);
      return { line: found?.line, key: found?.key ?? `groups[${index}].${list}` };
    },
  };
}

/**
 * The network of a text in YAML.
 * @param file absolute path, for messages and as the place that folders are named from
 * @throws FolderFault unusable: one line for each problem with file, line, key and what is
 *   allowed
 */
export function parseNetwork(text: string, file: string): NetworkSpec {
  const findings = new FileFindings(basename(file));
  const found = readYaml(text, findings);
  const { nodes } = found;
  if (nodes.length > MOST_CHAIN_NODES)
    findings.say({ line: undefined, key: "nodes" }, `are too many: ${MOST_CHAIN_NODES} at most`);
  // What depends on parts that could not be read is not examined.
  findings.finish();
  const spec = specOf(found, file);
  checkSpec(spec, placesOf(found), findings);
  findings.finish();
  return spec;
}

/** Reads a network file. @throws FolderFault missing or unusable */
export async function readNetworkFile(path: string): Promise<NetworkSpec> {
  const file = resolve(path);
  const text = await readText(file);
  if (text !== undefined) return parseNetwork(text, file);
  const next = "Name a network file, or a folder whose agencies have a node_deployment.ini.";
  throw new FolderFault("argument", `${path}: there is no such file. ${next}`);
}
