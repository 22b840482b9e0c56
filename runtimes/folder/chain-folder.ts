/**
 * Writes the folder of a new chain: certificates, nodes, SDKs and scripts. Everything is made below
 * a name of its own first, so that a failure leaves nothing. Source: generator 5, 6; groups 1
 */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import {
  type Agency,
  agencyFiles,
  authorityFiles,
  below,
  createAgency,
  createAuthority,
  type IssueContext,
  type Signer,
  sdkFolder,
} from "./authority.ts";
import type { ChainPlan, PlannedGroup, PlannedNode } from "./chain-layout.ts";
import { FolderFault } from "./folder-fault.ts";
import { certifiedIdentity, certifiedSdk } from "./holder-files.ts";
import { allNodesScripts, createToken, nodeFolderFiles } from "./node-package.ts";
import type { ProgramPlace } from "./node-scripts.ts";
import { genesisText, genesisTimestamp, settingsOf } from "./node-texts.ts";
import { SUITE_NAMES, suiteFile } from "../formats/config/suite-files.ts";
import type { FileToWrite } from "./whole-files.ts";
import { finishCutRun, isRunRemain, isThere, writeTree } from "./whole-tree.ts";

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

/** Where a chain has its CA and its agencies. */
export const AUTHORITY_FOLDER = "cert";
/** The CA of the SDK ports of a national chain, below cert/. */
export const ORIGIN_AUTHORITY = "origin";
/** What makes a folder a node's. */
const NODE_CONFIG = "config.ini";
/** What only a chain's CA is called, here and in folders of other tools. Source: generator 9.1 */
const CA_FILES = SUITE_NAMES.flatMap((suite) =>
  ["ca.key", "ca.crt"].flatMap((name) => {
    const file = suiteFile(name, suite);
    return [`cert/${file}`, file];
  }),
);

/** Who signs in a chain, or on a national one for its SDK ports. */
interface Signers {
  readonly authority: Signer;
  readonly agencies: readonly Agency[];
}

function createSigners(plan: ChainPlan, suite: SuiteName, context: IssueContext): Signers {
  const authority = createAuthority(context, suite);
  const agencies = plan.agencies.map((name) => createAgency(name, authority, context));
  return { authority, agencies };
}

function agencyOf(node: PlannedNode, { agencies }: Signers): Agency {
  const agency = agencies.find(({ name }) => name === node.agency);
  if (!agency) throw new FolderFault("argument", `${node.name} has no agency.`);
  return agency;
}

function isMember({ name }: PlannedNode, { members }: PlannedGroup): boolean {
  return !members || members.sealers.includes(name) || members.observers.includes(name);
}

/** All files of a new chain, with new keys. Source: generator 5, 6 */
export function chainFiles(plan: ChainPlan, context: ChainContext): ChainFiles {
  const signers = createSigners(plan, plan.suite, context);
  // On a national chain SDKs connect with certificates of the standard suite, which have a chain of
  // their own. Source: channel-protocol 2.2 (SM option)
  const isNational = plan.suite === "national";
  const origin = isNational ? createSigners(plan, "standard", context) : undefined;
  const token = plan.hasToken ? createToken(context.entropy) : undefined;
  const made = plan.nodes.map((node) => {
    const agencies = { node: agencyOf(node, signers), origin: origin && agencyOf(node, origin) };
    return { node, identity: certifiedIdentity(node.name, agencies, context) };
  });
  const timestamp = genesisTimestamp(context.now);
  const groups = plan.groups.map((group) => {
    const { members } = group;
    const sealers = made.filter(({ node }) => !members || members.sealers.includes(node.name));
    const ids = sealers.map(({ identity }) => identity.nodeId);
    return { group, packed: { id: group.id, genesis: genesisText(group, ids, timestamp) } };
  });
  const { program } = context;
  const files = [
    ...signerFiles(AUTHORITY_FOLDER, signers, context),
    ...(origin ? signerFiles(join(AUTHORITY_FOLDER, ORIGIN_AUTHORITY), origin, context) : []),
    ...made.flatMap(({ node, identity }) => {
      const own = groups.filter(({ group }) => isMember(node, group)).map(({ packed }) => packed);
      const order = { settings: settingsOf(node, plan), groups: own, program, token };
      return below(node.name, nodeFolderFiles(order, identity));
    }),
    ...allNodesScripts(),
  ];
  return { files, nodes: made.map(({ node, identity: { nodeId } }) => ({ ...node, nodeId })) };
}

