/** Serves the control socket of a node: commands of its host, one line each. */
import { once } from "node:events";
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { resolve } from "node:path";
import { isMainThread } from "node:worker_threads";
import type { Log } from "../../../core/ports/log.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import {
  CONTROL_SOCKET_FILE,
  type ControlAnswer,
  type ControlRequest,
  controlSocketPath,
  MOST_LINE_BYTES,
  parseRequest,
} from "../machine/control-socket.ts";
import type { LentView } from "../store/ledger-views.ts";

/** What is done behind the socket. */
export interface ControlWork {
  /** Has silent groups vote again; gives them. */
  confirm(groups: readonly number[] | undefined): Promise<readonly number[]>;
  /** Lends the files of a group's ledger. */
  lend(group: number): Promise<LentView>;
}

const MOST_CONNECTIONS = 16;
/** Who has sent no line by then is cut. */
const PATIENCE_MS = 10_000;
/** Nobody but the owner may read or write. */
const CLOSED_TO_OTHERS = 0o177;
const OWNER_ONLY = 0o600;

/** What is answered, and what is to be given back when the connection ends. */
async function serve(
  request: ControlRequest | undefined,
  work: ControlWork,
): Promise<{ readonly answer: ControlAnswer; readonly lent?: LentView }> {
  if (!request) return { answer: { fault: "this node does not know that request" } };
  try {
    if (request.do === "confirm") {
      const { group } = request;
      return { answer: { groups: await work.confirm(group === null ? undefined : [group]) } };
    }
    const lent = await work.lend(request.group);
    return { answer: { folder: lent.folder }, lent };
  } catch (cause) {
    return { answer: { fault: reasonOf(cause) } };
  }
}

/** Reads one line; undefined when the peer sends none in time, or too much. */
function lineOf(socket: Socket): Promise<string | undefined> {
  return new Promise((settle) => {
    let told = "";
    socket.setEncoding("utf8");
    socket.setTimeout(PATIENCE_MS, () => settle(undefined));
    socket.once("close", () => settle(undefined));
    socket.on("data", (text: string) => {
      told += text;
      const end = told.indexOf("\n");
      if (end >= 0) settle(told.slice(0, end));
      else if (told.length > MOST_LINE_BYTES) settle(undefined);
    });
  });
}

/** Serves one connection to its end. */
async function answer(socket: Socket, work: ControlWork, log: Log): Promise<void> {
  const line = await lineOf(socket);
  if (line === undefined) return void socket.destroy();
  socket.setTimeout(0);
  const { answer: said, lent } = await serve(parseRequest(line), work);
  if (!lent) return void socket.end(`${JSON.stringify(said)}\n`);
  const { folder } = lent;
  log.write("info", "a command reads a ledger", { folder });
  if (!socket.destroyed) {
    const end = once(socket, "close");
    socket.write(`${JSON.stringify(said)}\n`);
    await end;
  }
  await lent.close().catch((cause: unknown) => {
    log.write("warning", "a view of a ledger stays behind", { folder, cause: reasonOf(cause) });
  });
}

/** What a process that was killed has left: the caller holds the node's data. */
function removeStale(home: string): void {
  const path = resolve(home, CONTROL_SOCKET_FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSocket()) unlinkSync(path);
}

/** The socket is closed to others from its first moment on. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    // The mask is the process's, and binding is done before the call returns.
    const mask = isMainThread ? process.umask(CLOSED_TO_OTHERS) : undefined;
    try {
      server.listen(path, done);
      if (process.platform !== "win32" && mask === undefined) chmodSync(path, OWNER_ONLY);
    } catch (cause) {
      fail(cause);
    } finally {
      if (mask !== undefined) process.umask(mask);
    }
  });
}

/**
 * Opens the control socket of a node. Without one the node runs all the same: what is wrong is a
 * warning.
 * @returns what closes it
 */
export async function openControlSocket(
  home: string,
  work: ControlWork,
  log: Log,
): Promise<() => Promise<void>> {
  const open = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    open.set(
      socket,
      answer(socket, work, log).finally(() => open.delete(socket)),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  let release = async (): Promise<void> => undefined;
  try {
    const place = await controlSocketPath(home);
    ({ release } = place);
    if (place.path === undefined) throw new Error("the path of the folder is too long");
    if (process.platform !== "win32") removeStale(home);
    await listen(server, place.path);
    server.on("error", () => undefined);
  } catch (cause) {
    await release();
    const why = codeOf(cause) || reasonOf(cause);
    const next = "snapshot, check and export --node want this node stopped";
    log.write("warning", `the node has no control socket for commands of this host: ${next}`, {
      cause: why,
    });
    return async () => undefined;
  }
  return async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    for (const socket of open.keys()) socket.destroy();
    await Promise.all([closed, ...open.values()]);
    await release();
  };
}
