/**
 * Gives memory outside the collector's heap back at once. What clients send, and what is read for
 * their answers, is copied from one buffer to the next: a second's worth of those that nobody holds
 * any more is a hundred megabytes until the collector comes.
 */
import { MessageChannel } from "node:worker_threads";

/** Nobody is at its other end: what is handed over to it is dropped, with its memory. */
const { port1: drain } = new MessageChannel();
drain.close();

/** Shorter ones may be views of a buffer that Node shares. */
const LEAST_BYTES = 16 * 1024;

/**
 * Empties bytes that nobody reads any more, and whatever else is a view of their buffer. Does
 * nothing to short ones, and to those that begin elsewhere than their buffer.
 * @param spare bytes that the buffer may have behind them
 */
export function freeBytes(bytes: Uint8Array, spare = 0): void {
  const { buffer, byteLength, byteOffset } = bytes;
  if (byteLength < LEAST_BYTES || byteOffset !== 0 || !(buffer instanceof ArrayBuffer)) return;
  if (buffer.byteLength > byteLength + spare) return;
  try {
    drain.postMessage(undefined, [buffer]);
  } catch {
    // Some are not to be handed over: they are left to the collector.
  }
}
