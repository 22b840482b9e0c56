/**
 * Turns code into an instruction stream with basic blocks priced in advance, and keeps the results
 * of recent codes. Source: execution 7.1
 */
import { MAX_STACK, type Schedule } from "./gas.ts";
import { type OpcodeTable, opcodeTable } from "./opcodes.ts";
import { LIMBS } from "./words.ts";

/** Opcodes of the stream that are not opcodes of the EVM, or mean something else than there. */
export const STREAM = {
  /** Entry of a block, in the place of JUMPDEST: gas, lowest and highest stack top follow. */
  block: 0x5b,
  /** Pushes the 32-bit operand. */
  pushSmall: 0x60,
  /** Pushes the constant at the operand's place. */
  pushConstant: 0x61,
  /** PUSH and JUMP to the operand's place; below zero there is no destination. */
  jumpTo: 0x62,
  /** PUSH and JUMPI. */
  jumpToIf: 0x63,
  /** ISZERO, PUSH and JUMPI. */
  jumpToIfZero: 0x64,
  /** PUSH and ADD. */
  addSmall: 0x65,
  /** DUPn, the operand in limbs. */
  dup: 0x80,
  /** SWAPn, the operand in limbs. */
  swap: 0x90,
  /** LOGn, the operand is n. */
  log: 0xa0,
  /** INVALID and everything undefined. */
  undefined: 0xfe,
} as const;

/** Analysed code. */
export interface Program {
  readonly code: Uint8Array;
  /**
   * Pairs of opcode and operand; a block entry takes two pairs. The operand of GAS, SSTORE, calls
   * and creations is the static cost of the block's later instructions, which is visible to the
   * contract again.
   */
  readonly stream: Int32Array;
  /** Pushed constants above 32 bits, eight limbs each. */
  readonly constants: Uint32Array;
  /** For each offset 1 more than the place of its JUMPDEST in the stream; 0 where there is none. */
  readonly destinations: Int32Array;
}

/** Largest number a stream can hold; dearer blocks do not exist below 2^31 gas. */
const MAX_OPERAND = 0x7fffffff;
/**
 * Bytes of analysed code kept, and what one byte of code takes at most next to itself: stream 16,
 * destination 4.
 */
const CACHE_BYTES = 48 * 1024 * 1024;
const BYTES_PER_CODE_BYTE = 21;

/** Numbers that the entry of a block takes in the stream. */
const ENTRY_LENGTH = 4;

const OP = {
  add: 0x01,
  isZero: 0x15,
  codeSize: 0x38,
  jump: 0x56,
  jumpIf: 0x57,
  pc: 0x58,
  jumpDest: 0x5b,
  push1: 0x60,
  push32: 0x7f,
} as const;
/** How analysis treats an opcode. Numbers, because creations make analysis a hot path. */
const KIND = { plain: 0, jumpDest: 1, push: 2, jumpIf: 3, end: 4, special: 5, seesGas: 6 } as const;
const KINDS = new Uint8Array(256);
/** DUPn, SWAPn and LOGn; PC, CODESIZE; COINBASE, DIFFICULTY, GASLIMIT, CHAINID. */
for (let i = 0x80; i <= 0xa4; i++) KINDS[i] = KIND.special;
for (const opcode of [0x38, 0x41, 0x44, 0x45, 0x46, 0x58]) KINDS[opcode] = KIND.special;
for (let i = 0x60; i <= 0x7f; i++) KINDS[i] = KIND.push;
/** SSTORE, GAS, CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL. */
for (const opcode of [0x55, 0x5a, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]) {
  KINDS[opcode] = KIND.seesGas;
}
/** STOP, JUMP, RETURN, REVERT, SELFDESTRUCT: what follows is dead up to the next JUMPDEST. */
for (const opcode of [0x00, 0x56, 0xf3, 0xfd, 0xff]) KINDS[opcode] = KIND.end;
KINDS[OP.jumpDest] = KIND.jumpDest;
KINDS[OP.jumpIf] = KIND.jumpIf;

/** Programs by code hash, least recently used first out. */
export interface ProgramCache {
  /** The program of a code; `read` is asked only when the cache does not hold it. */
  get(codeHash: string, read: () => Uint8Array): Program;
  /** Analyses without keeping. */
  analyse(code: Uint8Array): Program;
}

