/**
 * Requests for certificates (PKCS #10): a key stays with whom it is of, who issues sees only what
 * is public. Source: generator 5.2 (improvement)
 */
import { AsnConvert } from "@peculiar/asn1-schema";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { AlgorithmIdentifier, type SubjectPublicKeyInfo } from "@peculiar/asn1-x509";
import { equalBytes } from "../../core/bytes/bytes.ts";
import { CERTIFICATE_CRYPTO } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import { CERTIFICATE_FORMS, OID } from "../formats/certificates/parsed-certificate.ts";
import { SUITE_NAMES } from "../formats/config/suite-files.ts";
import { decodePem, encodePem } from "../formats/keys/pem.ts";
import { arrayBuffer, type HolderName, nameOf, publicKeyInfo } from "./certificate.ts";
import type { KeyPair } from "./private-key.ts";

const LABEL = "CERTIFICATE REQUEST";

/** What a request asks for. */
export interface RequestContent {
  readonly suite: SuiteName;
  /** Its CN, as it stands there; empty when it has none. */
  readonly name: string;
  /** 64 bytes X and Y. */
  readonly publicKey: Uint8Array;
}

/** A request as PEM text, signed by the key that it is for. */
export function certificateRequestPem(holder: HolderName, key: KeyPair): string {
  const { suite, privateKey, publicKey } = key;
  const info = new CertificationRequestInfo({
    subject: nameOf(holder),
    subjectPKInfo: publicKeyInfo(suite, publicKey),
    attributes: new Attributes(),
  });
  const signed = new Uint8Array(AsnConvert.serialize(info));
  const algorithm = CERTIFICATE_FORMS[suite].signature;
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm }),
    signature: arrayBuffer(CERTIFICATE_CRYPTO[suite].sign(signed, privateKey)),
  });
  return encodePem(LABEL, new Uint8Array(AsnConvert.serialize(request)));
}

function suiteOf(info: SubjectPublicKeyInfo): SuiteName | undefined {
  const { algorithm, parameters } = info.algorithm;
  if (algorithm !== OID.ecPublicKey || !parameters) return undefined;
  const curve = new Uint8Array(parameters);
  return SUITE_NAMES.find((suite) => equalBytes(curve, CERTIFICATE_FORMS[suite].curve));
}

function commonName(info: CertificationRequestInfo): string {
  const part = info.subject.flat().find(({ type }) => type === OID.commonName);
  return part?.value.toString() ?? "";
}

function contentOf(request: CertificationRequest): RequestContent | undefined {
  const { certificationRequestInfo: info, certificationRequestInfoRaw: raw } = request;
  const suite = suiteOf(info.subjectPKInfo);
  if (!suite || !raw) return undefined;
  if (request.signatureAlgorithm.algorithm !== CERTIFICATE_FORMS[suite].signature) return undefined;
  const { publicKeyOfPoint, verify } = CERTIFICATE_CRYPTO[suite];
  const publicKey = publicKeyOfPoint(new Uint8Array(info.subjectPKInfo.subjectPublicKey));
  const signature = new Uint8Array(request.signature);
  if (!publicKey || !verify(new Uint8Array(raw), signature, publicKey)) return undefined;
  return { suite, name: commonName(info), publicKey };
}

/** What a text asks for; undefined when it is no request, or not signed by its key. */
export function readCertificateRequest(text: string): RequestContent | undefined {
  const block = decodePem(text).find(({ label }) => label.endsWith(LABEL));
  if (!block) return undefined;
  try {
    return contentOf(AsnConvert.parse(block.bytes, CertificationRequest));
  } catch {
    // The parser throws for everything that is not DER of a request.
    return undefined;
  }
}
