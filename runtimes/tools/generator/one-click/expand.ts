/** one_click_generator.sh -e: new nodes for a chain that runs. Source: generator 9.2 */
import { join } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { readAuthorities } from "../../../folder/holder-files.ts";
import { isThere } from "../../../folder/whole-tree.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { SUITE_NAMES, suiteFile } from "../../../formats/config/suite-files.ts";
import { type KnownGenesis, readGenesis, refuseSmTls } from "../actions/packages.ts";
import { type Action, pathOf, type ToolContext } from "../context.ts";
import { refuseMissing } from "../input/meta-files.ts";
import { readPeers, sortedPeers } from "../input/peers-file.ts";
import type { AgencyWork } from "./agency-files.ts";
import { type AgencyFolder, readAgencyFolders, refuseUsedMeta } from "./agency-folders.ts";
import { commonWork, endpointsOf, outcomeOf, PEERS, workOf } from "./chain-work.ts";

/** What an expansion needs of the chain. @throws FolderFault missing, with all that is not there */
async function requireChain(
  work: string,
  agencies: readonly AgencyFolder[],
  { options }: ToolContext,
): Promise<void> {
  const suites = options.suite === "national" ? SUITE_NAMES : [options.suite];
  const ids = [...new Set(agencies.map(({ deployment }) => deployment.groupId))];
  const names = [
    ...suites.flatMap((suite) => [suiteFile("ca.crt", suite), suiteFile("ca.key", suite)]),
    PEERS,
    ...ids.map((id) => `group.${id}.genesis`),
  ];
  const missing: string[] = [];
  for (const name of names) {
    const next = "copy it from the work folder of the chain";
    if (!(await isThere(join(work, name))))
      missing.push(`${join(work, name)} is missing: ${next}.`);
  }
  refuseMissing(missing);
}

/** Nodes of the chain keep their endpoints. @throws FolderFault exists */
function refuseKnown(known: readonly Endpoint[], agencies: readonly AgencyFolder[]): void {
  const texts = new Set(known.map(ENDPOINT.write));
  const twice = endpointsOf(agencies)
    .map(ENDPOINT.write)
    .filter((text) => texts.has(text));
  if (twice.length === 0) return;
  const said = `${twice.join(", ")} of ${PEERS} is a node of the chain already`;
  throw new FolderFault("exists", `${said}: give new nodes other ports.`);
}

/** -e WORK_DIR: new nodes for a chain. Source: generator 9.2 */
export const expandChain: Action = async (context, [dir]) => {
  refuseSmTls(context);
  await refuseUsedMeta(context);
  const work = pathOf(context, dir);
  const agencies = await readAgencyFolders(work, context);
  await requireChain(work, agencies, context);
  const known = await readPeers(join(work, PEERS));
  refuseKnown(known, agencies);
  const groups: KnownGenesis[] = [];
  for (const { deployment } of agencies) {
    const { groupId, file } = deployment;
    if (groups.some(({ id }) => id === groupId)) continue;
    groups.push(await readGenesis(join(work, `group.${groupId}.genesis`), groupId, file));
  }
  const ca = await readAuthorities(work, context.options.suite);
  const works: AgencyWork[] = [];
  for (const agency of agencies) works.push(await workOf(agency, ca, context));
  const peers = sortedPeers(known, endpointsOf(agencies));
  const common = await commonWork(peers, context);
  const written = await outcomeOf({ work, works, common, groups, own: [] }, context);
  const next = "new nodes have no role: register each with addObserver or addSealer in a console";
  return { ...written, says: [...(written.says ?? []), next] };
};
