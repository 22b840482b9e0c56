/**
 * Who signs in a chain: the chain's own key and those of its agencies, with the files that they and
 * their nodes and SDKs live in. Source: generator 5, 6.4
 */
import { join } from "node:path";
import { equalBytes } from "../../core/bytes/bytes.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import {
  CA_DAYS,
  certificatesPem,
  isCertificateName,
  type Issuer,
  issueCertificate,
  parseCertificates,
} from "./certificate.ts";
import { REASON_TEXT, verifyChain } from "./certificate-chain.ts";
import { FolderFault } from "./folder-fault.ts";
import { parseCertificate } from "./parsed-certificate.ts";
import { createKeyPair, type KeyPair, parsePrivateKey, privateKeyPem } from "./private-key.ts";
import { type FileToWrite, readText } from "./whole-files.ts";

/** A key and its certificate in DER. */
export interface Signer {
  readonly key: KeyPair;
  readonly certificate: Uint8Array;
}

/** An agency that can issue certificates. */
export interface Agency extends Signer {
  readonly name: string;
  /** The chain's certificate. */
  readonly ca: Uint8Array;
}

/** What issuing needs besides the signer. */
export interface IssueContext {
  readonly entropy: Entropy;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Validity of node and SDK certificates. */
  readonly days: number;
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

/** A new chain. */
export function createAuthority({ entropy, now }: IssueContext): Signer {
  const key = createKeyPair(entropy);
  const { publicKey } = key;
  const request = {
    kind: "chain",
    name: CHAIN_NAME,
    publicKey,
    ...validity(now, CA_DAYS),
  } as const;
  const certificate = issueCertificate(request, { key }, entropy);
  return { key, certificate };
}

/** A new agency of a chain. */
export function createAgency(name: string, ca: Signer, { entropy, now }: IssueContext): Agency {
  const key = createKeyPair(entropy);
  const { publicKey } = key;
  const request = { kind: "agency", name, publicKey, ...validity(now, CA_DAYS) } as const;
  const certificate = issueCertificate(request, ca, entropy);
  return { name, key, certificate, ca: ca.certificate };
}

/** Whose certificate it is. */
export interface Holder {
  readonly kind: "node" | "sdk";
  readonly name: string;
  /** The key to certify; a new one when absent. */
  readonly key?: KeyPair;
}

/**
 * A certificate by an agency, which would be accepted by the chain now.
 *
 * @throws FolderFault mismatch when the agency's own certificate does not hold
 */
export function issue(holder: Holder, agency: Agency, context: IssueContext): Issued {
  const { entropy, now, days } = context;
  const key = holder.key ?? createKeyPair(entropy);
  const { kind, name } = holder;
  const request = { kind, name, publicKey: key.publicKey, ...validity(now, days) };
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
  return { key, certificate, text: certificatesPem(...chain) };
}

/** conf/ of a node, the key first. Source: generator 6 */
export function nodeFiles({ key, text }: Issued, ca: Uint8Array): FileToWrite[] {
  return [
    { path: "node.key", text: privateKeyPem(key), use: "key" },
    { path: "node.crt", text, use: "text" },
    { path: "ca.crt", text: certificatesPem(ca), use: "text" },
    { path: "node.nodeid", text: `${key.nodeId}\n`, use: "text" },
  ];
}

/** The folder of an SDK: one pair under two names, for older SDKs. Source: generator 6.4 */
export function sdkFiles({ key, text }: Issued, ca: Uint8Array): FileToWrite[] {
  const keyText = privateKeyPem(key);
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
  return [
    { path: "ca.key", text: privateKeyPem(key), use: "key" },
    { path: "ca.crt", text: certificatesPem(certificate), use: "text" },
  ];
}

/** The folder of an agency below cert/. Source: generator 5 */
export function agencyFiles({ key, certificate, ca }: Agency): FileToWrite[] {
  return [
    { path: "agency.key", text: privateKeyPem(key), use: "key" },
    { path: "agency.crt", text: certificatesPem(certificate), use: "text" },
    { path: "ca.crt", text: certificatesPem(ca), use: "text" },
  ];
}

/** Files moved below a folder. */
export function below(folder: string, files: readonly FileToWrite[]): FileToWrite[] {
  return files.map((file) => ({ ...file, path: join(folder, file.path) }));
}

/** The folder with ca.crt: the one named, or cert/ in the folder of a chain. */
export async function authorityFolder(folder: string): Promise<string> {
  for (const candidate of [folder, join(folder, "cert")]) {
    if ((await readText(join(candidate, "ca.crt"))) !== undefined) return candidate;
  }
  throw new FolderFault(
    "missing",
    `${folder} holds no ca.crt; name the folder that chain-node init wrote, or its cert folder.`,
  );
}

/**
 * The first certificate of a file.
 *
 * @throws FolderFault missing or unusable
 */
export async function readCertificate(path: string): Promise<Uint8Array> {
  const text = await readText(path);
  if (text === undefined) throw new FolderFault("missing", `${path} is missing.`);
  const [first] = parseCertificates(text);
  const parsed = first && parseCertificate(first);
  if (!first || typeof parsed === "string") {
    throw new FolderFault("unusable", `${path} holds no certificate of a secp256k1 key.`);
  }
  return first;
}

/**
 * The key of a file.
 *
 * @throws FolderFault missing or unusable
 */
export async function readKey(path: string): Promise<KeyPair> {
  const text = await readText(path);
  if (text === undefined) throw new FolderFault("missing", `${path} is missing.`);
  const key = parsePrivateKey(text);
  if (!key) throw new FolderFault("unusable", `${path} holds no secp256k1 private key in PEM.`);
  return key;
}

/** The chain's signer. @throws FolderFault when the folder has no ca.key */
export async function readAuthority(folder: string): Promise<Signer> {
  const home = await authorityFolder(folder);
  const certificate = await readCertificate(join(home, "ca.crt"));
  return { key: await readKey(join(home, "ca.key")), certificate };
}

/**
 * An agency by name; the chain itself by the name of its own certificate.
 *
 * @throws FolderFault when it is not there, or a file of it is not what it should be
 */
export async function readAgency(folder: string, name: string): Promise<Agency> {
  const home = await authorityFolder(folder);
  if (!isCertificateName(name)) throw new FolderFault("missing", `there is no agency "${name}".`);
  const ca = await readCertificate(join(home, "ca.crt"));
  const own = join(home, name, "agency.crt");
  if ((await readText(own)) === undefined) {
    const parsed = parseCertificate(ca);
    if (typeof parsed !== "string" && parsed.subjectName === name) {
      return { name, ...(await readAuthority(folder)), ca };
    }
    throw new FolderFault("missing", `${home} has no agency ${name}: there is no ${own}.`);
  }
  const key = await readKey(join(home, name, "agency.key"));
  return { name, key, certificate: await readCertificate(own), ca };
}
