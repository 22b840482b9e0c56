/**
 * Who signs in a chain: the chain's own key and those of its agencies, with the files that they and
 * their nodes and SDKs live in. Source: generator 5, 6.4
 */
import { join } from "node:path";
import { equalBytes } from "../../core/bytes/bytes.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import {
  CA_DAYS,
  certificatesPem,
  type Issuer,
  issueCertificate,
  parseCertificates,
} from "./certificate.ts";
import { isCertificateName } from "../formats/certificates/certificate-terms.ts";
import { REASON_TEXT, verifyChain } from "../formats/certificates/certificate-chain.ts";
import { FolderFault } from "./folder-fault.ts";
import { parseCertificate } from "../formats/certificates/parsed-certificate.ts";
import {
  createKeyPair,
  curveName,
  type KeyPair,
  parsePrivateKey,
  privateKeyPem,
} from "./private-key.ts";
import { SUITE_NAMES, suiteFile } from "../formats/config/suite-files.ts";
import { type FileToWrite, readText } from "./whole-files.ts";

/** A key and its certificate in DER. */
export interface Signer {
  readonly key: KeyPair;
  readonly certificate: Uint8Array;
}

/** An agency that can issue certificates. */
export interface Agency extends Signer {
  readonly name: string;
  readonly ca: Uint8Array;
}

/** What issuing needs besides the signer. */
export interface IssueContext {
  readonly entropy: Entropy;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Validity of node and SDK certificates. */
  readonly days: number;
  /** Validity of those of chain and agencies; ten times the usual when absent. */
  readonly caDays?: number;
  /** O of every certificate; the product's name when absent. */
  readonly organisation?: string;
}

/** A new certificate with its key. */
export interface Issued extends Signer {
  /** The certificate and those up to the agency's, as node.crt holds them. */
  readonly text: string;
}

/** Clocks of hosts differ: a new certificate is valid on one whose clock is behind. */
const BACKDATE_MS = 60 * 60 * 1000;
/** CN of a chain's certificate. Source: generator 5 */
const CHAIN_NAME = "chain";

const DAY_MS = 24 * 60 * 60 * 1000;

function validity(now: number, days: number) {
  return { validFrom: now - BACKDATE_MS, validUntil: now + days * DAY_MS };
}

/** A new chain; the suite of its key is that of the whole chain. */
export function createAuthority(context: IssueContext, suite: SuiteName = "standard"): Signer {
  const key = createKeyPair(context.entropy, suite);
  const { publicKey } = key;
  const request = { kind: "chain", name: CHAIN_NAME, publicKey, ...caTerms(context) } as const;
  const certificate = issueCertificate(request, { key }, context.entropy);
  return { key, certificate };
}

function caTerms({ now, caDays = CA_DAYS, organisation }: IssueContext) {
  return { ...validity(now, caDays), ...(organisation === undefined ? {} : { organisation }) };
}

/** A new agency of a chain. */
export function createAgency(name: string, ca: Signer, context: IssueContext): Agency {
  const key = createKeyPair(context.entropy, ca.key.suite);
  const certificate = certifyAgency(name, key.publicKey, ca, context);
  return { name, key, certificate, ca: ca.certificate };
}

/** The certificate of an agency whose key stays where it is. */
export function certifyAgency(
  name: string,
  publicKey: Uint8Array,
  ca: Signer,
  context: IssueContext,
): Uint8Array {
  const request = { kind: "agency", name, publicKey, ...caTerms(context) } as const;
  return issueCertificate(request, ca, context.entropy);
}

/** Whose certificate it is. */
export interface Holder {
  readonly kind: "node" | "sdk" | "ennode" | "ensdk";
  readonly name: string;
  /** The key to certify; a new one when absent. */
  readonly key?: KeyPair;
}

/**
 * A certificate by an agency, which would be accepted by the chain now.
 * @throws FolderFault mismatch when the agency's own certificate does not hold
 */
export function issue(holder: Holder, agency: Agency, context: IssueContext): Issued {
  const key = holder.key ?? createKeyPair(context.entropy, agency.key.suite);
  return { key, ...certify({ ...holder, publicKey: key.publicKey }, agency, context) };
}

/** A new certificate of a key that somebody else holds. */
export interface Certified extends Pick<Issued, "certificate" | "text"> {}

/** Whose certificate it is, by the key that is not here. */
export interface AbsentHolder extends Omit<Holder, "key"> {
  /** 64 bytes X and Y, on the curve of the chain. */
  readonly publicKey: Uint8Array;
}

