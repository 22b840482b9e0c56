/** `chain-node network down`: stops nodes; everything is kept. */
import { chosenNodes, openNetwork } from "./live-network.ts";
import { readNetwork } from "./network-source.ts";
import { forEachNode, stopNode } from "./node-processes.ts";
import { tell } from "./up.ts";

/** Options of `chain-node network down`. */
export interface DownOptions {
  readonly json: boolean;
}

/** Stops all nodes of this host, or one. */
export async function runDown(
  file: string,
  name: string | undefined,
  { json }: DownOptions,
): Promise<void> {
  const network = await openNetwork(await readNetwork(file));
  const nodes = chosenNodes(network, name).filter(({ isHere }) => isHere);
  const stopped: string[] = [];
  const idle: string[] = [];
  await forEachNode(nodes, async (node) => {
    const { name: own } = node.spec;
    const ran = await stopNode(node.folder);
    (ran ? stopped : idle).push(own);
    tell(ran ? `${own} is stopped` : `${own} did not run`);
  });
  const { folder } = network.spec;
  if (json) process.stdout.write(`${JSON.stringify({ folder, stopped, idle })}\n`);
  else process.stdout.write(`${stopped.length} stopped, ledgers are kept in ${folder}\n`);
}
