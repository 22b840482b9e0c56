/**
 * One certificate read from bytes: names, dates, key and constraints, nothing judged. Pure: runs on
 * every platform. Source: node-network 1; generator 5
 */
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  type Extension,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_subjectKeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  SubjectKeyIdentifier,
  Version,
} from "@peculiar/asn1-x509";
import { concatBytes, equalBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { CERTIFICATE_CRYPTO } from "../../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";

/** Object identifiers of what certificates of a chain hold. Source: generator 5; sm-suite 4 */
export const OID = {
  ecPublicKey: "1.2.840.10045.2.1",
  secp256k1: "1.3.132.0.10",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  sm2WithSm3: "1.2.156.10197.1.501",
  commonName: "2.5.4.3",
  organisation: "2.5.4.10",
  unit: "2.5.4.11",
} as const;

/** What certificates of a chain are made of. */
interface CertificateForm {
  /** The curve's identifier in DER: parameters of every key. */
  readonly curve: Uint8Array;
  /** Object identifier of signatures. */
  readonly signature: string;
  /** The algorithm identifier of signatures in DER. */
  readonly algorithm: Uint8Array;
}

/** By the suite of the chain. Source: generator 5; sm-suite 4, 7 */
export const CERTIFICATE_FORMS: Readonly<Record<SuiteName, CertificateForm>> = {
  standard: {
    curve: hexBytes("06052b8104000a"),
    signature: OID.ecdsaWithSha256,
    algorithm: hexBytes("300a06082a8648ce3d040302"),
  },
  national: {
    curve: hexBytes("06082a811ccf5501822d"),
    signature: OID.sm2WithSm3,
    algorithm: hexBytes("300a06082a811ccf55018375"),
  },
};

/** Far more than a certificate of a chain needs; checked before anything is parsed. */
export const MAX_CERTIFICATE_BYTES = 16 * 1024;
/** Longest name that is passed on: names come from peers. */
const MAX_NAME_LENGTH = 256;

/** A certificate's content. Times in milliseconds since 1970. */
export interface ParsedCertificate {
  /** The kind of chain that it can belong to: by its key and its signature. */
  readonly suite: SuiteName;
  readonly der: Uint8Array;
  /** The signed part, byte for byte. */
  readonly signedBytes: Uint8Array;
  readonly signature: Uint8Array;
  /** Names in DER as hexadecimal text: what issuers are compared by. */
  readonly subject: string;
  readonly issuer: string;
  /** CN of the subject, or the whole subject. Source: node-network 1 */
  readonly subjectName: string;
  readonly issuerName: string;
  /** OU of the subject: what the certificate is for. Source: generator 5 */
  readonly units: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  /** 64 bytes X and Y. */
  readonly publicKey: Uint8Array;
  /** Absent when the certificate has no basicConstraints. */
  readonly isCa: boolean | undefined;
  /** Of version 1, which knows no extensions, as older roots are. Source: channel-protocol 2.2 */
  readonly isVersion1: boolean;
  readonly maxIntermediates: number | undefined;
  /** False when keyUsage is there and forbids signing certificates. */
  readonly maySignCertificates: boolean;
  /** Hexadecimal text. */
  readonly subjectKeyId: string | undefined;
  readonly authorityKeyId: string | undefined;
  /** An extension that must be understood and is not. */
  readonly unknownCritical: string | undefined;
}

/** Why bytes are not a certificate that can be judged. */
export type ParseProblem = "malformed" | "unsupportedAlgorithm";

const UNDERSTOOD = new Set<string>([
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_subjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
]);

/**
 * Certificates that were read last. Agencies and chains come with every peer, and a peer comes
 * again: reading one takes a millisecond, and much more before the reader's code is warm.
 */
const READ = new Map<string, ParsedCertificate>();
/** A caller that shows others has these read again. */
const MAX_READ = 64;

/** The certificate in DER, or why it cannot be read. Never throws. */
export function parseCertificate(der: Uint8Array): ParsedCertificate | ParseProblem {
  if (!isOneSequence(der)) return "malformed";
  const key = toHex(der);
  const known = READ.get(key);
  if (known) return known;
  const read = readCertificate(der.slice());
  if (typeof read === "string") return read;
  const [oldest] = READ.keys();
  if (oldest !== undefined && READ.size >= MAX_READ) READ.delete(oldest);
  READ.set(key, read);
  return read;
}

function readCertificate(der: Uint8Array): ParsedCertificate | ParseProblem {
  try {
    return contentOf(der, AsnConvert.parse(der, Certificate));
  } catch {
    // The parser throws for everything that is not DER of a certificate.
    return "malformed";
  }
}

/** Whether the bytes are one DER sequence with nothing behind it. */
function isOneSequence(der: Uint8Array): boolean {
  if (der.length < 4 || der.length > MAX_CERTIFICATE_BYTES || der[0] !== 0x30) return false;
  const first = der[1] ?? 0;
  if (first < 0x80) return der.length === first + 2;
  if (first === 0x81) return der.length === (der[2] ?? 0) + 3;
  return first === 0x82 && der.length === (der[2] ?? 0) * 256 + (der[3] ?? 0) + 4;
}

function contentOf(der: Uint8Array, certificate: Certificate): ParsedCertificate | ParseProblem {
  const { tbsCertificate: tbs, tbsCertificateRaw, signatureAlgorithm } = certificate;
  const isVersion1 = tbs.version === Version.v1 && tbs.extensions === undefined;
  if (!tbsCertificateRaw || !(isVersion1 || tbs.version === Version.v3)) return "malformed";
  if (signatureAlgorithm.algorithm !== tbs.signature.algorithm) return "malformed";
  const signature = new Uint8Array(certificate.signatureValue);
  const signedBytes = new Uint8Array(tbsCertificateRaw);
  const suite = suiteOf(certificate);
  if (!suite) return "unsupportedAlgorithm";
  const { algorithm } = CERTIFICATE_FORMS[suite];
  if (!equalBytes(der, envelopeOf(signedBytes, algorithm, signature))) return "malformed";
  const point = new Uint8Array(tbs.subjectPublicKeyInfo.subjectPublicKey);
  const publicKey = CERTIFICATE_CRYPTO[suite].publicKeyOfPoint(point);
  const notBefore = tbs.validity.notBefore.getTime().getTime();
  const notAfter = tbs.validity.notAfter.getTime().getTime();
  if (!publicKey || !Number.isFinite(notBefore) || !Number.isFinite(notAfter)) return "malformed";
  const extensions = [...(tbs.extensions ?? [])];
  if (new Set(extensions.map(({ extnID }) => extnID)).size < extensions.length) return "malformed";
  return {
    suite,
    der,
    signedBytes,
    signature,
    subject: nameKey(tbs.subject),
    issuer: nameKey(tbs.issuer),
    subjectName: commonName(tbs.subject),
    issuerName: commonName(tbs.issuer),
    units: unitsOf(tbs.subject),
    notBefore,
    notAfter,
    publicKey,
    isVersion1,
    ...constraintsOf(extensions),
  };
}

/** The suite whose keys and signatures these are; undefined when they are of none, or of two. */
function suiteOf({ tbsCertificate, signatureAlgorithm }: Certificate): SuiteName | undefined {
  const { algorithm, parameters } = tbsCertificate.subjectPublicKeyInfo.algorithm;
  if (algorithm !== OID.ecPublicKey || !parameters) return undefined;
  const suite = signatureAlgorithm.algorithm === OID.sm2WithSm3 ? "national" : "standard";
  const { curve, signature } = CERTIFICATE_FORMS[suite];
  const isOfSuite =
    signatureAlgorithm.algorithm === signature && equalBytes(new Uint8Array(parameters), curve);
  return isOfSuite ? suite : undefined;
}

/**
 * The one DER form of what stands around the signed part. The parser forgives deviations there, and
 * no signature covers them; without this, one certificate would have many encodings.
 */
function envelopeOf(
  signedBytes: Uint8Array,
  algorithm: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  const bits = derElement(0x03, Uint8Array.of(0), signature);
  return derElement(0x30, signedBytes, algorithm, bits);
}

/** A DER element of fewer than 65,536 bytes. */
export function derElement(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...parts);
  const { length } = content;
  const [high, low] = [length >> 8, length & 0xff];
  const size = length < 0x80 ? [length] : high === 0 ? [0x81, low] : [0x82, high, low];
  return concatBytes(Uint8Array.of(tag, ...size), content);
}

