/**
 * What the connections of an HTTP server may hold: bodies, requests that run and answers that are
 * not read, bounded for all of them together; and which of them are idle.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientOf } from "../../../core/limits/client-address.ts";
import { chooseEvicted } from "../../../core/limits/eviction.ts";
import type { Asker } from "../../../core/ports/asker.ts";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { Pace } from "../../../core/limits/pace.ts";
import { keepWaiting, ReadingRounds } from "./reading-rounds.ts";
import { SocketMemory } from "../../../core/limits/memory-account.ts";
import {
  type Connection,
  createConnection,
  leave,
  MAX_PIPELINED,
  notePiece,
  placeOf,
  read,
  readOn,
  release,
  rest,
  slice,
} from "./http-connection.ts";
import { SliceTurns } from "./sliced-reading.ts";

/**
 * Connections at one time, those of WebSockets among them. For a further one the one that is idle
 * or unfinished longest gives way, of the address that has most of them; where there is none, of an
 * address that has more than half of all.
 */
export const MAX_CONNECTIONS = 4_000;
/** When none gives way, this many more may ask how the node is, and nothing else. */
const RESERVE = 64;
/**
 * Bytes that all connections may hold, two longest bodies; above it the peer that holds most is
 * cut.
 */
export const MAX_HELD_BYTES = 136 * 1024 * 1024;
/** A client that takes nothing of its answer for this long is cut. */
const STALL_MS = 60_000;
/** What a request costs besides its body, and what each piece does in which a body comes. */
const REQUEST_BYTES = 8_192;
const PIECE_BYTES = 256;

/**
 * While all hold more than this part of the bound, what comes is parsed a slice at a time: requests
 * that are parsed take fifty times what they took on the wire. So it is for who does not stop at
 * {@link MAX_PIPELINED}.
 */
const SLICED_PART = 1 / 4;

type HttpCut = "memory" | "connections";

/** Bounds of a server; the constants above unless a test says otherwise. */
export interface HttpBounds {
  readonly maxHeldBytes?: number;
  /** Shared with others; one of its own when absent. */
  readonly memory?: SocketMemory;
  readonly stallMs?: number;
  readonly maxConnections?: number;
  /** Asked between the pieces of a long answer. */
  readonly pace?: Pace;
  readonly onCut?: (reason: HttpCut) => void;
}

const COMPLAINTS: Readonly<Record<HttpCut, string>> = {
  memory: "an HTTP connection is cut off: clients hold too much memory, and it holds most",
  connections: "an HTTP connection is closed for another: all places are taken",
};

/** Reports connections that are cut, now and then. */
export function complainOfCuts(log: Log, clock: Clock): HttpBounds {
  const gate = new LogThrottle<HttpCut>(clock);
  return {
    onCut: (reason) => {
      if (gate.allows(reason)) log.write("warning", COMPLAINTS[reason]);
    },
  };
}

/** What one request holds. */
export interface RequestLoad {
  /** The client is gone, or was cut. */
  readonly isOver: boolean;
  readonly asker: Asker;
  /**
   * Resolves when the answers in front of its own have left; undefined when there are none. Before
   * it nothing is written: behind what is not sent yet Node would read no more, and not see that
   * the client has gone.
   */
  readonly turn: Promise<void> | undefined;
  /**
   * Resolves when it may be answered, at once or when the client has gone; undefined for at once.
   * Its place is free when it is done.
   */
  work(): Promise<void> | undefined;
  /** Calls back when the response has ended, or its client has gone. */
  whenOver(callback: () => void): void;
  /** Nothing runs for it any more. */
  done(): void;
  /** There is no place for it: it may ask how the node is. */
  readonly isOfReserve: boolean;
  /** A piece of the body has come. */
  read(bytes: number): void;
  /** @returns false when no caller waits for the answer any more */
  grow(bytes: number): boolean;
  /** It holds its answer from now on, until that was sent. */
  answer(outgoing: ServerResponse, bytes: number): void;
  /** Its answer is sent in pieces, counted one by one, or of which this many bytes are held. */
  answerInPieces(outgoing: ServerResponse, pieceBytes?: number): void;
  /** Between two pieces of it: others have a turn. */
  pause(): Promise<void> | undefined;
}

