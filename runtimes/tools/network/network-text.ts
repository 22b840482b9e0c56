/** Network files as text: written in full, and changed with all comments kept. */
import { shellWord } from "../../folder/node-scripts.ts";
import { isMap, isSeq, type ParsedNode, parseDocument, stringify } from "yaml";
import { FolderFault } from "../../folder/folder-fault.ts";
import type { LiveNetwork } from "./live-network.ts";
import type { NetworkGroup, NetworkNode } from "./network-spec.ts";

function portsText(ports: object): string {
  return Object.values(ports).join(",");
}

/** What is there of it. */
function present(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** A network as a file in which nothing is left to defaults. */
export function networkText({ spec, nodes }: LiveNetwork): string {
  const { name, suite, folder, basePorts, management, image, agencies, groups } = spec;
  const chain = { name, suite, folder, ports: portsText(basePorts), management, image };
  const all = spec.nodes.map(({ publicKey, ports: _, ...node }) => {
    const found = nodes.find(({ spec: { name: own } }) => own === node.name)?.found;
    if (node.runtime === "node") {
      const { name: own, agency, host, role } = node;
      const { jsonrpc, channel: sdks } = found?.config.rpc ?? {};
      const ips = { rpc_ip: jsonrpc?.ip, channel_ip: sdks?.ip };
      return present({
        name: own,
        agency,
        host,
        ports: portsText(found?.ports ?? {}),
        ...ips,
        role,
      });
    }
    const { name: own, agency, role, runtime } = node;
    const key = publicKey === undefined ? {} : { public_key: publicKey };
    return { name: own, agency, role, runtime, ...key };
  });
  return stringify({ chain, agencies, nodes: all, groups }, { lineWidth: 0 });
}

/** A node to add to a file; what is absent is left to its defaults. */
export interface NodeEntry {
  readonly name: string;
  readonly agency: string;
  readonly host?: string | undefined;
  readonly ports?: string | undefined;
  readonly role?: NetworkNode["role"] | undefined;
  readonly runtime?: NetworkNode["runtime"] | undefined;
  readonly public_key?: string | undefined;
}

/** Where a list is missing, one is made. */
function addTo(doc: ReturnType<typeof parseDocument>, path: readonly string[], value: unknown) {
  const list = doc.getIn(path);
  if (isSeq(list)) list.add(doc.createNode(value) as ParsedNode);
  else doc.setIn(path, doc.createNode([value]));
}

/** The role under which a node goes into lists of members. */
function listOf({ role, runtime = "node" }: NodeEntry): "sealers" | "observers" {
  return (role ?? (runtime === "node" ? "sealer" : "observer")) === "sealer"
    ? "sealers"
    : "observers";
}

/**
 * The text of a file with a node more, its agency if that is new, and its name in the lists of
 * groups that name their members.
 * @param groups those that it joins; all that list members when absent
 */
export function withNode(text: string, node: NodeEntry, groups?: readonly number[]): string {
  const doc = parseDocument(text);
  const agencies = doc.toJS().agencies as readonly string[];
  if (!agencies.includes(node.agency)) addTo(doc, ["agencies"], node.agency);
  addTo(doc, ["nodes"], present(node));
  const list = listOf(node);
  const known = doc.getIn(["groups"]);
  for (const item of isSeq(known) ? known.items : []) {
    if (!isMap(item)) continue;
    const members = item.get(list);
    const isMeant = groups?.includes(Number(item.get("id"))) ?? true;
    if (!isMeant) continue;
    // Where nobody is listed, its role says what it is.
    if (isSeq(members)) members.add(node.name);
  }
  return doc.toString({ lineWidth: 0 });
}

/** A group to add to a file. */
export interface GroupEntry extends Pick<NetworkGroup, "id" | "consensus"> {
  readonly sealers: readonly string[] | undefined;
  readonly observers: readonly string[] | undefined;
}

/** The text of a file with a group more. @param first of a file that names no group so far */
export function withGroup(text: string, group: GroupEntry, first: NetworkGroup): string {
  const doc = parseDocument(text);
  if (!doc.hasIn(["groups"])) {
    const { id, consensus } = first;
    addTo(doc, ["groups"], { id, consensus });
  }
  addTo(doc, ["groups"], present(group));
  return doc.toString({ lineWidth: 0 });
}

/** Classic files say less than is asked for. */
export function refuseClassic(file: string): never {
  const said = `${file} holds classic files, which cannot say this`;
  const inspect = `chain-node network inspect ${shellWord(file)} --yaml`;
  const next = `${inspect} > network.yaml makes a file that can`;
  throw new FolderFault("argument", `${said}. ${next}.`);
}
