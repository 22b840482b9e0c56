/** `chain-node status`: prints how nodes and their groups are. */
import { isColourful } from "../../log/terminal.ts";
import { readStatus, statusScreen } from "../../observe/node-status.ts";

/**
 * Prints the status; the exit code is 0 when every node is ready and its groups can write blocks.
 * @throws FolderFault
 */
export async function runStatus(
  places: string | readonly string[],
  { json }: { readonly json: boolean },
): Promise<number> {
  const nodes = await readStatus([places].flat());
  const screen = json ? `${JSON.stringify(nodes)}\n` : statusScreen(nodes, isColourful());
  process.stdout.write(screen);
  return nodes.every(({ writable }) => writable) ? 0 : 1;
}