function leftBy(response: ServerResponse | undefined): Promise<void> | undefined {
  return response && new Promise((resolve) => void response.once("close", () => resolve()));
}

/** Only for those that came behind others: a listener that knows its response keeps garbage. */
function putBehind(behind: Set<ServerResponse>, outgoing: ServerResponse): void {
  behind.add(outgoing);
  outgoing.once("close", () => behind.delete(outgoing));
}

function both(first: (() => void) | undefined, second: () => void): () => void {
  if (!first) return second;
  return () => {
    first();
    second();
  };
}

/** The connections of a server. A class because it owns what they hold. */
export class HttpLoad {
  readonly #connections = new Map<Socket, Connection>();
  readonly #memory: SocketMemory;
  readonly #bounds: HttpBounds;
  readonly #places: number;
  readonly #rounds: ReadingRounds<Connection>;
  readonly #turns = new SliceTurns<Connection>(read);
  /** Requests and connections so far. */
  #begun = 0;
  #isClosing = false;
  #isFull = false;

  /** Of all connections. */
  get heldBytes(): number {
    return this.#memory.heldBytes;
  }

  constructor(server: Server, bounds: HttpBounds) {
    this.#bounds = bounds;
    this.#memory = bounds.memory ?? new SocketMemory(bounds.maxHeldBytes ?? MAX_HELD_BYTES);
    this.#places = bounds.maxConnections ?? MAX_CONNECTIONS;
    this.#rounds = new ReadingRounds(() => this.#connections.values(), read);
    server.maxConnections = this.#places + RESERVE;
    server.on("drop", () => bounds.onCut?.("connections"));
    server.on("connection", (socket: Socket) => {
      const connection = this.#add(socket);
      if (this.#isFull) slice(connection);
    });
  }

  /** A request has begun; it is over when its response is. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): RequestLoad {
    const [connection, turn] = this.#use(incoming, outgoing);
    const place = placeOf(connection);
    let held = 0;
    let [isAnswered, isOver, isDone, isReleased] = [false, false, false, false];
    let onOver: (() => void) | undefined;
    const grow = (bytes: number): boolean => {
      if (isOver) return false;
      held += bytes;
      this.#memory.change(connection, bytes);
      return !isOver && !connection.socket.destroyed;
    };
    // What runs for a client that has gone is still held: it counts until both have ended.
    const release = (): void => {
      if (!isOver || !isDone || isReleased) return;
      isReleased = true;
      this.#memory.change(connection, -held);
      connection.pending -= 1;
      this.#forget(connection);
    };
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      onOver?.();
      onOver = undefined;
      if (isAnswered) connection.answered -= 1;
      this.#endRequest(connection, isAnswered);
      release();
    };
    outgoing.once("close", end);
    grow(REQUEST_BYTES);
    const watchStall = (response: ServerResponse): void => {
      if (isAnswered) return;
      isAnswered = true;
      connection.answered += 1;
      // Begins once answers in front of it have left, and anew with all that leaves.
      response.setTimeout(this.#bounds.stallMs ?? STALL_MS);
    };
    return {
      asker: connection.asker,
      turn,
      isOfReserve: connection.isOfReserve,
      work: place.take,
      whenOver: (callback) => {
        onOver = both(onOver, callback);
        if (isOver) callback();
      },
      done: both(place.free, () => {
        isDone = true;
        release();
      }),
      pause: () => this.#bounds.pace?.(connection.asker),
      answerInPieces: (response, pieceBytes = 0) => {
        grow(REQUEST_BYTES + pieceBytes - held);
        watchStall(response);
      },
      get isOver() {
        return isOver || connection.socket.destroyed;
      },
      read: (bytes) => {
        notePiece(connection, bytes);
        grow(bytes + PIECE_BYTES);
      },
      grow,
      answer: (response, bytes) => {
        if (!grow(bytes - held) || response.writableLength === 0) return;
        watchStall(response);
      },
    };
  }

  /** All connections are read in slices once much is held, and those that come until then. */
  #look(): void {
    const isFull = this.#memory.heldBytes > this.#memory.bound * SLICED_PART;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (!isFull) return;
    for (const connection of this.#connections.values()) if (!connection.isAway) slice(connection);
  }

  /** The connection of a request, with it; and its turn. */
  #use(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#look();
    const connection = this.#add(incoming.socket);
    // It may have wished for a protocol that nobody speaks.
    connection.isAway = false;
    connection.last = incoming;
    connection.shortPieces = 0;
    connection.usedAt = ++this.#begun;
    connection.running += 1;
    connection.pending += 1;
    if (connection.running > 1) putBehind(connection.behind, outgoing);
    if (connection.running % MAX_PIPELINED === 0) rest(connection);
    this.#rounds.note();
    const turn = leftBy(connection.newest);
    connection.newest = outgoing;
    return [connection, turn] as const;
  }

