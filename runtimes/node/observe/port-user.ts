/** Who answers at an address: this node, a copy of it, another node, or something else. */
import { stat } from "node:fs/promises";
import { get } from "node:http";
import { isNodeId } from "../../../core/bytes/hex.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import type { ListenAddress } from "../../formats/config/node-config.ts";
import type { NodeHealth } from "../../shared/health.ts";
import type { EndpointState } from "../../shared/p2p/static-peers.ts";
import { urlOf } from "../machine/listen-url.ts";
import { type FoundProcess, portHolder, processText } from "../machine/processes.ts";

/** What `/readyz` of a process says beyond the node. */
export interface ProcessHealth extends NodeHealth {
  readonly pid: number;
  /** File number of the node's folder: tells the folder from a copy of it. */
  readonly folderNumber: string | undefined;
  readonly uptimeSeconds: number;
  readonly memoryBytes: number;
  readonly certificateDaysLeft: number;
  /** Connected SDKs; absent without a port for them. */
  readonly sdks?: number;
  /** Configured peers. */
  readonly endpoints: readonly EndpointState[];
}

/** Who is meant to answer. */
export interface ExpectedNode {
  /** Undefined when its key cannot be read. */
  readonly nodeId: string | undefined;
  /** Its folder. */
  readonly home: string;
}

/** Who answers. */
export type PortUser =
  | { readonly kind: "own"; readonly health: ProcessHealth }
  /** The same key, in another folder. */
  | { readonly kind: "copy"; readonly health: ProcessHealth }
  | { readonly kind: "otherNode"; readonly health: ProcessHealth }
  /** Not a chain-node; the process where it can be seen. */
  | { readonly kind: "program"; readonly process: FoundProcess | undefined }
  /** Nothing listens, or no answer comes. */
  | { readonly kind: "silent"; readonly reason: string };

const PATIENCE_MS = 3_000;
const MOST_ANSWER_CHARS = 4 * 1024 * 1024;
/** Nobody is there, or no answer comes; after any other fault somebody is who speaks otherwise. */
const SILENCES = new Set([
  "ECONNREFUSED",
  "EADDRNOTAVAIL",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** Anybody may listen there: what is printed of an answer is examined. */
function isHealth(value: unknown): value is ProcessHealth {
  if (typeof value !== "object" || value === null) return false;
  const { nodeId, groups } = { nodeId: undefined, groups: undefined, ...value };
  return isNodeId(String(nodeId)) && Array.isArray(groups);
}

/** The file number of a folder: a copy of the folder has another one. */
export async function folderNumber(folder: string): Promise<string | undefined> {
  const found = await stat(folder, { bigint: true }).catch(() => undefined);
  return found === undefined ? undefined : `${found.ino}`;
}

/** Why nobody answers, in words. */
export function silenceOf(error: unknown): string {
  return codeOf(error) === "ECONNREFUSED" ? "nothing listens there" : reasonOf(error);
}

/** The body of an answer; some ports are barred to `fetch`. */
function bodyAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      const reason = `no answer within ${PATIENCE_MS / 1_000} s`;
      asked.destroy(Object.assign(new Error(reason), { code: "ETIMEDOUT" }));
    }, PATIENCE_MS);
    const fail = (error: unknown) => {
      clearTimeout(late);
      reject(error);
    };
    const asked = get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MOST_ANSWER_CHARS) asked.destroy(new SyntaxError("too long"));
      });
      response.once("end", () => {
        clearTimeout(late);
        resolve(text);
      });
      response.once("error", fail);
    });
    asked.once("error", fail);
  });
}

/** What is answered at a URL; undefined: by no node. @throws what keeps an answer away */
export async function healthAt(url: string): Promise<ProcessHealth | undefined> {
  try {
    const found: unknown = JSON.parse(await bodyAt(`${url}/readyz`));
    return isHealth(found) ? found : undefined;
  } catch (error) {
    if (!SILENCES.has(codeOf(error))) return undefined;
    throw error;
  }
}

/** Asks who answers at the RPC port of a node. */
export async function askPort(address: ListenAddress, expected: ExpectedNode): Promise<PortUser> {
  let health: ProcessHealth | undefined;
  try {
    health = await healthAt(urlOf(address));
  } catch (error) {
    return { kind: "silent", reason: silenceOf(error) };
  }
  if (!health) return { kind: "program", process: await portHolder(address.port) };
  const { nodeId, home } = expected;
  if (nodeId !== undefined && health.nodeId !== nodeId) return { kind: "otherNode", health };
  const own = await folderNumber(home);
  const isElsewhere = (health.folderNumber ?? own) !== own;
  return { kind: isElsewhere ? "copy" : "own", health };
}

/** A node that answers, in words. */
export function nodeText({ nodeId, pid }: ProcessHealth): string {
  const id = `id ${nodeId.slice(0, 8)}`;
  // A dev chain does not tell.
  return Number.isSafeInteger(pid) ? `${id}, process ${pid}` : id;
}

/** Who answers instead of this node, as the end of a sentence; undefined for the node itself. */
export function userText(user: PortUser): string | undefined {
  switch (user.kind) {
    case "own":
      return undefined;
    case "copy":
      return `a node with the same key from another folder (${nodeText(user.health)})`;
    case "otherNode":
      return `another node (${nodeText(user.health)})`;
    case "program":
      return user.process
        ? `${processText(user.process)}, which is not a chain-node`
        : "something that is not a chain-node";
    case "silent":
      return user.reason;
  }
}