/** A cache for one schedule. */
export function createProgramCache(schedule: Schedule, maxBytes = CACHE_BYTES): ProgramCache {
  const table = opcodeTable(schedule);
  const programs = new Map<string, Program>();
  let bytes = 0;
  const evict = (): void => {
    for (const [hash, program] of programs) {
      if (bytes <= maxBytes) return;
      programs.delete(hash);
      bytes -= program.code.length * BYTES_PER_CODE_BYTE;
    }
  };
  return {
    get(codeHash, read) {
      const known = programs.get(codeHash);
      if (known !== undefined) {
        // Map keeps insertion order; moving the entry costs little next to a call.
        programs.delete(codeHash);
        programs.set(codeHash, known);
        return known;
      }
      const program = analyse(read(), table);
      programs.set(codeHash, program);
      bytes += program.code.length * BYTES_PER_CODE_BYTE;
      evict();
      return program;
    },
    analyse: (code) => analyse(code, table),
  };
}

/** State of one analysis. */
interface Builder {
  readonly code: Uint8Array;
  readonly table: OpcodeTable;
  /** Grows by doubling; `length` numbers of it are written. */
  stream: Int32Array;
  length: number;
  readonly constants: number[];
  readonly destinations: Int32Array;
  /** Places of operands that name a code offset until all destinations are known. */
  readonly jumps: number[];
  /** Places of operands that take the static cost still ahead in the block. */
  readonly visible: number[];
  /** Place of the open block's entry. */
  entry: number;
  cost: number;
  need: number;
  change: number;
  growth: number;
}

/** Analyses code from start to end, once. Source: execution 7.1 */
export function analyse(code: Uint8Array, table: OpcodeTable): Program {
  const builder: Builder = {
    code,
    table,
    stream: new Int32Array(2 * code.length + ROOM),
    length: 0,
    constants: [],
    destinations: new Int32Array(code.length),
    jumps: [],
    visible: [],
    entry: 0,
    cost: 0,
    need: 0,
    change: 0,
    growth: 0,
  };
  openBlock(builder);
  let offset = 0;
  while (offset < code.length) offset = readInstruction(builder, offset);
  write(builder, 0, 0);
  closeBlock(builder);
  const stream = builder.stream.slice(0, builder.length);
  for (const place of builder.jumps) {
    stream[place] = (builder.destinations[stream[place] as number] ?? 0) - 1;
  }
  const { destinations } = builder;
  return { code, stream, constants: new Uint32Array(builder.constants), destinations };
}

/** Adds the instruction at the offset to the stream; returns the offset of the next one. */
function readInstruction(builder: Builder, offset: number): number {
  const { code, table } = builder;
  if (builder.length + ROOM > builder.stream.length) grow(builder);
  const opcode = code[offset] as number;
  if (table.defined[opcode] === 0) {
    write(builder, STREAM.undefined, 0);
    return offset + 1;
  }
  const kind = KINDS[opcode] as number;
  if (kind === KIND.jumpDest) enterDestination(builder, offset);
  account(builder, opcode);
  if (kind === KIND.push) return readPush(builder, offset);
  if (kind === KIND.plain) write(builder, opcode, 0);
  else if (kind !== KIND.jumpDest) emit(builder, opcode, offset);
  return afterInstruction(builder, kind, offset + 1);
}

/** Most that one instruction writes: itself, and the entry of a block. */
const ROOM = 16;

function grow(builder: Builder): void {
  const stream = new Int32Array(2 * builder.stream.length);
  stream.set(builder.stream);
  builder.stream = stream;
}

function write(builder: Builder, opcode: number, operand: number): void {
  builder.stream[builder.length] = opcode;
  builder.stream[builder.length + 1] = operand;
  builder.length += 2;
}

/** Begins a block at a JUMPDEST, unless one has begun right here. */
function enterDestination(builder: Builder, offset: number): void {
  if (builder.cost > 0 || builder.length > builder.entry + ENTRY_LENGTH) {
    closeBlock(builder);
    openBlock(builder);
  }
  builder.destinations[offset] = builder.entry + 1;
}

/** Ends the block where the kind says so; returns the offset at which live code goes on. */
function afterInstruction(builder: Builder, kind: number, next: number): number {
  if (kind === KIND.jumpIf) {
    closeBlock(builder);
    openBlock(builder);
    return next;
  }
  if (kind !== KIND.end) return next;
  closeBlock(builder);
  const live = nextDestination(builder.code, next);
  if (live < builder.code.length) openBlock(builder);
  return live;
}

/** Counts an instruction into the open block. */
function account(builder: Builder, opcode: number): void {
  const { table } = builder;
  builder.cost += table.cost[opcode] as number;
  const need = (table.need[opcode] as number) - builder.change;
  if (need > builder.need) builder.need = need;
  builder.change += table.change[opcode] as number;
  if (builder.change > builder.growth) builder.growth = builder.change;
}

