/** The folder of an agency's nodes. Source: generator 6 */
import { mergedPeers } from "../../folder/further-node.ts";
import {
  allNodesScripts,
  NODE_PROGRAM,
  nodeFolderFiles,
  type PackedGroup,
} from "../../folder/node-package.ts";
import type { FileToWrite } from "../../folder/whole-files.ts";
import type { PlacedFile } from "../../folder/whole-tree.ts";
import type { Endpoint } from "../../formats/config/config-kinds.ts";
import { placed, type ToolContext } from "./context.ts";
import type { DeployedNode } from "./input/deployment-ini.ts";
import { besideNodes, handPlaced, type NodeProgram } from "./program.ts";
import type { ToolTemplates } from "./tool-templates.ts";
import { nodesScripts } from "./tool-scripts.ts";

/** A node with its files as below conf/. */
export interface PackedNode {
  readonly node: DeployedNode;
  readonly identity: readonly FileToWrite[];
}

/** What a folder of nodes is made of. */
export interface NodesFolder {
  readonly nodes: readonly PackedNode[];
  /** Of other nodes. */
  readonly peers: readonly Endpoint[];
  readonly groups: readonly PackedGroup[];
  readonly program: NodeProgram;
  readonly templates: ToolTemplates;
}

/** The folder of a node. Source: interface 2.7 */
export function nodeFolder({ label }: Pick<DeployedNode, "label">): string {
  return `node_${label}`;
}

/** All files, relative to the folder. */
export function nodesFolderFiles(
  { nodes, peers, groups, program, templates }: NodesFolder,
  { options, program: place }: Pick<ToolContext, "options" | "program">,
): PlacedFile[] {
  const own = nodes.map(({ node }) => node.endpoint);
  const all = mergedPeers(peers, own);
  const packed = nodes.flatMap(({ node, identity }) => {
    const { rpcIp, channelIp, ports, endpoint } = node;
    // The template's own address is of IPv4.
    const p2pIp = endpoint.host.includes(":") ? { p2pIp: "::" } : {};
    const settings = { suite: options.suite, rpcIp, channelIp, ...p2pIp, ports, peers: all };
    const order = { settings, groups, program: place, templates: templates.node };
    const files = nodeFolderFiles(order, { files: identity });
    return placed(nodeFolder(node), withProgram(files, program));
  });
  return [
    ...packed,
    ...besideNodes(program),
    ...allNodesScripts(templates.node),
    ...nodesScripts(),
  ];
}

/** A program placed by hand is what each node runs. Source: generator 6 */
export function withProgram(
  files: readonly PlacedFile[],
  program: NodeProgram,
): readonly PlacedFile[] {
  if (program.kind === "folder") return files;
  return files.map((file) => (file.path === NODE_PROGRAM ? handPlaced(program.path) : file));
}
