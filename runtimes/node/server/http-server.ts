/** A listening HTTP server around a fetch function. Source: rpc-semantics 1 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo, Server as PortServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { PlainPosts, ServerEnv } from "../../shared/http-app.ts";
import {
  type Caller,
  callerOf,
  hostRefusal,
  NO_SNIFFING,
  NOTHING_LISTED,
  type PageLists,
} from "../../shared/http-caller.ts";
import type { LongBody } from "../threads/body-host.ts";
import { type HttpBounds, HttpLoad, type RequestLoad } from "./http-load.ts";
import { type Answer, answerPost, isPlainPost, longBodyOf } from "./plain-post.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { ListenFault, type ListenProblem } from "../machine/listen-fault.ts";
import { isOfThisHost } from "../machine/own-address.ts";
import { answerMalformedHttp, httpText, refuseHttpVersion } from "../../shared/http-text.ts";

/** Answers one request. */
export type Fetch = (request: Request, ...rest: never[]) => Response | Promise<Response>;

/** A request that asks to become something else. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Uint8Array;
  readonly caller: Caller;
}

/** Takes connections away from HTTP. */
export interface UpgradeHandler {
  /** @returns false for a protocol that is none of its own: HTTP goes on */
  upgrade(upgrade: Upgrade): boolean;
  /** @returns false for a request that is none of its own: HTTP answers it */
  answer?(incoming: IncomingMessage, outgoing: ServerResponse, caller: Caller): boolean;
  /** Ends the connections that it took. */
  close(): Promise<void>;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Where to listen, what connections may hold, and what is listed of hosts and pages. */
export interface ServerOptions extends ListenAddress, HttpBounds {
  /** {@link NOTHING_LISTED} when absent. */
  readonly lists?: PageLists | undefined;
  /** Begins a body that is read elsewhere. */
  readonly longBody?: (() => LongBody) | undefined;
}

/** A server that listens. */
export interface HttpServer {
  readonly host: string;
  /** The port it is bound to. */
  readonly port: number;
  /** `http://host:port`, IPv6 addresses in brackets. */
  readonly url: string;
  /** Bytes that its connections hold, those that became WebSockets too. */
  heldBytes(): number;
  /** Stops accepting, lets running requests finish, then closes every connection. */
  close(): Promise<void>;
}

/** How long a request may still run after `close` before its connection is cut. */
const CLOSE_GRACE_MS = 5_000;
/** Old clients send no Host; who sends no whole head for so long is told so, and cut. */
const HTTP_OPTIONS = {
  requireHostHeader: false,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
} as const;
/** What is held of a file that is sent: its buffers and those of the streams behind it. */
const STREAM_BYTES = 256 * 1024;
/** Browsers and proxies send some dozens; thousands of short ones cost more than what they ask. */
const MAX_HEADERS = 256;
const TOO_MANY_HEADERS = `a request has at most ${MAX_HEADERS} header fields\n`;
const NO_ROOM = "there are too many connections\n";
const CLOSING = { Connection: "close" } as const;
/** What the connections of the reserve may ask for. */
const HEALTH_CHECK = /^\/(healthz|readyz|metrics)(\?|$)/;
/** An idle connection is kept this long: longer than the five seconds of common clients. */
const KEEP_ALIVE_MS = 65_000;

const PROBLEM_OF_CODE: Readonly<Record<string, ListenProblem>> = {
  EADDRINUSE: "inUse",
  EACCES: "notAllowed",
  EPERM: "notAllowed",
  EADDRNOTAVAIL: "noSuchAddress",
  ENOTFOUND: "noSuchAddress",
};
const SENTENCE_OF_PROBLEM: Readonly<Record<ListenProblem, string>> = {
  inUse: "the port is in use by another program",
  notAllowed: "this user may not listen on that port",
  noSuchAddress: "this machine does not have that address",
  failed: "the system refused",
};

/** The fault for what the system answered to an attempt to listen. */
export function listenFault({ host, port }: ListenAddress, error: unknown): ListenFault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const problem = PROBLEM_OF_CODE[code] ?? "failed";
  const detail = problem === "failed" ? ` (${String(error)})` : "";
  const sentence = SENTENCE_OF_PROBLEM[problem];
  const message = `cannot listen on ${endpointText({ host, port })}: ${sentence}${detail}`;
  return new ListenFault(problem, message, { cause: error, port });
}

