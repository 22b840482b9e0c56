/**
 * The WebSocket endpoint on the RPC port: the requests of HTTP, and subscriptions.
 * Source: decision 23, 24
 */
/// <reference path="./ws.d.ts" />
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import type { RunningNode } from "../../../core/node/create-node.ts";
import { clientOf } from "../../../core/limits/client-address.ts";
import { type Evictable, chooseEvicted } from "../../../core/limits/eviction.ts";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import {
  type SubscriberLine,
  SubscriptionService,
} from "../../../core/node/feed/subscription-service.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { dispatchAnswer, type DispatchOptions } from "../../../core/rpc/dispatch.ts";
import type { HttpAppOptions } from "../../shared/http-app.ts";
import { type Caller, ORIGIN_REFUSAL } from "../../shared/http-caller.ts";
import { refuseUpgrade, type Upgrade, type UpgradeHandler } from "./http-server.ts";
import { SocketMemory } from "../../../core/limits/memory-account.ts";
import { LONG_BODY_BYTES, type LongBody } from "../threads/body-host.ts";
import type { Requests } from "../../../core/rpc/requests.ts";
import { keepWaiting, type Reader, ReadingRounds } from "./reading-rounds.ts";
import { CLOSE, readOn, WebSocketClient } from "./websocket-client.ts";

/** What the endpoint works with; as the one for HTTP. */
export interface WebSocketOptions
  extends Pick<HttpAppOptions, "node" | "observe" | "admit" | "pace"> {
  /** Longer messages end the connection with 1009. */
  readonly maxBodyBytes: number;
  readonly log: Log;
  /** Above it the peer that holds most is cut. */
  readonly maxHeldBytes?: number;
  readonly maxSockets?: number;
  /** Begins a message that is read elsewhere; the library reads all when absent. */
  readonly longBody?: (() => LongBody) | undefined;
  /** Shared with others; one of its own when absent. */
  readonly memory?: SocketMemory;
}

/** Figures of the endpoint. */
export interface WebSocketCounters {
  readonly connections: number;
  readonly subscriptions: number;
  /** Since the start. */
  readonly opened: number;
  /** Refused at the handshake. */
  readonly refused: number;
}

/** The endpoint as its node sees it. */
export interface WebSockets extends UpgradeHandler {
  counters(): WebSocketCounters;
}

/** Paths at which there is an endpoint. */
const PATHS: readonly string[] = ["/", "/ws"];
/** Connections at one time; for a further one the one that is idle longest gives way. */
export const MAX_SOCKETS = 1_000;
/** Bytes that all connections may hold: requests that run, unfinished messages, unread answers. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
/** A connection that answers no ping within this time is gone. */
const PING_MS = 30_000;

const COMPLAINTS = {
  memory: "a WebSocket is cut off: clients hold too much memory, and it holds most",
  places: "a WebSocket is closed for another: all places are taken",
} as const;

/** A connection that has a place. */
interface Member extends Evictable, Reader {
  readonly webSocket: WebSocket;
  isAlive: boolean;
  usedAt: number;
  readonly client: WebSocketClient;
}

