/** `chain-node network clean`: says what it will delete, asks, and deletes it. */
import { shellWord } from "../../folder/node-scripts.ts";
import { once } from "node:events";
import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { AUTHORITY_FOLDER } from "../../folder/chain-folder.ts";
import { readChainFolder } from "../../folder/chain-reader.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { allNodesScripts } from "../../folder/node-package.ts";
import { isRunRemain, isThere } from "../../folder/whole-tree.ts";
import { probeNode } from "../../node/observe/node-probe.ts";
import { JOINS_FOLDER } from "./joins.ts";
import { readNetwork } from "./classic-files.ts";
import type { NetworkSpec } from "./network-spec.ts";
import { forEachNode, pidOf, stopNode } from "./node-processes.ts";
import { chosenNodes, openNetwork } from "./live-network.ts";
import { tell } from "./up.ts";

/** What is removed, and what stays because the network did not make it; absolute paths. */
interface CleanPlan {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
}

async function planClean(spec: NetworkSpec): Promise<CleanPlan> {
  const { folder, agencies, nodes } = spec;
  const chain = await readChainFolder(folder);
  const names = await readdir(folder).catch(() => []);
  const remains = names.filter(isRunRemain).map((name) => join(folder, name));
  // Without its CA a folder is not one of a network, whatever the folders in it are called.
  if (!chain) return { removed: remains, kept: [] };
  // Folders next to them may be copies that somebody keeps, and a name of the file somebody's own.
  const named = new Set(nodes.map(({ name }) => name));
  // The CA goes last: as long as it is there, a clean that was cut off finds the rest.
  const ours = [
    ...chain.nodes.map(({ name }) => name).filter((name) => named.has(name)),
    ...agencies.filter((name) => chain.agencies.includes(name)),
    JOINS_FOLDER,
    ...allNodesScripts().map(({ path }) => path),
    AUTHORITY_FOLDER,
  ];
  const removed = [...remains];
  for (const name of new Set(ours)) {
    const path = join(folder, name);
    if (await isThere(path)) removed.push(path);
  }
  const kept = names.map((name) => join(folder, name)).filter((path) => !removed.includes(path));
  return { removed, kept };
}

/** Ledgers of a node that runs are never removed. */
async function refuseRunning(spec: NetworkSpec): Promise<void> {
  const chain = await readChainFolder(spec.folder);
  for (const { name, folder: path, path: config } of chain?.nodes ?? []) {
    const pid = pidOf(await probeNode({ name, path, config }));
    if (pid === undefined) continue;
    const said = `${name} runs (process ${pid}), and nothing was removed`;
    throw new FolderFault(
      "unusable",
      `${said}: chain-node network down ${shellWord(spec.file)} first.`,
    );
  }
}

/** Who is asked; the terminal of the process, but for tests. */
export interface Asked {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** Asks whether to remove what was listed. Ctrl+C and Ctrl+D are no consent either. */
export async function isAgreed({ input, output }: Asked, what: string): Promise<boolean> {
  if (input.isTTY !== true) {
    const said = "nobody can be asked here, and nothing was removed";
    throw new FolderFault("argument", `${said}: --yes removes what is listed.`);
  }
  const prompt = createInterface({ input, output });
  try {
    const answered = prompt.question(`Remove ${what}? [y/N] `);
    const answer = await Promise.race([answered, once(prompt, "close").then(() => "")]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

function list({ removed, kept }: CleanPlan): string {
  return [
    "to be removed:",
    ...removed.map((path) => `  ${path}`),
    ...(kept.length === 0 ? [] : ["to be kept:", ...kept.map((path) => `  ${path}`)]),
    "",
  ].join("\n");
}

/** Removes a network's folder with all keys and ledgers; the exit code is 1 when not agreed to. */
export async function runClean(
  file: string,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  asked: Asked = { input: process.stdin, output: process.stderr },
): Promise<number> {
  const spec = await readNetwork(file);
  const plan = await planClean(spec);
  if (plan.removed.length > 0) {
    process.stderr.write(list(plan));
    await refuseRunning(spec);
    if (!yes && !(await isAgreed(asked, "all of this, ledgers and keys too"))) {
      process.stderr.write("nothing was removed\n");
      return 1;
    }
    // The answer may have taken its time.
    await refuseRunning(spec);
  }
  try {
    for (const path of plan.removed) await rm(path, { recursive: true, force: true });
    if (plan.kept.length === 0 && (await isThere(spec.folder))) await rmdir(spec.folder);
  } catch (error) {
    const message = `${spec.folder} cannot be removed: ${reasonOf(error)}.`;
    throw new FolderFault("unusable", message, { cause: error });
  }
  const said = plan.removed.length === 0 ? "there was nothing to remove" : "removed";
  process.stdout.write(json ? `${JSON.stringify(plan)}\n` : `${said}\n`);
  return 0;
}

/** Stops all nodes of this host, or one. */
export async function runDown(
  file: string,
  name: string | undefined,
  { json }: { readonly json: boolean },
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