/** The keys that sign, below a folder, and the SDKs of the agencies. */
function signerFiles(folder: string, signers: Signers, context: IssueContext): FileToWrite[] {
  const { authority, agencies } = signers;
  return [
    ...below(folder, authorityFiles(authority)),
    ...agencies.flatMap((agency) => agencyFolder(folder, agency, context)),
  ];
}

/**
 * The files of an agency: its key below the folder of the CA, and its SDK.
 * @param folder of the CA: cert/, or on a national chain cert/origin/ for SDK ports
 */
export function agencyFolder(folder: string, agency: Agency, context: IssueContext): FileToWrite[] {
  return [
    ...below(join(folder, agency.name), agencyFiles(agency)),
    ...below(`${agency.name}/${sdkFolder(agency.key.suite)}`, certifiedSdk(agency, context)),
  ];
}

/** What a folder held before a chain was written into it. */
export interface OtherContents {
  readonly count: number;
  /** The first names. */
  readonly some: readonly string[];
}

const SHOWN_NAMES = 3;

/** What is in a folder; nothing when it is not there or cannot be read. */
export async function otherContents(folder: string): Promise<OtherContents> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !isRunRemain(name)).sort();
  return { count: names.length, some: names.slice(0, SHOWN_NAMES) };
}

/**
 * A folder of a node, or with nodes of another chain: the scripts of the new chain would start
 * those as well, and an operator would take them for its own.
 */
async function refuseNodes(folder: string): Promise<void> {
  for (const name of ["", ...(await readdir(folder).catch(() => []))]) {
    const config = join(folder, name, NODE_CONFIG);
    if (!(await isThere(config))) continue;
    const said = `${folder} already holds a node (${join(name, NODE_CONFIG)}).`;
    throw new FolderFault("exists", `${said} Choose a folder that is new or empty.`);
  }
}

/** A CA is never overwritten: every node of the living chain would be shut out. */
async function refuseOccupied(folder: string, names: readonly string[]): Promise<void> {
  for (const file of CA_FILES) {
    if (await isThere(join(folder, file))) {
      throw new FolderFault(
        "exists",
        `${folder} already holds a chain's CA (${file}). Choose another folder; ` +
          "chain-node cert issue makes certificates for further nodes of that chain.",
      );
    }
  }
  for (const name of names) {
    if (await isThere(join(folder, name))) {
      throw new FolderFault(
        "exists",
        `${join(folder, name)} exists already and would be overwritten. Choose another folder.`,
      );
    }
  }
}

/**
 * Writes a new chain into a folder, which is made if need be.
 * @throws FolderFault exists, when the folder holds a CA, a node or anything that would be
 *   overwritten; unusable, when it cannot be written; nothing is left then
 */
export async function createChainFolder(
  folder: string,
  plan: ChainPlan,
  context: ChainContext,
): Promise<readonly WrittenNode[]> {
  const home = resolve(folder);
  if ((await finishCutRun(home)) !== undefined) {
    const said = `${home}: an earlier run was cut off when all its files were ready`;
    throw new FolderFault("exists", `${said}; they are in place now, and nothing else was done.`);
  }
  const { files, nodes } = chainFiles(plan, context);
  const names = [...new Set(files.map(({ path }) => path.split("/")[0] ?? path))];
  await refuseOccupied(home, names);
  await refuseNodes(home);
  // The CA comes first: from then on the folder is refused.
  const placed = files.map((file) => ({ ...file, path: join(home, file.path) }));
  await writeTree({ home, files: placed, purpose: "chain-node init", isClosed: true });
  return nodes;
}
