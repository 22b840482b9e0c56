/** one_click_generator.sh -b: a new chain of several agencies. Source: generator 9.1 */
import { join } from "node:path";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { chainFilesOf, createAuthorities } from "../../../folder/holder-files.ts";
import { genesisTimestamp } from "../../../folder/node-texts.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import type { Endpoint } from "../../../formats/config/config-kinds.ts";
import { refuseAuthority } from "../actions/certificates.ts";
import { refuseSameIds } from "../actions/genesis.ts";
import { refuseSmTls } from "../actions/packages.ts";
import { type Action, pathOf, placed } from "../context.ts";
import { nodeLabel } from "../input/hosts.ts";
import { readPeers, sortedPeers } from "../input/peers-file.ts";
import { genesisFrom } from "../tool-templates.ts";
import type { AgencyWork } from "./agency-files.ts";
import {
  AGENCY_CERT,
  type AgencyFolder,
  readAgencyFolders,
  refuseUsedMeta,
} from "./agency-folders.ts";
import { commonWork, endpointsOf, outcomeOf, PEERS, workOf } from "./chain-work.ts";

/** All agencies of a new chain begin in one group. @throws FolderFault */
function oneGroup(agencies: readonly AgencyFolder[]): number {
  const ids = new Set(agencies.map(({ deployment }) => deployment.groupId));
  const [id = 0] = ids;
  if (ids.size === 1) return id;
  const each = agencies.map(({ name, deployment }) => `${name} has ${deployment.groupId}`);
  const said = `agencies of a new chain begin in one group, and ${each.join(", ")}`;
  throw new FolderFault("unusable", `[group] group_id: ${said}.`);
}

/** Node IDs in the order of the sorted peers. */
function sealersOf(works: readonly AgencyWork[]): readonly NodeId[] {
  const ids = new Map(works.flatMap(({ nodes }) => nodes.map((node) => [node.label, node.nodeId])));
  const members = sortedPeers(
    ...works.map(({ agency }) => agency.deployment.nodes.map(({ endpoint }) => endpoint)),
  );
  const found = members.map((endpoint) => ids.get(nodeLabel(endpoint)) as NodeId);
  refuseSameIds(members, found);
  return found;
}

async function presentPeers(work: string): Promise<readonly Endpoint[]> {
  const path = join(work, PEERS);
  return (await isThere(path)) ? await readPeers(path) : [];
}

/** -b WORK_DIR: a new chain. Source: generator 9.1 */
export const buildChain: Action = async (context, [dir]) => {
  refuseSmTls(context);
  await refuseUsedMeta(context);
  const work = pathOf(context, dir);
  const agencies = await readAgencyFolders(work, context);
  await refuseAuthority(work);
  const id = oneGroup(agencies);
  const used = agencies.find(({ hasCertificate }) => hasCertificate);
  if (used) {
    const said = `${join(used.path, AGENCY_CERT)} is of a chain that is there already`;
    throw new FolderFault("exists", `${said}: expand that with -e, or remove the folder.`);
  }
  const ca = createAuthorities(context.options.suite, context);
  const works: AgencyWork[] = [];
  for (const agency of agencies) works.push(await workOf(agency, ca, context));
  const peers = sortedPeers(await presentPeers(work), endpointsOf(agencies));
  const common = await commonWork(peers, context);
  const sealers = sealersOf(works);
  const timestamp = genesisTimestamp(context.now);
  const template = common.templates.tool["group.i.genesis"];
  const genesis = genesisFrom(template, { id, sealers, timestamp });
  const own = placed(work, [
    ...chainFilesOf(ca),
    { path: `group.${id}.genesis`, text: genesis, use: "text" },
  ]);
  const groups = [{ id, genesis, sealers }];
  return await outcomeOf({ work, works, common, groups, own }, context);
};
