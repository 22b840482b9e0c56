/** The last text on a connection that is taken from HTTP, which nobody watches any more. */
import type { Duplex } from "node:stream";

/** A client that does not hang up after its answer is cut after this time. */
export const LAST_WORD_MS = 5_000;

/**
 * Sends a text and ends the connection. What the client still sends is read and dropped: unread it
 * would hide that the client hung up, and a connection destroyed over it may lose the text.
 */
export function endWith(socket: Duplex, text: string): void {
  socket.end(text);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
