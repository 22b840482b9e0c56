/** build_chain.sh: the nodes of a chain, by the host that they go to. Source: generator 10.1 */
import { join } from "node:path";
import type { Signer } from "../../../folder/authority.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import {
  certifiedIdentity,
  createAgencies,
  createAuthorities,
  type ForBothPorts,
  type Identity,
  readAuthorities,
} from "../../../folder/holder-files.ts";
import { shellWord } from "../../../folder/node-scripts.ts";
import { type Action, pathOf, placed, type ToolContext } from "../context.ts";
import { refusePresent } from "../actions/certificates.ts";
import { versionLine } from "../distribution/program-version.ts";
import { UsageFault } from "../flags.ts";
import { inputText } from "../input/deployment-ini.ts";
import { type NodeProgram, programOfTool } from "../program.ts";
import { readTemplates } from "../tool-templates.ts";
import { treeFiles } from "./tree-files.ts";
import {
  folderOfHost,
  type HostLine,
  planTree,
  readHostFile,
  readHostList,
  readPorts,
  type TreeNode,
} from "./tree-plan.ts";
import { outOf, refuseValues } from "./tree-settings.ts";
import type { Words } from "./words.ts";

const FIRST_PORTS = "30300,20200,8545";

/** @throws UsageFault, FolderFault */
async function readLines(words: Words, context: ToolContext): Promise<readonly HostLine[]> {
  const [list, file] = [words.get("l"), words.get("f")];
  if ((list === undefined) === (file === undefined))
    throw new UsageFault("one of -l and -f is wanted");
  if (list !== undefined) return readHostList(list);
  const path = pathOf(context, file);
  return readHostFile(await inputText(path), path);
}

async function authorities(words: Words, context: ToolContext): Promise<ForBothPorts<Signer>> {
  const { suite } = context.options;
  const folder = words.get(suite === "national" ? "K" : "k");
  if (folder === undefined) return createAuthorities(suite, context);
  return await readAuthorities(pathOf(context, folder), suite);
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
    const issued = new Map<TreeNode, Identity>();
    for (const node of nodes) {
      const agency = agencies.get(node.agency);
      if (!agency) throw new FolderFault("argument", `${node.folder} has no agency.`);
      issued.set(node, certifiedIdentity(node.name, agency, context));
    }
    const program = await programOf(words, context);
    const templates = await readTemplates(context.home);
    const work = { nodes, words, context, program, templates, agencies, issued };
    const hosts = [...new Set(nodes.map(({ host }) => folderOfHost(host)))];
    return {
      home: out,
      files: placed(out, treeFiles(work, ca)),
      result: { folder: out, nodes: nodes.map(({ folder }) => join(out, folder)) },
      says: hosts.map((host) => `start  bash ${shellWord(join(out, host, "start_all.sh"))}`),
    };
  };
}
