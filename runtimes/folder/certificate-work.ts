/**
 * Certificates of a living chain: new ones for further nodes and SDKs, and new ones for keys that
 * stay. Source: generator 5, 12 (renew)
 */
import { join } from "node:path";
import { equalBytes } from "../../core/bytes/bytes.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import {
  type Agency,
  agencyFiles,
  authorityFolder,
  below,
  createAgency,
  type IssueContext,
  issue,
  nodeFiles,
  readAgency,
  readAuthority,
  readCertificate,
  readKey,
  sdkFiles,
} from "./authority.ts";
import { isCertificateName } from "./certificate.ts";
import { daysLeft } from "./certificate-chain.ts";
import { FolderFault } from "./folder-fault.ts";
import { parseCertificate } from "./parsed-certificate.ts";
import { readText, writeAll } from "./whole-files.ts";

/** A certificate that was written. */
export interface WrittenCertificate {
  readonly folder: string;
  readonly files: readonly string[];
  readonly nodeId: NodeId;
  readonly agency: string;
  readonly name: string;
  readonly daysLeft: number;
}

/** What `cert issue` is asked for. */
export interface IssueOrder {
  /** Folder of the chain, or its cert folder. */
  readonly ca: string;
  readonly agency: string;
  /** Makes the agency first. */
  readonly newAgency: boolean;
  readonly out: string;
  readonly kind: "node" | "sdk";
  readonly name: string;
}

/**
 * Issues a certificate with a new key into a folder.
 *
 * @throws FolderFault exists when there is a key already: a lost key is a lost identity
 */
export async function issueInto(
  order: IssueOrder,
  context: IssueContext,
): Promise<WrittenCertificate> {
  const { ca, out, kind, name } = order;
  for (const file of ["node.key", "sdk.key", "node.crt", "sdk.crt", "ca.crt"]) {
    if ((await readText(join(out, file))) !== undefined) {
      const path = join(out, file);
      throw new FolderFault("exists", `${path} exists already. Choose another folder with --out.`);
    }
  }
  const agency = order.newAgency
    ? await addAgency(ca, order.agency, context)
    : await readAgency(ca, order.agency);
  const issued = issue({ kind, name }, agency, context);
  const files = (kind === "sdk" ? sdkFiles : nodeFiles)(issued, agency.ca);
  await writeAll(out, files);
  return {
    folder: out,
    files: files.map(({ path }) => path),
    nodeId: issued.key.nodeId,
    agency: agency.name,
    name,
    daysLeft: daysLeft(issued.certificate, context.now) ?? 0,
  };
}

async function addAgency(ca: string, name: string, context: IssueContext): Promise<Agency> {
  const home = await authorityFolder(ca);
  if ((await readText(join(home, name, "agency.key"))) !== undefined) {
    throw new FolderFault("exists", `agency ${name} exists already; leave out --new-agency.`);
  }
  const agency = createAgency(name, await readAuthority(ca), context);
  await writeAll(home, below(name, agencyFiles(agency)));
  return agency;
}

/**
 * Issues a new certificate for the key of a node or SDK, by the agency that issued the present one;
 * the node ID stays. The file is replaced as a whole.
 *
 * @throws FolderFault when key, certificate and chain do not belong together; nothing is changed
 */
export async function renewIn(
  folder: string,
  ca: string,
  context: IssueContext,
): Promise<WrittenCertificate> {
  const conf = await folderOfKey(folder);
  const key = await readKey(join(conf, "node.key"));
  const present = parseCertificate(await readCertificate(join(conf, "node.crt")));
  if (typeof present === "string") throw new FolderFault("unusable", `${conf} is unusable.`);
  if (!equalBytes(present.publicKey, key.publicKey)) {
    throw new FolderFault(
      "mismatch",
      `the certificate in ${conf} is not of the key beside it: node.crt and node.key differ.`,
    );
  }
  const agency = await readAgency(ca, present.issuerName);
  const own = parseCertificate(agency.certificate);
  const trusted = await readCertificate(join(conf, "ca.crt"));
  const isOurs = typeof own !== "string" && own.subject === present.issuer;
  if (!isOurs || !equalBytes(trusted, agency.ca)) {
    throw new FolderFault(
      "mismatch",
      `the certificate in ${conf} belongs to another chain than ${ca}.`,
    );
  }
  if (!isCertificateName(present.subjectName)) {
    throw new FolderFault("unusable", `the certificate in ${conf} is not of a name that we issue.`);
  }
  const isSdk = (await readText(join(conf, "sdk.crt"))) !== undefined;
  const name = present.subjectName;
  const issued = issue({ kind: isSdk ? "sdk" : "node", name, key }, agency, context);
  const files = isSdk ? ["sdk.crt", "node.crt"] : ["node.crt"];
  await writeAll(
    conf,
    files.map((path) => ({ path, text: issued.text, use: "text" })),
  );
  const left = daysLeft(issued.certificate, context.now) ?? 0;
  const { nodeId } = key;
  return { folder: conf, files, nodeId, agency: agency.name, name, daysLeft: left };
}

/** conf/ of a node's folder, or the folder itself when the key lies there. */
async function folderOfKey(folder: string): Promise<string> {
  for (const candidate of [join(folder, "conf"), folder]) {
    if ((await readText(join(candidate, "node.key"))) !== undefined) return candidate;
  }
  throw new FolderFault("missing", `${folder} holds no node: there is no conf/node.key in it.`);
}
