/**
 * Makes certificates: the chain's own, those of agencies, those of nodes and SDKs. No openssl.
 * Source: generator 5
 */
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_subjectKeyIdentifier,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { hexBytes } from "../../core/bytes/hex.ts";
import { CERTIFICATE_CRYPTO, keyIdentifierOf } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import { invariant } from "../../core/fault/invariant.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import { isCertificateName } from "../formats/certificates/certificate-terms.ts";
import {
  CERTIFICATE_FORMS,
  OID,
  parseCertificate,
} from "../formats/certificates/parsed-certificate.ts";
import { decodePem, encodePem } from "../formats/keys/pem.ts";
import type { KeyPair } from "./private-key.ts";

/** What a certificate is for: decides its unit, constraints and usage. */
export type CertificateKind = "chain" | "agency" | "node" | "sdk" | EncryptionKind;

/** On national chains a holder has a second pair, for encryption. Source: sm-suite 7 */
type EncryptionKind = "ennode" | "ensdk";

/** What a certificate shall say. */
export interface CertificateRequest {
  readonly kind: CertificateKind;
  /** CN; must match {@link isCertificateName}. */
  readonly name: string;
  /** 64 bytes X and Y, on the curve of the issuer's key. */
  readonly publicKey: Uint8Array;
  /** First and last moment of validity, milliseconds since 1970. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** O; the product's name when absent. */
  readonly organisation?: string;
}

/** Who signs: a key, and the certificate that says so; none for a chain's own certificate. */
export interface Issuer {
  readonly key: KeyPair;
  readonly certificate?: Uint8Array;
}

/** O of every certificate; verification never examines it. Source: generator 5 */
export const ORGANISATION = "chain-node";
/** Validity of chain and agency certificates. Source: generator 5 (build_chain) */
export const CA_DAYS = 36_500;
const SERIAL_BYTES = 16;

/**
 * A certificate in DER. It ends when its issuer's does, if that is earlier: a chain of certificates
 * is only as long-lived as its first to end. Source: generator 5
 */
export function issueCertificate(
  request: CertificateRequest,
  issuer: Issuer,
  entropy: Entropy,
): Uint8Array {
  invariant(isCertificateName(request.name), "a certificate's name was checked before");
  const { suite, privateKey } = issuer.key;
  const form = CERTIFICATE_FORMS[suite];
  const parent = issuer.certificate && AsnConvert.parse(issuer.certificate, Certificate);
  const { name, organisation = ORGANISATION, kind } = request;
  const subject = nameOf({ name, organisation, unit: kind });
  // Certificates count whole seconds.
  const wanted = Math.ceil(request.validUntil / 1000) * 1000;
  const limit = parent?.tbsCertificate.validity.notAfter.getTime().getTime() ?? wanted;
  const terms = {
    issuer: parent?.tbsCertificate.subject ?? subject,
    subject,
    validFrom: request.validFrom,
    validUntil: Math.min(wanted, limit),
    publicKey: publicKeyInfo(suite, request.publicKey),
    extensions: extensionsOf(request, issuer),
  };
  const { sign } = CERTIFICATE_CRYPTO[suite];
  const algorithm = new AlgorithmIdentifier({ algorithm: form.signature });
  return signed(terms, { algorithm, sign: (bytes) => sign(bytes, privateKey) }, entropy);
}

/** A key as certificates and requests hold it, from its 64 bytes X and Y. */
export function publicKeyInfo(suite: SuiteName, publicKey: Uint8Array): SubjectPublicKeyInfo {
  const parameters = arrayBuffer(CERTIFICATE_FORMS[suite].curve);
  return new SubjectPublicKeyInfo({
    algorithm: new AlgorithmIdentifier({ algorithm: OID.ecPublicKey, parameters }),
    subjectPublicKey: arrayBuffer(Uint8Array.of(4, ...publicKey)),
  });
}

/** What a certificate says, whatever signs it. */
export interface CertificateTerms {
  readonly issuer: Name;
  readonly subject: Name;
  /** First and last moment of validity, milliseconds since 1970. */
  readonly validFrom: number;
  readonly validUntil: number;
  readonly publicKey: SubjectPublicKeyInfo;
  readonly extensions: readonly Extension[];
}

/** How certificates are signed. */
export interface CertificateSigner {
  readonly algorithm: AlgorithmIdentifier;
  sign(bytes: Uint8Array): Uint8Array;
}

