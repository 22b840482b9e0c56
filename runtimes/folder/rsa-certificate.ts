/**
 * The RSA certificates of an SDK port: one root, leaves signed by it, in the shape that older
 * deployment tools write. Source: channel-protocol 2.2.1
 */
import { createPublicKey, generateKeyPair, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import { AsnConvert } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  BasicConstraints,
  id_ce_basicConstraints,
  SubjectPublicKeyInfo,
} from "@peculiar/asn1-x509";
import type { Entropy } from "../../core/ports/entropy.ts";
import { certificatesPem, extension, nameOf, signed } from "./certificate.ts";
import type { FileToWrite } from "./whole-files.ts";

const KEY_BITS = 2_048;
const SHA256_WITH_RSA = "1.2.840.113549.1.1.11";
/** The parameters of that algorithm: NULL in DER. */
const NULL_PARAMETERS = Uint8Array.of(5, 0).buffer;
const ORGANISATION = "fisco-bcos";
/** CN of all leaves. Source: channel-protocol 2.2.1 */
const LEAF_NAME = "FISCO-BCOS";
const BACKDATE_MS = 60 * 60 * 1000;
const DAYS_MS = 3_650 * 24 * 60 * 60 * 1000;

/** What issuing needs. */
export interface RsaContext {
  readonly entropy: Entropy;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The PEM texts of a pair. */
export interface RsaPair {
  readonly key: string;
  readonly cert: string;
}

/** A root and the pairs that it signed; its key is not kept. */
export interface RsaSet {
  readonly ca: string;
  readonly node: RsaPair;
  readonly sdk: RsaPair;
}

interface Subject {
  readonly name: string;
  readonly unit: string;
  readonly key: KeyObject;
  readonly isRoot: boolean;
}

const makeKeys = promisify(generateKeyPair);

function issueRsa(
  { name, unit, key, isRoot }: Subject,
  issuer: Omit<Subject, "isRoot">,
  { entropy, now }: RsaContext,
): string {
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const terms = {
    issuer: nameOf({ name: issuer.name, organisation: ORGANISATION, unit: issuer.unit }),
    subject: nameOf({ name, organisation: ORGANISATION, unit }),
    validFrom: now - BACKDATE_MS,
    validUntil: now + DAYS_MS,
    publicKey: AsnConvert.parse(new Uint8Array(publicKey), SubjectPublicKeyInfo),
    extensions: isRoot
      ? [extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true)]
      : [],
  };
  const algorithm = new AlgorithmIdentifier({
    algorithm: SHA256_WITH_RSA,
    parameters: NULL_PARAMETERS,
  });
  const signer = { algorithm, sign: (bytes: Uint8Array) => sign("sha256", bytes, issuer.key) };
  return certificatesPem(signed(terms, signer, entropy));
}

/** A new root with one pair for nodes and one for SDKs. Source: channel-protocol 2.2.1 */
export async function createRsaSet(agency: string, context: RsaContext): Promise<RsaSet> {
  const options = { modulusLength: KEY_BITS };
  const [root, node, sdk] = await Promise.all([
    makeKeys("rsa", options),
    makeKeys("rsa", options),
    makeKeys("rsa", options),
  ]);
  const issuer = { name: agency, unit: "chain", key: root.privateKey };
  const pairOf = ({ privateKey }: { readonly privateKey: KeyObject }): RsaPair => {
    const leaf = { name: LEAF_NAME, unit: "agency", key: privateKey, isRoot: false };
    const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    return { key, cert: issueRsa(leaf, issuer, context) };
  };
  return {
    ca: issueRsa({ ...issuer, isRoot: true }, issuer, context),
    node: pairOf(node),
    sdk: pairOf(sdk),
  };
}

/** conf/channel_cert of a node. */
export function rsaNodeFiles({ ca, node }: RsaSet): FileToWrite[] {
  return [
    { path: "node.key", text: node.key, use: "key" },
    { path: "node.crt", text: node.cert, use: "text" },
    { path: "ca.crt", text: ca, use: "text" },
  ];
}

/** The folder of an SDK, the pair under both names. */
export function rsaSdkFiles({ ca, sdk }: RsaSet): FileToWrite[] {
  return [
    { path: "sdk.key", text: sdk.key, use: "key" },
    { path: "node.key", text: sdk.key, use: "key" },
    { path: "sdk.crt", text: sdk.cert, use: "text" },
    { path: "node.crt", text: sdk.cert, use: "text" },
    { path: "ca.crt", text: ca, use: "text" },
  ];
}
