/**
 * The ports for peers, TCP and WebSocket: unauthenticated peers have places of their own there
 * until they have proved their certificates, and a limit of time. libp2p itself counts all
 * addresses together, has no limit for a WebSocket that is not opened, and does not listen to the
 * faults of those that are. Source: node-network 2
 */
/// <reference path="../server/ws.d.ts" />
import type { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener } from "@libp2p/interface";
import { ipPortToMultiaddr } from "@libp2p/utils";
import { type WebSocket, WebSocketServer } from "ws";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { endpointOf, parseEndpoint } from "../../shared/p2p/endpoint.ts";
import { inFrontOf } from "../../shared/p2p/in-front.ts";
import type { InboundLimits, P2pTransports } from "../../shared/p2p/p2p-options.ts";
import { Handshakes, remoteOf } from "../machine/handshakes.ts";
import { leadsHere } from "./own-port.ts";

/** Unauthenticated peers of one address at one port: several nodes may share a host. */
export const UNAUTHENTICATED_PER_ADDRESS = 64;
/** Once for the encrypted channel, once for the certificates. */
const HANDSHAKES_PER_PEER = 2;
/** A message of a WebSocket; peers send what is encrypted at once, 64 KiB. */
const WEB_SOCKET_MESSAGE_BYTES = 1024 * 1024;
const TOO_MANY = "connections to a port for peers are cut: too many without a certificate";
const MALFORMED = "a connection to the WebSocket port for peers is cut: a malformed frame";

interface PeerPortsOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Time for the encrypted channel, and as much again for the certificates. */
  readonly handshakeMs: number;
  /** A connection is cut that sent what is no frame of a WebSocket. */
  onMalformed(): void;
}

/** A listener for WebSockets; its servers are there once it listens, or has a certificate. */
interface WebSocketPort {
  readonly wsServer: EventEmitter;
  readonly http?: EventEmitter;
  readonly https?: EventEmitter;
}

/** The server below a listener of libp2p. */
function serverOf(listener: object): Server | undefined {
  return "server" in listener && listener.server instanceof Server ? listener.server : undefined;
}

function isOfWebSockets(listener: object): listener is WebSocketPort {
  return "wsServer" in listener;
}

/** The other end, as the connection of libp2p will name it. */
function endpointOfSocket(socket: Socket): string {
  const { remoteAddress, remotePort } = socket;
  try {
    return endpointOf(ipPortToMultiaddr(remoteAddress ?? "", remotePort ?? 0));
  } catch {
    // Of a socket that is gone already, libp2p makes no connection.
    return remoteOf(socket);
  }
}

/** One per network; a class because it knows who stands at its ports. */
export class PeerPorts implements InboundLimits {
  readonly #options: PeerPortsOptions;
  readonly #ports = new Map<Server, Handshakes>();
  readonly #complaints: LogThrottle<"malformed">;

  constructor(options: PeerPortsOptions) {
    this.#options = options;
    this.#complaints = new LogThrottle(options.clock);
  }

  /** Transports whose ports have these limits. */
  before({ transports, connectionEncrypters }: P2pTransports): P2pTransports {
    const guarded = transports.map((make): (typeof transports)[number] => (components) => {
      const transport = make(components);
      const createListener: typeof transport.createListener = (options) => {
        const listener = transport.createListener(options);
        const open = isOfWebSockets(listener) ? this.#opener(listener) : () => {};
        // After the listener itself, which then has another server.
        components.events.addEventListener("certificate:renew", open);
        return this.#guarded(listener, open);
      };
      return inFrontOf(transport, { createListener });
    });
    return { transports: guarded, connectionEncrypters };
  }

  admit(endpoint: string): void {
    for (const port of this.#ports.values()) port.end(endpoint);
  }

  async leadsHere(endpoint: string): Promise<boolean> {
    const address = parseEndpoint(endpoint);
    const [host, ...rest] = address?.getComponents() ?? [];
    // What stands behind the port is a WebSocket, whose certificate may be another one's.
    if (host?.value === undefined || rest.length !== 1) return false;
    return leadsHere({ host: host.value, port: Number(rest[0]?.value) }, this.#ports.keys());
  }

  /** @param open to be called when the listener has made its servers */
  #guarded(listener: Listener, open: () => void): Listener {
    const server = serverOf(listener);
    if (!server) return listener;
    const { log, clock, handshakeMs } = this.#options;
    const deadlineMs = HANDSHAKES_PER_PEER * handshakeMs;
    const terms = { warning: TOO_MANY, perAddress: UNAUTHENTICATED_PER_ADDRESS, deadlineMs };
    const port = new Handshakes(log, clock, terms);
    this.#ports.set(server, port);
    server.once("close", () => this.#ports.delete(server));
    server.prependListener("connection", (socket) => port.begin(socket, endpointOfSocket(socket)));
    return inFrontOf(listener, {
      listen(address) {
        const listening = listener.listen(address);
        open();
        return listening;
      },
      close() {
        const closing = listener.close();
        // A WebSocket that was never opened would keep its port open, and the node from ending.
        port.cutAll();
        return closing;
      },
    });
  }

  /** Opens the WebSockets of a listener in its place: it would collect messages up to 100 MiB. */
  #opener(listener: WebSocketPort): () => void {
    const opener = new WebSocketServer({
      noServer: true,
      maxPayload: WEB_SOCKET_MESSAGE_BYTES,
      perMessageDeflate: false,
      clientTracking: false,
    });
    const open = (request: IncomingMessage, socket: Duplex, head: Uint8Array) =>
      opener.handleUpgrade(request, socket, head, (webSocket) => {
        const remote = remoteOf(request.socket);
        // Without a listener the fault of an unauthenticated peer's frame would end the process.
        webSocket.on("error", (cause: Error) => this.#cut(webSocket, remote, cause));
        listener.wsServer.emit("connection", webSocket, request);
      });
    return () => {
      for (const server of [listener.http, listener.https])
        server?.removeAllListeners("upgrade").on("upgrade", open);
    };
  }

  #cut(webSocket: WebSocket, remote: string, cause: Error): void {
    webSocket.terminate();
    const { log, onMalformed } = this.#options;
    onMalformed();
    if (this.#complaints.allows("malformed"))
      log.write("warning", MALFORMED, { remote, cause: cause.message });
  }
}
