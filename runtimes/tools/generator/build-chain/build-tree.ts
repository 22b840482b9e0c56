/** build_chain.sh: the nodes of a chain, by the host that they go to. Source: generator 10.1 */
import { join } from "node:path";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { Agency, Signer } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import {
  agencyFilesOf,
  chainFilesOf,
  createAgencies,
  createAuthorities,
  type IssuedNode,
  issueNode,
  issueSdk,
  readAuthorities,
  type Signers,
} from "../../../folder/holder-files.ts";
import { allNodesScripts, NODE_PROGRAM, nodePackage } from "../../../folder/node-package.ts";
import { genesisTimestamp } from "../../../folder/node-texts.ts";
import type { PlacedFile } from "../../../folder/whole-tree.ts";
import { type Action, pathOf, placed, type ToolContext } from "../context.ts";
import { refusePresent } from "../actions/certificates.ts";
import { versionLine } from "../distribution/program-version.ts";
import { UsageFault } from "../flags.ts";
import { inputText } from "../input/deployment-ini.ts";
import { inExchange, type NodeProgram, programOfTool } from "../program.ts";
import { connectionFiles, sdkTarget } from "../sdk-files.ts";
import { NODE_MONITOR_SCRIPT } from "../tool-scripts.ts";
import { genesisFrom, readTemplates, type ToolTemplates } from "../tool-templates.ts";
import { folderOfHost, planTree, readHostFile, readHostList, readPorts } from "./tree-plan.ts";
import type { HostLine, TreeNode } from "./tree-plan.ts";
import { configTemplate, genesisTemplate, outOf, refuseValues } from "./tree-settings.ts";
import type { Words } from "./words.ts";

const FIRST_PORTS = "30300,20200,8545";

interface TreeWork {
  readonly nodes: readonly TreeNode[];
  readonly words: Words;
  readonly context: ToolContext;
  readonly program: NodeProgram;
  readonly templates: ToolTemplates;
  readonly agencies: ReadonlyMap<string, Signers<Agency>>;
  readonly issued: ReadonlyMap<TreeNode, IssuedNode>;
}

/** @throws UsageFault, FolderFault */
async function readLines(words: Words, context: ToolContext): Promise<readonly HostLine[]> {
  const [list, file] = [words.get("l"), words.get("f")];
  if ((list === undefined) === (file === undefined)) {
    throw new UsageFault("one of -l and -f is wanted");
  }
  if (list !== undefined) return readHostList(list);
  const path = pathOf(context, file);
  return readHostFile(await inputText(path), path);
}

async function authorities(words: Words, context: ToolContext): Promise<Signers<Signer>> {
  const { suite } = context.options;
  const folder = words.get(suite === "national" ? "K" : "k");
  if (folder === undefined) return createAuthorities(suite, context);
  return await readAuthorities(pathOf(context, folder), suite);
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
  const files: PlacedFile[] = nodePackage({
    settings,
    identity: work.issued.get(node)?.files ?? [],
    groups: node.groups.map((id) => ({ id, genesis: genesis.get(id) ?? "" })),
    program: context.program,
    templates: { ...work.templates.node, "config.ini": config, "config.ini.gm": config },
  });
  const own = files.map((file) =>
    program.kind === "file" && file.path === NODE_PROGRAM
      ? { path: file.path, copyOf: program.path }
      : file,
  );
  const monitor = { path: "scripts/monitor.sh", text: NODE_MONITOR_SCRIPT, use: "script" } as const;
  return placed(node.folder, [...own, monitor]);
}

/** What a host's folder has beside its nodes. */
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
function treeFiles(work: TreeWork, ca: Signers<Signer>): PlacedFile[] {
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

/** @throws FolderFault unusable, when the file of -e is no program of this product */
async function programOf(words: Words, context: ToolContext): Promise<NodeProgram> {
  const given = words.get("e");
  if (given === undefined) return await programOfTool();
  const path = pathOf(context, given);
  await versionLine(path);
  return { kind: "file", path };
}

/** Everything that build_chain.sh writes; all of it or nothing. */
export function buildTree(words: Words): Action {
  return async (context) => {
    refuseValues(words);
    const lines = await readLines(words, context);
    const first = readPorts(words.get("p") ?? FIRST_PORTS, "-p");
    const nodes = planTree(lines, first, words.has("D"));
    const out = pathOf(context, outOf(words));
    await refusePresent(out, "choose another folder with -o");
    const ca = await authorities(words, context);
    const names = [...new Set(nodes.map(({ agency }) => agency))];
    const agencies = new Map(names.map((name) => [name, createAgencies(name, ca, context)]));
    const issued = new Map<TreeNode, IssuedNode>();
    for (const node of nodes) {
      const agency = agencies.get(node.agency);
      if (!agency) throw new FolderFault("argument", `${node.folder} has no agency.`);
      issued.set(node, issueNode(node.name, agency, context));
    }
    const program = await programOf(words, context);
    const templates = await readTemplates(context.home);
    const work = { nodes, words, context, program, templates, agencies, issued };
    const hosts = [...new Set(nodes.map(({ host }) => folderOfHost(host)))];
    return {
      home: out,
      files: placed(out, treeFiles(work, ca)),
      result: { folder: out, nodes: nodes.map(({ folder }) => join(out, folder)) },
      says: hosts.map((host) => `start  bash ${join(out, host, "start_all.sh")}`),
    };
  };
}
