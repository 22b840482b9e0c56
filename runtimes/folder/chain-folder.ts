/**
 * Writes the folder of a new chain: certificates, nodes, SDKs and scripts. Everything is made below
 * a name of its own first, so that a failure leaves nothing. Source: generator 5, 6; groups 1
 */
import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NodeId } from "../../core/bytes/ids.ts";
import {
  type Agency,
  agencyFiles,
  authorityFiles,
  below,
  createAgency,
  createAuthority,
  type IssueContext,
  type Issued,
  issue,
  nodeFiles,
  sdkFiles,
  sdkFolder,
} from "./authority.ts";
import type { ChainPlan, PlannedNode } from "./chain-layout.ts";
import { ORIGIN_FOLDER } from "./channel-files.ts";
import { FolderFault, reasonOf } from "./folder-fault.ts";
import {
  launcherScript,
  type ProgramPlace,
  START_ALL_SCRIPT,
  START_SCRIPT,
  STOP_ALL_SCRIPT,
  STOP_SCRIPT,
} from "./node-scripts.ts";
import { genesisText, nodeConfigText } from "./node-texts.ts";
import { writeGroupFile } from "../formats/config/group-file.ts";
import { SUITE_NAMES, suiteFile } from "../formats/config/suite-files.ts";
import { type FileToWrite, writeAll } from "./whole-files.ts";

/** A node as it was written. */
export interface WrittenNode extends PlannedNode {
  readonly nodeId: NodeId;
}

/** A chain as files in memory. */
export interface ChainFiles {
  readonly files: readonly FileToWrite[];
  readonly nodes: readonly WrittenNode[];
}

/** What a chain's files depend on besides the plan. */
export interface ChainContext extends IssueContext {
  readonly program: ProgramPlace;
}

/** The CA of the SDK ports of a national chain, below cert/. */
const ORIGIN_AUTHORITY = "origin";
/** Below the chain's folder while it is being written. */
const STAGING = ".chain-node-init";
/** What makes a folder a node's. */
const NODE_CONFIG = "config.ini";
/** What only a chain's CA is called, here and in folders of other tools. Source: generator 9.1 */
const CA_FILES = SUITE_NAMES.flatMap((suite) =>
  ["ca.key", "ca.crt"].flatMap((name) => {
    const file = suiteFile(name, suite);
    return [`cert/${file}`, file];
  }),
);

/** All files of a new chain, with new keys. Source: generator 5, 6 */
export function chainFiles(plan: ChainPlan, context: ChainContext): ChainFiles {
  const ca = createAuthority(context, plan.suite);
  const agencies = plan.agencies.map((name) => createAgency(name, ca, context));
  const issued = plan.nodes.map((node) => {
    const agency = agencies.find(({ name }) => name === node.agency);
    if (!agency) throw new FolderFault("argument", `${node.name} has no agency.`);
    return { node, ...issue({ kind: "node", name: node.name }, agency, context) };
  });
  const origin = plan.suite === "national" ? originFiles(plan, context) : [];
  const sealers = issued.map(({ key }) => key.nodeId);
  // Whole seconds, as the reference writes it.
  const timestamp = Math.floor(context.now / 1000) * 1000;
  const groups = plan.groups.map((group) => ({
    id: group.id,
    genesis: genesisText(group, sealers, timestamp),
  }));
  const files = [
    ...below("cert", authorityFiles(ca)),
    ...agencies.flatMap((agency) => agencyFolder(agency, context)),
    ...issued.flatMap(({ node, ...pair }) => [
      ...below(`${node.name}/conf`, nodeFiles(pair, ca.certificate)),
      ...below(node.name, folderOfNode(node, plan, context)),
      ...below(`${node.name}/conf`, groupFiles(groups)),
    ]),
    ...origin,
    { path: "start_all.sh", text: START_ALL_SCRIPT, use: "script" },
    { path: "stop_all.sh", text: STOP_ALL_SCRIPT, use: "script" },
  ] satisfies FileToWrite[];
  return { files, nodes: issued.map(({ node, key }) => ({ ...node, nodeId: key.nodeId })) };
}

function agencyFolder(agency: Agency, context: IssueContext): FileToWrite[] {
  const sdk: Issued = issue({ kind: "sdk", name: "sdk" }, agency, context);
  return [
    ...below(`cert/${agency.name}`, agencyFiles(agency)),
    ...below(`${agency.name}/${sdkFolder(agency.key.suite)}`, sdkFiles(sdk, agency.ca)),
  ];
}

/**
 * On a national chain SDKs connect with certificates of the standard suite, which have a chain of
 * their own. Source: channel-protocol 2.2 (SM option)
 */