type Constraints = Pick<
  ParsedCertificate,
  | "isCa"
  | "maxIntermediates"
  | "maySignCertificates"
  | "subjectKeyId"
  | "authorityKeyId"
  | "unknownCritical"
>;

function constraintsOf(extensions: readonly Extension[]): Constraints {
  const read = <T>(id: string, type: new () => T): T | undefined => {
    const found = extensions.find(({ extnID }) => extnID === id);
    return found && AsnConvert.parse(found.extnValue, type);
  };
  const basic = read(id_ce_basicConstraints, BasicConstraints);
  const usage = read(id_ce_keyUsage, KeyUsage);
  const subjectKey = read(id_ce_subjectKeyIdentifier, SubjectKeyIdentifier);
  const authority = read(id_ce_authorityKeyIdentifier, AuthorityKeyIdentifier)?.keyIdentifier;
  return {
    isCa: basic?.cA,
    maxIntermediates: basic?.pathLenConstraint,
    maySignCertificates: !usage || (usage.toNumber() & KeyUsageFlags.keyCertSign) !== 0,
    subjectKeyId: subjectKey && toHex(new Uint8Array(subjectKey.buffer)),
    authorityKeyId: authority && toHex(new Uint8Array(authority.buffer)),
    unknownCritical: extensions.find(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID))
      ?.extnID,
  };
}

function nameKey(name: Name): string {
  return toHex(new Uint8Array(AsnConvert.serialize(name)));
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  [OID.commonName]: "CN",
  [OID.organisation]: "O",
  [OID.unit]: "OU",
};

function partsOf(name: Name) {
  return [...name].flatMap((set) => [...set]);
}

function unitsOf(name: Name): readonly string[] {
  return partsOf(name)
    .filter(({ type }) => type === OID.unit)
    .map(({ value }) => value.toString());
}

/** CN, or the whole name when there is none. Source: node-network 1 */
function commonName(name: Name): string {
  const parts = partsOf(name);
  const common = parts.find(({ type }) => type === OID.commonName)?.value.toString();
  if (common) return common.slice(0, MAX_NAME_LENGTH);
  const whole = parts.map(({ type, value }) => `/${SHORT_NAMES[type] ?? type}=${value}`).join("");
  return whole.slice(0, MAX_NAME_LENGTH);
}
