/**
 * Which process of this host holds a port or a file. Read from /proc: where that is missing, or the
 * process is another user's, nobody is found.
 */
import { readFileSync } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { basename } from "node:path";
import { codeOf } from "../../folder/durable-folder.ts";

/** A process, as far as it may be examined. */
export interface FoundProcess {
  readonly pid: number;
  /** What it runs, without its arguments. */
  readonly program: string;
  /** Where it runs. */
  readonly folder: string | undefined;
}

/** State of a socket that listens, in /proc/net/tcp. */
const LISTENS = "0A";
const RADIX = 16;

/** Index of the number of threads, counted from the state on, in /proc/<pid>/stat. */
const THREADS_AT = 17;

/** Whether a process has ended and only waits for its parent to notice; false where unseen. */
function isDefunct(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it is in brackets, and may contain some.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" && Number(fields[THREADS_AT]) <= 1;
  } catch {
    return false;
  }
}

/** Whether there is such a process; one that has ended is none, however late its parent is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isDefunct(pid);
  } catch (error) {
    // It is there, but somebody else's.
    return codeOf(error) === "EPERM";
  }
}

/** Whether two paths lead to the same file; undefined when one cannot be examined. */
async function isSameFile(left: string, right: string): Promise<boolean | undefined> {
  const looks = [left, right].map((path) => stat(path, { bigint: true }).catch(() => undefined));
  const [one, other] = await Promise.all(looks);
  return one && other && one.ino === other.ino && one.dev === other.dev;
}

/** Whether a process works in a folder; undefined where that cannot be seen. */
export function runsIn(pid: number, folder: string): Promise<boolean | undefined> {
  return isSameFile(`/proc/${pid}/cwd`, folder);
}

async function linksOf(pid: number | string): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
}

/** Whether a process has a file open. */
export async function hasOpen(pid: number, path: string): Promise<boolean> {
  return (await linksOf(pid)).includes(path);
}

/** Sockets that listen on a port, as /proc names them. */
async function listenersOn(port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const rows = tables.flatMap((table) => table.split("\n").slice(1));
  const inodes = rows.flatMap((row) => {
    const [, local = "", , state, , , , , , inode = ""] = row.trim().split(/\s+/);
    const isHere = Number.parseInt(local.split(":")[1] ?? "", RADIX) === port;
    return isHere && state === LISTENS ? [`socket:[${inode}]`] : [];
  });
  return new Set(inodes);
}

/** The program, and of a script of Node its name; other arguments may be secrets. */
async function programOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  const [program = "", script = ""] = text.split("\0");
  const name = basename(program) || "unknown";
  return /\.[cm]?[jt]s$/.test(script) ? `${name} ${basename(script)}` : name;
}

/** A process with what is known of it. */
export async function lookAtProcess(pid: number): Promise<FoundProcess> {
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return { pid, program: await programOf(pid), folder };
}

/** The process that listens on a port of this host; undefined when it cannot be seen. */
export async function portHolder(port: number): Promise<FoundProcess | undefined> {
  const sockets = await listenersOn(port);
  if (sockets.size === 0) return undefined;
  const names = await readdir("/proc").catch(() => []);
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    if ((await linksOf(name)).some((link) => sockets.has(link))) return lookAtProcess(Number(name));
  }
  return undefined;
}

/** A process in words: `process 4711 (node main.js, in /srv/net/node1)`. */
export function processText({ pid, program, folder }: FoundProcess): string {
  return `process ${pid} (${program}${folder === undefined ? "" : `, in ${folder}`})`;
}