/**
 * A certificate by an agency for a key that stays where it is.
 * @throws FolderFault mismatch when the agency's own certificate does not hold
 */
export function certify(holder: AbsentHolder, agency: Agency, context: IssueContext): Certified {
  const { entropy, now, days, organisation } = context;
  const { kind, name, publicKey } = holder;
  const terms = { ...validity(now, days), ...(organisation === undefined ? {} : { organisation }) };
  const request = { kind, name, publicKey, ...terms };
  const issuer: Issuer = agency;
  const certificate = issueCertificate(request, issuer, entropy);
  // A chain that issues to nodes itself has no agency's certificate to add.
  const isDirect = equalBytes(agency.certificate, agency.ca);
  const chain = isDirect ? [certificate] : [certificate, agency.certificate];
  const verdict = verifyChain(chain, { authorities: [agency.ca], now });
  if (!verdict.ok) {
    const whose = verdict.place === "node" ? "new" : `${verdict.place}'s`;
    throw new FolderFault(
      "mismatch",
      `agency ${agency.name} cannot issue certificates that the chain accepts: ` +
        `${REASON_TEXT[verdict.reason]} (the ${whose} certificate, "${verdict.name}").`,
    );
  }
  return { certificate, text: certificatesPem(...chain) };
}

/** conf/ of a node, the key first. Source: generator 6; sm-suite 7 */
export function nodeFiles({ key, text }: Issued, ca: Uint8Array): FileToWrite[] {
  const { suite, nodeId } = key;
  const path = suiteFile("node.key", suite);
  return [
    { path, text: privateKeyPem(key), use: "key" },
    ...bundleFiles({ suite, nodeId, text }, ca),
  ];
}

/** What goes to a node whose key stays where it is. */
export function bundleFiles(
  { suite, nodeId, text }: Pick<KeyPair, "suite" | "nodeId"> & Pick<Issued, "text">,
  ca: Uint8Array,
): FileToWrite[] {
  const file = (name: string) => suiteFile(name, suite);
  return [
    { path: file("node.crt"), text, use: "text" },
    { path: file("ca.crt"), text: certificatesPem(ca), use: "text" },
    { path: file("node.nodeid"), text: `${nodeId}\n`, use: "text" },
  ];
}

/** Where the files of an SDK are in its folder. Source: generator 6.4; sm-suite 7 */
export function sdkFolder(suite: SuiteName): string {
  return suite === "national" ? "sdk/gm" : "sdk";
}

/**
 * The folder of an SDK: one pair, on a standard chain under two names for older SDKs.
 * Source: generator 6.4; sm-suite 7
 */
export function sdkFiles({ key, text }: Issued, ca: Uint8Array): FileToWrite[] {
  const keyText = privateKeyPem(key);
  if (key.suite === "national") {
    return [
      { path: "gmsdk.key", text: keyText, use: "key" },
      { path: "gmsdk.crt", text, use: "text" },
      { path: "gmca.crt", text: certificatesPem(ca), use: "text" },
    ];
  }
  return [
    { path: "sdk.key", text: keyText, use: "key" },
    { path: "node.key", text: keyText, use: "key" },
    { path: "sdk.crt", text, use: "text" },
    { path: "node.crt", text, use: "text" },
    { path: "ca.crt", text: certificatesPem(ca), use: "text" },
  ];
}

/** cert/ca.key and cert/ca.crt. */
export function authorityFiles({ key, certificate }: Signer): FileToWrite[] {
  const file = (name: string) => suiteFile(name, key.suite);
  return [
    { path: file("ca.key"), text: privateKeyPem(key), use: "key" },
    { path: file("ca.crt"), text: certificatesPem(certificate), use: "text" },
  ];
}

/** The folder of an agency below cert/. Source: generator 5 */
export function agencyFiles({ key, certificate, ca }: Agency): FileToWrite[] {
  const file = (name: string) => suiteFile(name, key.suite);
  return [
    { path: file("agency.key"), text: privateKeyPem(key), use: "key" },
    { path: file("agency.crt"), text: certificatesPem(certificate), use: "text" },
    { path: file("ca.crt"), text: certificatesPem(ca), use: "text" },
  ];
}

/** Files moved below a folder. */
export function below(folder: string, files: readonly FileToWrite[]): FileToWrite[] {
  return files.map((file) => ({ ...file, path: join(folder, file.path) }));
}

