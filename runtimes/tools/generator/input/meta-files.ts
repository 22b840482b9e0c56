/** What is read of the exchange area meta/. Source: generator 1, 5, 6 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { equalBytes } from "../../../../core/bytes/bytes.ts";
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { SuiteName } from "../../../../core/crypto/suite.ts";
import { readCertificate, readKey } from "../../../folder/authority.ts";
import { parseCertificates } from "../../../folder/certificate.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { type FileToWrite, readText } from "../../../folder/whole-files.ts";
import { REASON_TEXT, verifyChain } from "../../../formats/certificates/certificate-chain.ts";
import { parseCertificate } from "../../../formats/certificates/parsed-certificate.ts";
import { type Endpoint, NODE_ID } from "../../../formats/config/config-kinds.ts";
import { suiteFile } from "../../../formats/config/suite-files.ts";
import { inMeta, type ToolContext } from "../context.ts";
import { nodeFolder } from "../nodes-folder.ts";
import { type DeployedNode, inputText } from "./deployment-ini.ts";
import { nodeLabel } from "./hosts.ts";

/** The name of a node's certificate in the exchange area. Source: generator 1 */
export function certificateName(label: string, suite: SuiteName): string {
  return suiteFile(`cert_${label}.crt`, suite);
}

/** Refuses with a line for each text, if there are any. @throws FolderFault missing */
export function refuseMissing(lines: readonly string[]): void {
  if (lines.length > 0) throw new FolderFault("missing", lines.join("\n"));
}

/**
 * The node IDs of members by their certificates, of which the first block is the node's own.
 * @throws FolderFault missing, with all that are not there; unusable
 * Source: generator 7
 */
export async function idsOfCertificates(
  members: readonly Endpoint[],
  context: ToolContext,
): Promise<readonly NodeId[]> {
  const { suite } = context.options;
  const paths = members.map((each) => inMeta(context, certificateName(nodeLabel(each), suite)));
  await requireAll(paths, "copy it from the agency of that node into meta");
  const ids: NodeId[] = [];
  for (const path of paths) {
    const parsed = parseCertificate(await readCertificate(path));
    if (typeof parsed === "string" || parsed.suite !== suite)
      throw new FolderFault("unusable", `${path} holds no certificate of a ${suite} chain.`);
    ids.push(nodeIdOf(parsed.publicKey));
  }
  return ids;
}

/** The node IDs of members by their files. @throws FolderFault missing, unusable */
export async function idsOfFiles(
  members: readonly Endpoint[],
  context: ToolContext,
): Promise<readonly NodeId[]> {
  const paths = members.map((each) => inMeta(context, `node_${nodeLabel(each)}.nodeid`));
  await requireAll(paths, "copy conf/node.nodeid of that node to it");
  const ids: NodeId[] = [];
  for (const path of paths) {
    const line = (await inputText(path)).split("\n")[0]?.trim() ?? "";
    const id = NODE_ID.read(line);
    if (!id) throw new FolderFault("unusable", `${path}: ${NODE_ID.allowed} are wanted.`);
    ids.push(id);
  }
  return ids;
}

/** @throws FolderFault missing, with a line for each that is not there */
async function requireAll(paths: readonly string[], next: string): Promise<void> {
  const missing: string[] = [];
  for (const path of paths) {
    if ((await readText(path)) === undefined) missing.push(`${path} is missing: ${next}.`);
  }
  refuseMissing(missing);
}

/** All text files below a folder, relative to it; keys are for their owner. */
export async function filesIn(folder: string): Promise<FileToWrite[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const files: FileToWrite[] = [];
  for (const path of paths.sort()) {
    const text = (await readText(join(folder, path))) ?? "";
    files.push({ path, text, use: path.endsWith(".key") ? "key" : "text" });
  }
  // Keys first: their folder is made for their owner.
  return files.sort((one, other) => Number(other.use === "key") - Number(one.use === "key"));
}

/**
 * A node's files as meta has them, after they were found to belong together.
 * @throws FolderFault missing, unusable, mismatch
 */
export async function identityIn(
  node: DeployedNode,
  ca: Uint8Array,
  context: ToolContext,
): Promise<readonly FileToWrite[]> {
  const { suite } = context.options;
  const folder = inMeta(context, nodeFolder(node));
  const at = (name: string) => join(folder, suiteFile(name, suite));
  const key = await readKey(at("node.key"), suite);
  const certificates = parseCertificates(await inputText(at("node.crt")));
  const trust = { authorities: [ca], now: context.now, expectedNodeId: key.nodeId };
  const verdict = verifyChain(certificates, trust);
  if (!verdict.ok) {
    const whose = `the ${verdict.place}'s certificate`;
    const said = `${at("node.crt")}: ${REASON_TEXT[verdict.reason]} (${whose})`;
    throw new FolderFault("mismatch", `${said}. It must belong to ${inMeta(context, "ca.crt")}.`);
  }
  const shown = inMeta(context, certificateName(node.label, suite));
  const sent = parseCertificate(await readCertificate(shown));
  if (typeof sent === "string" || !equalBytes(sent.publicKey, key.publicKey))
    throw new FolderFault("mismatch", `${shown} is of another key than ${at("node.key")}.`);
  return await filesIn(folder);
}
