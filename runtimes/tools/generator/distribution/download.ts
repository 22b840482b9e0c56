/**
 * `--download_chain-node` and `--download_console`: from the package that the tool runs from, or of
 * another version through npm. Source: generator 11
 */
import { join } from "node:path";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { shellWord } from "../../../folder/node-scripts.ts";
import { type ConsoleOrder, writeConsole, type WrittenConsole } from "./console-writer.ts";
import { platformLines } from "./native-platforms.ts";
import { chosenMirror, fetchPackage } from "./packed-package.ts";
import { type WrittenProgram, writeProgram } from "./program-folder.ts";
import { type FoundPackage, ownPackage } from "./program-package.ts";

/** Where a program comes from. */
export interface DownloadSource {
  /** `x.y.z`; that of the tool itself, without a network, when absent. */
  readonly version?: string | undefined;
  /** Ask the mirror first. Source: generator 2 (`--cdn`) */
  readonly cdn: boolean;
  /** Text of the tool's settings; undefined when there are none. */
  readonly settings?: string | undefined;
  readonly say: (line: string) => void;
}

/** Works with the package that is asked for; what was fetched is removed afterwards. */
async function withPackage<Result>(
  { version, cdn, settings, say }: DownloadSource,
  work: (program: FoundPackage) => Promise<Result>,
): Promise<Result> {
  const own = await ownPackage();
  if (version === undefined || version === own.version) {
    const reason = "this tool brings the program along";
    if (cdn) say(`--cdn has no effect: ${reason}, and nothing is fetched`);
    return await work(own);
  }
  const { mirror, from } = cdn ? chosenMirror(settings) : { mirror: undefined, from: "" };
  if (mirror !== undefined) say(`the mirror of ${from} is asked: ${mirror}`);
  else if (cdn) say(`no mirror is set in npm_config_registry or ${from}: npm's registry is asked`);
  const { program, remove } = await fetchPackage({ version, mirror, say });
  try {
    if (program.version !== version) {
      const said = `npm gave version ${program.version} in the place of ${version}`;
      throw new FolderFault("unusable", `${said}: see the settings of its registry.`);
    }
    return await work(program);
  } finally {
    await remove();
  }
}

/** Writes the program of nodes into a folder. @throws FolderFault; what was there is there still */
export async function downloadProgram(
  folder: string,
  source: DownloadSource,
): Promise<WrittenProgram> {
  const written = await withPackage(source, (program) => writeProgram(folder, program));
  source.say(`${written.launcher} says: ${written.version}`);
  for (const line of platformLines(written.platforms)) source.say(line);
  return written;
}

/** Writes a console into a folder. @throws FolderFault; what was there is there still */
export async function downloadConsole(
  order: Omit<ConsoleOrder, "program">,
  source: DownloadSource,
): Promise<WrittenConsole> {
  const { say } = source;
  const written = await withPackage(source, (program) => writeConsole({ ...order, program }));
  const { folder, isUpgrade, compilers, missingCompilers } = written;
  if (isUpgrade) say(`${folder} was there: its program is new, all else is as it was`);
  if (order.certificates.length === 0 && !isUpgrade)
    say(`${folder}/conf lacks ca.crt, sdk.crt and sdk.key: copy them from an agency's sdk folder`);
  say(`compilers for Solidity: ${compilers.join(", ") || "none"}`);
  for (const command of missingCompilers) say(`for a further one, in ${folder}: ${command}`);
  say(`run it: bash ${shellWord(join(folder, "start.sh"))}`);
  return written;
}