/** Where the CA of a chain is. */
export interface AuthorityHome {
  readonly folder: string;
  /** By the name of the CA's certificate. */
  readonly suite: SuiteName;
}

/** The folder with ca.crt or gmca.crt: the one named, or cert/ in the folder of a chain. */
export async function authorityHome(place: string): Promise<AuthorityHome> {
  for (const folder of [place, join(place, "cert")]) {
    for (const suite of SUITE_NAMES) {
      const path = join(folder, suiteFile("ca.crt", suite));
      if ((await readText(path)) !== undefined) return { folder, suite };
    }
  }
  const said = `${place} holds no ca.crt and no gmca.crt`;
  const next = "name the folder that chain-node init wrote, or its cert folder";
  throw new FolderFault("missing", `${said}; ${next}.`);
}

/** The certificate of the chain whose CA is here. @throws FolderFault */
export async function readAuthorityCertificate(place: string): Promise<Uint8Array> {
  const { folder, suite } = await authorityHome(place);
  return await readCertificate(join(folder, suiteFile("ca.crt", suite)));
}

/** The first certificate of a file. @throws FolderFault missing or unusable */
export async function readCertificate(path: string): Promise<Uint8Array> {
  const text = await readText(path);
  if (text === undefined) throw new FolderFault("missing", `${path} is missing.`);
  const [first] = parseCertificates(text);
  const parsed = first && parseCertificate(first);
  if (!first || typeof parsed === "string")
    throw new FolderFault("unusable", `${path} holds no certificate of a secp256k1 or SM2 key.`);
  return first;
}

/**
 * The key of a file.
 * @throws FolderFault missing, or unusable when it is no key of the suite's curve
 */
export async function readKey(path: string, suite: SuiteName = "standard"): Promise<KeyPair> {
  const text = await readText(path);
  if (text === undefined) throw new FolderFault("missing", `${path} is missing.`);
  const key = parsePrivateKey(text, suite);
  if (key) return key;
  throw new FolderFault("unusable", `${path} holds no ${curveName(suite)} private key in PEM.`);
}

/** The chain's signer. @throws FolderFault when the folder has no ca.key */
export async function readAuthority(place: string): Promise<Signer> {
  const { folder, suite } = await authorityHome(place);
  return await readSigner(folder, "ca", suite);
}

/**
 * The signer whose two files are in a folder.
 * @param stem `ca` or `agency`
 * @throws FolderFault missing, unusable; mismatch when the key is not the certificate's
 */
export async function readSigner(
  folder: string,
  stem: "ca" | "agency",
  suite: SuiteName,
): Promise<Signer> {
  const at = (end: string) => join(folder, suiteFile(`${stem}${end}`, suite));
  const certificate = await readCertificate(at(".crt"));
  const key = await readKey(at(".key"), suite);
  const parsed = parseCertificate(certificate);
  if (typeof parsed !== "string" && equalBytes(parsed.publicKey, key.publicKey))
    return { key, certificate };
  throw new FolderFault("mismatch", `${at(".key")} is not the key of ${at(".crt")}.`);
}

/**
 * The agency whose key and certificate lie in a folder next to the chain's certificate, by the name
 * in its certificate. Source: generator 5
 * @throws FolderFault
 */
export async function readAgencyFolder(folder: string, suite: SuiteName): Promise<Agency> {
  const ca = await readCertificate(join(folder, suiteFile("ca.crt", suite)));
  const signer = await readSigner(folder, "agency", suite);
  const parsed = parseCertificate(signer.certificate);
  return { name: typeof parsed === "string" ? "" : parsed.subjectName, ...signer, ca };
}

/**
 * An agency by name; the chain itself by the name of its own certificate.
 * @throws FolderFault when it is not there, or a file of it is not what it should be
 */
export async function readAgency(place: string, name: string): Promise<Agency> {
  const { folder, suite } = await authorityHome(place);
  if (!isCertificateName(name)) throw new FolderFault("missing", `there is no agency "${name}".`);
  const ca = await readAuthorityCertificate(place);
  const at = (file: string) => join(folder, name, suiteFile(file, suite));
  const own = at("agency.crt");
  if ((await readText(own)) === undefined) {
    const parsed = parseCertificate(ca);
    if (typeof parsed !== "string" && parsed.subjectName === name)
      return { name, ...(await readAuthority(place)), ca };
    throw new FolderFault("missing", `${folder} has no agency ${name}: there is no ${own}.`);
  }
  const key = await readKey(at("agency.key"), suite);
  return { name, key, certificate: await readCertificate(own), ca };
}
