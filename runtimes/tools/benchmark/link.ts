/**
 * `benchmark link`: puts the command `caliper` in place, which scripts may have. It is not
 * installed with the others, so that it never stands before another `caliper`. Source: benchmark 1
 */
import { lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import type { CommandWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import type { RunIo } from "./run-io.ts";

const NAME = "caliper";
/** The entry of the build next to the running one. */
const ENTRY = "bench.js";

/** Where things are; tests pose another place. */
export interface LinkPlace {
  /** The file that Node was started with. */
  readonly started: string;
  readonly dist: string;
  readonly isWindows: boolean;
}

function shimText(entry: string): string {
  return `@"${process.execPath}" "${entry}" %*\r\n`;
}

/** What the command leads to; undefined where there is none. */
async function targetOf(file: string, isWindows: boolean): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if (isWindows) return await readFile(file, "utf8");
  return found.isSymbolicLink() ? resolve(dirname(file), await readlink(file)) : file;
}

/** Another command of the name on the path. */
async function otherOnPath(own: string, io: RunIo): Promise<string | undefined> {
  const folders = (io.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    for (const name of [NAME, `${NAME}.cmd`]) {
      const file = join(folder, name);
      if (resolve(file) === resolve(own)) continue;
      if (await lstat(file).catch(() => undefined)) return file;
    }
  }
  return undefined;
}

/**
 * `benchmark link [--folder <folder>] [--remove]`; the folder is that of the command that runs.
 * @throws BenchmarkFault `engine` when another `caliper` is there
 */
export async function linkCommand(
  { flags }: CommandWords,
  io: RunIo,
  place: LinkPlace,
): Promise<number> {
  const folder = resolve(io.cwd, flags.get("folder") ?? dirname(place.started));
  const file = join(folder, place.isWindows ? `${NAME}.cmd` : NAME);
  const entry = join(place.dist, ENTRY);
  const wanted = place.isWindows ? shimText(entry) : entry;
  const there = await targetOf(file, place.isWindows);
  if (there !== undefined && there !== wanted)
    throw new BenchmarkFault("engine", `${file} is another command: it is left as it is`);
  if (flags.has("remove")) {
    await rm(file, { force: true });
    io.stdout(there === undefined ? `${file} was not there\n` : `${file} is removed\n`);
    return EXIT.done;
  }
  const other = await otherOnPath(file, io);
  if (other !== undefined) {
    const what = `${other} is installed: a second ${NAME} would stand before it, or behind it`;
    throw new BenchmarkFault("engine", `${what}; remove it first`);
  }
  if (there === undefined) {
    await mkdir(folder, { recursive: true });
    if (place.isWindows) await writeFile(file, wanted);
    else await symlink(entry, file);
  }
  io.stdout(`${file} runs ${entry}\n`);
  return EXIT.done;
}
