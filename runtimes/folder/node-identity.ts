/** Who a node is, from the files of its folder. Source: node-network 1; groups 8 */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SuiteName } from "../../core/crypto/suite.ts";
import {
  type ChainProblem,
  IS_FOR_SDK,
  REASON_TEXT,
  type Membership,
  verifyChain,
} from "../formats/certificates/certificate-chain.ts";
import { FolderFault } from "./folder-fault.ts";
import { decodePem } from "../formats/keys/pem.ts";
import { curveName, type KeyPair, parsePrivateKey } from "./private-key.ts";

/** Where the files are; absolute paths. */
export interface IdentityPaths {
  /** Of the chain: which curve the key must be of; standard when absent. */
  readonly suite?: SuiteName;
  readonly key: string;
  readonly cert: string;
  readonly caCert: string;
  /** Folder with further CA certificates. */
  readonly caPath: string | undefined;
}

/** A node's key, its certificates, and whom it believes. */
export interface NodeIdentity {
  readonly key: KeyPair;
  /** DER, the node's own first. */
  readonly certificates: readonly Uint8Array[];
  readonly authorities: readonly Uint8Array[];
  readonly membership: Membership;
}

const CERTIFICATE_LABEL = "CERTIFICATE";

/** The file is there, and this user may not read it. */
const NO_RIGHT = new Set(["EACCES", "EPERM"]);
const LET_READ =
  ". It is there: run this as the user that it belongs to, or give it to this one with chown.";

async function textOf(path: string, what: string, next = ""): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    const step = code === "ENOENT" ? next : NO_RIGHT.has(code) ? LET_READ : "";
    throw new FolderFault("missing", `${path}: ${what} cannot be read (${code})${step}`, { cause });
  }
}

async function certificatesOf(path: string, what: string, next?: string): Promise<Uint8Array[]> {
  const blocks = decodePem(await textOf(path, what, next));
  const found = blocks.filter(({ label }) => label === CERTIFICATE_LABEL).map(({ bytes }) => bytes);
  if (found.length === 0) throw new FolderFault("unusable", `${path}: there is no certificate`);
  return found;
}

async function furtherAuthorities(folder: string | undefined): Promise<Uint8Array[]> {
  if (folder === undefined) return [];
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new FolderFault("missing", `${folder}: the folder of CA certificates cannot be read`, {
      cause,
    });
  });
  const files = names.filter((name) => /\.(crt|pem)$/.test(name)).sort();
  const all = files.map((name) => certificatesOf(join(folder, name), "a CA certificate"));
  return (await Promise.all(all)).flat();
}

/** Why the own chain is refused: the words for logs speak of peers. */
function ownText(reason: ChainProblem): string {
  if (reason !== "keyMismatch") return REASON_TEXT[reason];
  return "the node's own key is not the key of its certificate";
}

function nextStep(reason: ChainProblem, paths: IdentityPaths): string {
  switch (reason) {
    case "expired":
      return "Renew it with `chain-node cert renew`.";
    case "notYetValid":
      return "Set the clock of this host by NTP, if it is behind; else wait.";
    default:
      return `It must belong to ${paths.key} and lead to ${paths.caCert}.`;
  }
}

/**
 * Reads key and certificates and checks that they belong together.
 * @param now milliseconds since 1970
 * @throws FolderFault that names the file and says what to do
 */
export async function readIdentity(paths: IdentityPaths, now: number): Promise<NodeIdentity> {
  const { suite = "standard" } = paths;
  const key = parsePrivateKey(await textOf(paths.key, "the node's key"), suite);
  if (!key) {
    const said = `this is no ${curveName(suite)} private key in PEM form`;
    throw new FolderFault("unusable", `${paths.key}: ${said}`);
  }
  const anew = `chain-node cert issue --key ${paths.key} --out ${dirname(paths.cert)}`;
  const next = `. Its agency makes another one for the same key: ${anew} --ca ... --agency ...`;
  const certificates = await certificatesOf(paths.cert, "the node's certificate", next);
  const authorities = [
    ...(await certificatesOf(paths.caCert, "the chain's certificate")),
    ...(await furtherAuthorities(paths.caPath)),
  ];
  const expectedNodeId = key.nodeId;
  const membership = verifyChain(certificates, { authorities, now, expectedNodeId });
  if (!membership.ok) {
    const { reason, place } = membership;
    const said = `${ownText(reason)} (certificate of the ${place})`;
    const next = nextStep(reason, paths);
    throw new FolderFault("mismatch", `${paths.cert}: ${said}. ${next}`);
  }
  if (membership.role === "sdk") {
    const own = `Its agency issues one: ${anew} --ca ... --agency ...`;
    throw new FolderFault("mismatch", `${paths.cert}: ${IS_FOR_SDK}. ${own}`);
  }
  return { key, certificates, authorities, membership };
}
