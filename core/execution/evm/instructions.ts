/**
 * The instructions that touch memory regions, accounts, slots and logs. Each takes the frame, the
 * top of the stack and the gas left, and returns the gas left then or a failure. Source: execution
 * 7, 7.1
 */
import { TRANSACTION_STATUS } from "../../fault/transaction-status.ts";
import { EMPTY, fail, type Frame, type GasOrFailure, type Machine, spend, touch } from "./frame.ts";
import { STORE_SENTRY } from "./gas.ts";
import { copyPadded } from "./memory.ts";
import { SLOT_CHANGE } from "./message.ts";
import { isSmall, isZero, setBigInt, setBytes, setSmall, toBytes, toNumber } from "./words.ts";

/** Copying and hashing are priced by the word. */
const COPY_GAS_PER_WORD = 3;
const HASH_GAS_PER_WORD = 6;
const LOG_GAS_PER_BYTE = 8;

/** Words of 32 bytes that hold this many bytes. */
export function wordCount(bytes: number): number {
  return Math.ceil(bytes / 32);
}

/** SHA3: offset at the top, size below. */
export function sha3(machine: Machine, frame: Frame, sp: number, gas: number): GasOrFailure {
  const { words, memory } = frame;
  let left = touch(frame, gas, sp, sp - 8);
  if (left < 0) return left;
  const size = words[sp - 8] as number;
  left = spend(frame, left, HASH_GAS_PER_WORD * wordCount(size));
  if (left < 0) return left;
  const from = size === 0 ? 0 : (words[sp] as number);
  setBytes(words, sp - 8, machine.hash(memory.bytes.subarray(from, from + size)));
  return left;
}

/** CALLDATALOAD. */
export function callDataLoad(frame: Frame, sp: number): void {
  const { words, input } = frame;
  if (!isSmall(words, sp)) return setSmall(words, sp, 0);
  const from = words[sp] as number;
  const last = Math.min(from + 32, input.length);
  setSmall(words, sp, 0);
  for (let i = from; i < last; i++) {
    const place = 31 - (i - from);
    const limb = sp + (place >> 2);
    words[limb] = (words[limb] as number) | ((input[i] as number) << (8 * (place & 3)));
  }
}

/**
 * CALLDATACOPY, CODECOPY, EXTCODECOPY: memory offset at the top, offset in the source, size below.
 */
export function copy(frame: Frame, sp: number, gas: number, source: Uint8Array): GasOrFailure {
  let left = touch(frame, gas, sp, sp - 16);
  if (left < 0) return left;
  const size = frame.words[sp - 16] as number;
  left = spend(frame, left, COPY_GAS_PER_WORD * wordCount(size));
  if (left >= 0 && size > 0) copyFree(frame, sp, source);
  return left;
}

/**
 * EXTCODECOPY: address at the top, the operands of {@link copy} below. The code is examined for a
 * copy of nothing too, which opens the table. Source: tx-block-codec 12.4
 */
export function externalCopy(
  machine: Machine,
  frame: Frame,
  sp: number,
  gas: number,
): GasOrFailure {
  const address = machine.addresses.addressOf(frame.words, sp);
  // The code is wanted only when the copy can be paid.
  const left = copy(frame, sp - 8, gas, EMPTY);
  if (left < 0) return left;
  const code = frame.context.host.code(address);
  // Paid already.
  if (!isZero(frame.words, sp - 24)) copyFree(frame, sp - 8, code);
  return left;
}

function copyFree({ words, memory }: Frame, sp: number, source: Uint8Array): void {
  const place = { to: words[sp] as number, size: words[sp - 16] as number };
  copyPadded(memory.bytes, place, source, toNumber(words, sp - 8));
}

/** RETURNDATACOPY: what lies outside of the return data ends the frame. Source: execution 5 */
export function returnDataCopy(frame: Frame, sp: number, gas: number): GasOrFailure {
  const { words, memory, returnData } = frame;
  let left = touch(frame, gas, sp, sp - 16);
  if (left < 0) return left;
  const size = words[sp - 16] as number;
  const from = toNumber(words, sp - 8);
  if (from + size > returnData.length) return fail(frame, left, TRANSACTION_STATUS.Unknown);
  left = spend(frame, left, COPY_GAS_PER_WORD * wordCount(size));
  if (left < 0 || size === 0) return left;
  memory.bytes.set(returnData.subarray(from, from + size), words[sp] as number);
  return left;
}