/** Writes an instruction that has an operand in the stream, or another name there. */
function emit(builder: Builder, opcode: number, offset: number): void {
  if (KINDS[opcode] !== KIND.special) {
    if (KINDS[opcode] === KIND.seesGas) builder.visible.push(builder.length + 1);
    write(builder, opcode, builder.cost);
  } else if (opcode >= 0xa0) write(builder, STREAM.log, opcode - 0xa0);
  else if (opcode >= 0x90) write(builder, STREAM.swap, (opcode - 0x8f) * LIMBS);
  else if (opcode >= 0x80) write(builder, STREAM.dup, (opcode - 0x80) * LIMBS);
  else if (opcode === OP.pc) write(builder, STREAM.pushSmall, offset);
  else if (opcode === OP.codeSize) write(builder, STREAM.pushSmall, builder.code.length);
  // COINBASE, DIFFICULTY, GASLIMIT and CHAINID are always zero. Source: execution 7.1
  else write(builder, STREAM.pushSmall, 0);
}

/** Reads a PUSH, joined with the instruction after it where the stream has one word for both. */
function readPush(builder: Builder, offset: number): number {
  const { code } = builder;
  const next = offset + (code[offset] as number) - OP.push1 + 2;
  let first = offset + 1;
  while (first < next - 4 && (code[first] ?? 0) === 0) first++;
  const isSmall = first >= next - 4;
  let low = 0;
  for (let i = Math.max(first, next - 4); i < next; i++) low = (low << 8) | (code[i] ?? 0);
  const follower = code[next];
  if (follower === OP.jump || follower === OP.jumpIf) {
    account(builder, follower);
    emitJump(builder, follower, isSmall && low >= 0 ? low : MAX_OPERAND);
    return afterInstruction(builder, KINDS[follower] as number, next + 1);
  }
  if (!isSmall) {
    write(builder, STREAM.pushConstant, builder.constants.length);
    addConstant(builder, offset + 1, next);
    return next;
  }
  if (follower === OP.add) {
    account(builder, follower);
    write(builder, STREAM.addSmall, low);
    return next + 1;
  }
  write(builder, STREAM.pushSmall, low);
  return next;
}

/** Adds the bytes of the code from `from` to `to` as a word; zeros follow the end of the code. */
function addConstant({ code, constants }: Builder, from: number, to: number): void {
  for (let limb = 0; limb < LIMBS; limb++) {
    const end = to - 4 * limb;
    let value = 0;
    for (let i = Math.max(from, end - 4); i < end; i++) value = (value << 8) | (code[i] ?? 0);
    constants.push(value);
  }
}

/** Writes a jump to a constant place, joined with an ISZERO before it. */
function emitJump(builder: Builder, opcode: number, offset: number): void {
  const { stream } = builder;
  const last = builder.length - 2;
  if (opcode === OP.jump) write(builder, STREAM.jumpTo, offset);
  else if (last >= builder.entry + ENTRY_LENGTH && stream[last] === OP.isZero) {
    stream[last] = STREAM.jumpToIfZero;
    stream[last + 1] = offset;
  } else write(builder, STREAM.jumpToIf, offset);
  builder.jumps.push(builder.length - 1);
}

/** Begins a block at the end of the stream. */
function openBlock(builder: Builder): void {
  builder.entry = builder.length;
  write(builder, STREAM.block, 0);
  write(builder, 0, 0);
  builder.cost = builder.need = builder.change = builder.growth = 0;
}

/**
 * Writes what is known now into the entry of the open block and into its gas-seeing instructions.
 */
function closeBlock(builder: Builder): void {
  const { stream, entry, cost } = builder;
  stream[entry + 1] = Math.min(cost, MAX_OPERAND);
  stream[entry + 2] = (builder.need - 1) * LIMBS;
  stream[entry + 3] = (MAX_STACK - builder.growth - 1) * LIMBS;
  const { visible } = builder;
  if (visible.length === 0) return;
  for (const place of visible) {
    stream[place] = Math.min(cost - (stream[place] as number), MAX_OPERAND);
  }
  visible.length = 0;
}

/**
 * Offset of the first JUMPDEST from `offset` on that is not push data; the code's length when there
 * is none.
 */
function nextDestination(code: Uint8Array, offset: number): number {
  let at = offset;
  while (at < code.length) {
    const opcode = code[at] as number;
    if (opcode === OP.jumpDest) return at;
    at += KINDS[opcode] === KIND.push ? opcode - OP.push1 + 2 : 1;
  }
  return code.length;
}
