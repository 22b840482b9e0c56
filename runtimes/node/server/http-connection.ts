/** A connection of an HTTP server: what of it is answered, what waits, and how it is read. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import type { Evictable } from "../../../core/limits/eviction.ts";
import type { Holder } from "../../../core/limits/memory-account.ts";
import type { Reader } from "./reading-rounds.ts";
import { type SlicedConnection, SlicedReading } from "./sliced-reading.ts";

/**
 * Requests of one connection that are answered at a time. Those behind them wait as they came: what
 * is parsed of a body takes many times its length.
 */
const MAX_WORKING = 16;
/** With so many requests of a connection nothing further is read until half are answered, */
export const MAX_PIPELINED = 64;
/** but for a packet so often, which is kept as it is: else nobody sees that the client has gone. */
const LOOK_MS = 1_000;
/** Who sends a body of more pieces than so many that are so short is read in slices. */
const MAX_SHORT_PIECES = 64;
const SHORT_BYTES = 1_024;

/** A connection, as long as something of it runs. */
export interface Connection extends Holder, Evictable, Reader, SlicedConnection {
  readonly address: string;
  readonly asker: AskingConnection;
  readonly socket: Socket;
  /** It came when all places were taken. */
  readonly isOfReserve: boolean;
  /** It became a WebSocket, whose end sees to it. */
  isAway: boolean;
  isGone: boolean;
  /** Responses to requests that came behind others: Node does not close them with it. */
  readonly behind: Set<ServerResponse>;
  /** Requests for which something may still run, though their client may have gone. */
  pending: number;
  /** The request that came last, and its response. */
  last: IncomingMessage | undefined;
  newest: ServerResponse | undefined;
  usedAt: number;
  /** Requests that are not done, and those of them that are answered. */
  running: number;
  answered: number;
  /** Requests that are answered now, and those that wait for that. */
  working: number;
  readonly line: Set<() => void>;
  /** Pieces of the newest body that are very short; each further one is told. */
  shortPieces: number;
  noteShort(): void;
  slices: SlicedReading | undefined;
  /** So many of its requests wait that nothing further is read. */
  isResting: boolean;
  /** Runs while it rests. */
  look: NodeJS.Timeout | undefined;
}

/** Its place among others, and what counts for it. */
type Given = Pick<Connection, "isOfReserve" | "usedAt" | "hold" | "cut" | "wait" | "noteShort">;

/** A connection that has asked nothing yet. */
export function createConnection(socket: Socket, address: string, given: Given): Connection {
  const connection: Connection = {
    socket,
    address,
    asker: new AskingConnection(address),
    ...given,
    behind: new Set(),
    isGone: false,
    isAway: false,
    pending: 0,
    running: 0,
    shortPieces: 0,
    answered: 0,
    working: 0,
    line: new Set(),
    last: undefined,
    newest: undefined,
    slices: undefined,
    isHeld: false,
    isResting: false,
    look: undefined,
    heldBytes: 0,
    isToWait: () => {
      const { isAway, isHeld, isResting, slices } = connection;
      if (isAway || slices?.isLook) return false;
      return isHeld || isResting || slices?.isParserPaused === true;
    },
    get isIdle() {
      if (this.isAway || this.running > 1) return false;
      // A body that is not whole is nothing that runs.
      return this.running === 0 || this.last?.complete === false;
    },
  };
  return connection;
}

/** It has gone: what waits of it runs to its end. */
export function leave(connection: Connection): void {
  connection.isGone = true;
  clearInterval(connection.look);
  for (const resolve of connection.line) resolve();
  connection.line.clear();
  // A caller that writes to one learns of it too: it would wait for ever, with all that it holds.
  for (const outgoing of [...connection.behind]) outgoing.emit("close");
  connection.asker.leave();
}

/** Nothing further is read while so many requests wait: the rest of this packet still comes. */
export function rest(connection: Connection): void {
  const { socket } = connection;
  slice(connection);
  connection.isResting = true;
  socket.pause();
  connection.look ??= setInterval(() => connection.slices?.look(), LOOK_MS);
}

/** It is read in slices until it ends, or is of another protocol. */
export function slice(connection: Connection): void {
  connection.slices ??= new SlicedReading(connection);
}

/** The engine parses no more of it. */
export function release(connection: Connection): void {
  connection.slices?.end();
  connection.slices = undefined;
  clearInterval(connection.look);
  connection.look = undefined;
}

/** A piece of a body has come. */
export function notePiece(connection: Connection, bytes: number): void {
  if (bytes >= SHORT_BYTES || ++connection.shortPieces === 1) return;
  connection.noteShort();
  if (connection.shortPieces > MAX_SHORT_PIECES) slice(connection);
}

/** It is read again, unless something else keeps it. */
export function read(connection: Connection): void {
  const { last, socket } = connection;
  // A body of which enough waits has itself read on once somebody takes of it.
  const isFull = last?.complete === false && last.readableLength >= last.readableHighWaterMark;
  if (!isFull && !connection.isToWait()) socket.resume();
}

/** The place of a request among those of its connection that are answered. */
export function placeOf(connection: Connection) {
  const { line } = connection;
  let isTaken = false;
  return {
    take(): Promise<void> | undefined {
      isTaken = true;
      if (connection.working++ < MAX_WORKING) return undefined;
      return new Promise((resolve) => void line.add(resolve));
    },
    /** It goes to the next in line. */
    free(): void {
      if (!isTaken) return;
      isTaken = false;
      connection.working -= 1;
      const [next] = line;
      if (next) line.delete(next);
      next?.();
    },
  };
}

/** Goes on reading a connection that was paused. */
export function readOn(connection: Connection): void {
  clearInterval(connection.look);
  connection.look = undefined;
  connection.slices?.back();
  connection.isResting = false;
  read(connection);
}
