/**
 * Random programs that terminate and mostly reach interesting states: jumps go forward except in
 * counted loops, memory offsets are small, calls that may come back carry little gas.
 */
import { opcode, push } from "./assembler.ts";
import { account, call, callPrecompiled, create, selfCall } from "./program-calls.ts";

/** A seeded generator of numbers (mulberry32): the same seed gives the same programs everywhere. */
export interface Random {
  /** A whole number from 0 to bound - 1. */
  below(bound: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** A generator for a seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  const below = (bound: number): number => next() % bound;
  return { below, pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item };
}

const MAX = (1n << 256n) - 1n;
const MAX_STACK = 1_024;
/** Operands at which carries, signs, shifts and lengths change. */
const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  7n,
  8n,
  30n,
  31n,
  32n,
  33n,
  64n,
  127n,
  128n,
  255n,
  256n,
  257n,
  0x7fffn,
  0xffffn,
  0xffffffffn,
  1n << 32n,
  (1n << 53n) - 1n,
  1n << 53n,
  (1n << 64n) - 1n,
  1n << 64n,
  1n << 127n,
  (1n << 128n) - 1n,
  (1n << 160n) - 1n,
  1n << 255n,
  (1n << 255n) - 1n,
  MAX,
  MAX - 1n,
  (MAX << 32n) & MAX,
];

const UNARY = ["iszero", "not"];
const BINARY = [
  "add",
  "mul",
  "sub",
  "div",
  "sdiv",
  "mod",
  "smod",
  "signextend",
  "lt",
  "gt",
  "slt",
  "sgt",
  "eq",
  "and",
  "or",
  "xor",
  "byte",
  "shl",
  "shr",
  "sar",
  "exp",
];
const TERNARY = ["addmod", "mulmod"];
const READS = [
  "address",
  "origin",
  "caller",
  "callvalue",
  "calldatasize",
  "codesize",
  "gasprice",
  "returndatasize",
  "coinbase",
  "timestamp",
  "number",
  "difficulty",
  "gaslimit",
  "pc",
  "msize",
  "gas",
  // Undefined below 2.6.0, where they end the frame.
  "chainid",
  "selfbalance",
];

/** What a program may name. */
export interface Surroundings {
  /** Addresses it may call with all its gas. */
  readonly callees: readonly bigint[];
  /** Addresses it may call with little gas, itself among them. */
  readonly returns: readonly bigint[];
  /** A contract that stores what is there already and does no more. */
  readonly holder: bigint;
  /** The highest of the Ethereum contracts that there are. */
  readonly precompiled: number;
  /** Addresses it may ask about. */
  readonly accounts: readonly bigint[];
  /** Whether it may create; created code does not. */
  readonly mayCreate: boolean;
  /** Instruction groups. */
  readonly length: number;
}

/** A program being written. */
export interface Writer {
  readonly random: Random;
  readonly around: Surroundings;
  readonly out: number[];
  /** Items that are surely on the stack. */
  height: number;
  /** Init codes and the places of their PUSH2 offsets. */
  readonly inits: { readonly code: Uint8Array; readonly at: number }[];
}

/** A random program. */
export function randomProgram(random: Random, around: Surroundings): Uint8Array {
  const writer = begin(random, around);
  for (let i = 0; i < around.length; i++) group(writer);
  finish(writer);
  return end(writer);
}

/** Init code that does something and then leaves a runtime. */
export function randomInit(random: Random, around: Surroundings, runtime: Uint8Array): Uint8Array {
  const writer = begin(random, around);
  for (let i = 0; i < around.length; i++) group(writer);
  pushNumber(writer, runtime.length, 2);
  writer.inits.push({ code: runtime, at: writer.out.length + 1 });
  pushNumber(writer, 0, 2);
  pushNumber(writer, 0);
  emit(writer, "codecopy");
  pushNumber(writer, runtime.length, 2);
  pushNumber(writer, 0);
  emit(writer, "return");
  return end(writer);
}

function begin(random: Random, around: Surroundings): Writer {
  const writer: Writer = { random, around, out: [], height: 0, inits: [] };
  for (let i = 0; i < 6; i++) pushOperand(writer);
  return writer;
}

/** Puts the codes that the program copies behind it. */
function end({ out, inits }: Writer): Uint8Array {
  for (const { code, at } of inits) {
    patch(out, at, out.length);
    out.push(...code);
  }
  return Uint8Array.from(out);
}

function patch(out: number[], at: number, value: number): void {
  out[at] = value >> 8;
  out[at + 1] = value & 0xff;
}

/** Appends instructions. */
export function emit(writer: Writer, ...names: readonly string[]): void {
  for (const name of names) writer.out.push(opcode(name));
}

