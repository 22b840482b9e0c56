/**
 * Requests for certificates (PKCS #10): the key stays on the node's host, its agency gets the
 * request and sends a certificate back. Source: generator 5.2
 */
import { AsnConvert } from "@peculiar/asn1-schema";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { AlgorithmIdentifier } from "@peculiar/asn1-x509";
import { equalBytes } from "../../core/bytes/bytes.ts";
import { CERTIFICATE_CRYPTO } from "../../core/crypto/certificate-crypto.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import { CERTIFICATE_FORMS, OID } from "../formats/certificates/parsed-certificate.ts";
import { decodePem, encodePem } from "../formats/keys/pem.ts";
import { arrayBuffer, nameOf, ORGANISATION, publicKeyInfo } from "./certificate.ts";
import type { KeyPair } from "./private-key.ts";

const LABELS = new Set(["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"]);

/** A request in PEM, signed by the key that it is for. */
export function certificateRequestPem(name: string, key: KeyPair): string {
  const { suite, privateKey, publicKey } = key;
  const info = new CertificationRequestInfo({
    version: 0,
    subject: nameOf({ name, organisation: ORGANISATION, unit: "node" }),
    subjectPKInfo: publicKeyInfo(suite, publicKey),
    attributes: new Attributes(),
  });
  const signed = new Uint8Array(AsnConvert.serialize(info));
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm: CERTIFICATE_FORMS[suite].signature }),
    signature: arrayBuffer(CERTIFICATE_CRYPTO[suite].sign(signed, privateKey)),
  });
  return encodePem("CERTIFICATE REQUEST", new Uint8Array(AsnConvert.serialize(request)));
}

/**
 * The key that a request is for, 64 bytes X and Y; undefined when the text holds no request for a
 * key of the suite's curve, or one that was not signed with that key.
 */
export function keyOfRequest(text: string, suite: SuiteName): Uint8Array | undefined {
  const block = decodePem(text).find(({ label }) => LABELS.has(label));
  if (!block) return undefined;
  try {
    const request = AsnConvert.parse(block.bytes, CertificationRequest);
    return signedKey(request, suite);
  } catch {
    // The parser throws for everything that is not DER of a request.
    return undefined;
  }
}

function signedKey(request: CertificationRequest, suite: SuiteName): Uint8Array | undefined {
  const { certificationRequestInfo: info, certificationRequestInfoRaw: raw } = request;
  const { curve, signature } = CERTIFICATE_FORMS[suite];
  const { algorithm, parameters } = info.subjectPKInfo.algorithm;
  const isOfCurve =
    algorithm === OID.ecPublicKey &&
    parameters !== undefined &&
    parameters !== null &&
    equalBytes(new Uint8Array(parameters), curve);
  if (!isOfCurve || !raw || request.signatureAlgorithm.algorithm !== signature) return undefined;
  const { publicKeyOfPoint, verify } = CERTIFICATE_CRYPTO[suite];
  const key = publicKeyOfPoint(new Uint8Array(info.subjectPKInfo.subjectPublicKey));
  const isSigned =
    key !== undefined && verify(new Uint8Array(raw), new Uint8Array(request.signature), key);
  return isSigned ? key : undefined;
}
