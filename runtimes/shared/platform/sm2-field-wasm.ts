/**
 * WebAssembly for the arithmetic of the SM2 curve, assembled here: the numbers of the field, and
 * doubling and adding of points in Jacobian coordinates. Verification only: not constant-time.
 *
 * A number is nine signed limbs of 29 bits, each in 8 bytes, in Montgomery form with R = 2^261. The
 * prime is 2^256 - 2^224 - 2^96 + 2^64 - 1: its lowest limb is -1, so each step of the reduction
 * adds a limb in four places and needs no multiplication. Products of limbs gather without carries:
 * nine of 2^29.2 times 2^29.2 stay below 2^62. Source: sm-suite 4
 */

/** Limbs of a number. */
export const LIMBS = 9;
/** Bits of a limb. */
export const LIMB_BITS = 29;
/** Bytes of a number in memory. */
export const NUMBER_BYTES = LIMBS * 8;

const MASK = 2 ** LIMB_BITS - 1;
/** Where the prime's terms above the lowest fall: limbs up, bits left, and sign. */
const TERMS = [
  { limb: 2, bits: 6, op: "add" },
  { limb: 3, bits: 9, op: "sub" },
  { limb: 7, bits: 21, op: "sub" },
  { limb: 8, bits: 24, op: "add" },
] as const;
/** Bits of the highest limb that are below 2^256. */
const TOP_BITS = 24;

const I32 = 0x7f;
const I64 = 0x7e;
const CODES = { add: 0x7c, sub: 0x7d, mul: 0x7e, and: 0x83, shl: 0x86, shr: 0x87 } as const;
const END = 0x0b;

type Code = readonly number[];

/** An integer as LEB128, signed where the format asks for it. */
function signed(value: number): Code {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
    const isLast = (rest === 0 && byte < 64) || (rest === -1 && byte >= 64);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return bytes;
  }
}

function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value % 128) + 128, ...unsigned(Math.floor(value / 128))];
}

const get = (local: number): Code => [0x20, ...unsigned(local)];
const set = (local: number): Code => [0x21, ...unsigned(local)];
const i32 = (value: number): Code => [0x41, ...signed(value)];
const i64 = (value: number): Code => [0x42, ...signed(value)];
const op = (name: keyof typeof CODES): Code => [CODES[name]];
const load = (limb: number): Code => [0x29, 3, ...unsigned(8 * limb)];
const store = (limb: number): Code => [0x37, 3, ...unsigned(8 * limb)];
const call = (index: number): Code => [0x10, ...unsigned(index)];

function each(count: number, emit: (i: number) => Code): Code {
  return Array.from({ length: count }, (_, i) => emit(i)).flat();
}

/** target = target op (source shifted). */
function addShifted(target: number, name: "add" | "sub", source: number, shift: Code): Code {
  return [...get(target), ...get(source), ...shift, ...op(name), ...set(target)];
}

const shiftedLeft = (bits: number): Code => [...i64(bits), ...op("shl")];
const carried: Code = [...i64(LIMB_BITS), ...op("shr")];

/** Splits a limb: its carry goes to the next one. */
function carry(limb: number): Code {
  const rest = [...get(limb), ...i64(MASK), ...op("and"), ...set(limb)];
  return [...addShifted(limb + 1, "add", limb, carried), ...rest];
}

/** Montgomery reduction of the columns from `t` on, and the result into the first parameter. */
function reduceAndStore(t: number, m: number): Code {
  const step = (i: number): Code => [
    ...[...get(t + i), ...i64(MASK), ...op("and"), ...set(m)],
    ...addShifted(t + i + 1, "add", t + i, carried),
    ...TERMS.flatMap(({ limb, bits, op: sign }) =>
      addShifted(t + i + limb, sign, m, shiftedLeft(bits)),
    ),
  ];
  const result = t + LIMBS;
  return [
    ...each(LIMBS, step),
    ...each(LIMBS - 1, (i) => carry(result + i)),
    ...each(LIMBS, (i) => [...get(0), ...get(result + i), ...store(i)]),
  ];
}

/** Parameters, numbers of local variables, instructions. */
interface Routine {
  readonly parameters: readonly number[];
  readonly locals: number;
  readonly code: Code;
}

function loadAll(pointer: number, first: number): Code {
  return each(LIMBS, (i) => [...get(pointer), ...load(i), ...set(first + i)]);
}

function columns(): readonly (readonly (readonly [number, number])[])[] {
  return Array.from({ length: 2 * LIMBS - 1 }, (_, k) =>
    Array.from({ length: LIMBS }, (_, i): [number, number] => [i, k - i]).filter(
      ([, j]) => j >= 0 && j < LIMBS,
    ),
  );
}

