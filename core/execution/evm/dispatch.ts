/** The dispatch of the interpreter: one loop, one big switch. Source: execution 7, 7.1 */
import { TRANSACTION_STATUS } from "../../fault/transaction-status.ts";
import { addMod, byteLength, div, exp, mod, mul, mulMod, sdiv, smod } from "./arithmetic.ts";
import { beginCall, beginCreate, type CallKind } from "./calls.ts";
import {
  type Frame,
  IDENTITY,
  lookAtWork,
  type Machine,
  pushIdentity,
  putWork,
  spend,
  takeWork,
  touchWord,
} from "./frame.ts";
import {
  balance,
  blockHash,
  callDataLoad,
  copy,
  externalCodeHash,
  externalCodeSize,
  externalCopy,
  log,
  returnDataCopy,
  selfDestruct,
  sha3,
  store,
  takeOutput,
} from "./instructions.ts";
import { readWord, writeWord } from "./memory.ts";
import {
  add,
  addSmall,
  byteOf,
  isBelow,
  isBelowSigned,
  isEqual,
  isSmall,
  isZero,
  setBigInt,
  setNumber,
  setSmall,
  shiftLeft,
  shiftRight,
  signExtend,
  sub,
} from "./words.ts";

/** The frame waits for its pending message. */
export const WAITING = -1;

/**
 * Runs a frame until it ends or waits. The one function that may be long: it is the dispatch of
 * the interpreter, and a call per instruction would halve its speed.
 *
 * @returns a frame status, or WAITING
 */
