/** conf/node_deployment.ini: the nodes of an agency. Source: generator 3; interface 2.7 */
import { HOST, type NodePorts } from "../../../folder/chain-layout.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { readText } from "../../../folder/whole-files.ts";
import type { ConfigProblem, Reading } from "../../../formats/config/config-fault.ts";
import { type Endpoint, integer, type Kind, PORT } from "../../../formats/config/config-kinds.ts";
import { Findings } from "../../../formats/config/config-reader.ts";
import { type IniEntry, type IniText, parseIni } from "../../../formats/config/ini-text.ts";
import { hostKey, isAnyAddress, nodeLabel } from "./hosts.ts";

/** Source: groups 1 */
export const GROUP_ID: Kind<number> = integer(1, 32_767);
/** As many sections are read. Source: generator 3 */
const MOST_NODES = 128;

const PORT_KEYS = {
  p2p: "p2p_listen_port",
  channel: "channel_listen_port",
  rpc: "jsonrpc_listen_port",
} as const;
const IP_KEYS = ["p2p_ip", "rpc_ip", "channel_ip"] as const;

/** The address keys of a section. */
export type IpKey = (typeof IP_KEYS)[number];

/** A node that is to be. */
export interface DeployedNode {
  readonly section: string;
  /** `<p2p_ip>_<p2p_listen_port>`: what it is called in names of files. */
  readonly label: string;
  /** Where peers reach it. */
  readonly endpoint: Endpoint;
  readonly rpcIp: string;
  readonly channelIp: string;
  readonly ports: NodePorts;
  readonly lines: Readonly<Record<string, number>>;
}

/** An agency's nodes. */
export interface Deployment {
  /** The file, as messages name it. */
  readonly file: string;
  readonly groupId: number;
  /** At least one. */
  readonly nodes: readonly DeployedNode[];
}

/** Refuses the flaws of a text. */
export function refuseFlaws({ flaws }: IniText, findings: Findings): void {
  for (const { line, section, key, text, allowed } of flaws)
    findings.refuse("syntax", { line, section, key, value: text, allowed });
}

/** The value of a key; undefined after a problem was noted. */
export function required<T>(
  ini: IniText,
  wanted: { readonly section: string; readonly key: string; readonly kind: Kind<T> },
  findings: Findings,
): T | undefined {
  const { section, key, kind } = wanted;
  const { allowed } = kind;
  const entry = ini.entries.find((each) => each.section === section && each.key === key);
  if (!entry || entry.value === "") {
    const line = entry?.line ?? ini.sections.get(section);
    findings.refuse("missing", { line, section, key, value: undefined, allowed });
    return undefined;
  }
  const value = kind.read(entry.value);
  if (value === undefined)
    findings.refuse("notAllowed", { line: entry.line, section, key, value: entry.value, allowed });
  return value;
}

/** A peer has to dial it. */
const DIALLED: Kind<string> = {
  allowed: `${HOST.allowed} at which peers reach the node`,
  read: (text) => {
    const host = HOST.read(text);
    return host === undefined || isAnyAddress(host) ? undefined : host;
  },
  write: HOST.write,
};

function readNode(section: string, ini: IniText, findings: Findings): DeployedNode | undefined {
  const entries = ini.entries.filter((entry) => entry.section === section);
  const known = new Set<string>([...IP_KEYS, ...Object.values(PORT_KEYS)]);
  for (const { key, line } of entries) {
    if (!known.has(key)) findings.warn({ line, section, key }, "unknown key, ignored");
  }
  const text = (key: IpKey, kind: Kind<string>) => required(ini, { section, key, kind }, findings);
  const port = (key: string) => required(ini, { section, key, kind: PORT }, findings);
  const host = text("p2p_ip", DIALLED);
  const rpcIp = text("rpc_ip", HOST);
  const channelIp = text("channel_ip", HOST);
  const [p2p, channel, rpc] = [PORT_KEYS.p2p, PORT_KEYS.channel, PORT_KEYS.rpc].map(port);
  if (host === undefined || rpcIp === undefined || channelIp === undefined) return undefined;
  if (p2p === undefined || channel === undefined || rpc === undefined) return undefined;
  const endpoint = { host, port: p2p };
  const lines = Object.fromEntries(entries.map(({ key, line }) => [key, line]));
  const ports = { rpc, channel, p2p };
  return { section, label: nodeLabel(endpoint), endpoint, rpcIp, channelIp, ports, lines };
}

