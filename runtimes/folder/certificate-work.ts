/**
 * Certificates of a living chain: new ones for further nodes and SDKs, and new ones for keys that
 * stay. Source: generator 5, 12 (renew)
 */
import { shellWord } from "./node-scripts.ts";
import { basename, dirname, join, resolve } from "node:path";
import { equalBytes } from "../../core/bytes/bytes.ts";
import { nodeIdOf } from "../../core/bytes/hex.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import {
  type Agency,
  agencyFiles,
  authorityHome,
  below,
  certify,
  createAgency,
  type IssueContext,
  issue,
  nodeFiles,
  bundleFiles,
  readAgency,
  readAuthority,
  readAuthorityCertificate,
  readCertificate,
  readKey,
  sdkFiles,
} from "./authority.ts";
import { isCertificateName } from "../formats/certificates/certificate-terms.ts";
import { daysLeft } from "../formats/certificates/certificate-chain.ts";
import { FolderFault } from "./folder-fault.ts";
import { readNodeConfig } from "../formats/config/node-config.ts";
import { parseCertificate } from "../formats/certificates/parsed-certificate.ts";
import { readCertificateRequest } from "./certificate-request.ts";
import { curveName, type KeyPair } from "./private-key.ts";
import { parsePublicKey } from "../formats/keys/public-key.ts";
import { SUITE_NAMES, suiteFile } from "../formats/config/suite-files.ts";
import { type FileToWrite, readText, writeWhole } from "./whole-files.ts";
import { finishCutRun, type PlacedFile, writeTree } from "./whole-tree.ts";

/** A certificate that was written. */
export interface WrittenCertificate {
  readonly folder: string;
  readonly files: readonly string[];
  readonly nodeId: NodeId;
  readonly agency: string;
  readonly kind: "node" | "sdk";
  readonly name: string;
  readonly daysLeft: number;
}

/** What `cert issue` is asked for. */
export interface IssueOrder {
  /** Folder of the chain, or its cert folder. */
  readonly ca: string;
  readonly agency: string;
  readonly newAgency: boolean;
  readonly out: string;
  readonly kind: "node" | "sdk";
  readonly name: string;
  /** File of the key to certify; a new key when absent. */
  readonly key?: string | undefined;
  /** Public key to certify, whose key is elsewhere: a file in PEM, or a node ID. */
  readonly publicKey?: string | undefined;
  /** File of a request, whose key is elsewhere. */
  readonly request?: string | undefined;
}

const inBothSuites = (...names: readonly string[]) =>
  SUITE_NAMES.flatMap((suite) => names.map((name) => suiteFile(name, suite)));

const KEY_NAMES = inBothSuites("node.key", "sdk.key");
const CERTIFICATE_NAMES = inBothSuites("node.crt", "sdk.crt");
const CA_NAMES = inBothSuites("ca.crt");

/**
 * Issues a certificate into a folder, with a new key or for one that is there: a node whose
 * certificate is lost keeps its ID.
 * @throws FolderFault exists when there is another key: a lost key is a lost identity; or a
 *   certificate, which is for `renewIn`
 */
export async function issueInto(
  order: IssueOrder,
  context: IssueContext,
): Promise<WrittenCertificate> {
  const { ca, out, kind, name } = order;
  await finishEarlier(order);
  if (order.publicKey !== undefined || order.request !== undefined)
    return await certifyInto(order, context);
  await refuseKeyOfNode(order);
  const { suite } = await authorityHome(ca);
  const key = order.key === undefined ? undefined : await readKey(order.key, suite);
  await refuseOtherKeys(out, key);
  await refuseCertificates(order);
  const { agency, files: ofAgency } = await signingAgency(order, context);
  const issued = issue({ kind, name, ...(key ? { key } : {}) }, agency, context);
  const all = (kind === "sdk" ? sdkFiles : nodeFiles)(issued, agency.ca);
  const files: FileToWrite[] = [];
  // A key that is there was found to be the same, and stays as it is.
  for (const file of all) {
    if (file.use !== "key" || !(await isThere(join(out, file.path)))) files.push(file);
  }
  await writeIssued(order, ofAgency, files);
  return {
    folder: out,
    files: files.map(({ path }) => path),
    nodeId: issued.key.nodeId,
    agency: agency.name,
    kind,
    name,
    daysLeft: daysLeft(issued.certificate, context.now) ?? 0,
  };
}