/** The endpoint. A class because it owns connections and a timer. */
class WebSocketEnd implements WebSockets {
  readonly #options: WebSocketOptions;
  readonly #service: SubscriptionService;
  readonly #server: WebSocketServer;
  readonly #sockets = new Map<WebSocket, Member>();
  readonly #memory: SocketMemory;
  readonly #complaints: LogThrottle<keyof typeof COMPLAINTS>;
  readonly #rounds = new ReadingRounds<Member>(
    () => this.#sockets.values(),
    ({ webSocket }) => readOn(webSocket),
    // A packet of one may be thousands of messages.
    1,
  );
  readonly #pings: NodeJS.Timeout;
  /** Connections and messages so far. */
  #asked = 0;
  #opened = 0;
  #refused = 0;
  #isClosed = false;

  constructor(options: WebSocketOptions, service: SubscriptionService, clock: Clock) {
    this.#options = options;
    this.#memory = options.memory ?? new SocketMemory(options.maxHeldBytes ?? MAX_HELD_BYTES);
    this.#complaints = new LogThrottle(clock);
    this.#service = service;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.maxBodyBytes,
      perMessageDeflate: false,
      clientTracking: false,
      // The client decides, which knows what is unread.
      autoPong: false,
    });
    // Else it would answer by itself what is no handshake.
    this.#server.on("wsClientError", ({ message }: Error, socket: Duplex) =>
      refuse(socket, 400, `${message}\n`),
    );
    this.#pings = setInterval(() => this.#pingAll(), PING_MS);
    this.#pings.unref();
  }

  upgrade({ request, socket, head, caller }: Upgrade): boolean {
    if (request.headers.upgrade?.toLowerCase() !== "websocket") return false;
    // A client that hangs up meanwhile is nobody's trouble.
    socket.on("error", () => socket.destroy());
    const address = clientOf(request.socket.remoteAddress ?? "");
    const [path = ""] = (request.url ?? "").split("?", 1);
    const isKnown = PATHS.includes(path);
    const isWelcome = caller.leave === "all";
    const isFull = isWelcome && isKnown && (this.#isClosed || !this.#makeRoom(address));
    if (!isWelcome || !isKnown || isFull) this.#refused++;
    if (!isWelcome) refuse(socket, 403, ORIGIN_REFUSAL);
    else if (!isKnown) refuse(socket, 404, `subscriptions are at ${PATHS.join(" and ")}\n`);
    else if (isFull) refuse(socket, 503, "there are too many connections\n");
    else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) =>
        this.#serve(webSocket, { stream: socket, address }, caller),
      );
    }
    return true;
  }

  counters(): WebSocketCounters {
    const { size: connections } = this.#sockets;
    const { count: subscriptions } = this.#service;
    return { connections, subscriptions, opened: this.#opened, refused: this.#refused };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#pings);
    for (const { client } of this.#sockets.values()) client.end(CLOSE.goingAway, "the node stops");
    const open = [...this.#sockets.keys()];
    await Promise.all(open.map((it) => new Promise((resolve) => it.once("close", resolve))));
  }

  /** @returns false when nobody gave way */
  #makeRoom(newcomer: string): boolean {
    if (this.#sockets.size < (this.#options.maxSockets ?? MAX_SOCKETS)) return true;
    const given = chooseEvicted(this.#sockets.values(), newcomer);
    if (!given) return false;
    this.#complain("places");
    this.#sockets.delete(given.webSocket);
    given.client.end(CLOSE.tryAgain, "another needs the place");
    return true;
  }

  #serve(
    webSocket: WebSocket,
    { stream, address }: { readonly stream: Duplex; readonly address: string },
    { mayManage }: Caller,
  ): void {
    const onCut = () => this.#complain("memory");
    const { longBody: begin, maxBodyBytes: maxBytes } = this.#options;
    const long = begin && { begin, longFrom: LONG_BODY_BYTES, maxBytes };
    const terms = { address, memory: this.#memory, onCut, pace: this.#options.pace, long };
    const client = new WebSocketClient(webSocket, stream, terms);
    const state: Member = {
      webSocket,
      socket: stream as Socket,
      address,
      isAway: false,
      isHeld: false,
      isAlive: true,
      usedAt: ++this.#asked,
      client,
      get isIdle() {
        return client.isIdle;
      },
    };
    this.#sockets.set(webSocket, state);
    stream.prependListener("data", () => this.#rounds.note());
    keepWaiting(state.socket, () => state.isHeld);
    this.#opened++;
    const line = this.#service.open({
      address,
      send: (text) => client.send(text),
      unsentBytes: () => client.unsentBytes,
      isOpen: () => webSocket.readyState === WebSocket.OPEN,
      refuse: (reason) => client.end(CLOSE.policy, reason),
    });
    client.serve((text, onGrown) => {
      state.usedAt = ++this.#asked;
      return this.#answer([client, line], text, { mayManage, onGrown });
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

  async #answer(
    [client, line]: readonly [WebSocketClient, SubscriberLine],
    text: string | Requests,
    asked: Required<Pick<DispatchOptions, "mayManage" | "onGrown">>,
  ): Promise<void> {
    const { node, log, observe, admit, pace } = this.#options;
    const request = line.request();
    const { method: ownMethod } = request;
    const { asker } = client;
    const options = { originAllowed: true, ...asked, log, observe, admit, pace, asker, ownMethod };
    const answer = await dispatchAnswer(node, text, options);
    client.send(typeof answer === "string" ? answer.trimEnd() : answer);
    request.answered();
  }

  #complain(reason: keyof typeof COMPLAINTS): void {
    if (!this.#complaints.allows(reason)) return;
    this.#options.log.write("warning", COMPLAINTS[reason], { sockets: this.#sockets.size });
  }

  #pingAll(): void {
    for (const [webSocket, state] of this.#sockets) {
      // What is not read may hold the pong.
      if (!state.isAlive && !webSocket.isPaused) webSocket.terminate();
      state.isAlive = false;
      if (webSocket.readyState === WebSocket.OPEN) webSocket.ping();
    }
  }
}

function refuse(socket: Duplex, status: number, reason: string): void {
  refuseUpgrade(socket, `${status} ${STATUS_CODES[status] ?? ""}`, reason);
}

/** The endpoint of a node, for its HTTP server. */
export function createWebSocketEnd(
  node: Pick<RunningNode, "onBlock">,
  options: WebSocketOptions,
  clock: Clock,
): WebSockets {
  const service = new SubscriptionService(options.node, { clock, log: options.log });
  node.onBlock((block) => void service.onBlock(block));
  return new WebSocketEnd(options, service, clock);
}
