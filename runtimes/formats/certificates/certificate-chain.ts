/**
 * Judges the certificates that a peer presents: bytes and a time in, a verdict out. Pure, because
 * the certificate exchange runs in browsers too. Source: node-network 1, 2
 */
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { CERTIFICATE_CRYPTO } from "../../../core/crypto/certificate-crypto.ts";
import { type ParsedCertificate, parseCertificate } from "./parsed-certificate.ts";

/** Why a chain is refused; {@link REASON_TEXT} has the words for logs. */
export type ChainProblem =
  | "malformed"
  | "unsupportedAlgorithm"
  | "unknownCritical"
  | "leafWithoutConstraints"
  | "leafIsCa"
  | "notACa"
  | "otherChain"
  | "badSignature"
  | "notYetValid"
  | "expired"
  | "keyMismatch";

/** What a log line says about each reason. */
export const REASON_TEXT: Readonly<Record<ChainProblem, string>> = {
  malformed: "the certificate cannot be read",
  unsupportedAlgorithm:
    "the certificate is neither ECDSA with SHA-256 over secp256k1 nor SM2 with SM3",
  unknownCritical: "the certificate has a critical extension that is not understood",
  leafWithoutConstraints: "the node certificate carries no basicConstraints",
  leafIsCa: "a CA certificate stands in the place of the node certificate",
  notACa: "the issuer's certificate is not a CA certificate",
  otherChain: "the certificate belongs to another chain",
  badSignature: "a certificate's signature is not by its issuer",
  notYetValid: "a certificate is not yet valid",
  expired: "a certificate has expired",
  keyMismatch: "the peer's key is not the key of its certificate",
};

/** A certificate's place in the chain, for messages. */
export type ChainPlace = "node" | "agency" | "chain";

/** What a certificate says that it is for; `none` when it says nothing. Source: decision 29 */
export type CertificateRole = "node" | "sdk" | "none";

const ROLES: ReadonlyMap<string, CertificateRole> = new Map([
  ["node", "node"],
  ["ennode", "node"],
  ["sdk", "sdk"],
  ["ensdk", "sdk"],
]);

/** The role that the units of a certificate's subject name; an SDK's wins. Source: decision 29 */
export function roleOf(units: readonly string[]): CertificateRole {
  const roles = units.map((unit) => ROLES.get(unit.toLowerCase()));
  return roles.includes("sdk") ? "sdk" : (roles.find((role) => role !== undefined) ?? "none");
}

/** A membership that holds. Source: node-network 1 */
export interface Membership {
  readonly ok: true;
  /** The leaf's public key. */
  readonly nodeId: NodeId;
  /** CN of the leaf's issuer. */
  readonly agency: string;
  /** CN of the leaf's subject. */
  readonly node: string;
  readonly role: CertificateRole;
  /** When the first certificate of the path ends, in milliseconds. */
  readonly validUntil: number;
}

/** A refusal. */
export interface Refusal {
  readonly ok: false;
  readonly reason: ChainProblem;
  /** Which certificate offends: `node`, `agency` or `chain`. */
  readonly place: ChainPlace;
  /** Its CN where it could be read, else empty. Text from a peer. */
  readonly name: string;
}