/** Appends a PUSH, as short as it goes or of a width. */
export function pushNumber(writer: Writer, value: bigint | number, width = 0): void {
  writer.out.push(...push(BigInt(value), width));
}

/** Pushes something of interest to arithmetic. */
export function pushOperand(writer: Writer): void {
  const { random } = writer;
  let value = random.pick(EDGES);
  if (random.below(4) === 0) {
    value = 0n;
    for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(random.below(0x100000000));
    value >>= BigInt(random.below(256));
  }
  pushNumber(writer, value);
  writer.height++;
}

/** Makes sure that this many items are there. */
export function need(writer: Writer, items: number): void {
  while (writer.height < items) pushOperand(writer);
}

/** One group of instructions, by weight. */
function group(writer: Writer): void {
  const { random, around } = writer;
  const choice = random.below(100);
  if (choice < 36) arithmetic(writer);
  else if (choice < 48) shuffle(writer);
  else if (choice < 53) pushOperand(writer);
  else if (choice < 59) read(writer);
  else if (choice < 68) memoryAccess(writer);
  else if (choice < 74) slotAccess(writer);
  else if (choice < 79) copyData(writer);
  else if (choice < 82) logEntry(writer);
  else if (choice < 86) branch(writer);
  else if (choice < 88) loop(writer);
  else if (choice < 91) account(writer);
  else if (choice < 94 && around.callees.length > 0) call(writer);
  else if (choice < 95) selfCall(writer);
  else if (choice < 96) callPrecompiled(writer);
  else if (choice < 97 && around.mayCreate) create(writer);
  else if (choice === 99 && random.below(12) === 0) disturb(writer);
  else arithmetic(writer);
}

function arithmetic(writer: Writer): void {
  const { random } = writer;
  const kind = random.below(8);
  const [names, items] = kind === 0 ? [UNARY, 1] : kind === 1 ? [TERNARY, 3] : [BINARY, 2];
  need(writer, items);
  if (random.below(2) === 0) pushOperand(writer);
  emit(writer, random.pick(names));
  writer.height -= items - 1;
}

function shuffle(writer: Writer): void {
  const { random } = writer;
  // Now and then deep enough for the last of DUP and SWAP.
  need(writer, random.below(12) === 0 ? 17 : 2);
  const depth = 1 + random.below(Math.min(16, writer.height - 1));
  if (random.below(2) === 0) emit(writer, `swap${depth}`);
  else {
    emit(writer, `dup${depth}`);
    writer.height++;
  }
  if (writer.height > 40) {
    emit(writer, "pop");
    writer.height--;
  }
}

/** Pushes something of the environment. */
export function read(writer: Writer): void {
  const { random, around } = writer;
  if (random.below(12) === 0) {
    pushNumber(writer, random.below(4) === 0 ? random.below(1_000) : 380 + random.below(300));
    emit(writer, "blockhash");
  } else {
    const hasAll = around.precompiled > 4 || random.below(20) === 0;
    emit(writer, random.pick(hasAll ? READS : READS.slice(0, -2)));
  }
  writer.height++;
}

/** Pushes a memory offset: constant, or made small from what is on the stack. */
function pushOffset(writer: Writer): void {
  const { random } = writer;
  if (random.below(3) > 0 || writer.height === 0) {
    pushNumber(writer, random.below(random.pick([300, 700, 9_000])));
    writer.height++;
  } else {
    pushNumber(writer, 0x1ff);
    emit(writer, "and");
  }
}

function memoryAccess(writer: Writer): void {
  const { random } = writer;
  const kind = random.below(4);
  if (kind < 2) {
    need(writer, 2);
    pushOffset(writer);
    need(writer, 2);
    emit(writer, kind === 0 ? "mstore" : "mstore8");
    writer.height -= 2;
  } else if (kind === 2) {
    pushOffset(writer);
    emit(writer, "mload");
  } else {
    pushNumber(writer, random.below(100));
    pushNumber(writer, random.below(300));
    emit(writer, "sha3");
    writer.height++;
  }
}

function slotAccess(writer: Writer): void {
  const { random } = writer;
  if (random.below(2) === 0) {
    pushNumber(writer, random.below(4));
    emit(writer, "sload");
    writer.height++;
    return;
  }
  need(writer, 1);
  if (random.below(3) === 0) {
    pushNumber(writer, random.below(2));
    writer.height++;
  }
  pushNumber(writer, random.below(4));
  emit(writer, "sstore");
  writer.height--;
}

