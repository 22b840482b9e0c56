/** Finds out from outside how a node of this host is. Source: issue 3 (status, doctor) */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigFault, warningText } from "../../folder/config-fault.ts";
import { type ListenAddress, type NodeConfig, readNodeConfig } from "../../folder/node-config.ts";
import type { NodeFolder } from "./node-folders.ts";
import type { ProcessHealth } from "./observation.ts";

/** What was found. */
export interface NodeProbe {
  readonly folder: NodeFolder;
  /** Undefined when config.ini cannot be used. */
  readonly config: NodeConfig | undefined;
  /** What is wrong with config.ini, or what it is warned about. */
  readonly problems: readonly string[];
  /** The process that start.sh noted, while it is alive. */
  readonly pid: number | undefined;
  /** Undefined when the RPC port is not known. */
  readonly rpcUrl: string | undefined;
  /** What the node says of itself; undefined when nobody answers as a node. */
  readonly health: ProcessHealth | undefined;
  /** Why there is no answer. */
  readonly silence: string | undefined;
}

const PATIENCE_MS = 3_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, but somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function notedPid(folder: NodeFolder): Promise<number | undefined> {
  const text = await readFile(join(folder.path, "node.pid"), "utf8").catch(() => "");
  const pid = /^\s*(\d+)\s*$/.exec(text)?.[1];
  return pid !== undefined && isAlive(Number(pid)) ? Number(pid) : undefined;
}

/** An address that listens, as one to connect to. */
export function reachable({ ip, port }: ListenAddress): ListenAddress {
  if (ip === "0.0.0.0") return { ip: "127.0.0.1", port };
  return ip === "::" ? { ip: "::1", port } : { ip, port };
}

/** `http://` in front of a port that listens. */
export function urlOf(address: ListenAddress): string {
  const { ip, port } = reachable(address);
  return `http://${ip.includes(":") ? `[${ip}]` : ip}:${port}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${PATIENCE_MS / 1_000} s`;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ECONNREFUSED") return "nobody listens there";
  return cause instanceof Error ? cause.message : error.message;
}

function isHealth(value: unknown): value is ProcessHealth {
  return typeof value === "object" && value !== null && "nodeId" in value && "groups" in value;
}

async function askHealth(url: string): Promise<Pick<NodeProbe, "health" | "silence">> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${url}/readyz`, { signal });
    const found: unknown = await response.json();
    if (isHealth(found)) return { health: found, silence: undefined };
    return { health: undefined, silence: "another program answers there" };
  } catch (error) {
    const silence =
      error instanceof SyntaxError ? "another program answers there" : reasonOf(error);
    return { health: undefined, silence };
  }
}

async function readConfig(path: string): Promise<Pick<NodeProbe, "config" | "problems">> {
  try {
    const { value, warnings } = readNodeConfig(await readFile(path, "utf8"), path);
    const notes = warnings.filter(({ level }) => level === "warning");
    return { config: value, problems: notes.map(warningText) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problems = error instanceof ConfigFault ? message.split("\n") : [message];
    return { config: undefined, problems };
  }
}

/** Looks at a node. */
export async function probeNode(folder: NodeFolder): Promise<NodeProbe> {
  const [{ config, problems }, pid] = await Promise.all([
    readConfig(folder.config),
    notedPid(folder),
  ]);
  if (!config) {
    const silence = "config.ini cannot be read";
    return { folder, config, problems, pid, rpcUrl: undefined, health: undefined, silence };
  }
  const rpcUrl = urlOf(config.rpc.jsonrpc);
  return { folder, config, problems, pid, rpcUrl, ...(await askHealth(rpcUrl)) };
}