/** A key that never leaves its place, by what was sent of it. @throws FolderFault unusable */
async function absentKey(order: IssueOrder, suite: SuiteName): Promise<Uint8Array> {
  const { publicKey: given = "", request } = order;
  if (request === undefined) {
    const key = parsePublicKey((await readText(given)) ?? given, suite);
    if (key) return key;
    const wanted = `a file with a ${curveName(suite)} public key in PEM, or a node ID`;
    throw new FolderFault("unusable", `--public-key ${given}: ${wanted} is wanted.`);
  }
  const text = await readText(request);
  if (text === undefined) throw new FolderFault("missing", `${request} is missing.`);
  const content = readCertificateRequest(text);
  if (content?.suite === suite) return content.publicKey;
  const wanted = `a certificate request in PEM for a ${curveName(suite)} key, signed with that key`;
  throw new FolderFault("unusable", `${request}: ${wanted}, is wanted.`);
}

/** Issues a certificate for a key that never leaves its place, as that of a browser tab. */
async function certifyInto(order: IssueOrder, context: IssueContext): Promise<WrittenCertificate> {
  const { ca, out, kind, name } = order;
  const given = [order.key, order.publicKey, order.request].filter((each) => each !== undefined);
  if (given.length > 1 || kind !== "node") {
    const said = "--public-key and --request are for a node, each in the place of --key";
    throw new FolderFault("argument", `${said}: leave out the others.`);
  }
  const { suite } = await authorityHome(ca);
  const publicKey = await absentKey(order, suite);
  await refuseOtherKeys(out, undefined);
  await refuseCertificates(order);
  const { agency, files: ofAgency } = await signingAgency(order, context);
  const { certificate, text } = certify({ kind, name, publicKey }, agency, context);
  const nodeId = nodeIdOf(publicKey);
  const files = bundleFiles({ suite, nodeId, text }, agency.ca);
  await writeIssued(order, ofAgency, files);
  const left = daysLeft(certificate, context.now) ?? 0;
  const written = files.map(({ path }) => path);
  return { folder: out, files: written, nodeId, agency: agency.name, kind, name, daysLeft: left };
}

/** Files of an SDK are copied to applications: what signs blocks must not be among them. */
async function refuseKeyOfNode({ kind, key, out }: IssueOrder): Promise<void> {
  if (kind !== "sdk" || key === undefined) return;
  const home = dirname(dirname(resolve(key)));
  if (!(await isThere(join(home, "config.ini")))) return;
  const said = `${key} is the key of the node in ${home}; an SDK needs one of its own.`;
  const next = `Leave out --key: a new key is made in ${out}.`;
  throw new FolderFault("argument", `${said} ${next}`);
}

/** No key is ever overwritten. */
async function refuseOtherKeys(out: string, key: KeyPair | undefined): Promise<void> {
  for (const name of KEY_NAMES) {
    const path = join(out, name);
    if (!(await isThere(path))) continue;
    if (key && equalBytes((await readKey(path, key.suite)).publicKey, key.publicKey)) continue;
    const next = key
      ? "It is another key than that of --key: choose another folder with --out."
      : `To certify that key, add --key ${path}; else choose another folder with --out.`;
    throw new FolderFault("exists", `${path} exists already. ${next}`);
  }
}

/** A certificate that is there is renewed; one of another chain stays. */
async function refuseCertificates({ ca, out, key }: IssueOrder): Promise<void> {
  for (const name of CERTIFICATE_NAMES) {
    const path = join(out, name);
    if (!(await isThere(path))) continue;
    const command = `chain-node cert renew ${shellWord(out)} --ca ${shellWord(ca)}`;
    const renew = `${command} replaces it by a new one`;
    const next = key === undefined ? "Choose another folder with --out" : renew;
    throw new FolderFault("exists", `${path} exists already. ${next}.`);
  }
  for (const name of CA_NAMES) {
    const path = join(out, name);
    if (!(await isThere(path))) continue;
    if (equalBytes(await readCertificate(path), await readAuthorityCertificate(ca))) continue;
    throw new FolderFault("mismatch", `${path} is of another chain than ${ca}.`);
  }
}

/** Who signs, and the files of an agency that is new; absolute. */
interface SigningAgency {
  readonly agency: Agency;
  readonly files: readonly PlacedFile[];
}

async function signingAgency(
  { ca, agency, newAgency }: IssueOrder,
  context: IssueContext,
): Promise<SigningAgency> {
  if (newAgency) return await addAgency(ca, agency, context);
  return { agency: await readAgency(ca, agency), files: [] };
}

/** Writes a certificate, and the agency where that is new: all or nothing. */
async function writeIssued(
  { ca, out }: IssueOrder,
  ofAgency: readonly PlacedFile[],
  files: readonly FileToWrite[],
): Promise<void> {
  const placed = files.map(
    (file): PlacedFile => ({ ...file, path: resolve(out, file.path), replaces: true }),
  );
  const home = ofAgency.length > 0 ? resolve((await authorityHome(ca)).folder) : resolve(out);
  await writeTree({ home, files: [...ofAgency, ...placed], purpose: "cert issue" });
}

