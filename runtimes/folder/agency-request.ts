/**
 * Certificate requests of agencies (PKCS #10): an agency makes its key itself, and the owner of the
 * chain sees only what is public. Source: generator 5.2 (improvement)
 */
import { AsnConvert } from "@peculiar/asn1-schema";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { AlgorithmIdentifier, type SubjectPublicKeyInfo } from "@peculiar/asn1-x509";
import { equalBytes } from "../../core/bytes/bytes.ts";
import { CERTIFICATE_CRYPTO } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import { isCertificateName } from "../formats/certificates/certificate-terms.ts";
import { CERTIFICATE_FORMS, OID } from "../formats/certificates/parsed-certificate.ts";
import { SUITE_NAMES } from "../formats/config/suite-files.ts";
import { decodePem, encodePem } from "../formats/keys/pem.ts";
import { nameOf, ORGANISATION, publicKeyInfo } from "./certificate.ts";
import type { KeyPair } from "./private-key.ts";

const LABEL = "CERTIFICATE REQUEST";

/** What a request asks for. */
export interface AgencyRequest {
  readonly suite: SuiteName;
  /** Of the agency. */
  readonly name: string;
  /** 64 bytes X and Y. */
  readonly publicKey: Uint8Array;
}

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** A request for a key, as PEM text. */
export function agencyRequestPem(name: string, key: KeyPair, organisation = ORGANISATION): string {
  const info = new CertificationRequestInfo({
    subject: nameOf({ name, organisation, unit: "agency" }),
    subjectPKInfo: publicKeyInfo(key.suite, key.publicKey),
    attributes: new Attributes(),
  });
  const { sign } = CERTIFICATE_CRYPTO[key.suite];
  const signature = sign(new Uint8Array(AsnConvert.serialize(info)), key.privateKey);
  const algorithm = CERTIFICATE_FORMS[key.suite].signature;
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm }),
    signature: buffer(signature),
  });
  return encodePem(LABEL, new Uint8Array(AsnConvert.serialize(request)));
}

function suiteOf(info: SubjectPublicKeyInfo): SuiteName | undefined {
  const { algorithm, parameters } = info.algorithm;
  if (algorithm !== OID.ecPublicKey || !parameters) return undefined;
  const curve = new Uint8Array(parameters);
  return SUITE_NAMES.find((suite) => equalBytes(curve, CERTIFICATE_FORMS[suite].curve));
}

function commonName(request: CertificationRequest): string {
  const parts = request.certificationRequestInfo.subject.flat();
  return parts.find(({ type }) => type === OID.commonName)?.value.toString() ?? "";
}

/** What a text asks for; undefined when it is no request, or not signed by its key. */
export function readAgencyRequest(text: string): AgencyRequest | undefined {
  const block = decodePem(text).find(({ label }) => label.endsWith(LABEL));
  if (!block) return undefined;
  let request: CertificationRequest;
  try {
    request = AsnConvert.parse(block.bytes, CertificationRequest);
  } catch {
    return undefined;
  }
  const info = request.certificationRequestInfo;
  const suite = suiteOf(info.subjectPKInfo);
  const name = commonName(request);
  if (!suite || !isCertificateName(name)) return undefined;
  const crypto = CERTIFICATE_CRYPTO[suite];
  const publicKey = crypto.publicKeyOfPoint(new Uint8Array(info.subjectPKInfo.subjectPublicKey));
  const raw = request.certificationRequestInfoRaw ?? AsnConvert.serialize(info);
  const signature = new Uint8Array(request.signature);
  if (!publicKey || request.signatureAlgorithm.algorithm !== CERTIFICATE_FORMS[suite].signature) {
    return undefined;
  }
  return crypto.verify(new Uint8Array(raw), signature, publicKey)
    ? { suite, name, publicKey }
    : undefined;
}
