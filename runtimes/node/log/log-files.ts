/** Finds the log files of a node, and reads their ends. Source: groups 8 (log) */
import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { isLogName } from "./log-name.ts";

/** Where start.sh sends what the process writes. */
const OUTPUT = "nohup.out";

/** A file that a node logs into. */
export interface LoggedFile {
  readonly path: string;
  /** Last change, milliseconds since 1970. */
  readonly writtenAt: number;
  /** Stays the same when the file is renamed. */
  readonly inode: number;
}

async function fileAt(path: string): Promise<LoggedFile[]> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? [{ path, writtenAt: found.mtimeMs, inode: found.ino }] : [];
}

/** The log files, the newest first; without any, what the process wrote to its terminal. */
export async function logFiles(
  home: string,
  { log }: Pick<NodeConfig, "log">,
): Promise<readonly LoggedFile[]> {
  const patterns = [log.log_name_pattern, log.rotate_name_pattern].map(isLogName);
  const isLog = (name: string) =>
    !name.endsWith(".gz") && (name.endsWith(".log") || patterns.some((fits) => fits(name)));
  const folders = new Set([log.log_path, log.archive_path || log.log_path]);
  const paths: string[] = [];
  for (const folder of folders) {
    const path = resolve(home, folder);
    const names = await readdir(path).catch(() => []);
    paths.push(...names.filter(isLog).map((name) => join(path, name)));
  }
  const files = (await Promise.all(paths.map(fileAt))).flat();
  if (files.length === 0) return fileAt(join(home, OUTPUT));
  files.sort((left, right) => right.writtenAt - left.writtenAt);
  return files;
}

/**
 * The end of a file, whatever its size.
 * @param mostBytes this much at most
 * @param from nothing before this byte
 * @throws the platform's error when it cannot be read
 */
export async function readEnd(path: string, mostBytes: number, from = 0): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const length = Math.max(0, Math.min(size - from, mostBytes));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
