/**
 * The WebSocket endpoint on the RPC port: the requests of HTTP, and subscriptions.
 *
 * Source: issue 5 (subscriptions); spec README decisions 23, 24
 */
/// <reference path="./ws.d.ts" />
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import type { RunningNode } from "../../core/node/create-node.ts";
import type { NodeApi } from "../../core/node/node-api.ts";
import { type SubscriberLine, SubscriptionDesk } from "../../core/node/subscription-desk.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { type Admit, dispatch, type ObserveCall } from "../../core/rpc/dispatch.ts";
import type { Pace } from "../../core/rpc/pace.ts";
import { isOriginAllowed } from "../shared/http-origin.ts";
import type { UpgradeHandler } from "./http-server.ts";

/** What the endpoint works with; as the one for HTTP. */
export interface WebSocketOptions {
  readonly node: NodeApi;
  /** Longer messages end the connection with 1009. */
  readonly maxBodyBytes: number;
  /** `rpc.allowed_origins`. Source: spec README decision 24 */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly log: Log;
  readonly observe?: ObserveCall | undefined;
  readonly admit?: Admit | undefined;
  readonly pace?: Pace | undefined;
}

/** Paths at which there is an endpoint. */
const PATHS: readonly string[] = ["/", "/ws"];
/** Connections at one time. */
export const MAX_SOCKETS = 1_000;
/** A client that has so much unread is cut off at the next text. */
export const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Requests of one connection that run at a time; further ones are read when these are done. */
const MAX_RUNNING = 64;
/** A connection that answers no ping within this time is gone. */
const PING_MS = 30_000;
/** A close that the client does not answer ends after this time. */
const CLOSE_GRACE_MS = 2_000;

/** Reasons for which a connection is ended. Source: RFC 6455, 7.4.1 */
const CLOSE = { goingAway: 1001, unsupported: 1003, policy: 1008, tryAgain: 1013 } as const;

/** The endpoint. A class because it owns connections and a timer. */
class WebSocketEnd implements UpgradeHandler {
  readonly #options: WebSocketOptions;
  readonly #desk: SubscriptionDesk;
  readonly #server: WebSocketServer;
  readonly #sockets = new Map<WebSocket, { isAlive: boolean }>();
  readonly #pings: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: WebSocketOptions, desk: SubscriptionDesk) {
    this.#options = options;
    this.#desk = desk;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxBodyBytes,
      perMessageDeflate: false,
      clientTracking: false,
    });
    this.#pings = setInterval(() => this.#pingAll(), PING_MS);
    this.#pings.unref();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): boolean {
    const { upgrade, origin, host } = request.headers;
    if (upgrade?.toLowerCase() !== "websocket") return false;
    // A client that hangs up meanwhile is nobody's trouble.
    socket.on("error", () => socket.destroy());
    const [path = ""] = (request.url ?? "").split("?", 1);
    const isKnown = PATHS.includes(path);
    const isWelcome = isOriginAllowed({ origin, host }, this.#options.allowedOrigins ?? []);
    if (!isWelcome) refuse(socket, 403, "pages of this origin are not in rpc.allowed_origins");
    else if (!isKnown) refuse(socket, 404, `subscriptions are at ${PATHS.join(" and ")}`);
    else if (this.#isClosed || this.#sockets.size >= MAX_SOCKETS) {
      refuse(socket, 503, "there are too many connections");
    } else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket));
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pings);
    for (const webSocket of this.#sockets.keys()) {
      webSocket.close(CLOSE.goingAway, "the node stops");
    }
    const deadline = setTimeout(() => {
      for (const webSocket of this.#sockets.keys()) webSocket.terminate();
    }, CLOSE_GRACE_MS);
    const open = [...this.#sockets.keys()];
    await Promise.all(open.map((it) => new Promise((resolve) => it.once("close", resolve))));
    clearTimeout(deadline);
  }

  #serve(webSocket: WebSocket): void {
    const state = { isAlive: true };
    this.#sockets.set(webSocket, state);
    const line = this.#desk.open({
      send: (text) => send(webSocket, text),
      unsentBytes: () => webSocket.bufferedAmount,
      isOpen: () => webSocket.readyState === WebSocket.OPEN,
      refuse: (reason) => webSocket.close(CLOSE.policy, reason),
    });
    let running = 0;
    webSocket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) return webSocket.close(CLOSE.unsupported, "requests are texts");
      running += 1;
      if (running >= MAX_RUNNING) webSocket.pause();
      const end = () => {
        running -= 1;
        if (webSocket.readyState === WebSocket.OPEN) webSocket.resume();
      };
      void this.#answer(webSocket, line, data.toString("utf8")).finally(end);
    });
    webSocket.on("pong", () => {
      state.isAlive = true;
    });
    // What is wrong with a connection ends it; without a listener it would end the process.
    webSocket.on("error", (cause: Error) => {
      this.#options.log.write("debug", "a WebSocket failed", { cause: cause.message });
    });
    webSocket.once("close", () => {
      this.#sockets.delete(webSocket);
      line.close();
    });
  }

  async #answer(webSocket: WebSocket, line: SubscriberLine, text: string): Promise<void> {
    const { node, log, observe, admit, pace } = this.#options;
    const request = line.request();
    const { method: ownMethod } = request;
    const options = { originAllowed: true, log, observe, admit, pace, ownMethod };
    const answer = await dispatch(node, text, options);
    send(webSocket, answer.trimEnd());
    request.answered();
  }

  #pingAll(): void {
    for (const [webSocket, state] of this.#sockets) {
      if (!state.isAlive) webSocket.terminate();
      state.isAlive = false;
      if (webSocket.readyState === WebSocket.OPEN) webSocket.ping();
    }
  }
}

/** One long answer is no offence; what comes while it is unread is. */
function send(webSocket: WebSocket, text: string): void {
  if (webSocket.readyState !== WebSocket.OPEN) return;
  if (webSocket.bufferedAmount > MAX_UNSENT_BYTES) {
    webSocket.close(CLOSE.tryAgain, "more than 8 MiB are unread");
    return;
  }
  webSocket.send(text);
}

function refuse(socket: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

/** The endpoint of a node, for its HTTP server. */
export function createWebSocketEnd(
  node: Pick<RunningNode, "onBlock">,
  options: WebSocketOptions,
  clock: Clock,
): UpgradeHandler {
  const desk = new SubscriptionDesk(options.node, { clock, log: options.log });
  node.onBlock((block) => desk.onBlock(block));
  return new WebSocketEnd(options, desk);
}
