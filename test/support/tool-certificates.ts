/**
 * Certificates in the shapes that the deployment tools of the line write, made with the platform's
 * own cryptography. Source: channel-protocol 2.2, 2.2.1
 */
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import type { SdkFiles } from "./channel/channel-client.ts";

const OID = {
  commonName: "2.5.4.3",
  organisation: "2.5.4.10",
  unit: "2.5.4.11",
  basicConstraints: "2.5.29.19",
  keyUsage: "2.5.29.15",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  rsaWithSha256: "1.2.840.113549.1.1.11",
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A key with its certificate. */
export interface Holder {
  readonly key: KeyObject;
  readonly certificate: Certificate;
}

/** What a certificate is of. */
type Shape = "root" | "agency" | "leaf" | "rsaLeaf" | "rsaLeafCa";

interface Wanted {
  readonly shape: Shape;
  /** CN and OU. */
  readonly name: readonly [common: string, unit: string];
  readonly key: KeyObject;
  /** By itself when absent. */
  readonly issuer?: Holder;
  /** Days from now to its end; 365 when absent. */
  readonly days?: number;
}

/** A new key as nodes and SDKs have it. */
export function newEcKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;
}

/** A new key of a kind that no SDK has. */
export function newEd25519Key(): KeyObject {
  return generateKeyPairSync("ed25519").privateKey;
}

/** A new key of RSA mode. */
export function newRsaKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function nameOf([common, unit]: readonly [string, string]): Name {
  const parts: readonly (readonly [string, string])[] = [
    [OID.commonName, common],
    [OID.organisation, "fisco-bcos"],
    [OID.unit, unit],
  ];
  return new Name(
    parts.map(([type, text]) => {
      const value = new AttributeValue({ utf8String: text });
      return new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value })]);
    }),
  );
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function extension(extnID: string, value: unknown): Extension {
  return new Extension({ extnID, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

/** None for a root, nor for a leaf of RSA mode; constraints and the usage of leaves for others. */
function extensionsOf(shape: Shape): Extensions | undefined {
  if (shape === "root" || shape === "rsaLeaf") return undefined;
  const cA = shape === "agency" || shape === "rsaLeafCa";
  const constraints = extension(OID.basicConstraints, new BasicConstraints({ cA }));
  if (cA) return new Extensions([constraints]);
  const { nonRepudiation, digitalSignature, keyEncipherment } = KeyUsageFlags;
  const flags = nonRepudiation | digitalSignature | keyEncipherment;
  return new Extensions([constraints, extension(OID.keyUsage, new KeyUsage(flags))]);
}

/** Issues a certificate of a shape. */
export function toolCertificate({ shape, name, key, issuer, days = 365 }: Wanted): Holder {
  const signer = issuer?.key ?? key;
  const isRsa = signer.asymmetricKeyType === "rsa";
  const algorithm = new AlgorithmIdentifier({
    algorithm: isRsa ? OID.rsaWithSha256 : OID.ecdsaWithSha256,
    ...(isRsa ? { parameters: bufferOf(Uint8Array.of(5, 0)) } : {}),
  });
  const serial = randomBytes(8);
  serial[0] = 0x40;
  const extensions = extensionsOf(shape);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const tbs = new TBSCertificate({
    version: extensions === undefined ? Version.v1 : Version.v3,
    serialNumber: bufferOf(serial),
    signature: algorithm,
    issuer: issuer?.certificate.tbsCertificate.subject ?? nameOf(name),
    subject: nameOf(name),
    validity: new Validity({
      notBefore: new Date(Date.now() - 9 * DAY_MS),
      notAfter: new Date(Date.now() + days * DAY_MS),
    }),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, SubjectPublicKeyInfo),
    ...(extensions === undefined ? {} : { extensions }),
  });
  const signature = sign("sha256", new Uint8Array(AsnConvert.serialize(tbs)), signer);
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: algorithm,
    signatureValue: bufferOf(signature),
  });
  return { key, certificate };
}

/** Certificates as text, in order. */
export function pemOf(...holders: readonly Holder[]): string {
  return holders
    .map(({ certificate }) => {
      const text = Buffer.from(AsnConvert.serialize(certificate)).toString("base64");
      const lines = text.match(/.{1,64}/g) ?? [];
      return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
    })
    .join("");
}

/** A private key as text. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A chain and one agency. */
export interface ToolChain {
  readonly root: Holder;
  readonly agency: Holder;
}

/** A new chain with an agency. */
export function newToolChain(agency: string): ToolChain {
  const root = toolCertificate({ shape: "root", name: ["chain", "chain"], key: newEcKey() });
  return { root, agency: newAgency(root, agency) };
}

/** A further agency of a chain. */
export function newAgency(root: Holder, name: string): Holder {
  const request = { shape: "agency", name: [name, "agency"], key: newEcKey() } as const;
  return toolCertificate({ ...request, issuer: root });
}

/** A leaf of an agency. */
export function newLeaf(agency: Holder, unit: "node" | "sdk", key = newEcKey()): Holder {
  return toolCertificate({ shape: "leaf", name: [unit, unit], key, issuer: agency });
}

/** A leaf of an SDK whose days are over. */
export function expiredLeaf(agency: Holder): Holder {
  const request = { shape: "leaf", name: ["sdk", "sdk"], key: newEcKey() } as const;
  return toolCertificate({ ...request, issuer: agency, days: -1 });
}

/** The three files of an SDK, with the full path of certificates. */
export function toolSdkFiles({ root, agency }: ToolChain, leaf = newLeaf(agency, "sdk")): SdkFiles {
  return { ca: pemOf(root), cert: pemOf(leaf, agency, root), key: keyPem(leaf.key) };
}

/** The 128 digits by which allow lists name an SDK. */
export function sdkIdOf(key: KeyObject): string {
  const { x = "", y = "" } = createPublicKey(key).export({ format: "jwk" });
  return [x, y].map((part) => Buffer.from(part, "base64url").toString("hex")).join("");
}

/** A chain of RSA mode: a root and leaves directly below it. */
export function newRsaChain() {
  const root = toolCertificate({ shape: "root", name: ["agencyA", "chain"], key: newRsaKey() });
  // One key for all leaves: to make one takes longer than all the rest.
  const key = newRsaKey();
  const leaf = (shape: "rsaLeaf" | "rsaLeafCa") =>
    toolCertificate({ shape, name: ["FISCO-BCOS", "agency"], key, issuer: root });
  return { root, node: leaf("rsaLeaf"), sdk: leaf("rsaLeafCa"), plainSdk: leaf("rsaLeaf") };
}
