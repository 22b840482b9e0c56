/**
 * All files of nodes, SDKs, agencies and chains as deployment folders have them. On a national
 * chain each holder has a second pair for encryption, and one of a standard chain of its own for
 * the SDK port. Source: generator 5; sm-suite 7
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import { toHex } from "../../core/bytes/hex.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
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
  readAgencyFolder,
  readSigner,
  sdkFiles,
  type Signer,
} from "./authority.ts";
import { serialOf } from "./certificate.ts";
import { ORIGIN_FOLDER } from "./channel-files.ts";
import { privateKeyPem } from "./private-key.ts";
import type { FileToWrite } from "./whole-files.ts";

/** The signers of a chain or of an agency. */
export interface Signers<One extends Signer> {
  /** Of nodes. */
  readonly main: One;
  /** Of the SDK port on a national chain. */
  readonly origin?: One;
}

/** A new chain. */
export function createAuthorities(suite: SuiteName, context: IssueContext): Signers<Signer> {
  const main = createAuthority(context, suite);
  return suite === "national" ? { main, origin: createAuthority(context) } : { main };
}

/** A new agency of a chain. */
export function createAgencies(
  name: string,
  { main, origin }: Signers<Signer>,
  context: IssueContext,
): Signers<Agency> {
  const agency = createAgency(name, main, context);
  return { main: agency, ...(origin ? { origin: createAgency(name, origin, context) } : {}) };
}

/** The chain whose files are in a folder. @throws FolderFault */
export async function readAuthorities(folder: string, suite: SuiteName): Promise<Signers<Signer>> {
  const main = await readSigner(folder, "ca", suite);
  if (suite === "standard") return { main };
  return { main, origin: await readSigner(folder, "ca", "standard") };
}

/** The agency whose files are in a folder. @throws FolderFault */
export async function readAgencies(folder: string, suite: SuiteName): Promise<Signers<Agency>> {
  const main = await readAgencyFolder(folder, suite);
  if (suite === "standard") return { main };
  return { main, origin: await readAgencyFolder(folder, "standard") };
}

/** ca.key and ca.crt, under the names of each suite. */
export function chainFilesOf({ main, origin }: Signers<Signer>): FileToWrite[] {
  return [main, origin].flatMap((signer) => (signer ? authorityFiles(signer) : []));
}

/** agency.key, agency.crt and ca.crt, under the names of each suite. */
export function agencyFilesOf({ main, origin }: Signers<Agency>): FileToWrite[] {
  return [main, origin].flatMap((agency) => (agency ? agencyFiles(agency) : []));
}

/** The encryption pair of a holder: its stem is `node` or `sdk`. */
function encryptionFiles(
  { name, stem }: { readonly name: string; readonly stem: "node" | "sdk" },
  agency: Agency,
  context: IssueContext,
): FileToWrite[] {
  const { key, text } = issue({ kind: `en${stem}`, name }, agency, context);
  return [
    { path: `gmen${stem}.key`, text: privateKeyPem(key), use: "key" },
    { path: `gmen${stem}.crt`, text, use: "text" },
  ];
}

/** A new node. */
export interface IssuedNode {
  readonly nodeId: NodeId;
  /** As below conf/, the key first. */
  readonly files: readonly FileToWrite[];
}

function serialFile({ certificate }: Issued): FileToWrite {
  return { path: "gmnode.serial", text: `${toHex(serialOf(certificate))}\n`, use: "text" };
}

/** A new node of an agency. Source: generator 5; sm-suite 7 */
export function issueNode(
  name: string,
  { main, origin }: Signers<Agency>,
  context: IssueContext,
): IssuedNode {
  const issued = issue({ kind: "node", name }, main, context);
  const own = nodeFiles(issued, main.ca);
  const { nodeId } = issued.key;
  if (!origin) return { nodeId, files: own };
  const channel = nodeFiles(issue({ kind: "node", name }, origin, context), origin.ca);
  const files = [
    ...own,
    ...encryptionFiles({ name, stem: "node" }, main, context),
    serialFile(issued),
    // Its key is no node ID.
    ...below(
      ORIGIN_FOLDER,
      channel.filter(({ path }) => path !== "node.nodeid"),
    ),
  ];
  return { nodeId, files };
}

/** A new SDK of an agency, as below its folder. Source: generator 6.4; sm-suite 7 */
export function issueSdk({ main, origin }: Signers<Agency>, context: IssueContext): FileToWrite[] {
  const holder = { kind: "sdk", name: "sdk" } as const;
  const own = sdkFiles(issue(holder, main, context), main.ca);
  if (!origin) return own;
  return [
    ...below("gm", [...own, ...encryptionFiles({ name: "sdk", stem: "sdk" }, main, context)]),
    ...sdkFiles(issue(holder, origin, context), origin.ca),
  ];
}
