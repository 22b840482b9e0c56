/** The folders of a chain, written as `chain-node init` does, without a process. */
import { join } from "node:path";
import { createChainFolder } from "../../../runtimes/folder/chain-folder.ts";
import { type NodePorts, parseGroups, planChain } from "../../../runtimes/folder/chain-layout.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import { ROOT } from "../runner/root.ts";

const DAYS = 3_650;

/** A node that was written. */
export interface WrittenChainNode {
  readonly folder: string;
  readonly nodeId: string;
  readonly ports: NodePorts;
}

/** What is written. */
export interface WrittenChainOptions {
  readonly nodes: number;
  /** As `--groups`. */
  readonly groups: string;
  readonly sm: boolean;
  readonly basePorts: NodePorts;
}

/** Writes the folders; their scripts run the build. */
export async function writeChainFolder(home: string, options: WrittenChainOptions) {
  const groups = parseGroups(options.groups);
  const plan = planChain({ ...options, groups, agencies: ["agency"], host: "127.0.0.1" });
  const program = { runtime: process.execPath, entry: join(ROOT, "dist/node/main.js") };
  const entropy = createNodeEntropy();
  const context = { entropy, now: Date.now(), days: DAYS, program };
  const written = await createChainFolder(home, plan, context);
  const nodes = written.map(
    ({ name, nodeId, ports }): WrittenChainNode => ({ folder: join(home, name), nodeId, ports }),
  );
  return { nodes, ids: groups.map(({ id }) => id) };
}
