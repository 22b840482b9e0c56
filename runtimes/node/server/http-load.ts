/**
 * What the connections of an HTTP server may hold: bodies, requests that run and answers that are
 * not read, bounded for all of them together; and which of them are idle.
 */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ComplaintGate } from "../../../core/limits/complaint-gate.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { type Holder, SocketMemory } from "../../../core/limits/memory-account.ts";

/** Connections at one time, those of WebSockets among them; further ones are closed. */
export const MAX_CONNECTIONS = 4_000;
/** Bytes that all connections may hold; above it whoever holds most is cut. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
/** A client that takes nothing of its answer for this long is cut. */
const STALL_MS = 60_000;
/** What a request costs besides its body, and what each piece does in which a body comes. */
const REQUEST_BYTES = 4_096;
const PIECE_BYTES = 256;

/** Why a connection is closed. */
export type HttpCut = "memory" | "connections";

/** Bounds of a server; the constants above unless a test says otherwise. */
export interface HttpBounds {
  readonly maxHeldBytes?: number;
  readonly stallMs?: number;
  readonly onCut?: (reason: HttpCut) => void;
}

const COMPLAINTS: Readonly<Record<HttpCut, string>> = {
  memory: "an HTTP connection is cut off: clients hold too much memory, and it holds most",
  connections: `an HTTP connection is closed: there are ${MAX_CONNECTIONS} already`,
};

/** Tells of connections that are cut, now and then. */
export function complainOfCuts(log: Log, clock: Clock): HttpBounds {
  const gate = new ComplaintGate<HttpCut>(clock);
  return {
    onCut: (reason) => {
      if (gate.opens(reason)) log.write("warning", COMPLAINTS[reason]);
    },
  };
}

interface Connection extends Holder {
  readonly socket: Socket;
  /** Requests that are not done, and those of them that are answered. */
  running: number;
  answered: number;
}

/** What one request holds. */
export interface RequestLoad {
  /** The client is gone, or was cut. */
  readonly isOver: boolean;
  /** A piece of the body has come. */
  read(bytes: number): void;
  /** @returns false when nobody waits for the answer any more */
  grow(bytes: number): boolean;
  /** It holds its answer from now on, until that was sent. */
  answer(outgoing: ServerResponse, bytes: number): void;
}

/** The connections of a server. A class because it owns what they hold. */
export class HttpLoad {
  readonly #connections = new Map<Socket, Connection>();
  readonly #memory: SocketMemory;
  readonly #bounds: HttpBounds;
  #isClosing = false;

  constructor(server: Server, bounds: HttpBounds) {
    this.#bounds = bounds;
    this.#memory = new SocketMemory(bounds.maxHeldBytes ?? MAX_HELD_BYTES);
    server.maxConnections = MAX_CONNECTIONS;
    server.on("drop", () => bounds.onCut?.("connections"));
    server.on("connection", (socket: Socket) => this.#add(socket));
  }

  /** A request has begun; it is over when its response is. */
  begin(socket: Socket, outgoing: ServerResponse): RequestLoad {
    const connection = this.#add(socket);
    const memory = this.#memory;
    const stallMs = this.#bounds.stallMs ?? STALL_MS;
    let held = 0;
    let isAnswered = false;
    let isOver = false;
    const grow = (bytes: number): boolean => {
      if (isOver) return false;
      held += bytes;
      memory.change(connection, bytes);
      return !isOver && !socket.destroyed;
    };
    connection.running += 1;
    outgoing.once("close", () => {
      isOver = true;
      memory.change(connection, -held);
      if (isAnswered) connection.answered -= 1;
      this.#endRequest(connection, isAnswered);
    });
    grow(REQUEST_BYTES);
    return {
      get isOver() {
        return isOver || socket.destroyed;
      },
      read: (bytes) => void grow(bytes + PIECE_BYTES),
      grow,
      answer: (response, bytes) => {
        if (!grow(bytes - held) || response.writableLength === 0) return;
        isAnswered = true;
        connection.answered += 1;
        // Begins once answers in front of it have left, and anew with all that leaves.
        response.setTimeout(stallMs);
      },
    };
  }

  /** Connections that never asked anything count as idle: Node itself would wait for them. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    for (const { socket, running } of this.#connections.values())
      if (running === 0) socket.destroy();
  }

  #add(socket: Socket): Connection {
    // Known when it is put back after a wish for another protocol.
    const known = this.#connections.get(socket);
    if (known) return known;
    const cut = () => {
      this.#bounds.onCut?.("memory");
      socket.destroy();
    };
    const connection: Connection = { socket, running: 0, answered: 0, heldBytes: 0, cut };
    this.#connections.set(socket, connection);
    this.#memory.add(connection);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#memory.remove(connection);
    });
    return connection;
  }

  #endRequest(connection: Connection, hadTimer: boolean): void {
    connection.running -= 1;
    const { socket, running, answered } = connection;
    if (this.#isClosing && running === 0) socket.end();
    // The next one may run for as long as it takes.
    if (hadTimer && running > 0 && answered === 0) socket.setTimeout(0);
  }
}
