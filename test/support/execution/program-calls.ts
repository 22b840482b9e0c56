/** Instruction groups of random programs that reach other accounts. */
import {
  emit,
  need,
  pushNumber,
  pushOperand,
  type Random,
  randomInit,
  randomProgram,
  read,
  type Writer,
} from "./program-generator.ts";

const MAX = (1n << 256n) - 1n;
const KINDS = ["call", "call", "delegatecall", "staticcall", "callcode"];

/** Asks about an account. */
export function account(writer: Writer): void {
  const { random } = writer;
  const name = random.pick(["extcodesize", "extcodehash", "balance"]);
  pushNumber(writer, dirty(random, random.pick(writer.around.accounts)));
  emit(writer, name);
  writer.height++;
}

/** An address, now and then with something above its 160 bits, which nobody may see. */
function dirty(random: Random, address: bigint): bigint {
  return random.below(10) === 0 ? address | (BigInt(1 + random.below(0xffff)) << 160n) : address;
}

/** Where a call reads and writes. */
interface Regions {
  readonly outSize: number;
  readonly out: number;
  readonly inSize: number;
  readonly input: number;
}

function randomRegions(random: Random): Regions {
  const size = (): number => random.below(70);
  const place = (): number => random.below(300);
  return { outSize: size(), out: place(), inSize: size(), input: place() };
}

/** Pushes what a call needs and calls; `target` pushes the address over this many new items. */
function emitCall(
  writer: Writer,
  regions: Regions,
  target: (above: number) => void,
  gas: bigint | undefined,
): void {
  const { random } = writer;
  const kind = random.pick(KINDS);
  pushNumber(writer, regions.outSize);
  pushNumber(writer, regions.out);
  pushNumber(writer, regions.inSize);
  pushNumber(writer, regions.input);
  const hasValue = kind === "call" || kind === "callcode";
  if (hasValue) pushNumber(writer, random.below(8) === 0 ? 1 : 0);
  target(hasValue ? 5 : 4);
  if (gas === undefined) emit(writer, "gas");
  else pushNumber(writer, gas);
  emit(writer, kind);
  writer.height++;
  if (random.below(2) === 0) read(writer);
}

/** A call with regions in memory; its result stays on the stack. */
export function call(writer: Writer): void {
  const { random, around } = writer;
  const gas = random.pick([undefined, undefined, MAX, BigInt(random.below(60_000))]);
  const address = dirty(random, random.pick(around.callees));
  emitCall(writer, randomRegions(random), () => pushNumber(writer, address), gas);
}

/** A call that may come back here: with little gas, so that it ends. */
export function selfCall(writer: Writer): void {
  const { random, around } = writer;
  if (random.below(4) === 0) {
    // Around the gas below which nothing may be stored.
    const gas = 2_300n + BigInt(random.below(12));
    emitCall(writer, randomRegions(random), () => pushNumber(writer, around.holder), gas);
    return;
  }
  const gas = BigInt(random.below(random.pick([3_000, 30_000, 120_000])));
  const address = random.pick(around.returns);
  emitCall(writer, randomRegions(random), () => pushNumber(writer, address), gas);
}

/** r, s and the digest of a signature with v = 28: something to recover. */
const SIGNED = [
  0x18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1cn,
  28n,
  0x73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75fn,
  0xeeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549n,
] as const;
/** Points of the curve of 6 to 8: the generator, its negative, infinity, none. */
const CURVE_FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const POINTS: readonly (readonly [bigint, bigint])[] = [
  [1n, 2n],
  [1n, CURVE_FIELD - 2n],
  [0n, 0n],
  [1n, 1n],
  [CURVE_FIELD + 1n, 2n],
];
/** A point of the other group of the pairing. */
const TWISTED = [
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
] as const;

/** Input of an Ethereum contract, as words; mostly well-formed. */
function inputOf(random: Random, contract: number): { words: readonly bigint[]; size: number } {
  const whole = (words: readonly bigint[]) => ({ words, size: 32 * words.length });
  const any = (): bigint => BigInt(random.below(0x100000000)) << BigInt(random.below(224));
  const small = (): bigint => BigInt(random.below(40));
  switch (contract) {
    case 1: {
      const [digest, v, r, s] = SIGNED;
      const isValid = random.below(3) > 0;
      return whole([isValid ? digest : any(), isValid ? v : 26n + small(), r, s]);
    }
    case 5: {
      const [base, exponent, modulus] = [small(), small(), small()];
      return { words: [base, exponent, modulus, any(), any(), any(), any()], size: 96 + 128 };
    }
    case 6:
      return whole([...random.pick(POINTS), ...random.pick(POINTS)]);
    case 7:
      return whole([...random.pick(POINTS), random.below(2) === 0 ? any() : small()]);
    case 8: {
      // Pairings are slow on both sides.
      if (random.below(24) > 0) return random.below(2) === 0 ? whole([]) : whole([any()]);
      return whole([...random.pick(POINTS), ...TWISTED]);
    }
    case 9: {
      const words = [(small() << 224n) | (any() >> 32n), any(), any(), any(), any(), any()];
      const last = BigInt(random.below(3)) << 88n;
      return { words: [...words, last], size: random.below(6) === 0 ? 212 : 213 };
    }
    default: {
      const words = [any(), any(), any()];
      return { words, size: random.below(96) };
    }
  }
}

/** A call of one of the contracts 1 to 9. */
export function callPrecompiled(writer: Writer): void {
  const { random, around } = writer;
  const contract = 1 + random.below(around.precompiled);
  const { words, size } = inputOf(random, contract);
  const input = 32 * random.below(4);
  words.forEach((word, i) => {
    pushNumber(writer, word);
    pushNumber(writer, input + 32 * i);
    emit(writer, "mstore");
  });
  const gas = random.below(6) === 0 ? BigInt(random.below(8_000)) : undefined;
  const regions = { outSize: random.below(70), out: random.below(300), inSize: size, input };
  emitCall(writer, regions, () => pushNumber(writer, contract), gas);
}

/**
 * A creation whose init code lies behind the program: one that leaves a runtime, which is called
 * then, or any program at all.
 */
export function create(writer: Writer): void {
  const { random, around, out } = writer;
  const inner = { ...around, mayCreate: random.below(4) === 0, length: 2 + random.below(12) };
  const leaves = random.below(3) > 0;
  const code = leaves
    ? randomInit(random, inner, randomProgram(random, { ...inner, mayCreate: false }))
    : randomProgram(random, inner);
  pushNumber(writer, code.length, 2);
  writer.inits.push({ code, at: out.length + 1 });
  pushNumber(writer, 0, 2);
  pushNumber(writer, 0);
  emit(writer, "codecopy");
  const isSalted = random.below(2) === 0;
  if (isSalted) pushNumber(writer, random.below(2));
  pushNumber(writer, code.length, 2);
  pushNumber(writer, 0);
  pushNumber(writer, random.below(12) === 0 ? 1 : 0);
  emit(writer, isSalted ? "create2" : "create");
  writer.height++;
  if (!leaves) return;
  const calls = random.below(3);
  for (let i = 0; i < calls; i++) {
    const height = writer.height;
    emitCall(
      writer,
      randomRegions(random),
      (above) => emit(writer, `dup${above + 1}`),
      random.pick([undefined, 100_000n]),
    );
    // The address is at the top again.
    while (writer.height > height) {
      emit(writer, "pop");
      writer.height--;
    }
  }
  need(writer, 1);
  if (random.below(4) === 0) pushOperand(writer);
}
