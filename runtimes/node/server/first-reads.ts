/**
 * When new connections are read for the first time. The system hands over one of them in each round
 * of the event loop, and as many wait there in order. If the first packet of each held a round up
 * (540 requests fit into one), a client would wait for all of those in front of it, most of which
 * may have hung up meanwhile.
 */
import type { Socket } from "node:net";
import { TURN_MS } from "../../../core/limits/pace.ts";

/** So many of an address wait at most, and so long: the oldest of them is closed unread. */
const MOST_WAITING = 512;
const PATIENCE_MS = 5_000;
/** Between two reads; more than that was not the work of one. */
const MOST_REST_MS = 50;

/** A connection that is not read yet. */
interface Unread {
  readonly socket: Socket;
  readonly since: number;
}

/**
 * Has new connections read at once, but for those that come while the round before was a long one.
 * Of these the addresses have turns, and of an address the newest comes first, since it is the
 * likeliest to have a client still. Between two of them is as much time for other work as the last
 * one took.
 *
 * @returns what is called with each new connection and its address
 */
export function readFirstInTurns(): (socket: Socket, address: string) => void {
  /** Of each address in order of arrival. */
  const waiting = new Map<string, Unread[]>();
  let isTurn = false;
  let since = 0;

  const begin = (): void => {
    isTurn = true;
    since = performance.now();
    // The first is over before what was read, the second after it.
    setImmediate(() => void setImmediate(end));
  };
  const end = (): void => {
    const took = performance.now() - since;
    if (took < TURN_MS) next();
    else setTimeout(next, Math.min(took, MOST_REST_MS));
  };
  const next = (): void => {
    isTurn = false;
    for (const [address, line] of waiting) {
      waiting.delete(address);
      const newest = newestOf(line);
      if (!newest) continue;
      // Behind the other addresses.
      waiting.set(address, line);
      begin();
      newest.socket.resume();
      return;
    }
  };

  return (socket, address) => {
    if (!isTurn) return begin();
    const now = performance.now();
    if (now - since < TURN_MS) return;
    const line = waiting.get(address) ?? [];
    waiting.set(address, line);
    line.push({ socket, since: now });
    if (line.length > MOST_WAITING) line.shift()?.socket.destroy();
    // Later: in the ticks of this turn it begins to be read.
    process.nextTick(() => socket.pause());
  };
}

/** Takes the newest out that has not gone, and closes those that have waited too long. */
function newestOf(line: Unread[]): Unread | undefined {
  const late = performance.now() - PATIENCE_MS;
  while (line[0] && line[0].since < late) line.shift()?.socket.destroy();
  let newest = line.pop();
  while (newest?.socket.destroyed) newest = line.pop();
  return newest;
}
