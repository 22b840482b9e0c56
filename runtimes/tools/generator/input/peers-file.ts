/** peers.txt: a line `ip:p2p_port` for each node. Source: generator 5.1, 9.1 */
import { FolderFault } from "../../../folder/folder-fault.ts";
import { readText } from "../../../folder/whole-files.ts";
import { shownValue } from "../../../formats/config/config-fault.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";

/**
 * The endpoints of a text; empty lines and comments are passed over.
 * @throws FolderFault unusable, with a line for each one that is no endpoint
 */
export function parsePeers(text: string, file: string): readonly Endpoint[] {
  const wrong: string[] = [];
  const found: Endpoint[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const endpoint = ENDPOINT.read(line);
    if (endpoint) found.push(endpoint);
    else wrong.push(`${file}, line ${index + 1}: "${shownValue(line)}" is not ${ENDPOINT.allowed}`);
  }
  if (wrong.length > 0) throw new FolderFault("unusable", wrong.join("\n"));
  return found;
}

/** The endpoints of a file. @throws FolderFault missing, unusable */
export async function readPeers(path: string): Promise<readonly Endpoint[]> {
  const text = await readText(path);
  if (text !== undefined) return parsePeers(text, path);
  throw new FolderFault("missing", `${path} is missing: a file with a line ip:p2p_port per peer.`);
}

/** In the order of their text, each once. Source: generator 9.1 */
export function sortedPeers(...lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  const texts = new Map(lists.flat().map((each) => [ENDPOINT.write(each), each]));
  return [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** The text of a peers.txt. */
export function peersText(peers: readonly Endpoint[]): string {
  return peers.map((each) => `${ENDPOINT.write(each)}\n`).join("");
}
