/** Where the source of a contract is. Source: console 4.3 */
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { nearestName } from "../../../formats/config/nearest-name.ts";
import { readText } from "../../../folder/whole-files.ts";
import { usageFault } from "../command.ts";
import { oneLine } from "../foreign-text.ts";

/** Sources that the console brings along, and its user's, below the console folder. */
export const SOURCE_FOLDER = "contracts/solidity";
const SUFFIX = ".sol";

/** The source of a contract. */
export interface ContractFile {
  /** Of the contract and of its file. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/** The name of the contract that a word or a path names. */
export function contractNameOf(given: string): string {
  const name = basename(given);
  return name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name;
}

/** The path that a person wrote: `~/` is the home folder. */
function expanded(given: string): string {
  return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}

/** Places to look in, the first before the others. */
function candidates(folder: string, given: string): readonly string[] {
  const written = expanded(given);
  const withSuffix = written.endsWith(SUFFIX) ? written : `${written}${SUFFIX}`;
  const isPath = isAbsolute(written) || /[/\\]/.test(given) || given.endsWith(SUFFIX);
  const own = join(folder, SOURCE_FOLDER, withSuffix);
  if (!isPath) return [own];
  // A path is of the working folder; from the console folder it is understood as well.
  return [...new Set([resolve(withSuffix), resolve(folder, withSuffix), own])];
}

/** A question that names the source of `contracts/solidity` that is nearest; empty for none. */
async function nearSource(folder: string, given: string): Promise<string> {
  const files = await readdir(join(folder, SOURCE_FOLDER)).catch(() => []);
  const names = files.filter((file) => file.endsWith(SUFFIX)).map(contractNameOf);
  const near = nearestName(contractNameOf(given), names);
  return near === undefined ? "" : ` Did you mean ${oneLine(near)}?`;
}

/**
 * The file of a contract: a path, or a name of `contracts/solidity` with or without `.sol`.
 * @param folder the console folder
 * @throws ConsoleFault with exit code 2 that suggests the nearest name, when there is none
 */
export async function findContract(folder: string, given: string): Promise<ContractFile> {
  const places = candidates(folder, given);
  for (const path of places) {
    if ((await readText(path)) !== undefined) return { name: contractNameOf(given), path };
  }
  const meant = await nearSource(folder, given);
  throw usageFault(`${given} does not exist: looked for ${places.join(" and ")}.${meant}`);
}
