/** 0x09: the compression function F of BLAKE2b (EIP-152, RFC 7693 3.2). Source: precompiles 17 */
import type { EthereumPrecompile } from "./contract.ts";

const INPUT_BYTES = 213;
const FLAG_AT = 212;

/** Words of 64 bits in halves. Measured. */
const WORK_PER_ROUND = 24;

/** The contract: rounds, state, message, offset counters, final flag. */
export const blake2f: EthereumPrecompile = {
  // Before the length is examined, whatever it is.
  cost: readRounds,
  work: (input) => WORK_PER_ROUND * readRounds(input),
  run(input) {
    const flag = input[FLAG_AT];
    if (input.length !== INPUT_BYTES || flag === undefined || flag > 1) return undefined;
    const view = new DataView(input.buffer, input.byteOffset, input.length);
    const half = (i: number): number => view.getUint32(4 + 4 * i, true);
    const h = Int32Array.from({ length: 16 }, (_, i) => half(i));
    const m = Int32Array.from({ length: 32 }, (_, i) => half(16 + i));
    const v = new Int32Array(32);
    v.set(h);
    v.set(INITIAL, 16);
    for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ half(48 + i);
    if (flag === 1) for (const i of [28, 29]) v[i] = ~(v[i] as number);
    mixRounds(v, m, readRounds(input));
    const output = new Uint8Array(64);
    const out = new DataView(output.buffer);
    for (let i = 0; i < 16; i++) {
      out.setInt32(4 * i, (h[i] as number) ^ (v[i] as number) ^ (v[i + 16] as number), true);
    }
    return output;
  },
};

/** The first four bytes; 0 when there are fewer. */
function readRounds(input: Uint8Array): number {
  if (input.length < 4) return 0;
  return new DataView(input.buffer, input.byteOffset, 4).getUint32(0);
}

/** Fractions of the square roots of the first eight primes: 64-bit words, low half first. */
const INITIAL = Int32Array.of(
  ...[
    0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a,
    0xade682d1, 0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
  ],
);

/** Order of the message words in each round; the eleventh round begins again. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const;
/** The same as places of 32-bit halves in one row. */
const ORDER = Uint8Array.from(SIGMA.flat(), (word) => 2 * word);

function mixRounds(v: Int32Array, m: Int32Array, rounds: number): void {
  let row = 0;
  for (let round = 0; round < rounds; round++) {
    mix(v, 0x00_08_10_18, m, row);
    mix(v, 0x02_0a_12_1a, m, row + 2);
    mix(v, 0x04_0c_14_1c, m, row + 4);
    mix(v, 0x06_0e_16_1e, m, row + 6);
    mix(v, 0x00_0a_14_1e, m, row + 8);
    mix(v, 0x02_0c_16_18, m, row + 10);
    mix(v, 0x04_0e_10_1a, m, row + 12);
    mix(v, 0x06_08_12_1c, m, row + 14);
    row = row === 144 ? 0 : row + 16;
  }
}

/** The function G on the words whose places are the bytes of `places`, with two message words. */
function mix(v: Int32Array, places: number, m: Int32Array, row: number): void {
  const a = places >>> 24;
  const b = (places >>> 16) & 0xff;
  const c = (places >>> 8) & 0xff;
  const d = places & 0xff;
  const x = ORDER[row] as number;
  const y = ORDER[row + 1] as number;
  const xl = m[x] as number;
  const xh = m[x + 1] as number;
  const yl = m[y] as number;
  const yh = m[y + 1] as number;
  let al = v[a] as number;
  let ah = v[a + 1] as number;
  let bl = v[b] as number;
  let bh = v[b + 1] as number;
  let cl = v[c] as number;
  let ch = v[c + 1] as number;
  let dl = v[d] as number;
  let dh = v[d + 1] as number;
  // Carries are taken from the sign bits: sums beyond 32 bits would leave integer arithmetic.
  let sum = (al + bl) | 0;
  ah = (ah + bh + (((al & bl) | ((al | bl) & ~sum)) >>> 31)) | 0;
  al = (sum + xl) | 0;
  ah = (ah + xh + (((sum & xl) | ((sum | xl) & ~al)) >>> 31)) | 0;
  // d = (d ^ a) >>> 32
  let swap = dl ^ al;
  dl = dh ^ ah;
  dh = swap;
  sum = (cl + dl) | 0;
  ch = (ch + dh + (((cl & dl) | ((cl | dl) & ~sum)) >>> 31)) | 0;
  cl = sum;
  // b = (b ^ c) >>> 24
  swap = bl ^ cl;
  bh ^= ch;
  bl = (swap >>> 24) | (bh << 8);
  bh = (bh >>> 24) | (swap << 8);
  sum = (al + bl) | 0;
  ah = (ah + bh + (((al & bl) | ((al | bl) & ~sum)) >>> 31)) | 0;
  al = (sum + yl) | 0;
  ah = (ah + yh + (((sum & yl) | ((sum | yl) & ~al)) >>> 31)) | 0;
  // d = (d ^ a) >>> 16
  swap = dl ^ al;
  dh ^= ah;
  dl = (swap >>> 16) | (dh << 16);
  dh = (dh >>> 16) | (swap << 16);
  sum = (cl + dl) | 0;
  ch = (ch + dh + (((cl & dl) | ((cl | dl) & ~sum)) >>> 31)) | 0;
  cl = sum;
  // b = (b ^ c) >>> 63
  swap = bl ^ cl;
  bh ^= ch;
  bl = (swap << 1) | (bh >>> 31);
  bh = (bh << 1) | (swap >>> 31);
  v[a] = al;
  v[a + 1] = ah;
  v[b] = bl;
  v[b + 1] = bh;
  v[c] = cl;
  v[c + 1] = ch;
  v[d] = dl;
  v[d + 1] = dh;
}
