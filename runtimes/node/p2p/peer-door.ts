/**
 * The ports for peers, TCP and WebSocket: strangers have places of their own there until they have
 * proved their certificates, and a limit of time. libp2p itself counts all addresses together, has
 * no limit for a WebSocket that is not opened, and does not listen to the faults of those that are.
 * Source: node-network 2
 */
/// <reference path="../server/ws.d.ts" />
import type { IncomingMessage } from "node:http";
import { Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener } from "@libp2p/interface";
import { ipPortToMultiaddr } from "@libp2p/utils";
import type { WebSocket } from "ws";
import { ComplaintGate } from "../../../core/limits/complaint-gate.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { endpointOf, parseEndpoint } from "../../shared/p2p/endpoint.ts";
import type { Door, P2pTransports } from "../../shared/p2p/p2p-options.ts";
import { Handshakes, remoteOf } from "../machine/handshakes.ts";
import { leadsHere } from "./own-port.ts";

/** Strangers of one address at one port: several nodes may share a host. */
export const STRANGERS_PER_ADDRESS = 64;
/** Once for the encrypted channel, once for the certificates. */
const HANDSHAKES_PER_STRANGER = 2;
/** A message of a WebSocket; peers send what is encrypted at once, 64 KiB. */
const WEB_SOCKET_MESSAGE_BYTES = 1024 * 1024;
const TOO_MANY = "connections to a port for peers are cut: too many strangers";
const MALFORMED = "a connection to the WebSocket port for peers is cut: a malformed frame";

/** What the door is made with. */
export interface PeerDoorOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Time for the encrypted channel, and as much again for the certificates. */
  readonly handshakeMs: number;
  /** A connection is cut that sent what is no frame of a WebSocket. */
  onMalformed(): void;
}

/** The part of a listener that opens WebSockets. */
interface Opener {
  readonly options: object;
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Uint8Array,
    opened: (webSocket: WebSocket, request: IncomingMessage) => void,
  ): void;
}

/** The server below a listener of libp2p. */
function serverOf(listener: object): Server | undefined {
  return "server" in listener && listener.server instanceof Server ? listener.server : undefined;
}

function isOfWebSockets(listener: object): listener is { wsServer: Opener } {
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
export class PeerDoor implements Door {
  readonly #options: PeerDoorOptions;
  readonly #ports = new Map<Server, Handshakes>();
  readonly #complaints: ComplaintGate<"malformed">;

  constructor(options: PeerDoorOptions) {
    this.#options = options;
    this.#complaints = new ComplaintGate(options.clock);
  }

  /** Transports whose ports have this door. */
  before({ transports, connectionEncrypters }: P2pTransports): P2pTransports {
    const guarded = transports.map((make): (typeof transports)[number] => (components) => {
      const transport = make(components);
      const createListener = transport.createListener.bind(transport);
      transport.createListener = (options) => {
        const listener = createListener(options);
        this.#guard(listener);
        return listener;
      };
      return transport;
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

  #guard(listener: Listener): void {
    const server = serverOf(listener);
    if (!server) return;
    const { log, clock, handshakeMs } = this.#options;
    const deadlineMs = HANDSHAKES_PER_STRANGER * handshakeMs;
    const terms = { warning: TOO_MANY, perAddress: STRANGERS_PER_ADDRESS, deadlineMs };
    const port = new Handshakes(log, clock, terms);
    this.#ports.set(server, port);
    server.once("close", () => this.#ports.delete(server));
    const close = listener.close.bind(listener);
    listener.close = () => {
      const closing = close();
      // A WebSocket that was never opened would keep its port open, and the node from ending.
      port.cutAll();
      return closing;
    };
    server.prependListener("connection", (socket) => port.begin(socket, endpointOfSocket(socket)));
    if (isOfWebSockets(listener)) this.#guardWebSockets(listener.wsServer);
  }

  #guardWebSockets(opener: Opener): void {
    // They would be collected up to 100 MiB.
    Object.assign(opener.options, { maxPayload: WEB_SOCKET_MESSAGE_BYTES });
    const handleUpgrade = opener.handleUpgrade.bind(opener);
    opener.handleUpgrade = (request, socket, head, opened) =>
      handleUpgrade(request, socket, head, (webSocket) => {
        const remote = remoteOf(request.socket);
        // Without a listener the fault of a stranger's frame would end the process.
        webSocket.on("error", (cause: Error) => this.#cut(webSocket, remote, cause));
        opened(webSocket, request);
      });
  }

  #cut(webSocket: WebSocket, remote: string, cause: Error): void {
    webSocket.terminate();
    const { log, onMalformed } = this.#options;
    onMalformed();
    if (this.#complaints.opens("malformed"))
      log.write("warning", MALFORMED, { remote, cause: cause.message });
  }
}
