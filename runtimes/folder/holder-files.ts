/**
 * All files of nodes, SDKs, agencies and chains as deployment folders have them. On a national
 * chain each holder has a second pair for encryption, and one of a standard chain of its own for
 * the SDK port. Source: generator 5; sm-suite 7
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import { toHex } from "../../core/bytes/hex.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import { suiteFile } from "../formats/config/suite-files.ts";
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
import { certificatesPem, ORGANISATION, serialOf } from "./certificate.ts";
import { certificateRequestPem } from "./certificate-request.ts";
import { ORIGIN_FOLDER } from "./channel-files.ts";
import { createKeyPair, privateKeyPem } from "./private-key.ts";
import type { FileToWrite } from "./whole-files.ts";

/** One thing for the node's key, and on a national chain another for its SDK port. */
export interface ForBothPorts<T> {
  readonly node: T;
  /** Of the standard suite. Source: channel-protocol 2.2 (SM option) */
  readonly origin?: T | undefined;
}

/** A new chain. */
export function createAuthorities(suite: SuiteName, context: IssueContext): ForBothPorts<Signer> {
  const node = createAuthority(context, suite);
  return suite === "national" ? { node, origin: createAuthority(context) } : { node };
}

/** A new agency of a chain. */
export function createAgencies(
  name: string,
  { node, origin }: ForBothPorts<Signer>,
  context: IssueContext,
): ForBothPorts<Agency> {
  const agency = createAgency(name, node, context);
  return { node: agency, ...(origin ? { origin: createAgency(name, origin, context) } : {}) };
}

/** The chain whose files are in a folder. @throws FolderFault */
export async function readAuthorities(
  folder: string,
  suite: SuiteName,
): Promise<ForBothPorts<Signer>> {
  const node = await readSigner(folder, "ca", suite);
  if (suite === "standard") return { node };
  return { node, origin: await readSigner(folder, "ca", "standard") };
}

/** The agency whose files are in a folder. @throws FolderFault */
export async function readAgencies(
  folder: string,
  suite: SuiteName,
): Promise<ForBothPorts<Agency>> {
  const node = await readAgencyFolder(folder, suite);
  if (suite === "standard") return { node };
  return { node, origin: await readAgencyFolder(folder, "standard") };
}

/** ca.key and ca.crt, under the names of each suite. */
export function chainFilesOf({ node, origin }: ForBothPorts<Signer>): FileToWrite[] {
  return [node, origin].flatMap((signer) => (signer ? authorityFiles(signer) : []));
}

/** agency.key, agency.crt and ca.crt, under the names of each suite. */
export function agencyFilesOf({ node, origin }: ForBothPorts<Agency>): FileToWrite[] {
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

/** Who a node is: files below conf/, the key first. */
export interface Identity {
  readonly files: readonly FileToWrite[];
  readonly nodeId: NodeId;
}

/** What an SDK port has of an identity: its key is no node ID. */
function withoutId({ files }: Identity): FileToWrite[] {
  return files.filter(({ path }) => path !== suiteFile("node.nodeid", "standard"));
}

function joined({ node, origin }: ForBothPorts<Identity>): Identity {
  const ofPort = origin ? below(ORIGIN_FOLDER, withoutId(origin)) : [];
  return { nodeId: node.nodeId, files: [...node.files, ...ofPort] };
}

function serialFile({ certificate }: Issued): FileToWrite {
  return { path: "gmnode.serial", text: `${toHex(serialOf(certificate))}\n`, use: "text" };
}

function certifiedBy(name: string, agency: Agency, context: IssueContext): Identity {
  const issued = issue({ kind: "node", name }, agency, context);
  const { suite, nodeId } = issued.key;
  const files = nodeFiles(issued, agency.ca);
  if (suite === "standard") return { nodeId, files };
  const encryption = encryptionFiles({ name, stem: "node" }, agency, context);
  return { nodeId, files: [...files, ...encryption, serialFile(issued)] };
}

/**
 * A new key with a certificate by the node's agency: every command that makes a node makes it here.
 * @throws FolderFault mismatch
 * Source: generator 5; sm-suite 7
 */
export function certifiedIdentity(
  name: string,
  { node, origin }: ForBothPorts<Agency>,
  context: IssueContext,
): Identity {
  return joined({
    node: certifiedBy(name, node, context),
    origin: origin && certifiedBy(name, origin, context),
  });
}

/** What a node has that waits for its certificate. */
export const REQUEST_FILE = "node.csr";

/** Who asks for a certificate. */
export interface Applicant {
  readonly name: string;
  readonly suite: SuiteName;
}

function requestBy({ name, suite }: Applicant, ca: Uint8Array, entropy: Entropy): Identity {
  const key = createKeyPair(entropy, suite);
  const file = (path: string) => suiteFile(path, suite);
  return {
    nodeId: key.nodeId,
    files: [
      { path: file("node.key"), text: privateKeyPem(key), use: "key" },
      {
        path: file(REQUEST_FILE),
        text: certificateRequestPem({ name, organisation: ORGANISATION, unit: "node" }, key),
        use: "text",
      },
      { path: file("ca.crt"), text: certificatesPem(ca), use: "text" },
      { path: file("node.nodeid"), text: `${key.nodeId}\n`, use: "text" },
    ],
  };
}

/**
 * A new key with a request for its certificate: the agency that signs is elsewhere.
 * @param authorities certificates of the chain in DER
 */
export function requestingIdentity(
  applicant: Applicant,
  authorities: ForBothPorts<Uint8Array>,
  entropy: Entropy,
): Identity {
  const { node, origin } = authorities;
  const { name } = applicant;
  return joined({
    node: requestBy(applicant, node, entropy),
    origin: origin && requestBy({ name, suite: "standard" }, origin, entropy),
  });
}

/** A new pair for SDKs, as below the folder of its suite. Source: generator 6.4; sm-suite 7 */
export function certifiedSdk(agency: Agency, context: IssueContext): FileToWrite[] {
  const own = sdkFiles(issue({ kind: "sdk", name: "sdk" }, agency, context), agency.ca);
  if (agency.key.suite === "standard") return own;
  return [...own, ...encryptionFiles({ name: "sdk", stem: "sdk" }, agency, context)];
}

/** A new SDK of an agency, as below its folder. Source: generator 6.4; sm-suite 7 */
export function issueSdk(
  { node, origin }: ForBothPorts<Agency>,
  context: IssueContext,
): FileToWrite[] {
  const own = certifiedSdk(node, context);
  return origin ? [...below("gm", own), ...certifiedSdk(origin, context)] : own;
}
