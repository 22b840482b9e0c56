/**
 * Starts and stops nodes of this host as their scripts do: through the launcher in the folder, with
 * node.pid and nohup.out next to it. Source: generator 6.5
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../folder/durable-folder.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { NODE_PROGRAM } from "../../folder/node-package.ts";
import { ask } from "../../node/client/json-rpc.ts";
import { readEnd } from "../../node/log/log-files.ts";
import { isAlive } from "../../node/machine/processes.ts";
import { programPlace } from "../../node/machine/program-place.ts";
import type { NodeFolder } from "../../node/observe/node-folders.ts";
import { type NodeProbe, probeNode } from "../../node/observe/node-probe.ts";

/** Informs the operator how work goes on; one line, without its end. */
export type Report = (line: string) => void;

const OUTPUT = "nohup.out";
const PID_FILE = "node.pid";
const POLL_MS = 200;
/** So long a node may take to answer: many that start at once take their time. */
const START_PATIENCE_MS = 120_000;
/** Longer than a node lets running requests finish. */
const STOP_PATIENCE_MS = 60_000;
const SHOWN_LINES = 20;
/** No more is read of it for these. */
const SHOWN_BYTES = 64 * 1024;

/** The process of a node, no matter who started it; undefined when there is none. */
export function pidOf({ health, pid }: NodeProbe): number | undefined {
  return health?.pid ?? pid;
}

function launch(folder: NodeFolder): ChildProcess {
  const output = openSync(join(folder.path, OUTPUT), "a");
  const args = ["start", "-c", "config.ini"];
  try {
    // Scripts have no program of their own there.
    const place = programPlace();
    const isWindows = process.platform === "win32";
    const program = isWindows ? place.runtime : join(folder.path, NODE_PROGRAM);
    return spawn(program, isWindows ? [place.entry, ...args] : args, {
      cwd: folder.path,
      detached: true,
      stdio: ["ignore", output, output],
    });
  } finally {
    closeSync(output);
  }
}

async function lengthOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** What a node has written since a start, its last lines. */
async function saidSince(path: string, from: number): Promise<string> {
  const end = await readEnd(path, SHOWN_BYTES, from).catch(() => "");
  const lines = end.toString().trimEnd().split("\n");
  return lines.slice(-SHOWN_LINES).join("\n");
}

/** Why a process is not there any more; undefined while it is. */
function endWatch(child: ChildProcess): () => string | undefined {
  let end: string | undefined;
  child.once("error", (cause) => {
    end = `cannot be started: ${reasonOf(cause)}`;
  });
  child.once("exit", (code, signal) => {
    end ??= `has ended (${signal ?? `exit code ${code}`})`;
  });
  return () => end;
}

/** Whether a node answers about its groups: it has loaded all of them then. */
async function isServing(folder: NodeFolder): Promise<boolean> {
  const { health, rpcUrl } = await probeNode(folder);
  if (!health || rpcUrl === undefined) return false;
  return await ask(rpcUrl, "getGroupList", []).then(
    () => true,
    () => false,
  );
}

/**
 * Starts the node of a folder and waits until it serves. A node that waits for others does: its
 * groups are examined by those who wait for them.
 * @throws FolderFault unusable, with the last that the node reported
 */
export async function startNode(folder: NodeFolder): Promise<void> {
  const path = join(folder.path, OUTPUT);
  const before = await lengthOf(path);
  const child = launch(folder);
  const ended = endWatch(child);
  child.unref();
  if (child.pid !== undefined) await writeFile(join(folder.path, PID_FILE), `${child.pid}\n`);
  const deadline = performance.now() + START_PATIENCE_MS;
  for (;;) {
    await sleep(POLL_MS);
    const end = ended();
    if (end === undefined && (await isServing(folder))) return;
    const isLate = performance.now() > deadline;
    if (end === undefined && !isLate) continue;
    if (end !== undefined) await rm(join(folder.path, PID_FILE), { force: true });
    const what = end ?? `does not answer after ${START_PATIENCE_MS / 1_000} s`;
    const said = await saidSince(path, before);
    throw new FolderFault("unusable", `${folder.name} ${what}; ${path} says:\n${said}`);
  }
}

/**
 * Stops the node of a folder and waits for its end.
 * @returns false when it did not run
 * @throws FolderFault unusable when it does not end, or is another user's
 */
export async function stopNode(folder: NodeFolder): Promise<boolean> {
  const pid = pidOf(await probeNode(folder));
  if (pid === undefined) {
    await rm(join(folder.path, PID_FILE), { force: true });
    return false;
  }
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    // It has ended by itself.
    if (codeOf(error) === "EPERM") {
      const said = `${folder.name} (process ${pid}) is another user's`;
      throw new FolderFault("unusable", `${said}: stop it as that user.`, { cause: error });
    }
  }
  const deadline = performance.now() + STOP_PATIENCE_MS;
  while (isAlive(pid)) {
    if (performance.now() > deadline) {
      const said = `${folder.name} (process ${pid}) has not ended in ${STOP_PATIENCE_MS / 1_000} s`;
      throw new FolderFault("unusable", `${said}; see ${join(folder.path, OUTPUT)}.`);
    }
    await sleep(POLL_MS);
  }
  await rm(join(folder.path, PID_FILE), { force: true });
  return true;
}

/** Does something for each node at the same time. @throws FolderFault with all that went wrong */
export async function forEachNode<T extends { readonly folder: NodeFolder }>(
  nodes: readonly T[],
  work: (node: T) => Promise<void>,
): Promise<void> {
  const ends = await Promise.allSettled(nodes.map(work));
  const faults = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const [first] = faults;
  if (first === undefined) return;
  if (faults.length === 1 || !faults.every((fault) => fault instanceof FolderFault)) throw first;
  throw new FolderFault("unusable", faults.map(reasonOf).join("\n"), { cause: first });
}
