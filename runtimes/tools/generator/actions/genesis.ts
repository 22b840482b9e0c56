/** The actions that make and add groups. Source: generator 4, 7, 8 */
import { basename, join, resolve } from "node:path";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { groupFiles } from "../../../folder/node-package.ts";
import { shellWord } from "../../../folder/node-scripts.ts";
import { genesisTimestamp } from "../../../folder/node-texts.ts";
import { readText } from "../../../folder/whole-files.ts";
import { isThere, type PlacedFile } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { readNodeConfig } from "../../../formats/config/node-config.ts";
import { findNodeFolders } from "../../../node/observe/node-folders.ts";
import { type Action, inMeta, pathOf, placed, type ToolContext } from "../context.ts";
import { GROUP_ID, inputText } from "../input/deployment-ini.ts";
import { idsOfCertificates, idsOfFiles } from "../input/meta-files.ts";
import { readOwnGenesis } from "../input/own-deployment.ts";
import { genesisFrom, readTemplates } from "../tool-templates.ts";
import { refusePresent } from "./certificates.ts";
import { readGenesis } from "./packages.ts";

/** Two members with one key would be one sealer. @throws FolderFault mismatch */
export function refuseSameIds(members: readonly Endpoint[], ids: readonly NodeId[]): void {
  const owners = new Map<NodeId, string>();
  for (const [index, id] of ids.entries()) {
    const member = members[index];
    const endpoint = member === undefined ? "" : ENDPOINT.write(member);
    const other = owners.get(id);
    if (other !== undefined) {
      const said = `${other} and ${endpoint} have the same node ID ${id.slice(0, 8)}...`;
      throw new FolderFault("mismatch", `${said}: a certificate in meta is the wrong one.`);
    }
    owners.set(id, endpoint);
  }
}

type IdReader = (members: readonly Endpoint[], context: ToolContext) => Promise<readonly NodeId[]>;

/** A group's genesis by the way in which node IDs are known. */
function creating(idsOf: IdReader): Action {
  return async (context, [dir]) => {
    const folder = pathOf(context, dir);
    const { groupId, members } = await readOwnGenesis(context);
    const name = `group.${groupId}.genesis`;
    await refusePresent(join(folder, name), "choose another folder, or remove it");
    const sealers = await idsOf(members, context);
    refuseSameIds(members, sealers);
    const { node, tool } = await readTemplates(context.home);
    const timestamp = genesisTimestamp(context.now);
    const group = { id: groupId, sealers, timestamp };
    const genesis = genesisFrom(tool["group.i.genesis"], group);
    const own = inMeta(context, name);
    if (await isThere(own)) context.report.info(`${own} is replaced by the new one`);
    const meta: PlacedFile = { path: own, text: genesis, use: "text", replaces: true };
    return {
      home: context.home,
      files: [...placed(folder, groupFiles({ id: groupId, genesis }, node)), meta],
      result: { group: groupId, timestamp, sealers },
      says: [`group ${groupId} with ${sealers.length} sealers: ${join(folder, name)}`],
    };
  };
}

/** -c DIR */
export const createGroupGenesis = creating(idsOfCertificates);
/** --create_group_genesis_with_nodeid DIR */
export const createGroupGenesisWithNodeId = creating(idsOfFiles);

/** The files of a group in each node, where its config.ini has groups. Source: generator 8 */
export const addGroup: Action = async (context, [file, nodeDir]) => {
  const path = pathOf(context, file);
  const id = GROUP_ID.read(/^group\.(\d+)\.genesis$/.exec(basename(path))?.[1] ?? "");
  if (id === undefined) {
    const wanted = `group.<id>.genesis with an id that is ${GROUP_ID.allowed}`;
    throw new FolderFault("argument", `${path}: the name of the file has to be ${wanted}.`);
  }
  const { genesis } = await readGenesis(path, id, "the name of the file");
  const nodes = await findNodeFolders(pathOf(context, nodeDir));
  const { node: templates } = await readTemplates(context.home);
  const files: PlacedFile[] = [];
  for (const { path: home, config } of nodes) {
    const { value } = readNodeConfig(await inputText(config), config);
    const folder = resolve(home, value.groups.configPath);
    const target = join(folder, `group.${id}.genesis`);
    await refusePresent(target, "the node has that group already");
    const tuning = await readText(join(folder, `group.${id}.ini`));
    const all = groupFiles({ id, genesis }, templates);
    // Of an earlier try: it is what its owner made of it.
    files.push(...placed(folder, all.slice(tuning === undefined ? 0 : 1)));
  }
  const [first] = nodes;
  const script = join(first?.path ?? "", "scripts/load_new_groups.sh");
  const next = `bash ${shellWord(script)}, then startGroup`;
  return {
    home: nodes.length === 1 ? (first?.path ?? context.cwd) : pathOf(context, nodeDir),
    files,
    result: { group: id, nodes: nodes.map(({ name }) => name) },
    says: [`group ${id} in ${nodes.map(({ name }) => name).join(", ")}; running nodes: ${next}`],
  };
};