/** Has a server listen. @returns the port it is bound to @throws ListenFault */
export function listen(server: PortServer, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(listenFault(address, error));
    server.once("error", refuse);
    server.listen(address.port, address.host, () => {
      server.off("error", refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** A client that does not hang up after its answer is cut after this time. */
export const LAST_WORD_MS = 5_000;

/**
 * Sends a last text on a connection that is taken from HTTP, which nobody watches any more. What
 * the client still sends is read and dropped: unread it would hide that the client hung up, and a
 * connection destroyed over it may lose the text.
 */
function endWith(socket: Duplex, text: string): void {
  socket.end(text);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Ends a server: connections close as soon as they are idle, the rest after the grace time. */
function closeServer(server: Server, connections: { closeWhenIdle(): void }): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    connections.closeWhenIdle();
  });
}

type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** What is not HTTP gets an answer where the parser lets us give one; the connection ends. */
function answerClientError(error: ClientError, socket: Duplex): void {
  if (!socket.writable) return;
  const packet = error.rawPacket?.toString("latin1") ?? "";
  endWith(socket, answerMalformedHttp(error.code ?? "", packet) ?? "");
}

/**
 * Where a browser's request was sent to; undefined when that cannot be determined for sure. A
 * target with a host of its own wins over `Host`.
 */
function hostOf({ url = "", headersDistinct }: IncomingMessage): string | undefined {
  const [host, ...others] = headersDistinct["host"] ?? [];
  if (others.length > 0) return undefined;
  if (url.startsWith("/") || url === "*") return host;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/**
 * A request that asks for a protocol nobody here speaks is answered as if it had not asked, as a
 * server without upgrades does: it is put back in front of the connection without the upgrade.
 */
function withoutUpgrade(
  http: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  [socket, head]: readonly [Duplex, Uint8Array],
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    const isRequested = name.toLowerCase() === "upgrade";
    const isNotice = name.toLowerCase() === "connection";
    const kept = isNotice ? value.replace(/\bupgrade\b,?/i, "").trim() : value;
    if (!isRequested && !(isNotice && kept === "")) lines.push(`${name}: ${kept}`);
  }
  if (head.length > 0) socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  http.emit("connection", socket);
}

type Judge = (incoming: IncomingMessage) => Caller;

function takeUpgrades(
  http: Server,
  upgrades: UpgradeHandler,
  { judge, connections }: { readonly judge: Judge; readonly connections: HttpLoad },
): void {
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    connections.release(request.socket);
    // Without a parser Node neither sends what is left of the answers before it nor cuts who takes
    // none; and no client asks for another protocol before it has them.
    if (connections.isAnswering(request.socket)) return void socket.destroy();
    const caller = judge(request);
    if (caller.leave === "nothing") refuseUpgrade(socket, "403 Forbidden", hostRefusal(caller));
    else if (!connections.leave(request.socket))
      refuseUpgrade(socket, "503 Service Unavailable", NO_ROOM);
    else if (!upgrades.upgrade({ request, socket, head, caller }))
      withoutUpgrade(http, request, [socket, head]);
  });
}

/** Ends a connection that was to become something else. */
export function refuseUpgrade(socket: Duplex, status: string, reason: string): void {
  // A client that hangs up meanwhile is nobody's trouble.
  socket.on("error", () => socket.destroy());
  endWith(socket, httpText(status, reason));
}

function isHealthCheck({ url = "" }: IncomingMessage): boolean {
  return HEALTH_CHECK.test(url);
}

async function refuse(
  [incoming, outgoing]: readonly [IncomingMessage, ServerResponse],
  load: RequestLoad,
  [status, text, headers = {}]: readonly [number, string, Readonly<Record<string, string>>?],
): Promise<void> {
  load.done();
  // Else the rest of a body would keep the end of its connection from being seen.
  incoming.resume();
  await load.turn;
  const type = { "Content-Type": "text/plain; charset=utf-8" };
  outgoing.writeHead(status, { ...type, ...headers, ...NO_SNIFFING });
  outgoing.end(text);
}

/** How requests are answered. */
interface Answering extends Pick<ServerOptions, "longBody"> {
  readonly answer: Answer;
  readonly judge: Judge;
  readonly posts: PlainPosts | undefined;
  readonly upgrades: UpgradeHandler | undefined;
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse, load: RequestLoad) => void;

/** Begins a request when its place is free. Others have turns: of one packet hundreds may come. */
async function beginLater(
  place: Promise<void>,
  begin: Handler,
  request: Parameters<Handler>,
): Promise<void> {
  const [, , load] = request;
  await place;
  // Those whose client has gone want no turn: a thousand of them would each hold all that it does.
  if (!load.isOver) await load.pause();
  if (load.isOver) load.done();
  else begin(...request);
}