function originFiles(plan: ChainPlan, context: ChainContext): FileToWrite[] {
  const ca = createAuthority(context);
  const agencies = plan.agencies.map((name) => createAgency(name, ca, context));
  return [
    ...below(`cert/${ORIGIN_AUTHORITY}`, authorityFiles(ca)),
    ...agencies.flatMap((agency) => {
      const sdk = issue({ kind: "sdk", name: "sdk" }, agency, context);
      const nodes = plan.nodes.filter((node) => node.agency === agency.name);
      return [
        ...below(`cert/${ORIGIN_AUTHORITY}/${agency.name}`, agencyFiles(agency)),
        ...below(`${agency.name}/${sdkFolder("standard")}`, sdkFiles(sdk, agency.ca)),
        ...nodes.flatMap(({ name }) => originFilesOf(name, agency, context)),
      ];
    }),
  ];
}

/** The files of a node's SDK port on a national chain; its key is no node ID. */
function originFilesOf(name: string, agency: Agency, context: ChainContext): FileToWrite[] {
  const files = nodeFiles(issue({ kind: "node", name }, agency, context), agency.ca);
  const used = files.filter(({ path }) => path !== "node.nodeid");
  return below(`${name}/conf/${ORIGIN_FOLDER}`, used);
}

function folderOfNode(node: PlannedNode, plan: ChainPlan, context: ChainContext): FileToWrite[] {
  return [
    { path: "config.ini", text: nodeConfigText(node, plan), use: "text" },
    { path: "chain-node", text: launcherScript(context.program), use: "script" },
    { path: "start.sh", text: START_SCRIPT, use: "script" },
    { path: "stop.sh", text: STOP_SCRIPT, use: "script" },
  ];
}

function groupFiles(
  groups: readonly { readonly id: number; readonly genesis: string }[],
): FileToWrite[] {
  return groups.flatMap(({ id, genesis }): FileToWrite[] => [
    { path: `group.${id}.genesis`, text: genesis, use: "text" },
    { path: `group.${id}.ini`, text: writeGroupFile(), use: "text" },
  ]);
}

/** What a folder held before a chain was written into it. */
export interface OtherContents {
  readonly count: number;
  /** The first names. */
  readonly some: readonly string[];
}

/** So many names are shown. */
const SHOWN_NAMES = 3;

/** What is in a folder; nothing when it is not there or cannot be read. */
export async function otherContents(folder: string): Promise<OtherContents> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name !== STAGING).sort();
  return { count: names.length, some: names.slice(0, SHOWN_NAMES) };
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * A folder of a node, or with nodes of another chain: the scripts of the new chain would start
 * those as well, and an operator would take them for its own.
 */
async function refuseNodes(folder: string): Promise<void> {
  for (const name of ["", ...(await readdir(folder).catch(() => []))]) {
    const config = join(folder, name, NODE_CONFIG);
    if (!(await exists(config))) continue;
    const said = `${folder} already holds a node (${join(name, NODE_CONFIG)}).`;
    throw new FolderFault("exists", `${said} Choose a folder that is new or empty.`);
  }
}

/** A CA is never overwritten: every node of the living chain would be shut out. */
async function refuseOccupied(folder: string, names: readonly string[]): Promise<void> {
  for (const file of CA_FILES) {
    if (await exists(join(folder, file))) {
      throw new FolderFault(
        "exists",
        `${folder} already holds a chain's CA (${file}). Choose another folder; ` +
          "chain-node cert issue makes certificates for further nodes of that chain.",
      );
    }
  }
  for (const name of names) {
    if (await exists(join(folder, name))) {
      throw new FolderFault(
        "exists",
        `${join(folder, name)} exists already and would be overwritten. Choose another folder.`,
      );
    }
  }
}

/**
 * Writes a new chain into a folder, which is made if need be.
 *
 * @throws FolderFault exists, when the folder holds a CA, a node or anything that would be
 *   overwritten; unusable, when it cannot be written; nothing is left then
 */
export async function createChainFolder(
  folder: string,
  plan: ChainPlan,
  context: ChainContext,
): Promise<readonly WrittenNode[]> {
  const home = resolve(folder);
  const { files, nodes } = chainFiles(plan, context);
  const names = [...new Set(files.map(({ path }) => path.split("/")[0] ?? path))];
  await refuseOccupied(home, names);
  await refuseNodes(home);
  const staging = join(home, STAGING);
  const ours = [staging];
  try {
    await mkdir(home, { recursive: true });
    // Remains of a run that was cut off.
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    await writeAll(staging, files);
    // The CA comes first: from then on the folder is refused.
    for (const name of names) {
      await rename(join(staging, name), join(home, name));
      ours.push(join(home, name));
    }
    await rmdir(staging);
  } catch (error) {
    for (const path of ours)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    await removeIfEmpty(home);
    if (error instanceof FolderFault) throw error;
    const reason = reasonOf(error);
    throw new FolderFault("unusable", `${home} cannot be written: ${reason}.`, { cause: error });
  }
  return nodes;
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) await rmdir(folder);
  } catch {
    // It was never made, or is not ours to remove.
  }
}