/** mul(target, left, right). */
function multiplication(): Routine {
  const [a, b, t] = [3, 3 + LIMBS, 3 + 2 * LIMBS];
  const m = t + 2 * LIMBS;
  const column = (pairs: readonly (readonly [number, number])[], k: number): Code => [
    ...pairs.flatMap(([i, j], at) => [
      ...[...get(a + i), ...get(b + j), ...op("mul")],
      ...(at > 0 ? op("add") : []),
    ]),
    ...set(t + k),
  ];
  const code = [...loadAll(1, a), ...loadAll(2, b), ...columns().flatMap(column)];
  return { parameters: [I32, I32, I32], locals: m - 2, code: [...code, ...reduceAndStore(t, m)] };
}

/** sqr(target, number): each product of two different limbs is made once. */
function squaring(): Routine {
  const [a, t] = [2, 2 + LIMBS];
  const m = t + 2 * LIMBS;
  const column = (pairs: readonly (readonly [number, number])[], k: number): Code => {
    const product = ([i, j]: readonly [number, number]): Code => [
      ...[...get(a + i), ...get(a + j), ...op("mul")],
    ];
    const mixed = pairs.filter(([i, j]) => i < j);
    const sum = mixed.flatMap((pair, at) => [...product(pair), ...(at > 0 ? op("add") : [])]);
    const doubled = mixed.length > 0 ? [...sum, ...shiftedLeft(1)] : [];
    const square = k % 2 === 0 ? product([k / 2, k / 2]) : [];
    const joined = doubled.length > 0 && square.length > 0 ? op("add") : [];
    return [...doubled, ...square, ...joined, ...set(t + k)];
  };
  const code = [...loadAll(1, a), ...columns().flatMap(column)];
  return { parameters: [I32, I32], locals: m - 1, code: [...code, ...reduceAndStore(t, m)] };
}

/** lin(target, left, factor, right, factor): adds small multiples and brings them below 2p. */
function combination(): Routine {
  const [v, q] = [5, 5 + LIMBS];
  const term = (pointer: number, i: number): Code => [
    ...[...get(pointer), ...load(i), ...get(pointer + 1), ...op("mul")],
  ];
  const top = v + LIMBS - 1;
  const code = [
    ...each(LIMBS, (i) => [...term(1, i), ...term(3, i), ...op("add"), ...set(v + i)]),
    ...each(LIMBS - 1, (i) => carry(v + i)),
    // What is above 2^256 comes back as 2^224 + 2^96 - 2^64 + 1.
    ...[...get(top), ...i64(TOP_BITS), ...op("shr"), ...set(q)],
    ...[...get(top), ...i64(2 ** TOP_BITS - 1), ...op("and"), ...set(top)],
    ...addShifted(v + 7, "add", q, shiftedLeft(21)),
    ...addShifted(v + 3, "add", q, shiftedLeft(9)),
    ...addShifted(v + 2, "sub", q, shiftedLeft(6)),
    ...addShifted(v, "add", q, []),
    ...each(LIMBS, (i) => [...get(0), ...get(v + i), ...store(i)]),
  ];
  return { parameters: [I32, I32, I64, I32, I64], locals: LIMBS + 1, code };
}

const MUL = 0;
const SQR = 1;
const LIN = 2;

/** Addresses: the point that is worked on, and room for what its formulas need. */
const place = (index: number): Code => i32(index * NUMBER_BYTES);
/** Where X, Y and Z of the working point are, as numbers from the start of memory. */
export const POINT = { x: 0, y: 1, z: 2 } as const;
const [X, Y, Z] = [place(POINT.x), place(POINT.y), place(POINT.z)];
const [T0, T1, T2, T3, T4] = [place(3), place(4), place(5), place(6), place(7)];
const [T5, T6, T7] = [place(8), place(9), place(10)];
/** The first number that is free for callers. */
export const FREE_NUMBER = 11;

const mul = (target: Code, left: Code, right: Code): Code => [
  ...[...target, ...left, ...right, ...call(MUL)],
];
const sqr = (target: Code, number: Code): Code => [...target, ...number, ...call(SQR)];
/** A number and its factor; the factor of a point to be subtracted is in a local. */
type Term = readonly [Code, number | Code];
const factor = (value: number | Code): Code => (typeof value === "number" ? i64(value) : value);
const lin = (target: Code, [left, a]: Term, [right, b]: Term): Code => [
  ...[...target, ...left, ...factor(a), ...right, ...factor(b), ...call(LIN)],
];