/** A certificate in DER. */
export function signed(
  terms: CertificateTerms,
  { algorithm, sign }: CertificateSigner,
  entropy: Entropy,
): Uint8Array {
  const { issuer, subject, validFrom, validUntil, publicKey, extensions } = terms;
  const tbs = new TBSCertificate({
    version: Version.v3,
    serialNumber: arrayBuffer(newSerial(entropy)),
    signature: algorithm,
    issuer,
    subject,
    validity: new Validity({ notBefore: new Date(validFrom), notAfter: new Date(validUntil) }),
    subjectPublicKeyInfo: publicKey,
    ...(extensions.length > 0 ? { extensions: new Extensions([...extensions]) } : {}),
  });
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: algorithm,
    signatureValue: arrayBuffer(sign(new Uint8Array(AsnConvert.serialize(tbs)))),
  });
  return new Uint8Array(AsnConvert.serialize(certificate));
}

/** Positive, and of one length: the first bits are 01. */
function newSerial(entropy: Entropy): Uint8Array {
  const serial = entropy.bytes(SERIAL_BYTES);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

/** The serial number of a certificate in DER. */
export function serialOf(der: Uint8Array): Uint8Array {
  return new Uint8Array(AsnConvert.parse(der, Certificate).tbsCertificate.serialNumber);
}

/** Whose a certificate is. */
export interface HolderName {
  readonly name: string;
  readonly organisation: string;
  readonly unit: string;
}

/** CN, O, OU in this order. Source: generator 5 */
export function nameOf({ name, organisation, unit }: HolderName): Name {
  const part = (type: string, text: string) => {
    const value = new AttributeValue({ utf8String: text });
    return new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })]);
  };
  return new Name([
    part(OID.commonName, name),
    part(OID.organisation, organisation),
    part(OID.unit, unit),
  ]);
}

/** One extension. */
export function extension(extnID: string, value: unknown, critical = false): Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new Extension({ extnID, critical, extnValue });
}

/**
 * Beyond what older tools write, CA certificates state their usage and their constraints are
 * critical: strict verifiers (RFC 5280) refuse them otherwise. Source: generator 5
 */
function extensionsOf({ kind, publicKey }: CertificateRequest, issuer: Issuer): Extension[] {
  const isCa = kind === "chain" || kind === "agency";
  const keyId = arrayBuffer(keyIdentifierOf(publicKey));
  const authority = new AuthorityKeyIdentifier({
    keyIdentifier: new KeyIdentifier(arrayBuffer(issuerKeyId(issuer))),
  });
  return [
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId)),
    extension(id_ce_authorityKeyIdentifier, authority),
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: isCa }), isCa),
    extension(id_ce_keyUsage, new KeyUsage(usageOf(kind, issuer)), isCa),
  ];
}

/** Source: generator 5; sm-suite 7 */
function usageOf(kind: CertificateKind, { key }: Issuer): KeyUsageFlags {
  if (kind === "chain" || kind === "agency")
    return KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign;
  if (kind === "ennode" || kind === "ensdk") {
    const { keyAgreement, keyEncipherment, dataEncipherment } = KeyUsageFlags;
    return keyAgreement | keyEncipherment | dataEncipherment;
  }
  const signing = KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation;
  return key.suite === "national" ? signing : signing | KeyUsageFlags.keyEncipherment;
}

/** The identifier that the issuer's certificate carries: other tools hash keys otherwise. */
function issuerKeyId({ key, certificate }: Issuer): Uint8Array {
  const parsed = certificate && parseCertificate(certificate);
  const written = parsed && typeof parsed !== "string" ? parsed.subjectKeyId : undefined;
  return written === undefined ? keyIdentifierOf(key.publicKey) : hexBytes(written);
}

/** A copy in a buffer of its own, as the ASN.1 library takes bytes. */
export function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Certificates as text, the node's first. Source: generator 5 (node.crt is a concatenation) */
export function certificatesPem(...certificates: readonly Uint8Array[]): string {
  return certificates.map((der) => encodePem("CERTIFICATE", der)).join("");
}

/** The certificates of a text in order; none when there are none. */
export function parseCertificates(text: string): Uint8Array[] {
  return decodePem(text)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ bytes }) => bytes);
}
