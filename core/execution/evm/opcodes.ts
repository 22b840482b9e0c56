/** The instruction table: static cost, stack need and stack change. Source: execution 7 */
import type { Schedule } from "./gas.ts";

/** What analysis needs to know about each opcode. */
export type OpcodeTable = ReturnType<typeof opcodeTable>;

/** Rows: first opcode, last opcode, cost, items popped, items pushed. */
const ROWS: readonly (readonly [number, number, number, number, number])[] = [
  [0x00, 0x00, 0, 0, 0], // STOP
  [0x01, 0x01, 3, 2, 1], // ADD
  [0x02, 0x02, 5, 2, 1], // MUL
  [0x03, 0x03, 3, 2, 1], // SUB
  [0x04, 0x07, 5, 2, 1], // DIV SDIV MOD SMOD
  [0x08, 0x09, 8, 3, 1], // ADDMOD MULMOD
  [0x0a, 0x0a, 10, 2, 1], // EXP
  [0x0b, 0x0b, 5, 2, 1], // SIGNEXTEND
  [0x10, 0x14, 3, 2, 1], // LT GT SLT SGT EQ
  [0x15, 0x15, 3, 1, 1], // ISZERO
  [0x16, 0x18, 3, 2, 1], // AND OR XOR
  [0x19, 0x19, 3, 1, 1], // NOT
  [0x1a, 0x1d, 3, 2, 1], // BYTE SHL SHR SAR
  [0x20, 0x20, 30, 2, 1], // SHA3
  [0x30, 0x30, 2, 0, 1], // ADDRESS
  [0x31, 0x31, 700, 1, 1], // BALANCE
  [0x32, 0x34, 2, 0, 1], // ORIGIN CALLER CALLVALUE
  [0x35, 0x35, 3, 1, 1], // CALLDATALOAD
  [0x36, 0x36, 2, 0, 1], // CALLDATASIZE
  [0x37, 0x37, 3, 3, 0], // CALLDATACOPY
  [0x38, 0x38, 2, 0, 1], // CODESIZE
  [0x39, 0x39, 3, 3, 0], // CODECOPY
  [0x3a, 0x3a, 2, 0, 1], // GASPRICE
  [0x3b, 0x3b, 700, 1, 1], // EXTCODESIZE
  [0x3c, 0x3c, 700, 4, 0], // EXTCODECOPY
  [0x3d, 0x3d, 2, 0, 1], // RETURNDATASIZE
  [0x3e, 0x3e, 3, 3, 0], // RETURNDATACOPY
  [0x3f, 0x3f, 700, 1, 1], // EXTCODEHASH
  [0x40, 0x40, 20, 1, 1], // BLOCKHASH
  [0x41, 0x45, 2, 0, 1], // COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT
  [0x46, 0x46, 2, 0, 1], // CHAINID
  [0x47, 0x47, 5, 0, 1], // SELFBALANCE
  [0x50, 0x50, 2, 1, 0], // POP
  [0x51, 0x51, 3, 1, 1], // MLOAD
  [0x52, 0x53, 3, 2, 0], // MSTORE MSTORE8
  [0x54, 0x54, 200, 1, 1], // SLOAD
  [0x55, 0x55, 0, 2, 0], // SSTORE
  [0x56, 0x56, 8, 1, 0], // JUMP
  [0x57, 0x57, 10, 2, 0], // JUMPI
  [0x58, 0x5a, 2, 0, 1], // PC MSIZE GAS
  [0x5b, 0x5b, 1, 0, 0], // JUMPDEST
  [0x60, 0x7f, 3, 0, 1], // PUSH1 ... PUSH32
  [0xf0, 0xf0, 32_000, 3, 1], // CREATE
  [0xf1, 0xf2, 700, 7, 1], // CALL CALLCODE
  [0xf3, 0xf3, 0, 2, 0], // RETURN
  [0xf4, 0xf4, 700, 6, 1], // DELEGATECALL
  [0xf5, 0xf5, 32_000, 4, 1], // CREATE2
  [0xfa, 0xfa, 700, 6, 1], // STATICCALL
  [0xfd, 0xfd, 0, 2, 0], // REVERT
  [0xff, 0xff, 5_000, 1, 0], // SELFDESTRUCT
];

/** The table for a schedule. INVALID (0xfe) counts as not defined, which is the same thing. */
export function opcodeTable(schedule: Schedule) {
  const table = {
    /** 1 where the opcode exists. An opcode that does not costs 0 and does not touch the stack. */
    defined: new Uint8Array(256),
    cost: new Uint16Array(256),
    /** Stack items that must be there. */
    need: new Uint8Array(256),
    /** Items pushed less items popped. */
    change: new Int8Array(256),
  };
  const define = (opcode: number, cost: number, need: number, change: number): void => {
    table.defined[opcode] = 1;
    table.cost[opcode] = cost;
    table.need[opcode] = need;
    table.change[opcode] = change;
  };
  for (const [first, last, cost, popped, pushed] of ROWS) {
    for (let opcode = first; opcode <= last; opcode++)
      define(opcode, cost, popped, pushed - popped);
  }
  for (let n = 1; n <= 16; n++) define(0x7f + n, 3, n, 1); // DUPn
  for (let n = 1; n <= 16; n++) define(0x8f + n, 3, n + 1, 0); // SWAPn
  for (let n = 0; n <= 4; n++) define(0xa0 + n, 375 * (n + 1), n + 2, -(n + 2)); // LOGn
  table.cost[0x54] = schedule.sload;
  table.cost[0x31] = table.cost[0x3f] = schedule.accountRead;
  table.cost[0xf0] = table.cost[0xf5] = schedule.create;
  if (!schedule.istanbul) {
    for (const opcode of [0x46, 0x47]) {
      table.defined[opcode] = table.cost[opcode] = table.change[opcode] = 0;
    }
  }
  return table;
}
