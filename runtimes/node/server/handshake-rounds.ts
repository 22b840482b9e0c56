/**
 * How many handshakes begin in a round of the event loop. Each takes the main thread half a
 * millisecond or more, and the engine would take those of hundreds of connections in one round.
 */
import type { Socket } from "node:net";
import { clientOf } from "../../../core/limits/client-address.ts";
import { FairLine } from "../../../core/limits/fair-line.ts";

const MOST_IN_A_ROUND = 8;

/** The connections of a port whose handshakes have not begun; addresses have turns. */
export class HandshakeRounds {
  readonly #begin: (socket: Socket) => void;
  readonly #waiting = new FairLine<Socket>();
  #isRound = false;

  /** @param begin has a connection read, of which nothing was read before */
  constructor(begin: (socket: Socket) => void) {
    this.#begin = begin;
  }

  add(socket: Socket): void {
    const address = clientOf(socket.remoteAddress ?? "");
    this.#waiting.add({ address, connection: socket }, socket);
    this.#await();
  }

  #await(): void {
    if (this.#isRound) return;
    this.#isRound = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isRound = false;
    for (let left = MOST_IN_A_ROUND; left > 0; ) {
      const socket = this.#waiting.next();
      if (!socket) return;
      if (socket.destroyed) continue;
      left -= 1;
      this.#begin(socket);
    }
    this.#await();
  }
}