/** The sections node0, node1 and so on, up to the first that is missing. */
function nodeSections(ini: IniText, findings: Findings): readonly string[] {
  const sections: string[] = [];
  while (sections.length < MOST_NODES && ini.sections.has(`node${sections.length}`))
    sections.push(`node${sections.length}`);
  for (const [section, line] of ini.sections) {
    if (section === "group" || sections.includes(section)) continue;
    const place = { line, section, key: "" };
    const isNode = /^node\d+$/.test(section);
    const gap = `ignored: [node${sections.length}] is missing before it`;
    const beyond = `ignored: sections from [node0] to [node${MOST_NODES - 1}] are read`;
    const said = isNode
      ? sections.length < MOST_NODES
        ? gap
        : beyond
      : "unknown section, ignored";
    findings.warn(place, said);
  }
  return sections;
}

/**
 * Reads the text of a node_deployment.ini. All problems are found in one pass.
 * @param file its name, for messages
 * @throws ConfigFault
 * Source: generator 3
 */
export function readDeployment(text: string, file: string): Reading<Deployment> {
  const findings = new Findings(file);
  const ini = parseIni(text);
  refuseFlaws(ini, findings);
  const wanted = { section: "group", key: "group_id", kind: GROUP_ID };
  const groupId = required(ini, wanted, findings);
  const sections = nodeSections(ini, findings);
  const nodes = sections.map((section) => readNode(section, ini, findings));
  const found = nodes.filter((node) => node !== undefined);
  if (sections.length === 0) {
    const place = { line: undefined, section: "node0", key: "", value: undefined };
    findings.refuse("missing", { ...place, allowed: "a section for each node is wanted" });
  }
  findings.problems.push(...clashes([{ file, nodes: found }]));
  return findings.finish(() => ({ file, groupId: groupId ?? 0, nodes: found }));
}

interface Owner {
  readonly file: string;
  readonly section: string;
  readonly key: string;
}

/**
 * Ports that nodes of one host would share, in all files together; the later one is refused.
 * Source: generator 3, 9.3
 */
export function clashes(
  files: readonly Pick<Deployment, "file" | "nodes">[],
): readonly ConfigProblem[] {
  const owners = new Map<string, Owner>();
  const problems: ConfigProblem[] = [];
  for (const { file, nodes } of files) {
    for (const { section, endpoint, ports, lines } of nodes) {
      for (const [use, key] of Object.entries(PORT_KEYS)) {
        const port = ports[use as keyof typeof PORT_KEYS];
        const place = `${hostKey(endpoint.host)} ${port}`;
        const owner = owners.get(place);
        if (owner) {
          const where = owner.file === file ? "" : ` of ${owner.file}`;
          const other = `${owner.key} of [${owner.section}]${where}`;
          const allowed = `another port than ${other}, on one host`;
          const found = { file, line: lines[key], section, key, value: `${port}`, allowed };
          problems.push({ ...found, reason: "notAllowed" });
        } else owners.set(place, { file, section, key });
      }
    }
  }
  return problems;
}

/** The line of a key of a node, as a problem of its value. */
export function problemAt(
  file: string,
  { section, lines }: DeployedNode,
  wrong: { readonly key: string; readonly value: string; readonly allowed: string },
): ConfigProblem {
  return { file, line: lines[wrong.key], section, ...wrong, reason: "notAllowed" };
}

/** The keys of a node's ports with the address that each listens on. */
export function listenersOf({ endpoint, rpcIp, channelIp, ports }: DeployedNode) {
  const anyIp = endpoint.host.includes(":") ? "::" : "0.0.0.0";
  return [
    { key: PORT_KEYS.p2p, host: anyIp, port: ports.p2p },
    { key: PORT_KEYS.channel, host: channelIp, port: ports.channel },
    { key: PORT_KEYS.rpc, host: rpcIp, port: ports.rpc },
  ] as const;
}

/**
 * The text of an input file.
 * @param file as messages name it
 * @throws FolderFault missing, with the way to a sample
 */
export async function inputText(path: string, file = path): Promise<string> {
  const text = await readText(path);
  if (text !== undefined) return text;
  const next = "generator --create_tool_folder DIR makes a folder with samples of all files";
  throw new FolderFault("missing", `${file} is missing: ${next}.`);
}

/** Entries of a section in the order of the file. */
export function entriesOf(ini: IniText, section: string): readonly IniEntry[] {
  return ini.entries.filter((entry) => entry.section === section);
}
