/** Asks the node of a folder on this host through its control socket. */
import { connect, type Socket } from "node:net";
import { isObject, type Json, parseJson } from "../../../core/rpc/json.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import {
  type ControlRequest,
  controlSocketPath,
  MOST_LINE_BYTES,
} from "../machine/control-socket.ts";

/** Views take longest: a large ledger has thousands of files. */
const PATIENCE_MS = 120_000;

type Fields = Readonly<Record<string, Json | undefined>>;

/** Asks; the socket stays open. Undefined when nobody is behind the socket. */
async function ask(
  home: string,
  request: ControlRequest,
): Promise<{ readonly answer: Fields; readonly socket: Socket } | undefined> {
  const place = await controlSocketPath(home).catch(() => undefined);
  if (place?.path === undefined) return undefined;
  const socket = connect(place.path);
  try {
    const line = await lineFrom(socket, `${JSON.stringify(request)}\n`);
    if (line === undefined) return undefined;
    const answer = parseJson(line);
    if (!isObject(answer)) throw new FolderFault("unusable", `${home}: the node answers nonsense`);
    const { fault } = answer;
    if (typeof fault === "string") throw new FolderFault("unusable", `${home}: ${fault}`);
    return { answer, socket };
  } catch (cause) {
    socket.destroy();
    throw cause;
  } finally {
    await place.release();
  }
}

/**
 * Sends a line and takes one; undefined without a control socket, or when it is closed before an
 * answer.
 */
function lineFrom(socket: Socket, request: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let told = "";
    socket.setEncoding("utf8");
    socket.setTimeout(PATIENCE_MS, () => {
      const seconds = PATIENCE_MS / 1_000;
      reject(new FolderFault("unusable", `the node does not answer within ${seconds} s`));
    });
    socket.once("connect", () => socket.write(request));
    socket.once("error", () => resolve(undefined));
    socket.once("close", () => resolve(undefined));
    socket.on("data", (text: string) => {
      told += text;
      const end = told.indexOf("\n");
      if (end < 0 && told.length < MOST_LINE_BYTES) return;
      socket.setTimeout(0);
      resolve(told.slice(0, end));
    });
  });
}

/**
 * Has silent groups of a running node vote again.
 * @returns the groups that were silent; undefined when the node does not run, or has no control
 *   socket
 * @throws FolderFault unusable
 */
export async function confirmBySocket(
  home: string,
  group: number | undefined,
): Promise<readonly number[] | undefined> {
  const found = await ask(home, { do: "confirm", group: group ?? null });
  found?.socket.destroy();
  const groups = found?.answer["groups"];
  return Array.isArray(groups) ? groups.map(Number) : undefined;
}

/** The files of a ledger, lent by the node that writes it. */
export interface BorrowedView {
  /** Absolute. */
  readonly folder: string;
  /** Gives them back; the end of this process does, too. */
  close(): void;
}

/**
 * Borrows the files of a group's ledger as they are now from a running node.
 * @returns undefined when the node does not run, or has no control socket
 * @throws FolderFault unusable
 */
export async function borrowView(home: string, group: number): Promise<BorrowedView | undefined> {
  const found = await ask(home, { do: "view", group });
  const folder = found?.answer["folder"];
  if (!found || typeof folder !== "string") return undefined;
  // A node that ends takes its view along; who reads meets that.
  found.socket.on("error", () => undefined);
  return { folder, close: () => found.socket.destroy() };
}