/** Answers requests whose load is counted. */
function handlerOf({ answer, judge, posts, upgrades, longBody }: Answering): Handler {
  const told = new WeakMap<IncomingMessage, ServerEnv & { readonly load: RequestLoad }>();
  const answerWeb = async (request: Request, bindings: unknown) => {
    const { incoming, outgoing } = bindings as HttpBindings;
    const env = told.get(incoming);
    const refused = refuseHttpVersion(incoming.httpVersion);
    const response = refused ?? (await answer(request, env ?? {}));
    await env?.load.turn;
    const bytes = Number(response.headers.get("content-length"));
    if (bytes > STREAM_BYTES && outgoing instanceof ServerResponse)
      env?.load.answerInPieces(outgoing, STREAM_BYTES);
    return response;
  };
  // Old clients send no Host.
  const listener = getRequestListener(answerWeb, { hostname: "localhost" });
  return (incoming, outgoing, load) => {
    const both = [incoming, outgoing] as const;
    if (load.isOfReserve && !isHealthCheck(incoming))
      return void refuse(both, load, [503, NO_ROOM, CLOSING]);
    const caller = judge(incoming);
    if (caller.leave === "nothing") return void refuse(both, load, [403, hostRefusal(caller)]);
    if (upgrades?.answer?.(incoming, outgoing, caller)) return load.done();
    if (posts && isPlainPost(incoming, posts))
      return answerPost(both, { answer, caller, longBody }, load);
    for (const [name, value] of Object.entries(NO_SNIFFING)) outgoing.setHeader(name, value);
    const begin = longBody && (() => longBodyOf(load, longBody));
    const { asker, read: onBody, grow: onGrown } = load;
    told.set(incoming, { load, caller, asker, onBody, onGrown, longBody: begin });
    const respond = async () => {
      await listener(incoming, outgoing);
      if (outgoing.writableEnded) load.answer(outgoing, outgoing.writableLength);
    };
    void respond().finally(load.done);
  };
}

/**
 * Serves a fetch function over HTTP.
 * @param posts which POSTs it takes in their plain form
 * @param upgrades takes connections that become something else; closed with the server
 * @throws ListenFault when the address cannot be listened on
 */
export async function serve(
  fetch: Fetch,
  address: ServerOptions,
  posts?: PlainPosts,
  upgrades?: UpgradeHandler,
): Promise<HttpServer> {
  const { lists = NOTHING_LISTED, longBody } = address;
  const judge: Judge = (incoming) => {
    const { headers, socket } = incoming;
    return callerOf(headers, lists, {
      hostOf: () => hostOf(incoming),
      isOfThisHost: () => isOfThisHost(socket.remoteAddress),
    });
  };
  const handle = handlerOf({ answer: fetch as Answer, judge, posts, upgrades, longBody });
  const take = (incoming: IncomingMessage, outgoing: ServerResponse, load: RequestLoad): void => {
    // Names and values in turn. To look at them by name is what costs.
    if (incoming.rawHeaders.length > 2 * MAX_HEADERS)
      return void refuse([incoming, outgoing], load, [431, TOO_MANY_HEADERS, CLOSING]);
    const place = load.work();
    if (place) void beginLater(place, begin, [incoming, outgoing, load]);
    else begin(incoming, outgoing, load);
  };
  const begin: Handler = (incoming, outgoing, load) => {
    // A body behind other requests is read at once, if only to be dropped.
    if (!load.turn || incoming.method === "POST") return handle(incoming, outgoing, load);
    incoming.resume();
    void load.turn.then(() => (load.isOver ? load.done() : handle(incoming, outgoing, load)));
  };
  const http = createServer(HTTP_OPTIONS, (incoming, outgoing) =>
    take(incoming, outgoing, connections.begin(incoming, outgoing)),
  );
  http.on("checkContinue", (incoming, outgoing) => {
    const load = connections.begin(incoming, outgoing);
    const tell = () => load.isOver || outgoing.writeContinue();
    if (load.turn) void load.turn.then(tell);
    else tell();
    take(incoming, outgoing, load);
  });
  http.on("checkExpectation", (incoming, outgoing) => {
    void refuse([incoming, outgoing], connections.begin(incoming, outgoing), [417, ""]);
  });
  // Else those above a thousand are dropped unseen, and not counted.
  http.maxHeadersCount = 0;
  const connections = new HttpLoad(http, address);
  http.on("clientError", (error: ClientError, socket: Duplex) => {
    const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    if (!isLate || !connections.isWaiting(socket as Socket)) answerClientError(error, socket);
  });
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  if (upgrades) takeUpgrades(http, upgrades, { judge, connections });
  const port = await listen(http, address);
  let closing: Promise<void> | undefined;
  return {
    host: address.host,
    port,
    url: `http://${endpointText({ host: address.host, port })}`,
    heldBytes: () => connections.heldBytes,
    close() {
      // Those that were taken away end in their own way first: to HTTP they look idle.
      closing ??= (upgrades?.close() ?? Promise.resolve()).then(() =>
        closeServer(http, connections),
      );
      return closing;
    },
  };
}
