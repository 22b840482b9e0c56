/** Bytes in a buffer of their own, to be handed over to another thread. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Fresh memory costs as much as the copy: this much of it is one turn. */
const TURN_BYTES = 1024 * 1024;

/**
 * A copy, made in turns when it is long: of a view the whole record behind it would be handed over,
 * and a Buffer's own slice is such a view.
 */
export async function ownBytes(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length <= TURN_BYTES) return new Uint8Array(bytes);
  const own = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at += TURN_BYTES) {
    own.set(bytes.subarray(at, at + TURN_BYTES), at);
    await nextTurn();
  }
  return own;
}
