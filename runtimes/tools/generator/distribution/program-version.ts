/** Asks a program for its version: how a file placed by hand is checked. Source: generator 6, 11 */
import { execFile } from "node:child_process";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { PRODUCT } from "./program-package.ts";

/** Longest wait for the answer; a cold disk takes seconds. */
const PATIENCE_MS = 60_000;
/** What it may write. */
const MOST_BYTES = 64 * 1024;
const SHOWN_CHARS = 120;

interface Told {
  /** Undefined when it could not be run to an end. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function told(file: string, args: readonly string[]): Promise<Told> {
  return new Promise((resolve) => {
    const options = { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES };
    execFile(file, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
      const said = stderr === "" && error !== null && code === undefined ? error.message : stderr;
      resolve({ code, stdout, stderr: said });
    });
  });
}

function shown(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.replace(/\p{Cc}/gu, "?").slice(0, SHOWN_CHARS) || "nothing";
}

/** The version in a line such as `chain-node Version : 2.12.0`; undefined when it has none. */
export function versionOf(line: string): string | undefined {
  return /\d+\.\d+\.\d+\S*/.exec(line)?.[0];
}

/**
 * The version line that a program prints.
 * @param file absolute path of the program
 * @param before arguments before `-v`
 * @throws FolderFault unusable, when it does not run, fails, or names another product
 */
export async function versionLine(file: string, before: readonly string[] = []): Promise<string> {
  const { code, stdout, stderr } = await told(file, [...before, "-v"]);
  const what = [file, ...before].join(" ");
  if (code !== 0) {
    const end = code === undefined ? "cannot be run" : `ended with ${code}`;
    const next = `Download it anew with generator --download_${PRODUCT}, or place another file.`;
    throw new FolderFault("unusable", `${what} -v ${end}: ${shown(stderr)}. ${next}`);
  }
  const line = stdout.split("\n").find((each) => each.toLowerCase().includes(PRODUCT));
  if (line !== undefined) return line.trim();
  const said = `${what} -v says "${shown(stdout)}", which does not name ${PRODUCT}`;
  throw new FolderFault("unusable", `${said}: it is the program of another product.`);
}
