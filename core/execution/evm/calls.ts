/**
 * CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE and CREATE2 up to the interface of the host.
 * Source: execution 3, 4, 7.1
 */
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import { TRANSACTION_STATUS } from "../../fault/transaction-status.ts";
import {
  EMPTY,
  fail,
  type Frame,
  type GasOrFailure,
  type Machine,
  setFloor,
  spend,
  touch,
} from "./frame.ts";
import { MAX_DEPTH, NEW_ACCOUNT_GAS } from "./gas.ts";
import { wordCount } from "./instructions.ts";
import type { Message } from "./message.ts";
import { isZero, LIMBS, setSmall, toBigInt, toBytes, toNumber } from "./words.ts";

/** CREATE2 hashes its init code. */
const INIT_HASH_GAS_PER_WORD = 6;

/** What begins, the gas left, and the static cost that is seen as not yet spent. */
interface Beginning<Kind> {
  readonly kind: Kind;
  readonly gas: number;
  readonly ahead: number;
}

/** Kinds of the call family. */
export type CallKind = Exclude<Message["kind"], "create" | "create2">;
/** All but one 64th. */
function allButOne64th(gas: number): number {
  return gas - Math.floor(gas / 64);
}

/**
 * The call family: gas, address, [value], input, output from the top. Leaves the message in
 * `pending` with the result's place at the new top, or pushes 0 when depth or balance forbid the
 * call.
 *
 * @returns gas left; the new top is `sp` less 6 or 5 words
 */
export function beginCall(
  machine: Machine,
  frame: Frame,
  sp: number,
  { kind, gas: before, ahead }: Beginning<CallKind>,
): GasOrFailure {
  const { words, message } = frame;
  const hasValueItem = kind === "call" || kind === "callcode";
  const hasValue = hasValueItem && !isZero(words, sp - 2 * LIMBS);
  const inputAt = sp - (hasValueItem ? 3 : 2) * LIMBS;
  let gas = touch(frame, before, inputAt, inputAt - LIMBS);
  if (gas < 0) return gas;
  gas = touch(frame, gas, inputAt - 2 * LIMBS, inputAt - 3 * LIMBS);
  if (gas < 0) return gas;
  if (kind === "call" && hasValue && message.isStatic) {
    return fail(frame, gas, TRANSACTION_STATUS.Unknown);
  }
  const target = machine.addresses.addressOf(words, sp - LIMBS);
  const cost = hasValue ? valueCost(machine, frame, kind, target) : 0;
  const visible = gas + ahead - cost;
  if (visible < 0) return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
  const given = Math.min(toNumber(words, sp), allButOne64th(visible));
  const stipend = hasValue ? machine.schedule.callStipend : 0;
  const value = hasValue ? toBigInt(words, sp - 2 * LIMBS) : 0n;
  const resultAt = inputAt - 3 * LIMBS;
  gas = payForCall(frame, gas, cost, stipend);
  if (gas < 0) return gas;
  const isPossible = message.depth < MAX_DEPTH && (!hasValue || canPay(frame, value));
  if (isPossible) {
    frame.pending = callMessage(frame, { kind, target, value, inputAt, gas: given + stipend });
    frame.outputOffset = words[inputAt - 2 * LIMBS] as number;
    frame.outputSize = words[resultAt] as number;
  }
  frame.returnData = EMPTY;
  setSmall(words, resultAt, 0);
  return gas;
}

/** Price of a call that carries value. Source: execution 7 */
function valueCost(machine: Machine, frame: Frame, kind: CallKind, target: Address): number {
  const { schedule } = machine;
  const isNew =
    kind === "call" && schedule.chargesNewAccount && !frame.context.host.accountExists(target);
  return schedule.callValue + (isNew ? NEW_ACCOUNT_GAS : 0);
}

/**
 * Takes the price of a value transfer and gives the stipend back. The balance without the gas that
 * is only seen may fall below zero by the one and be saved by the other.
 */
function payForCall(frame: Frame, gas: number, cost: number, stipend: number): GasOrFailure {
  if (cost === 0 && stipend === 0) return gas;
  const left = gas - cost + stipend;
  if (left < 0) return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
  // The price is work, the stipend is not work saved.
  frame.workBase += stipend;
  setFloor(frame);
  return spend(frame, left, 0);
}

function canPay(frame: Frame, value: bigint): boolean {
  return frame.context.host.balance(frame.message.recipient) >= value;
}

function callMessage(
  frame: Frame,
  call: Pick<Message, "value" | "gas"> & { kind: CallKind; target: Address; inputAt: number },
): Message {
  const { message } = frame;
  const { kind, target } = call;
  const isDelegate = kind === "delegatecall";
  return {
    kind,
    depth: message.depth + 1,
    isStatic: message.isStatic || kind === "staticcall",
    gas: call.gas,
    sender: isDelegate ? message.sender : message.recipient,
    recipient: kind === "call" || kind === "staticcall" ? target : message.recipient,
    codeAddress: target,
    value: isDelegate ? message.value : call.value,
    input: region(frame, call.inputAt),
    salt: undefined,
  };
}

/** View of the memory whose offset is at a place of the stack, its size below. */
function region(frame: Frame, offsetAt: number): Uint8Array {
  const { words, memory } = frame;
  const size = words[offsetAt - LIMBS] as number;
  if (size === 0) return EMPTY;
  const from = words[offsetAt] as number;
  return memory.bytes.subarray(from, from + size);
}

/**
 * CREATE and CREATE2: endowment, offset, size, [salt] from the top.
 *
 * @returns gas left; the new top is `sp` less 2 or 3 words
 */
export function beginCreate(
  frame: Frame,
  sp: number,
  { kind, gas: before, ahead }: Beginning<"create" | "create2">,
): GasOrFailure {
  const { words, message } = frame;
  if (message.isStatic) return fail(frame, before, TRANSACTION_STATUS.Unknown);
  let gas = touch(frame, before, sp - LIMBS, sp - 2 * LIMBS);
  if (gas < 0) return gas;
  const isSalted = kind === "create2";
  const size = words[sp - 2 * LIMBS] as number;
  if (isSalted) gas = spend(frame, gas, INIT_HASH_GAS_PER_WORD * wordCount(size));
  if (gas < 0) return gas;
  const value = toBigInt(words, sp);
  const isPossible = message.depth < MAX_DEPTH && (value === 0n || canPay(frame, value));
  if (isPossible) {
    frame.pending = {
      kind,
      depth: message.depth + 1,
      isStatic: false,
      gas: allButOne64th(gas + ahead),
      sender: message.recipient,
      recipient: ZERO_ADDRESS,
      codeAddress: ZERO_ADDRESS,
      value,
      input: region(frame, sp - LIMBS),
      salt: isSalted ? toBytes(words, sp - 3 * LIMBS) : undefined,
    };
    frame.outputSize = 0;
  }
  frame.returnData = EMPTY;
  setSmall(words, sp - (isSalted ? 3 : 2) * LIMBS, 0);
  return gas;
}
