/**
 * All files of a node's folder with a key of its own, for a new chain and for one that runs: init,
 * the generator, `node add` and `network` make nodes here. Source: generator 5, 6, 9.2
 */
import { toHex } from "../../core/bytes/hex.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import { suiteFile } from "../formats/config/suite-files.ts";
import { type Agency, below, type IssueContext, issue, nodeFiles } from "./authority.ts";
import { certificatesPem, ORGANISATION } from "./certificate.ts";
import { certificateRequestPem } from "./certificate-request.ts";
import { ORIGIN_FOLDER } from "./channel-files.ts";
import { type NodePackage, nodePackage } from "./node-package.ts";
import { createKeyPair, privateKeyPem } from "./private-key.ts";
import type { FileToWrite } from "./whole-files.ts";

/** One thing for the node's key, and on a national chain another for its SDK port. */
export interface ForBothPorts<T> {
  readonly node: T;
  /** Of the standard suite. Source: channel-protocol 2.2 (SM option) */
  readonly origin?: T | undefined;
}

/** Who a node is: files below conf/, the key first. */
export interface Identity {
  readonly files: readonly FileToWrite[];
  readonly nodeId: NodeId;
}

/** What an SDK port has of an identity: its key is no node ID. */
function withoutId({ files }: Identity): FileToWrite[] {
  return files.filter(({ path }) => path !== suiteFile("node.nodeid", "standard"));
}

function joined({ node, origin }: ForBothPorts<Identity>): Identity {
  const ofPort = origin ? below(ORIGIN_FOLDER, withoutId(origin)) : [];
  return { nodeId: node.nodeId, files: [...node.files, ...ofPort] };
}

/** A new key with a certificate by the node's agency. @throws FolderFault mismatch */
export function certifiedIdentity(
  name: string,
  agencies: ForBothPorts<Agency>,
  context: IssueContext,
): Identity {
  const by = (agency: Agency): Identity => {
    const issued = issue({ kind: "node", name }, agency, context);
    return { files: nodeFiles(issued, agency.ca), nodeId: issued.key.nodeId };
  };
  return joined({ node: by(agencies.node), origin: agencies.origin && by(agencies.origin) });
}

/** What a node has that waits for its certificate. */
export const REQUEST_FILE = "node.csr";

/** Who asks for a certificate. */
export interface Applicant {
  readonly name: string;
  readonly suite: SuiteName;
}

function requestBy({ name, suite }: Applicant, ca: Uint8Array, entropy: Entropy): Identity {
  const key = createKeyPair(entropy, suite);
  const file = (path: string) => suiteFile(path, suite);
  return {
    nodeId: key.nodeId,
    files: [
      { path: file("node.key"), text: privateKeyPem(key), use: "key" },
      {
        path: file(REQUEST_FILE),
        text: certificateRequestPem({ name, organisation: ORGANISATION, unit: "node" }, key),
        use: "text",
      },
      { path: file("ca.crt"), text: certificatesPem(ca), use: "text" },
      { path: file("node.nodeid"), text: `${key.nodeId}\n`, use: "text" },
    ],
  };
}

/**
 * A new key with a request for its certificate: the agency that signs is elsewhere.
 *
 * @param authorities certificates of the chain in DER
 */
export function requestingIdentity(
  applicant: Applicant,
  authorities: ForBothPorts<Uint8Array>,
  entropy: Entropy,
): Identity {
  const { node, origin } = authorities;
  const { name } = applicant;
  return joined({
    node: requestBy(applicant, node, entropy),
    origin: origin && requestBy({ name, suite: "standard" }, origin, entropy),
  });
}

/** A node's folder that is to be written. */
export interface NodeOrder extends Omit<NodePackage, "identity"> {
  /** Text of the token, where its settings name a file for it. Source: decision 31 */
  readonly token?: string | undefined;
}

/** Random bytes of a token. */
const TOKEN_BYTES = 32;

/** A new token for callers who change groups and peers. Source: decision 31 */
export function createToken(entropy: Entropy): string {
  return toHex(entropy.bytes(TOKEN_BYTES));
}

/** All files of a node's folder, relative to it. */
export function nodeFolderFiles(order: NodeOrder, { files }: Identity): FileToWrite[] {
  const { token, ...node } = order;
  const { tokenFile } = node.settings;
  const all = nodePackage({ ...node, identity: files });
  if (token === undefined || tokenFile === undefined) return all;
  return [...all, { path: tokenFile, text: `${token}\n`, use: "key" }];
}
