/** Who may change groups and peers of a node with files of its own. Source: decision 31 */
import { resolve } from "node:path";
import type { ManagementSettings } from "../../formats/config/node-config.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readText } from "../../folder/whole-files.ts";
import { LEAST_TOKEN_CHARACTERS, type Management } from "../../shared/management.ts";

const KEY = "[rpc] management_token_file";

/**
 * What config.ini says, with the token of its file.
 * @param home folder that the file is looked for from
 * @throws FolderFault missing or unusable
 */
export async function readManagement(
  home: string,
  settings: ManagementSettings,
): Promise<Management> {
  if (settings.mode !== "token") return { mode: settings.mode };
  const path = resolve(home, settings.tokenFile);
  const token = (await readText(path))?.trim();
  if (token === undefined)
    throw new FolderFault("missing", `${path}: there is no such file, which ${KEY} names.`);
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= LEAST_TOKEN_CHARACTERS)
    return { mode: "token", token };
  throw new FolderFault(
    "unusable",
    `${path} holds no token: ${LEAST_TOKEN_CHARACTERS} or more letters, digits and signs without ` +
      "blanks are wanted, such as those that `openssl rand -hex 32` prints.",
  );
}
