/**
 * One frame of execution: what it holds, how it pays, how it begins and ends. Source: execution 4,
 * 5
 */
import { TRANSACTION_STATUS } from "../../fault/transaction-status.ts";
import type { AddressCache } from "./address-cache.ts";
import type { Program } from "./analysis.ts";
import { MAX_STACK, memoryGas, type Schedule } from "./gas.ts";
import { clearMemory, createMemory, type Memory, resizeMemory } from "./memory.ts";
import { type FrameResult, type Message, probeWork, type TransactionContext } from "./message.ts";
import { isSmall, isZero, LIMBS, setAddress, setSmall, type Words } from "./words.ts";

/** What all frames of an execution share. */
export interface Machine {
  readonly schedule: Schedule;
  /** The chain hash. */
  readonly hash: (data: Uint8Array) => Uint8Array;
  readonly addresses: AddressCache;
}

/** A frame; frames are pooled by depth and used again. */
export interface Frame {
  readonly words: Words;
  readonly memory: Memory;
  context: TransactionContext;
  message: Message;
  program: Program;
  /**
   * Words of ADDRESS, CALLER and ORIGIN, once `hasIdentity` says so: reading their text is slow.
   */
  readonly identity: Words;
  hasIdentity: boolean;
  /** Call data; empty while init code runs. */
  input: Uint8Array;
  /** Next place in the stream. */
  ip: number;
  /** Place of the top word; -8 when the stack is empty. */
  sp: number;
  gas: number;
  /** Work of the transaction is `workBase - gas` while this frame runs. */
  workBase: number;
  /** Gas below which either gas or work has to be examined; at least 0. */
  floor: number;
  returnData: Uint8Array;
  /** What the frame returns or reverts with. */
  output: Uint8Array;
  /** The call or creation this frame waits for. */
  pending: Message | undefined;
  /** Where a call's output goes. */
  outputOffset: number;
  outputSize: number;
}

/** No bytes. */
export const EMPTY = new Uint8Array(0);

/** Begins a message in a frame of the pool, or a new one. */
export function openFrame(
  pooled: Frame | undefined,
  context: TransactionContext,
  message: Message,
  program: Program,
): Frame {
  const frame = pooled ?? createFrame(context, message, program);
  frame.context = context;
  frame.message = message;
  frame.program = program;
  const isCreation = message.kind === "create" || message.kind === "create2";
  frame.input = isCreation ? EMPTY : message.input;
  frame.hasIdentity = false;
  frame.ip = 0;
  frame.sp = -LIMBS;
  frame.gas = message.gas;
  frame.returnData = EMPTY;
  frame.output = EMPTY;
  frame.pending = undefined;
  clearMemory(frame.memory);
  return frame;
}

function createFrame(context: TransactionContext, message: Message, program: Program): Frame {
  return {
    words: new Uint32Array(MAX_STACK * LIMBS),
    memory: createMemory(),
    context,
    message,
    program,
    input: EMPTY,
    identity: new Uint32Array(3 * LIMBS),
    hasIdentity: false,
    ip: 0,
    sp: -LIMBS,
    gas: message.gas,
    workBase: 0,
    floor: 0,
    returnData: EMPTY,
    output: EMPTY,
    pending: undefined,
    outputOffset: 0,
    outputSize: 0,
  };
}

/** Places in {@link Frame.identity}. */
export const IDENTITY = { recipient: 0, sender: LIMBS, origin: 2 * LIMBS } as const;

/** Pushes ADDRESS, CALLER or ORIGIN to a place of the stack. */
export function pushIdentity(frame: Frame, at: number, from: number): void {
  const { words, identity, message } = frame;
  if (!frame.hasIdentity) {
    setAddress(identity, IDENTITY.recipient, message.recipient);
    setAddress(identity, IDENTITY.sender, message.sender);
    setAddress(identity, IDENTITY.origin, frame.context.origin);
    frame.hasIdentity = true;
  }
  for (let i = 0; i < LIMBS; i++) words[at + i] = identity[from + i] as number;
}

/** Takes over the work counter when the frame starts or goes on. */
export function takeWork(frame: Frame): void {
  const { work } = frame.context;
  frame.workBase = work.spent + frame.gas;
  setFloor(frame);
}

