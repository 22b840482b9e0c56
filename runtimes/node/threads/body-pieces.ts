/** The pieces of long bodies. */
/// <reference lib="es2024.arraybuffer" />

/** Most bytes of a piece. */
export const PIECE_BYTES: number = 256 * 1024;

/**
 * Pages of its own: what can grow is mapped. From the allocator's heap, pieces would lie between
 * short-lived memory, and keep what is free there from the system.
 */
export function newPiece(): ArrayBuffer {
  return new ArrayBuffer(PIECE_BYTES, { maxByteLength: PIECE_BYTES });
}

/**
 * Gives their pages back at once: a second's worth of bodies that nobody holds any more is hundreds
 * of megabytes until the collector comes. Those that were handed over are somebody else's.
 */
export function freePieces(pieces: readonly ArrayBuffer[]): void {
  for (const piece of pieces) if (piece.byteLength > 0) piece.resize(0);
}
