/** The files of the tree that build_chain.sh writes. Source: generator 10.1 */
import { join } from "node:path";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { Agency, Signer } from "../../../folder/authority.ts";
import {
  agencyFilesOf,
  chainFilesOf,
  type ForBothPorts,
  type Identity,
  issueSdk,
} from "../../../folder/holder-files.ts";
import { allNodesScripts, nodeFolderFiles } from "../../../folder/node-package.ts";
import { genesisTimestamp } from "../../../folder/node-texts.ts";
import { RELOAD_ALLOWLIST_SCRIPT } from "../../../folder/signal-scripts.ts";
import type { PlacedFile } from "../../../folder/whole-tree.ts";
import { placed, type ToolContext } from "../context.ts";
import { withProgram } from "../nodes-folder.ts";
import { inExchange, type NodeProgram } from "../program.ts";
import { connectionFiles, sdkTarget } from "../sdk-files.ts";
import { NODE_MONITOR_SCRIPT } from "../tool-scripts.ts";
import { genesisFrom, type ToolTemplates } from "../tool-templates.ts";
import { folderOfHost, type TreeNode } from "./tree-plan.ts";
import { configTemplate, genesisTemplate } from "./tree-settings.ts";
import type { Words } from "./words.ts";

/** What scripts/ of a node has in such a tree besides that of every node. */
const TREE_SCRIPTS = [
  { path: "scripts/monitor.sh", text: NODE_MONITOR_SCRIPT, use: "script" },
  { path: "scripts/reload_sdk_allowlist.sh", text: RELOAD_ALLOWLIST_SCRIPT, use: "script" },
] as const;

/** What a tree is made of. */
export interface TreeWork {
  readonly nodes: readonly TreeNode[];
  readonly words: Words;
  readonly context: ToolContext;
  readonly program: NodeProgram;
  readonly templates: ToolTemplates;
  readonly agencies: ReadonlyMap<string, ForBothPorts<Agency>>;
  readonly issued: ReadonlyMap<TreeNode, Identity>;
}

/** Texts of group.N.genesis by group. */
function genesisTexts(work: TreeWork): ReadonlyMap<number, string> {
  const ids = [...new Set(work.nodes.flatMap(({ groups }) => groups))].sort((a, b) => a - b);
  const timestamp = genesisTimestamp(work.context.now);
  const sealersOf = (id: number): readonly NodeId[] =>
    work.nodes
      .filter(({ groups }) => groups.includes(id))
      .flatMap((node) => work.issued.get(node)?.nodeId ?? []);
  const template = genesisTemplate(work.words, work.templates.tool["group.i.genesis"]);
  return new Map(
    ids.map((id) => [id, genesisFrom(template, { id, sealers: sealersOf(id), timestamp })]),
  );
}

function filesOfNode(
  node: TreeNode,
  work: TreeWork,
  genesis: ReadonlyMap<number, string>,
): PlacedFile[] {
  const { words, context, program, nodes } = work;
  const isIpv6 = words.has("6") || node.host.includes(":");
  const any = isIpv6 ? "::" : "0.0.0.0";
  const settings = {
    suite: context.options.suite,
    rpcIp: words.has("i") ? any : isIpv6 ? "::1" : "127.0.0.1",
    channelIp: any,
    p2pIp: any,
    ports: node.ports,
    peers: nodes.map(({ endpoint }) => endpoint),
  };
  const config = configTemplate(words, context.options.suite);
  const order = {
    settings,
    groups: node.groups.map((id) => ({ id, genesis: genesis.get(id) ?? "" })),
    program: context.program,
    templates: { ...work.templates.node, "config.ini": config, "config.ini.gm": config },
  };
  const own = nodeFolderFiles(order, work.issued.get(node) ?? { files: [] });
  return placed(node.folder, [...withProgram(own, program), ...TREE_SCRIPTS]);
}

/** What a host's folder has besides its nodes. */
function filesOfHost(host: string, work: TreeWork): PlacedFile[] {
  const nodes = work.nodes.filter((node) => node.host === host);
  const [first] = nodes;
  const signers = first && work.agencies.get(first.agency);
  if (!first || !signers) return [];
  const deployed = nodes.map((node) => ({
    section: "",
    label: "",
    endpoint: node.endpoint,
    rpcIp: "127.0.0.1",
    channelIp: "0.0.0.0",
    ports: node.ports,
    lines: {},
  }));
  const isNational = work.context.options.suite === "national";
  const known = { groupId: first.groups[0] ?? 1, agency: first.agency, isNational };
  const target = sdkTarget(deployed, known);
  return placed(folderOfHost(host), [
    ...placed("sdk", [
      ...issueSdk(signers, work.context),
      ...connectionFiles(target, work.templates),
    ]),
    ...inExchange(work.program),
    ...allNodesScripts(work.templates.node),
  ]);
}

/** All files, below the output. */
export function treeFiles(work: TreeWork, ca: ForBothPorts<Signer>): PlacedFile[] {
  const genesis = genesisTexts(work);
  const hosts = [...new Set(work.nodes.map(({ host }) => host))];
  return [
    ...placed("cert", chainFilesOf(ca)),
    ...[...work.agencies].flatMap(([name, agency]) =>
      placed(join("cert", name), agencyFilesOf(agency)),
    ),
    ...work.nodes.flatMap((node) => filesOfNode(node, work, genesis)),
    ...hosts.flatMap((host) => filesOfHost(host, work)),
  ];
}
