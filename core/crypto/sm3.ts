/** The SM3 hash of the national suite. Source: sm-suite 3 */

/** Length of a digest. */
const DIGEST_BYTES = 32;
const BLOCK_BYTES = 64;
const ROUNDS = 64;
/** From this round on the boolean functions and the constant change. */
const LATE_ROUNDS = 16;
/** Bytes after the message: one mark and eight of length. */
const TAIL_BYTES = 9;

const START = Int32Array.of(
  0x7380166f,
  0x4914b2b9,
  0x172442d7,
  0xda8a0600,
  0xa96f30bc,
  0x163138aa,
  0xe38dee4d,
  0xb0fb0e4e,
);

/** The word turned left by 0 to 31 bits, as a signed 32-bit integer. */
export function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The constant of each round, already rotated by its number. */
const CONSTANTS = Int32Array.from({ length: ROUNDS }, (_, round) =>
  rotateLeft(round < LATE_ROUNDS ? 0x79cc4519 : 0x7a879d8a, round % 32),
);

/** Room for one block, used anew by every call: the function is synchronous. */
const words = new Int32Array(ROUNDS + 4);

function expand(view: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(offset + 4 * i);
  for (let i = 16; i < ROUNDS + 4; i++) {
    const mixed = (words[i - 16] ?? 0) ^ (words[i - 9] ?? 0) ^ rotateLeft(words[i - 3] ?? 0, 15);
    const spread = mixed ^ rotateLeft(mixed, 15) ^ rotateLeft(mixed, 23);
    words[i] = spread ^ rotateLeft(words[i - 13] ?? 0, 7) ^ (words[i - 6] ?? 0);
  }
}

function compress(state: Int32Array, view: DataView, offset: number): void {
  expand(view, offset);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < ROUNDS; round++) {
    const top = rotateLeft(a, 12);
    const first = rotateLeft((top + e + (CONSTANTS[round] ?? 0)) | 0, 7);
    const word = words[round] ?? 0;
    const early = round < LATE_ROUNDS;
    const major = early ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
    const chosen = early ? e ^ f ^ g : (e & f) | (~e & g);
    const left = (major + d + (first ^ top) + (word ^ (words[round + 4] ?? 0))) | 0;
    const right = (chosen + h + first + word) | 0;
    d = c;
    c = rotateLeft(b, 9);
    b = a;
    a = left;
    h = g;
    g = rotateLeft(f, 19);
    f = e;
    e = right ^ rotateLeft(right, 9) ^ rotateLeft(right, 17);
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < mixed.length; i++) state[i] = (state[i] ?? 0) ^ (mixed[i] ?? 0);
}

/** What does not fill a block, the mark, zeros, and the length in bits. */
function lastBlocks(data: Uint8Array, start: number): DataView {
  const rest = data.length - start;
  const blocks = Math.ceil((rest + TAIL_BYTES) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  padded.set(data.subarray(start));
  padded[rest] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, (data.length * 8) % 2 ** 32);
  return view;
}

/** The 32-byte SM3 digest. Source: sm-suite 3 */
export function sm3(data: Uint8Array): Uint8Array {
  const state = START.slice();
  const whole = data.length - (data.length % BLOCK_BYTES);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < whole; at += BLOCK_BYTES) compress(state, view, at);
  const last = lastBlocks(data, whole);
  for (let at = 0; at < last.byteLength; at += BLOCK_BYTES) compress(state, last, at);
  const digest = new Uint8Array(DIGEST_BYTES);
  const output = new DataView(digest.buffer);
  for (let i = 0; i < state.length; i++) output.setInt32(4 * i, state[i] ?? 0);
  return digest;
}
