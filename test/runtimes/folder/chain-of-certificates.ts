/** Keys and certificates of a chain for tests: one CA, one agency, one node, from seeded keys. */
import { hash } from "node:crypto";
import type { Entropy } from "../../../core/ports/entropy.ts";
import {
  type CertificateKind,
  type CertificateRequest,
  issueCertificate,
} from "../../../runtimes/folder/certificate.ts";
import { createKeyPair, type KeyPair } from "../../../runtimes/folder/private-key.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** 2026-01-01. */
export const NOW = Date.UTC(2026, 0, 1);

/** Bytes that follow from a seed, a new value at each call. */
export function seededEntropy(seed: string): Entropy {
  let draws = 0;
  return {
    bytes: (count) => {
      const digest = hash("sha512", `${seed}/${draws++}`, "buffer");
      return new Uint8Array(digest.subarray(0, count));
    },
  };
}

/** A key with its certificate. */
export interface Certified {
  readonly key: KeyPair;
  readonly der: Uint8Array;
}

const entropy = seededEntropy("certificates");

/** A new key with a certificate by an issuer; by itself when none is given. */
export function certify(
  kind: CertificateKind,
  name: string,
  issuer?: Certified,
  changes: { readonly days?: number; readonly publicKey?: Uint8Array } = {},
): Certified {
  const key = createKeyPair(entropy);
  const { days = 100, publicKey = key.publicKey } = changes;
  const validity = { validFrom: NOW, validUntil: NOW + days * DAY_MS };
  const request: CertificateRequest = { kind, name, publicKey, ...validity };
  const signer = issuer ? { key: issuer.key, certificate: issuer.der } : { key };
  return { key, der: issueCertificate(request, signer, entropy) };
}

/** Chain, agency and node. */
export function createChain(name = "chain") {
  const ca = certify("chain", name);
  const agency = certify("agency", "agencyA", ca);
  const node = certify("node", "node0", agency);
  return { ca, agency, node };
}