/** BALANCE. */
export function balance(machine: Machine, frame: Frame, sp: number): void {
  const address = machine.addresses.addressOf(frame.words, sp);
  setBigInt(frame.words, sp, frame.context.host.balance(address));
}

/** EXTCODESIZE. */
export function externalCodeSize(machine: Machine, frame: Frame, sp: number): void {
  const address = machine.addresses.addressOf(frame.words, sp);
  setSmall(frame.words, sp, frame.context.host.codeSize(address));
}

/** EXTCODEHASH. */
export function externalCodeHash(machine: Machine, frame: Frame, sp: number): void {
  const address = machine.addresses.addressOf(frame.words, sp);
  setBytes(frame.words, sp, frame.context.host.codeHash(address) ?? EMPTY);
}

/** BLOCKHASH. */
export function blockHash(frame: Frame, sp: number): void {
  const number = toNumber(frame.words, sp);
  const known = number < Infinity ? frame.context.host.blockHash(number) : undefined;
  setBytes(frame.words, sp, known ?? EMPTY);
}

/**
 * SSTORE: slot at the top, value below. `ahead` is the static cost that the contract sees as not
 * yet spent. The store happens before its price is taken. Source: execution 7.1
 */
export function store(
  machine: Machine,
  frame: Frame,
  sp: number,
  { gas, ahead }: { readonly gas: number; readonly ahead: number },
): GasOrFailure {
  const { schedule } = machine;
  const { context, message, words } = frame;
  if (message.isStatic) return fail(frame, gas, TRANSACTION_STATUS.Unknown);
  if (schedule.istanbul && gas + ahead <= STORE_SENTRY) {
    return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
  }
  switch (context.host.storeSlot(message.recipient, words, sp, sp - 8)) {
    case SLOT_CHANGE.unchanged:
      return spend(frame, gas, schedule.storeUnchanged);
    case SLOT_CHANGE.added:
      return spend(frame, gas, schedule.storeAdded);
    case SLOT_CHANGE.modified:
    case SLOT_CHANGE.deleted:
      return spend(frame, gas, schedule.storeModified);
    case SLOT_CHANGE.denied:
      return fail(frame, gas, TRANSACTION_STATUS.PermissionDenied);
  }
}

/** LOGn: offset at the top, size and n topics below. */
export function log(frame: Frame, sp: number, gas: number, topicCount: number): GasOrFailure {
  const { words, memory, message } = frame;
  if (message.isStatic) return fail(frame, gas, TRANSACTION_STATUS.Unknown);
  let left = touch(frame, gas, sp, sp - 8);
  if (left < 0) return left;
  const size = words[sp - 8] as number;
  left = spend(frame, left, LOG_GAS_PER_BYTE * size);
  if (left < 0) return left;
  const topics: Uint8Array[] = [];
  for (let i = 0; i < topicCount; i++) topics.push(toBytes(words, sp - 16 - 8 * i));
  const from = size === 0 ? 0 : (words[sp] as number);
  frame.context.host.log(message.recipient, topics, memory.bytes.slice(from, from + size));
  return left;
}

/** SELFDESTRUCT: beneficiary at the top. Accounts hold no balance, so that the price is static. */
export function selfDestruct(
  machine: Machine,
  frame: Frame,
  sp: number,
  gas: number,
): GasOrFailure {
  const { message, context, words } = frame;
  if (message.isStatic) return fail(frame, gas, TRANSACTION_STATUS.Unknown);
  context.host.selfDestruct(message.recipient, machine.addresses.addressOf(words, sp));
  return gas;
}

/** RETURN and REVERT: offset at the top, size below. */
export function takeOutput(frame: Frame, sp: number, gas: number): GasOrFailure {
  const { words, memory } = frame;
  const left = touch(frame, gas, sp, sp - 8);
  if (left < 0) return left;
  const size = words[sp - 8] as number;
  const from = words[sp] as number;
  frame.output = size === 0 ? EMPTY : memory.bytes.slice(from, from + size);
  return left;
}