  /** The engine parses no more of it. */
  release(socket: Socket): void {
    release(this.#add(socket));
  }

  /** Whether something is unanswered that its client asked before. */
  isAnswering(socket: Socket): boolean {
    return (this.#connections.get(socket)?.running ?? 0) > 0;
  }

  /** What is not whole of it waits here, not for its client. */
  isWaiting(socket: Socket): boolean {
    return this.#connections.get(socket)?.isToWait() === true;
  }

  /** It is no longer of HTTP. @returns false when there is no place for it */
  leave(socket: Socket): boolean {
    const connection = this.#add(socket);
    connection.isAway = true;
    return !connection.isOfReserve;
  }

  /** Connections that never asked anything count as idle: Node itself would wait for them. */
  closeWhenIdle(): void {
    this.#isClosing = true;
    for (const { socket, running } of this.#connections.values())
      if (running === 0) socket.destroy();
  }

  #add(socket: Socket): Connection {
    // Known when it is put back after a request for another protocol.
    const known = this.#connections.get(socket);
    if (known) return known;
    const address = clientOf(socket.remoteAddress ?? "");
    const connection = createConnection(socket, address, {
      isOfReserve: !this.#makeRoom(address),
      usedAt: ++this.#begun,
      hold: (bytes) => this.#memory.change(connection, bytes),
      wait: () => this.#turns.wait(connection),
      noteShort: () => this.#rounds.note(),
      cut: () => {
        this.#bounds.onCut?.("memory");
        socket.destroy();
      },
    });
    this.#connections.set(socket, connection);
    this.#memory.add(connection);
    keepWaiting(socket, connection.isToWait);
    socket.once("close", () => {
      this.#connections.delete(socket);
      leave(connection);
      this.#forget(connection);
    });
    return connection;
  }

  /** @returns false when nobody gave way */
  #makeRoom(newcomer: string): boolean {
    if (this.#connections.size < this.#places) return true;
    const given = chooseEvicted(this.#connections.values(), newcomer);
    if (!given) return false;
    this.#bounds.onCut?.("connections");
    // Its place is free now; that it is closed is learned of later.
    this.#connections.delete(given.socket);
    given.socket.destroy();
    return true;
  }

  /** Once it has gone and nothing runs for it. */
  #forget(connection: Connection): void {
    if (connection.isGone && connection.pending === 0) this.#memory.remove(connection);
  }

  #endRequest(connection: Connection, hadTimer: boolean): void {
    connection.running -= 1;
    const { socket, running, answered } = connection;
    // Not by a listener that knows its request: it would keep it through collections, and that the
    // next in turn.
    if (running === 0) {
      connection.last = undefined;
      connection.newest = undefined;
    }
    if (running === MAX_PIPELINED / 2) readOn(connection);
    if (this.#isClosing && running === 0) socket.end();
    // The next one may run for as long as it takes.
    if (hadTimer && running > 0 && answered === 0) socket.setTimeout(0);
  }
}