/** Writes the work back; whenever the frame stops or waits, and before work is examined. */
export function putWork(frame: Frame, gas: number): void {
  frame.context.work.spent = frame.workBase - gas;
}

/**
 * Called with the gas left when it is below the floor, and not below 0.
 *
 * @throws WorkExceeded, Cancelled
 */
export function lookAtWork(frame: Frame, gas: number): void {
  putWork(frame, gas);
  probeWork(frame.context);
  setFloor(frame);
}

/** Where the next look at gas or work is due, after `workBase` has changed. */
export function setFloor(frame: Frame): void {
  frame.floor = Math.max(0, frame.workBase - frame.context.work.nextProbe + 1);
}

/** Failure of an instruction: below zero, the negative status. Else the gas that is left. */
export type GasOrFailure = number;

/**
 * Marks the failure of an instruction that had this gas left: what was paid before counts as work.
 */
export function fail(frame: Frame, gas: number, status: number): GasOrFailure {
  frame.gas = gas;
  return -status;
}

/** Takes a dynamic cost; a cost that cannot be paid is not work. Source: decision 21 */
export function spend(frame: Frame, gas: number, cost: number): GasOrFailure {
  const left = gas - cost;
  if (left < frame.floor) {
    if (left < 0) return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
    lookAtWork(frame, left);
  }
  return left;
}

/**
 * Pays for memory up to offset + size, both words of the stack, and makes it there. Source:
 * execution 7.1
 */
export function touch(frame: Frame, gas: number, offsetAt: number, sizeAt: number): GasOrFailure {
  const { words } = frame;
  if (isZero(words, sizeAt)) return gas;
  if (!isSmall(words, sizeAt) || !isSmall(words, offsetAt)) {
    return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
  }
  return touchBytes(frame, gas, (words[offsetAt] as number) + (words[sizeAt] as number));
}

/** Pays for memory of 1 or 32 bytes at the offset at a place of the stack. */
export function touchWord(frame: Frame, gas: number, offsetAt: number, size: number): GasOrFailure {
  if (!isSmall(frame.words, offsetAt)) return fail(frame, gas, TRANSACTION_STATUS.OutOfGas);
  return touchBytes(frame, gas, (frame.words[offsetAt] as number) + size);
}

function touchBytes(frame: Frame, gas: number, end: number): GasOrFailure {
  const { memory } = frame;
  if (end <= memory.size) return gas;
  const words = Math.ceil(end / 32);
  const left = spend(frame, gas, memoryGas(words) - memoryGas(memory.size / 32));
  // Paid and within the bound of work before it is allocated.
  if (left >= 0) resizeMemory(memory, words * 32);
  return left;
}

/** What a frame leaves that ended with the status and that gas. Source: execution 5 */
export function closeFrame(frame: Frame, status: number, schedule: Schedule): FrameResult {
  const { message, output } = frame;
  // Depths that are rarely reached must not keep large memories.
  clearMemory(frame.memory);
  const result = (code: number, gasLeft: number): FrameResult => {
    return { status: code, gasLeft, output, created: undefined };
  };
  switch (status) {
    case TRANSACTION_STATUS.None:
    case TRANSACTION_STATUS.RevertInstruction:
      return result(status, frame.gas);
    case TRANSACTION_STATUS.OutOfGas:
      return result(status, message.gas);
    case TRANSACTION_STATUS.PermissionDenied:
      return schedule.denialKeepsGas
        ? result(status, message.gas)
        : result(TRANSACTION_STATUS.RevertInstruction, 0);
    default:
      return result(status, 0);
  }
}

/**
 * Gives the outcome of the pending message to the frame that waits for it. Source: execution 5, 7.1
 */
export function resumeFrame(frame: Frame, result: FrameResult): void {
  const { words, memory, pending, sp } = frame;
  if (pending === undefined) return;
  frame.pending = undefined;
  frame.returnData = result.output;
  const succeeded = result.status === TRANSACTION_STATUS.None;
  if (succeeded && result.created !== undefined) setAddress(words, sp, result.created);
  else setSmall(words, sp, succeeded ? 1 : 0);
  const size = Math.min(frame.outputSize, result.output.length);
  if (size > 0) memory.bytes.set(result.output.subarray(0, size), frame.outputOffset);
  frame.gas -= pending.gas - result.gasLeft;
}
