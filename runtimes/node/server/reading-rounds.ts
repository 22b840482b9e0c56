/**
 * How much of a round of the event loop goes into requests that come. The engine reads all
 * connections that are ready in one round: a hundred of them, with a packet of 540 requests each,
 * would hold up everything else for seconds.
 */
import type { Socket } from "node:net";
import { FairLine } from "../../../core/limits/fair-line.ts";

/** After so long what else is ready waits for a later round. */
const ROUND_MS = 10;
/** The clock is asked at each of so many requests, unless a server says otherwise. */
const LOOK_EVERY = 16;
/** So many connections are read again in a round at first; half of them, or twice as many, next. */
const FIRST_BATCH = 8;
const MOST_OF_A_BATCH = 1_024;

/** A connection that is read. */
export interface Reader {
  readonly socket: Socket;
  readonly address: string;
  /** It is not of HTTP any more. */
  readonly isAway: boolean;
  /** Nothing is read of it until a later round. */
  isHeld: boolean;
}

/**
 * Keeps a connection from being read while it is to wait. Node begins to read again by itself: at
 * the end of each request, and for a body.
 */
export function keepWaiting(socket: Socket, isToWait: () => boolean): void {
  socket.on("resume", () => {
    if (!isToWait()) return;
    // A pause that came before this event does not count as one any more.
    if (socket.isPaused()) socket.emit("pause");
    else socket.pause();
  });
}

/** The connections of a server. A class because it owns those that wait. */
export class ReadingRounds<Connection extends Reader> {
  readonly #all: () => Iterable<Connection>;
  readonly #resume: (connection: Connection) => void;
  readonly #lookEvery: number;
  readonly #waiting = new FairLine<Connection>();
  #batch = FIRST_BATCH;
  #isRound = false;
  #isOver = false;
  #requests = 0;
  #since = 0;

  /** @param resume has a connection read again that is held no more */
  constructor(
    all: () => Iterable<Connection>,
    resume: (connection: Connection) => void,
    lookEvery = LOOK_EVERY,
  ) {
    this.#all = all;
    this.#resume = resume;
    this.#lookEvery = lookEvery;
  }

  /** A request has come, or what may be many messages. */
  note(): void {
    if (!this.#isRound) this.#begin();
    if (this.#isOver || ++this.#requests % this.#lookEvery !== 0) return;
    if (performance.now() - this.#since < ROUND_MS) return;
    this.#isOver = true;
    for (const connection of this.#all()) {
      if (connection.isAway || connection.isHeld) continue;
      connection.isHeld = true;
      connection.socket.pause();
      this.#waiting.add({ address: connection.address, connection }, connection);
    }
  }

  #begin(): void {
    this.#isRound = true;
    this.#isOver = false;
    this.#requests = 0;
    this.#since = performance.now();
    setImmediate(() => this.#end());
  }

  /** All that was ready has been read; some of those that wait are read in the next round. */
  #end(): void {
    this.#isRound = false;
    if (this.#waiting.length === 0) return;
    const batch = this.#isOver ? this.#batch >> 1 : this.#batch * 2;
    this.#batch = Math.min(Math.max(batch, 1), MOST_OF_A_BATCH);
    let left = this.#batch;
    while (left > 0) {
      const connection = this.#waiting.next();
      if (!connection) break;
      connection.isHeld = false;
      if (connection.socket.destroyed) continue;
      this.#resume(connection);
      left -= 1;
    }
    if (this.#waiting.length > 0) this.#begin();
    else this.#batch = FIRST_BATCH;
  }
}