/** What an earlier run had ready when it was cut off. */
async function finishEarlier({ ca, out }: IssueOrder): Promise<void> {
  for (const home of [(await authorityHome(ca)).folder, out]) await finishCutRun(resolve(home));
}

async function addAgency(ca: string, name: string, context: IssueContext): Promise<SigningAgency> {
  const { folder, suite } = await authorityHome(ca);
  if ((await readText(join(folder, name, suiteFile("agency.key", suite)))) !== undefined)
    throw new FolderFault("exists", `agency ${name} exists already; leave out --new-agency.`);
  const agency = createAgency(name, await readAuthority(ca), context);
  return { agency, files: below(join(resolve(folder), name), agencyFiles(agency)) };
}

/** The files of a key that stays; absolute paths, or below the folder that was named. */
interface KeyFiles {
  readonly suite: SuiteName;
  readonly key: string;
  /** Where the new certificate goes; an SDK has it under two names. */
  readonly certs: readonly string[];
  readonly caCert: string;
  readonly kind: "node" | "sdk";
}

/**
 * Issues a new certificate for the key of a node or SDK, by the agency that issued the present one;
 * the node ID stays. The file is replaced as a whole.
 * @param folder of a node, where config.ini may name other files, of an SDK, or of the key itself
 * @throws FolderFault when key, certificate and chain do not belong together; nothing is changed
 */
export async function renewIn(
  folder: string,
  ca: string,
  context: IssueContext,
): Promise<WrittenCertificate> {
  const files = await filesOfKey(folder);
  const [cert = ""] = files.certs;
  const key = await readKey(files.key, files.suite);
  const present = parseCertificate(await readCertificate(cert));
  if (typeof present === "string") throw new FolderFault("unusable", `${cert} is unusable.`);
  if (!equalBytes(present.publicKey, key.publicKey)) {
    const said = `${cert} is not of the key in ${files.key}: the two differ.`;
    throw new FolderFault("mismatch", said);
  }
  const agency = await readAgency(ca, present.issuerName);
  const own = parseCertificate(agency.certificate);
  const trusted = await readCertificate(files.caCert);
  const isOurs = typeof own !== "string" && own.subject === present.issuer;
  if (!isOurs || !equalBytes(trusted, agency.ca))
    throw new FolderFault("mismatch", `${cert} belongs to another chain than ${ca}.`);
  const name = present.subjectName;
  if (!isCertificateName(name))
    throw new FolderFault("unusable", `${cert} is not of a name that we issue.`);
  const issued = issue({ kind: files.kind, name, key }, agency, context);
  for (const path of files.certs)
    await writeWhole(dirname(path), { path: basename(path), text: issued.text, use: "text" });
  const left = daysLeft(issued.certificate, context.now) ?? 0;
  const home = dirname(cert);
  const written = files.certs.map((path) => basename(path));
  const { nodeId } = key;
  const common = { folder: home, files: written, nodeId, agency: agency.name };
  return { ...common, kind: files.kind, name, daysLeft: left };
}

async function isThere(path: string): Promise<boolean> {
  return (await readText(path)) !== undefined;
}

/**
 * How keys lie in a folder without config.ini. An SDK of a standard chain has its pair under two
 * names.
 */
const KEY_FORMS = [
  {
    suite: "standard",
    kind: "sdk",
    key: "node.key",
    certs: ["sdk.crt", "node.crt"],
    caCert: "ca.crt",
  },
  { suite: "standard", kind: "node", key: "node.key", certs: ["node.crt"], caCert: "ca.crt" },
  { suite: "national", kind: "sdk", key: "gmsdk.key", certs: ["gmsdk.crt"], caCert: "gmca.crt" },
  { suite: "national", kind: "node", key: "gmnode.key", certs: ["gmnode.crt"], caCert: "gmca.crt" },
] as const satisfies readonly KeyFiles[];

/** Those that config.ini names; without it conf/ of the folder, or the folder itself. */
async function filesOfKey(folder: string): Promise<KeyFiles> {
  const config = join(folder, "config.ini");
  const text = await readText(config);
  if (text !== undefined) {
    const { suite, key, cert, caCert } = readNodeConfig(text, config).value.identity;
    const at = (path: string) => resolve(folder, path);
    return { suite, key: at(key), certs: [at(cert)], caCert: at(caCert), kind: "node" };
  }
  for (const home of [join(folder, "conf"), join(folder, "gm"), folder]) {
    for (const form of KEY_FORMS) {
      const at = (name: string) => join(home, name);
      if (!(await isThere(at(form.key))) || !(await isThere(at(form.certs[0])))) continue;
      return { ...form, key: at(form.key), certs: form.certs.map(at), caCert: at(form.caCert) };
    }
  }
  const said = `${folder} holds no node: there is no config.ini and no conf/node.key in it.`;
  throw new FolderFault("missing", said);
}
