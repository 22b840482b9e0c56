/**
 * All files of nodes, SDKs, agencies and chains as deployment folders have them. On a national
 * chain each holder has a second pair for encryption, and one of a standard chain of its own for
 * the SDK port. Source: generator 5; sm-suite 7
 */
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
  issue,
  readAgencyFolder,
  readSigner,
  sdkFiles,
  type Signer,
} from "./authority.ts";
import { serialOf } from "./certificate.ts";
import { certifiedIdentity, type ForBothPorts, type Identity } from "./node-folder-files.ts";
import { privateKeyPem } from "./private-key.ts";
import type { FileToWrite } from "./whole-files.ts";

/** The signers of a chain or of an agency. */
export type Signers<One extends Signer> = ForBothPorts<One>;

/** A new chain. */
export function createAuthorities(suite: SuiteName, context: IssueContext): Signers<Signer> {
  const node = createAuthority(context, suite);
  return suite === "national" ? { node, origin: createAuthority(context) } : { node };
}

/** A new agency of a chain. */
export function createAgencies(
  name: string,
  { node, origin }: Signers<Signer>,
  context: IssueContext,
): Signers<Agency> {
  const agency = createAgency(name, node, context);
  return { node: agency, ...(origin ? { origin: createAgency(name, origin, context) } : {}) };
}

/** The chain whose files are in a folder. @throws FolderFault */
export async function readAuthorities(folder: string, suite: SuiteName): Promise<Signers<Signer>> {
  const node = await readSigner(folder, "ca", suite);
  if (suite === "standard") return { node };
  return { node, origin: await readSigner(folder, "ca", "standard") };
}

/** The agency whose files are in a folder. @throws FolderFault */
export async function readAgencies(folder: string, suite: SuiteName): Promise<Signers<Agency>> {
  const node = await readAgencyFolder(folder, suite);
  if (suite === "standard") return { node };
  return { node, origin: await readAgencyFolder(folder, "standard") };
}

/** ca.key and ca.crt, under the names of each suite. */
export function chainFilesOf({ node, origin }: Signers<Signer>): FileToWrite[] {
  return [node, origin].flatMap((signer) => (signer ? authorityFiles(signer) : []));
}

/** agency.key, agency.crt and ca.crt, under the names of each suite. */
export function agencyFilesOf({ node, origin }: Signers<Agency>): FileToWrite[] {
  return [node, origin].flatMap((agency) => (agency ? agencyFiles(agency) : []));
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

/** A new node of an agency. Source: generator 5; sm-suite 7 */
export function issueNode(
  name: string,
  agencies: Signers<Agency>,
  context: IssueContext,
): Identity {
  const { files, nodeId, certificate } = certifiedIdentity(name, agencies, context);
  if (!agencies.origin) return { nodeId, files };
  const serial = `${toHex(serialOf(certificate))}\n`;
  const more: FileToWrite[] = [
    ...encryptionFiles({ name, stem: "node" }, agencies.node, context),
    { path: "gmnode.serial", text: serial, use: "text" },
  ];
  return { nodeId, files: [...files, ...more] };
}

/** A new SDK of an agency, as below its folder. Source: generator 6.4; sm-suite 7 */
export function issueSdk({ node, origin }: Signers<Agency>, context: IssueContext): FileToWrite[] {
  const holder = { kind: "sdk", name: "sdk" } as const;
  const own = sdkFiles(issue(holder, node, context), node.ca);
  if (!origin) return own;
  return [
    ...below("gm", [...own, ...encryptionFiles({ name: "sdk", stem: "sdk" }, node, context)]),
    ...sdkFiles(issue(holder, origin, context), origin.ca),
  ];
}