/** What a chain is judged by. */
export interface TrustOptions {
  /** Chain CA certificates in DER: `ca_cert`, and those of `ca_path`. */
  readonly authorities: readonly Uint8Array[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The key that the peer has proved to hold, when known. */
  readonly expectedNodeId?: NodeId;
}

/** Longest name that is shown in a log. */
const MAX_SHOWN_NAME = 64;
/** Leaf, agency, intermediate, chain and a spare: no longer chain is examined. */
export const MAX_CHAIN_LENGTH = 5;

/**
 * Judges a chain, the node's certificate first, then its issuers in any order; the chain's own
 * certificate may be among them. Never throws. Signatures are judged before dates, so that a
 * certificate of another chain is called that even when it has expired as well.
 * Source: node-network 1
 */
export function verifyChain(
  certificates: readonly Uint8Array[],
  trust: TrustOptions,
): Membership | Refusal {
  if (certificates.length === 0 || certificates.length > MAX_CHAIN_LENGTH)
    return refusal("malformed", "node");
  const presented: ParsedCertificate[] = [];
  for (const [index, der] of certificates.entries()) {
    const place = index === 0 ? "node" : "agency";
    const parsed = parseCertificate(der);
    if (typeof parsed === "string") return refusal(parsed, place);
    if (parsed.unknownCritical) return refusal("unknownCritical", place, parsed);
    presented.push(parsed);
  }
  const authorities = trust.authorities
    .map(parseCertificate)
    .filter((parsed) => typeof parsed !== "string")
    .map(asAuthority);
  const [leaf, ...issuers] = presented;
  // The length was checked above.
  if (!leaf) return refusal("malformed", "node");
  if (leaf.isCa === undefined) return refusal("leafWithoutConstraints", "node", leaf);
  if (leaf.isCa) return refusal("leafIsCa", "node", leaf);
  const path = pathOf(leaf, issuers, authorities);
  if ("ok" in path) return path;
  return judgeDates(path, trust.now) ?? membershipOf(leaf, path, trust.expectedNodeId);
}

/**
 * A certificate that we are told to trust. A root of version 1 has no extension in which it could
 * say that it is a CA; what a peer presents is one only when it says so.
 */
function asAuthority(certificate: ParsedCertificate): ParsedCertificate {
  const isOldRoot = certificate.isVersion1 && isSelfIssued(certificate);
  return isOldRoot ? { ...certificate, isCa: true } : certificate;
}

/** From the leaf to an authority, each signed by the next; or why there is no such path. */
function pathOf(
  leaf: ParsedCertificate,
  issuers: readonly ParsedCertificate[],
  authorities: readonly ParsedCertificate[],
): readonly ParsedCertificate[] | Refusal {
  const path = [leaf];
  const unused = new Set(issuers);
  for (let current = leaf; ; ) {
    const place = placeOf(path.length - 1);
    const trusted = issuerAmong(authorities, current);
    if (trusted)
      return problemOfIssuer(current, trusted, path.length - 1, place) ?? [...path, trusted];
    const next = issuerAmong([...unused], current);
    // A root of its own at the end of the way: the peer's chain is complete and not ours.
    if (!next || isSelfIssued(next)) return refusal("otherChain", place, current);
    const problem = problemOfIssuer(current, next, path.length - 1, place);
    if (problem) return problem;
    unused.delete(next);
    path.push(next);
    current = next;
  }
}

function isSelfIssued(certificate: ParsedCertificate): boolean {
  return certificate.subject === certificate.issuer;
}

/** The certificate that claims to have issued another: by name, and by key where both name it. */
function issuerAmong(
  candidates: readonly ParsedCertificate[],
  issued: ParsedCertificate,
): ParsedCertificate | undefined {
  const named = candidates.filter(
    ({ subject, subjectKeyId }) =>
      subject === issued.issuer &&
      (subjectKeyId === undefined ||
        issued.authorityKeyId === undefined ||
        subjectKeyId === issued.authorityKeyId),
  );
  // Certificates without key identifiers: of several with one name the right one has signed.
  return named.length > 1
    ? (named.find((issuer) => isSignedBy(issued, issuer)) ?? named[0])
    : named[0];
}

/** By which keys certificates were found signed, as long as they are remembered. */
const SIGNED = new WeakMap<Uint8Array, WeakSet<Uint8Array>>();

/** A pair of certificate and key that was found good is found good again: bytes do not change. */
function isSignedBy(issued: ParsedCertificate, issuer: ParsedCertificate): boolean {
  if (issued.suite !== issuer.suite) return false;
  const { signature, signedBytes } = issued;
  const { publicKey } = issuer;
  const found = SIGNED.get(signature) ?? new WeakSet();
  if (found.has(publicKey)) return true;
  const isGood = CERTIFICATE_CRYPTO[issued.suite].verify(signedBytes, signature, publicKey);
  if (isGood) SIGNED.set(signature, found.add(publicKey));
  return isGood;
}

function problemOfIssuer(
  issued: ParsedCertificate,
  issuer: ParsedCertificate,
  intermediates: number,
  place: ChainPlace,
): Refusal | undefined {
  const tooLong = intermediates > (issuer.maxIntermediates ?? MAX_CHAIN_LENGTH);
  if (issuer.isCa !== true || !issuer.maySignCertificates || tooLong)
    return refusal("notACa", place === "node" ? "agency" : "chain", issuer);
  return isSignedBy(issued, issuer) ? undefined : refusal("badSignature", place, issued);
}

function judgeDates(path: readonly ParsedCertificate[], now: number): Refusal | undefined {
  for (const [index, certificate] of path.entries()) {
    const place = index === path.length - 1 ? "chain" : placeOf(index);
    if (now < certificate.notBefore) return refusal("notYetValid", place, certificate);
    if (now > certificate.notAfter) return refusal("expired", place, certificate);
  }
  return undefined;
}

function membershipOf(
  leaf: ParsedCertificate,
  path: readonly ParsedCertificate[],
  expected: NodeId | undefined,
): Membership | Refusal {
  const nodeId = nodeIdOf(leaf.publicKey);
  if (expected !== undefined && expected !== nodeId) return refusal("keyMismatch", "node", leaf);
  const validUntil = Math.min(...path.map(({ notAfter }) => notAfter));
  const { issuerName: agency, subjectName: node, units } = leaf;
  return { ok: true, nodeId, agency, node, role: roleOf(units), validUntil };
}

function placeOf(index: number): ChainPlace {
  return index === 0 ? "node" : "agency";
}

function refusal(
  reason: ChainProblem,
  place: ChainPlace,
  certificate?: ParsedCertificate,
): Refusal {
  return { ok: false, reason, place, name: certificate?.subjectName ?? "" };
}

/**
 * A refusal as a sentence for logs. The name in it is text from a peer: characters that would break
 * a line or colour a terminal are replaced.
 */
export function describeRefusal({ reason, place, name }: Refusal): string {
  return `${REASON_TEXT[reason]} (${place} certificate${shownName(name)})`;
}

function shownName(name: string): string {
  const shown = name.replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_SHOWN_NAME);
  return shown === "" ? "" : ` "${shown}"`;
}

