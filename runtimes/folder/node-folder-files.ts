/**
 * All files of a node's folder, for a new chain and for one that runs: init, the generator, `node
 * add` and `network` make nodes here. Source: generator 5, 6, 9.2
 */
import { toHex } from "../../core/bytes/hex.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import type { Identity } from "./holder-files.ts";
import { type NodePackage, nodePackage } from "./node-package.ts";
import type { FileToWrite } from "./whole-files.ts";

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
export function nodeFolderFiles(
  order: NodeOrder,
  { files }: Pick<Identity, "files">,
): FileToWrite[] {
  const { token, ...node } = order;
  const { tokenFile } = node.settings;
  const all = nodePackage({ ...node, identity: files });
  if (token === undefined || tokenFile === undefined) return all;
  return [...all, { path: tokenFile, text: `${token}\n`, use: "key" }];
}