/** dbl(): the working point doubled, for a curve with a = -3. */
function doubling(): Routine {
  const [delta, gamma, beta, alpha, half] = [T0, T1, T2, T3, T4];
  const code = [
    ...[...sqr(delta, Z), ...sqr(gamma, Y), ...mul(beta, X, gamma)],
    ...[...mul(half, Y, Z), ...lin(Z, [half, 2], [half, 0])],
    ...[...lin(T5, [X, 3], [delta, -3]), ...lin(T6, [X, 1], [delta, 1]), ...mul(alpha, T5, T6)],
    ...[...sqr(T5, alpha), ...lin(X, [T5, 1], [beta, -8])],
    ...[...lin(T6, [beta, 4], [X, -1]), ...mul(T5, alpha, T6)],
    ...[...sqr(T6, gamma), ...lin(Y, [T5, 1], [T6, -8])],
  ];
  return { parameters: [], locals: 0, code };
}

/** The numbers of a table entry: X, Y, and for a point that is not affine Z, Z^2, Z^3. */
const entry = (index: number): Code => [...get(0), ...i32(index * NUMBER_BYTES), 0x6a];
/** The second parameter, 1 or -1, as a factor. */
const sign: Code = [...get(1), 0xac];

/**
 * What both additions share, from U1 and S1 of the working point and S2 of the other on.
 * U2 is in T1, S2 in T2.
 */
function addTail(u1: Code, s1: Code): Code {
  const [h, r, hh, hhh, v] = [T1, T2, T3, T4, T5];
  return [
    ...[...lin(h, [T1, 1], [u1, -1]), ...lin(r, [T2, sign], [s1, -1])],
    ...[...mul(Z, Z, h), ...sqr(hh, h), ...mul(hhh, h, hh), ...mul(v, u1, hh)],
    ...[...mul(hh, s1, hhh), ...sqr(T0, r), ...lin(T0, [T0, 1], [hhh, -1])],
    ...[...lin(X, [T0, 1], [v, -2]), ...lin(v, [v, 1], [X, -1])],
    ...[...mul(v, r, v), ...lin(Y, [v, 1], [hh, -1])],
  ];
}

/** addAffine(entry, sign): adds or subtracts X, Y of a table. */
function affineAddition(): Routine {
  const code = [
    ...[...sqr(T0, Z), ...mul(T1, entry(0), T0), ...mul(T0, Z, T0), ...mul(T2, entry(1), T0)],
    ...addTail(X, Y),
  ];
  return { parameters: [I32, I32], locals: 0, code };
}

/** add(entry, sign): adds or subtracts X, Y, Z, Z^2, Z^3 of a table. */
function addition(): Routine {
  const code = [
    ...[...sqr(T0, Z), ...mul(T1, entry(0), T0), ...mul(T0, Z, T0), ...mul(T2, entry(1), T0)],
    ...[...mul(T6, X, entry(3)), ...mul(T7, Y, entry(4)), ...mul(Z, Z, entry(2))],
    ...addTail(T6, T7),
  ];
  return { parameters: [I32, I32], locals: 0, code };
}

const ROUTINES = [
  { name: "mul", ...multiplication() },
  { name: "sqr", ...squaring() },
  { name: "lin", ...combination() },
  { name: "dbl", ...doubling() },
  { name: "addAffine", ...affineAddition() },
  { name: "add", ...addition() },
] as const;
const PAGES = 1;

function vector(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function section(id: number, items: readonly Code[]): Code {
  const content = vector(items);
  return [id, ...unsigned(content.length), ...content];
}

function named(name: string, kind: number, index: number): Code {
  const text = Array.from(name, (character) => character.charCodeAt(0));
  return [...unsigned(text.length), ...text, kind, index];
}

function body({ locals, code }: Routine): Code {
  const declared = locals > 0 ? vector([[...unsigned(locals), I64]]) : vector([]);
  const content = [...declared, ...code, END];
  return [...unsigned(content.length), ...content];
}

/** The module: its memory, and one function per routine. */
export function sm2FieldModule(): Uint8Array<ArrayBuffer> {
  const types = ROUTINES.map(({ parameters }) => [0x60, ...vector(parameters.map((p) => [p])), 0]);
  const functions = ROUTINES.map(({ name }, index) => named(name, 0, index));
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(
      3,
      ROUTINES.map((_, index) => unsigned(index)),
    ),
    ...section(5, [[0, PAGES]]),
    ...section(7, [named("memory", 2, 0), ...functions]),
    ...section(10, ROUTINES.map(body)),
  ]);
}
