/** Whether a certificate says of itself that it is a leaf. Source: channel-protocol 2.2 */
import { AsnConvert } from "@peculiar/asn1-schema";
import { BasicConstraints, Certificate, id_ce_basicConstraints } from "@peculiar/asn1-x509";

/**
 * True when the certificate has basicConstraints with CA false; false without basicConstraints.
 * @param der of a certificate that TLS has accepted
 */
export function constrainsToLeaf(der: Uint8Array): boolean {
  const { extensions } = AsnConvert.parse(der, Certificate).tbsCertificate;
  const found = extensions?.find(({ extnID }) => extnID === id_ce_basicConstraints);
  return found !== undefined && !AsnConvert.parse(found.extnValue, BasicConstraints).cA;
}