export function run(machine: Machine, frame: Frame): number {
  const { words: w, memory, message, program, context } = frame;
  const { stream, constants, destinations } = program;
  let { ip, sp, gas } = frame;
  if (gas < 0) return TRANSACTION_STATUS.OutOfGas;
  takeWork(frame);
  for (;;) {
    const argument = stream[ip + 1] as number;
    switch (stream[ip]) {
      case 0x00: // STOP
        return ended(frame, gas, TRANSACTION_STATUS.None);
      case 0x01: // ADD
        add(w, sp);
        sp -= 8;
        break;
      case 0x02: // MUL
        mul(w, sp);
        sp -= 8;
        break;
      case 0x03: // SUB
        sub(w, sp);
        sp -= 8;
        break;
      case 0x04: // DIV
        div(w, sp);
        sp -= 8;
        break;
      case 0x05: // SDIV
        sdiv(w, sp);
        sp -= 8;
        break;
      case 0x06: // MOD
        mod(w, sp);
        sp -= 8;
        break;
      case 0x07: // SMOD
        smod(w, sp);
        sp -= 8;
        break;
      case 0x08: // ADDMOD
        addMod(w, sp);
        sp -= 16;
        break;
      case 0x09: // MULMOD
        mulMod(w, sp);
        sp -= 16;
        break;
      case 0x0a: // EXP
        gas = spend(frame, gas, EXP_GAS_PER_BYTE * byteLength(w, sp - 8));
        if (gas < 0) return failed(frame, gas);
        exp(w, sp);
        sp -= 8;
        break;
      case 0x0b: // SIGNEXTEND
        signExtend(w, sp);
        sp -= 8;
        break;
      case 0x10: // LT
        setSmall(w, sp - 8, isBelow(w, sp, sp - 8) ? 1 : 0);
        sp -= 8;
        break;
      case 0x11: // GT
        setSmall(w, sp - 8, isBelow(w, sp - 8, sp) ? 1 : 0);
        sp -= 8;
        break;
      case 0x12: // SLT
        setSmall(w, sp - 8, isBelowSigned(w, sp, sp - 8) ? 1 : 0);
        sp -= 8;
        break;
      case 0x13: // SGT
        setSmall(w, sp - 8, isBelowSigned(w, sp - 8, sp) ? 1 : 0);
        sp -= 8;
        break;
      case 0x14: // EQ
        setSmall(w, sp - 8, isEqual(w, sp, sp - 8) ? 1 : 0);
        sp -= 8;
        break;
      case 0x15: // ISZERO
        setSmall(w, sp, isZero(w, sp) ? 1 : 0);
        break;
      case 0x16: // AND
        for (let i = sp - 8; i < sp; i++) w[i] = (w[i] as number) & (w[i + 8] as number);
        sp -= 8;
        break;
      case 0x17: // OR
        for (let i = sp - 8; i < sp; i++) w[i] = (w[i] as number) | (w[i + 8] as number);
        sp -= 8;
        break;
      case 0x18: // XOR
        for (let i = sp - 8; i < sp; i++) w[i] = (w[i] as number) ^ (w[i + 8] as number);
        sp -= 8;
        break;
      case 0x19: // NOT
        for (let i = sp; i < sp + 8; i++) w[i] = ~(w[i] as number);
        break;
      case 0x1a: // BYTE
        byteOf(w, sp);
        sp -= 8;
        break;
      case 0x1b: // SHL
        shiftLeft(w, sp);
        sp -= 8;
        break;
      case 0x1c: // SHR
        shiftRight(w, sp, 0);
        sp -= 8;
        break;
      case 0x1d: // SAR
        shiftRight(w, sp, (w[sp - 1] as number) > 0x7fffffff ? 0xffffffff : 0);
        sp -= 8;
        break;
      case 0x20: // SHA3
        gas = sha3(machine, frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        sp -= 8;
        break;
      case 0x30: // ADDRESS
        sp += 8;
        pushIdentity(frame, sp, IDENTITY.recipient);
        break;
      case 0x31: // BALANCE
        balance(machine, frame, sp);
        break;
      case 0x32: // ORIGIN
        sp += 8;
        pushIdentity(frame, sp, IDENTITY.origin);
        break;
      case 0x33: // CALLER
        sp += 8;
        pushIdentity(frame, sp, IDENTITY.sender);
        break;
      case 0x34: // CALLVALUE
        sp += 8;
        setBigInt(w, sp, message.value);
        break;
      case 0x35: // CALLDATALOAD
        callDataLoad(frame, sp);
        break;
      case 0x36: // CALLDATASIZE
        sp += 8;
        setSmall(w, sp, frame.input.length);
        break;
      case 0x37: // CALLDATACOPY
        gas = copy(frame, sp, gas, frame.input);
        if (gas < 0) return failed(frame, gas);
        sp -= 24;
        break;
      case 0x39: // CODECOPY
        gas = copy(frame, sp, gas, program.code);
        if (gas < 0) return failed(frame, gas);
        sp -= 24;
        break;
      case 0x3a: // GASPRICE
        sp += 8;
        setBigInt(w, sp, context.gasPrice);
        break;
      case 0x3b: // EXTCODESIZE
        externalCodeSize(machine, frame, sp);
        break;
      case 0x3c: // EXTCODECOPY
        gas = externalCopy(machine, frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        sp -= 32;
        break;
      case 0x3d: // RETURNDATASIZE
        sp += 8;
        setSmall(w, sp, frame.returnData.length);
        break;
      case 0x3e: // RETURNDATACOPY
        gas = returnDataCopy(frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        sp -= 24;
        break;
      case 0x3f: // EXTCODEHASH
        externalCodeHash(machine, frame, sp);
        break;
      case 0x40: // BLOCKHASH
        blockHash(frame, sp);
        break;
      case 0x42: // TIMESTAMP
        sp += 8;
        setBigInt(w, sp, context.timestamp);
        break;
      case 0x43: // NUMBER
        sp += 8;
        setNumber(w, sp, context.number);
        break;
      case 0x47: // SELFBALANCE
        sp += 8;
        setBigInt(w, sp, context.host.balance(message.recipient));
        break;
      case 0x50: // POP
        sp -= 8;
        break;
      case 0x51: // MLOAD
        if (!isSmall(w, sp) || (w[sp] as number) + 32 > memory.size) {
          gas = touchWord(frame, gas, sp, 32);
          if (gas < 0) return failed(frame, gas);
        }
        readWord(memory.view, w[sp] as number, w, sp);
        break;
      case 0x52: // MSTORE
        if (!isSmall(w, sp) || (w[sp] as number) + 32 > memory.size) {
          gas = touchWord(frame, gas, sp, 32);
          if (gas < 0) return failed(frame, gas);
        }
        writeWord(memory.view, w[sp] as number, w, sp - 8);
        sp -= 16;
        break;
      case 0x53: // MSTORE8
        gas = touchWord(frame, gas, sp, 1);
        if (gas < 0) return failed(frame, gas);
        memory.bytes[w[sp] as number] = w[sp - 8] as number;
        sp -= 16;
        break;
      case 0x54: // SLOAD
        context.host.loadSlot(message.recipient, w, sp);
        break;
      case 0x55: // SSTORE
        gas = store(machine, frame, sp, { gas, ahead: argument });
        if (gas < 0) return failed(frame, gas);
        sp -= 16;
        break;
      case 0x56: {
        // JUMP
        const target = isSmall(w, sp) ? (w[sp] as number) : 0xffffffff;
        const place = target < destinations.length ? (destinations[target] as number) : 0;
        if (place === 0) return ended(frame, gas, TRANSACTION_STATUS.BadJumpDestination);
        sp -= 8;
        ip = place - 1;
        continue;
      }
      case 0x57: {
        // JUMPI
        sp -= 16;
        if (isZero(w, sp + 8)) break;
        const target = isSmall(w, sp + 16) ? (w[sp + 16] as number) : 0xffffffff;
        const place = target < destinations.length ? (destinations[target] as number) : 0;
        if (place === 0) return ended(frame, gas, TRANSACTION_STATUS.BadJumpDestination);
        ip = place - 1;
        continue;
      }
      case 0x59: // MSIZE
        sp += 8;
        setSmall(w, sp, memory.size);
        break;
      case 0x5a: // GAS
        sp += 8;
        setNumber(w, sp, gas + argument);
        break;
      case 0x5b: // entry of a block
        gas -= argument;
        if (gas < frame.floor) {
          if (gas < 0) return ended(frame, gas + argument, TRANSACTION_STATUS.OutOfGas);
          lookAtWork(frame, gas);
        }
        if (sp < (stream[ip + 2] as number)) {
          return ended(frame, gas, TRANSACTION_STATUS.StackUnderflow);
        }
        if (sp > (stream[ip + 3] as number)) {
          return ended(frame, gas, TRANSACTION_STATUS.OutOfStack);
        }
        ip += 4;
        continue;
      case 0x60: // PUSH of at most 32 bits
        sp += 8;
        setSmall(w, sp, argument);
        break;
      case 0x61: // PUSH of more
        sp += 8;
        for (let i = 0; i < 8; i++) w[sp + i] = constants[argument + i] as number;
        break;
      case 0x62: // PUSH JUMP
        if (argument < 0) return ended(frame, gas, TRANSACTION_STATUS.BadJumpDestination);
        ip = argument;
        continue;
      case 0x63: // PUSH JUMPI
        sp -= 8;
        if (isZero(w, sp + 8)) break;
        if (argument < 0) return ended(frame, gas, TRANSACTION_STATUS.BadJumpDestination);
        ip = argument;
        continue;
      case 0x64: // ISZERO PUSH JUMPI
        sp -= 8;
        if (!isZero(w, sp + 8)) break;
        if (argument < 0) return ended(frame, gas, TRANSACTION_STATUS.BadJumpDestination);
        ip = argument;
        continue;
      case 0x65: // PUSH ADD
        addSmall(w, sp, argument);
        break;
      case 0x80: // DUPn
        sp += 8;
        for (let i = sp; i < sp + 8; i++) w[i] = w[i - argument - 8] as number;
        break;
      case 0x90: // SWAPn
        for (let i = sp; i < sp + 8; i++) {
          const limb = w[i] as number;
          w[i] = w[i - argument] as number;
          w[i - argument] = limb;
        }
        break;
      case 0xa0: // LOGn
        gas = log(frame, sp, gas, argument);
        if (gas < 0) return failed(frame, gas);
        sp -= 16 + 8 * argument;
        break;
      case 0xf0: // CREATE
      case 0xf5: {
        // CREATE2
        const kind = stream[ip] === 0xf0 ? "create" : "create2";
        gas = beginCreate(frame, sp, { kind, gas, ahead: argument });
        if (gas < 0) return failed(frame, gas);
        sp -= kind === "create" ? 16 : 24;
        if (frame.pending !== undefined) return waits(frame, ip, sp, gas);
        break;
      }
      case 0xf1: // CALL
      case 0xf2: // CALLCODE
      case 0xf4: // DELEGATECALL
      case 0xfa: {
        // STATICCALL
        const kind = CALL_KINDS[(stream[ip] as number) & 0xf] as CallKind;
        gas = beginCall(machine, frame, sp, { kind, gas, ahead: argument });
        if (gas < 0) return failed(frame, gas);
        sp -= kind === "call" || kind === "callcode" ? 48 : 40;
        if (frame.pending !== undefined) return waits(frame, ip, sp, gas);
        break;
      }
      case 0xf3: // RETURN
        gas = takeOutput(frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        return ended(frame, gas, TRANSACTION_STATUS.None);
      case 0xfd: // REVERT
        gas = takeOutput(frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        return ended(frame, gas, TRANSACTION_STATUS.RevertInstruction);
      case 0xff: // SELFDESTRUCT
        gas = selfDestruct(machine, frame, sp, gas);
        if (gas < 0) return failed(frame, gas);
        return ended(frame, gas, TRANSACTION_STATUS.None);
      default: // INVALID and everything that does not exist
        return ended(frame, gas, TRANSACTION_STATUS.BadInstruction);
    }
    ip += 2;
  }
}

/** Ends a frame with the gas that is left. */
function ended(frame: Frame, gas: number, status: number): number {
  frame.gas = gas;
  putWork(frame, gas);
  return status;
}

/** Ends a frame whose instruction failed; the instruction has noted the gas it had left. */
function failed(frame: Frame, failure: number): number {
  return ended(frame, frame.gas, -failure);
}

/** Leaves a frame that waits; it goes on behind the instruction at `ip`. */
function waits(frame: Frame, ip: number, sp: number, gas: number): number {
  frame.ip = ip + 2;
  frame.sp = sp;
  return ended(frame, gas, WAITING);
}

const EXP_GAS_PER_BYTE = 50;

/** By the low digit of the opcode. */
const CALL_KINDS: Readonly<Record<number, CallKind>> = {
  1: "call",
  2: "callcode",
  4: "delegatecall",
  10: "staticcall",
};