/** Dates are judged by a clock: who reads of them is informed which time it has. */
function byClock({ reason }: Refusal, now: number): string {
  if (reason !== "expired" && reason !== "notYetValid") return "";
  return ` by this host's clock, ${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** What peers report of a certificate that is for an SDK. Source: decision 29 */
export const IS_FOR_SDK =
  "the certificate is for an SDK (OU=sdk), and a node needs one with OU=node";

/** The verdict as the network takes it: a refusal in words. */
export type NetworkVerdict = Membership | { readonly ok: false; readonly reason: string };

/**
 * Judges chains by these authorities: what the certificate exchange is given. The certificate of an
 * SDK opens no session between nodes. Source: decision 29
 */
export function createChainVerifier(
  authorities: readonly Uint8Array[],
): (certificates: readonly Uint8Array[], now: number) => NetworkVerdict {
  return (certificates, now) => {
    const verdict = verifyChain(certificates, { authorities, now });
    if (!verdict.ok)
      return { ok: false, reason: `${describeRefusal(verdict)}${byClock(verdict, now)}` };
    if (verdict.role !== "sdk") return verdict;
    return { ok: false, reason: `${IS_FOR_SDK} (node certificate${shownName(verdict.node)})` };
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** From this many days before the end on, log and metrics warn. */
export const WARN_BEFORE_DAYS = 30;

/** Whole days until a moment such as {@link Membership.validUntil}; negative afterwards. */
export function daysUntil(moment: number, now: number): number {
  return Math.floor((moment - now) / DAY_MS);
}

/**
 * Whole days until a certificate ends, rounded down: 0 on its last day, negative afterwards;
 * undefined when it cannot be read.
 */
export function daysLeft(certificate: Uint8Array, now: number): number | undefined {
  const parsed = parseCertificate(certificate);
  return typeof parsed === "string" ? undefined : daysUntil(parsed.notAfter, now);
}
