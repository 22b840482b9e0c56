/**
 * The control socket of a node for commands of its own host: a socket in the node's folder that its
 * owner alone may open, a named pipe on Windows. A request is one line of JSON, and so is the
 * answer; what is lent stays so while the connection stands.
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { isObject, parseJson } from "../../../core/rpc/json.ts";

/** The socket in the node's folder. */
export const CONTROL_SOCKET_FILE = "node.sock";
/** Systems take paths of sockets of this many bytes, the shortest 104 with the end mark. */
const MOST_PATH_BYTES = 103;
const NAME_DIGITS = 32;
/** A line is far shorter. */
export const MOST_LINE_BYTES = 4_096;

/** What a command may ask for. `view`: the files of a group's ledger as they are now. */
export type ControlRequest =
  | { readonly do: "confirm"; readonly group: number | null }
  | { readonly do: "view"; readonly group: number };

/** What is answered. */
export type ControlAnswer =
  | { readonly groups: readonly number[] }
  | { readonly folder: string }
  | { readonly fault: string };

interface ControlSocketPath {
  /** What to listen at or to connect to; undefined where no path fits. */
  readonly path: string | undefined;
  /** Once the path is needed no more: also that of a socket that still stands. */
  release(): Promise<void>;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MOST_PATH_BYTES;
}

function pipeOf(home: string): string {
  const digest = createHash("sha256").update(resolve(home).toLowerCase()).digest("hex");
  return `\\\\.\\pipe\\chain-node-${digest.slice(0, NAME_DIGITS)}`;
}

/**
 * The path of a node's control socket. Of a folder deep down it is the way from the working folder,
 * and on Linux the one through an open folder.
 */
export async function controlSocketPath(home: string): Promise<ControlSocketPath> {
  const release = async () => undefined;
  if (process.platform === "win32") return { path: pipeOf(home), release };
  const path = resolve(home, CONTROL_SOCKET_FILE);
  const short = [path, relative(process.cwd(), path)].find(fits);
  if (short !== undefined || process.platform !== "linux") return { path: short, release };
  const folder = await open(resolve(home), "r");
  return {
    path: join(`/proc/self/fd/${folder.fd}`, CONTROL_SOCKET_FILE),
    release: () => folder.close(),
  };
}

/** Reads a request; undefined when it is none. */
export function parseRequest(line: string): ControlRequest | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { do: what, group } = value;
  const isGroup = typeof group === "number" && Number.isSafeInteger(group) && group > 0;
  if (what === "confirm" && (isGroup || group === null)) return { do: what, group };
  return what === "view" && isGroup ? { do: what, group } : undefined;
}
