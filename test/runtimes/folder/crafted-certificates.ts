/** Certificates that no tool of ours would make: signed over anew after a change. */
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { Certificate, Extension, Extensions, TBSCertificate, Version } from "@peculiar/asn1-x509";
import { CERTIFICATE_CRYPTO } from "../../../core/crypto/certificate-crypto.ts";
import type { KeyPair } from "../../../runtimes/folder/private-key.ts";

function signed(certificate: Certificate, signer: KeyPair): Uint8Array {
  const tbs = new Uint8Array(AsnConvert.serialize(certificate.tbsCertificate));
  const signature = CERTIFICATE_CRYPTO.standard.sign(tbs, signer.privateKey);
  certificate.signatureValue = new Uint8Array(signature).buffer;
  return new Uint8Array(AsnConvert.serialize(certificate));
}

/** The certificate without one of its extensions. */
export function withoutExtension(der: Uint8Array, id: string, signer: KeyPair): Uint8Array {
  const certificate = AsnConvert.parse(der, Certificate);
  const { tbsCertificate } = certificate;
  const kept = [...(tbsCertificate.extensions ?? [])].filter(({ extnID }) => extnID !== id);
  tbsCertificate.extensions = new Extensions(kept);
  return signed(certificate, signer);
}

/** The certificate in version 1, which knows no extensions, as older tools write roots. */
export function asVersion1(der: Uint8Array, signer: KeyPair): Uint8Array {
  const certificate = AsnConvert.parse(der, Certificate);
  const { extensions: _, ...rest } = certificate.tbsCertificate;
  certificate.tbsCertificate = new TBSCertificate({ ...rest, version: Version.v1 });
  return signed(certificate, signer);
}

/** An extension to add or to replace, and the key that signs. */
export interface CraftedExtension {
  readonly id: string;
  /** DER. */
  readonly value: Uint8Array;
  readonly critical?: boolean;
  readonly signer: KeyPair;
}

/** The certificate with that extension. */
export function withExtension(der: Uint8Array, crafted: CraftedExtension): Uint8Array {
  const { id, value, critical = false, signer } = crafted;
  const certificate = AsnConvert.parse(withoutExtension(der, id, signer), Certificate);
  const extnValue = new OctetString(new Uint8Array(value).buffer);
  certificate.tbsCertificate.extensions?.push(new Extension({ extnID: id, critical, extnValue }));
  return signed(certificate, signer);
}

/** The certificate as if signed with another algorithm; its signature stays as it was. */
export function encodeUnsigned(der: Uint8Array, algorithm: string): Uint8Array {
  const certificate = AsnConvert.parse(der, Certificate);
  certificate.signatureAlgorithm.algorithm = algorithm;
  certificate.tbsCertificate.signature.algorithm = algorithm;
  return new Uint8Array(AsnConvert.serialize(certificate));
}