function copyData(writer: Writer): void {
  const { random } = writer;
  const kind = random.below(5);
  if (kind === 0) {
    need(writer, 1);
    emit(writer, "calldataload");
    return;
  }
  if (kind === 4) {
    // Rarely more than there may be.
    if (random.below(16) > 0) emit(writer, "returndatasize");
    else pushNumber(writer, random.below(40));
    pushNumber(writer, 0);
    pushNumber(writer, random.below(400));
    emit(writer, "returndatacopy");
    return;
  }
  pushNumber(writer, random.below(80));
  pushNumber(writer, random.below(120));
  pushNumber(writer, random.below(400));
  if (kind === 1) emit(writer, "calldatacopy");
  else if (kind === 2) emit(writer, "codecopy");
  else {
    pushNumber(writer, random.pick(writer.around.accounts));
    emit(writer, "extcodecopy");
  }
}

function logEntry(writer: Writer): void {
  const topics = writer.random.below(5);
  need(writer, topics);
  pushNumber(writer, writer.random.below(70));
  pushNumber(writer, writer.random.below(300));
  emit(writer, `log${topics}`);
  writer.height -= topics;
}

/** A jump forward over a few instructions that leave the stack as it is. */
function branch(writer: Writer): void {
  const { random, out } = writer;
  need(writer, 2);
  const isConditional = random.below(4) > 0;
  if (isConditional && random.below(2) === 0) emit(writer, "iszero");
  const at = out.length + 1;
  pushNumber(writer, 0, 2);
  if (random.below(3) === 0) emit(writer, "dup1", "pop");
  emit(writer, isConditional ? "jumpi" : "jump");
  if (isConditional) writer.height--;
  emit(writer, random.pick(["caller", "gas", "msize"]), "pop");
  need(writer, 1);
  emit(writer, "dup1", random.pick(UNARY), "pop");
  // Dead data that looks like a destination and then swallows the real one.
  if (!isConditional && random.below(3) === 0) out.push(0x61, 0x5b, 0x60);
  patch(out, at, out.length);
  emit(writer, "jumpdest");
}

/** A loop that works on one item a few times. */
function loop(writer: Writer): void {
  const { random, out } = writer;
  need(writer, 1);
  pushNumber(writer, 1 + random.below(12));
  const start = out.length;
  emit(writer, "jumpdest", "swap1");
  for (let i = random.below(4); i >= 0; i--) {
    pushNumber(writer, random.pick(EDGES));
    emit(writer, random.pick(BINARY));
  }
  emit(writer, "swap1");
  pushNumber(writer, 1);
  emit(writer, "swap1", "sub", "dup1");
  pushNumber(writer, start, 2);
  emit(writer, "jumpi", "pop");
}

/** Something that usually ends the frame. */
function disturb(writer: Writer): void {
  const { random, out } = writer;
  const kind = random.below(9);
  if (kind === 0) emit(writer, "invalid");
  else if (kind === 1) out.push(random.pick([0x0c, 0x1e, 0x21, 0x48, 0x5f, 0xa5, 0xef]));
  else if (kind === 2) {
    // Into the data of a PUSH, or anywhere.
    out.push(0x61, 0x5b, 0x5b, 0x50);
    if (random.below(2) === 0) pushNumber(writer, out.length - 2);
    else pushOperand(writer);
    emit(writer, "jump");
  } else if (kind === 3) emit(writer, ...Array.from({ length: 60 }, () => "pop"));
  else if (kind === 4) emit(writer, "stop");
  else if (kind === 5) {
    pushNumber(writer, random.pick(writer.around.accounts));
    emit(writer, "selfdestruct");
  } else if (kind === 6) {
    const start = out.length;
    emit(writer, "jumpdest", "dup1");
    pushNumber(writer, start, 2);
    emit(writer, "jump");
  } else if (kind === 7) {
    pushOperand(writer);
    pushNumber(writer, random.pick(EDGES));
    emit(writer, random.pick(["sha3", "mstore", "revert", "return", "log0"]));
  } else emit(writer, "returndatasize", "returndatasize", "not", "dup2", "returndatacopy");
}

/** Shows the top of the stack and of memory: six words in slots or in the output. */
function finish(writer: Writer): void {
  const { random } = writer;
  need(writer, 6);
  for (let i = 0; i < 6; i++) {
    if (random.below(8) === 0) {
      pushNumber(writer, 10 + i);
      emit(writer, "sstore");
    } else {
      pushNumber(writer, 32 * i);
      emit(writer, "mstore");
    }
    writer.height--;
  }
  if (random.below(60) === 0) {
    // As high as the stack may be, or a little more.
    const items = MAX_STACK - writer.height - 1 + random.below(4);
    emit(writer, ...Array.from({ length: items }, () => "dup1"), "stop");
  } else if (random.below(24) === 0) {
    pushNumber(writer, random.pick(writer.around.accounts));
    emit(writer, "selfdestruct");
  } else if (random.below(16) > 0) {
    pushNumber(writer, random.below(5) === 0 ? 0 : 192);
    pushNumber(writer, random.below(3) === 0 ? random.below(64) : 0);
    emit(writer, random.below(9) === 0 ? "revert" : "return");
  }
}
