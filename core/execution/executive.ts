/** One transaction from base gas to what its receipt reports. Source: execution 2, 5 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { type Address, ZERO_ADDRESS } from "../bytes/ids.ts";
import { TRANSACTION_STATUS } from "../fault/transaction-status.ts";
import type { LogEntry } from "../model/receipt.ts";
import type { BlockScope } from "./block-scope.ts";
import { WORK_FACTOR } from "./chain-rules.ts";
import { enterCreation, leaveCreation } from "./creation.ts";
import {
  createWork,
  type Entry,
  type FrameResult,
  type Message,
  WorkExceeded,
} from "./evm/message.ts";
import { enterCall, leaveCall, resultOf } from "./message-call.ts";
import { StateHost } from "./state-host.ts";

/** What execution needs of a transaction or call. */
export interface ExecutableTransaction {
  readonly from: Address;
  /** Null for a creation. */
  readonly to: Address | null;
  readonly gasPrice: bigint;
  /** The client's field; it counts only in the refund. Source: execution 5 */
  readonly gas: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
}

/** What a transaction did: a receipt without the root. */
export interface Outcome {
  readonly status: number;
  /** Of this transaction alone; unsigned 256-bit arithmetic. */
  readonly gasUsed: bigint;
  /** The zero address for calls and failed creations. */
  readonly contractAddress: Address;
  readonly output: Uint8Array;
  readonly logs: readonly LogEntry[];
  /** The sender's row after the transaction; 0 without one. */
  readonly remainGas: bigint;
  /** Work counted against the bounds. Source: decision 21 */
  readonly work: number;
}

const CALL_BASE_GAS = 21_000n;
const CREATION_BASE_GAS = 53_000n;
const ZERO_BYTE_GAS = 4;
const NON_ZERO_BYTE_GAS = 68;
/** Base gas of every transaction in free storage mode. */
const FREE_STORAGE_BASE_GAS = 20_000n;
const UINT256 = (1n << 256n) - 1n;
/** Frames count gas in safe integers; a larger `tx_gas_limit` gives a frame this much. */
const MAX_FRAME_GAS = BigInt(Number.MAX_SAFE_INTEGER);

class TransactionHost extends StateHost {
  enter(message: Message): Entry {
    return isCreation(message) ? enterCreation(this, message) : enterCall(this, message);
  }

  leave(message: Message, result: FrameResult): FrameResult {
    const left = isCreation(message)
      ? leaveCreation(this, message, result)
      : leaveCall(this, result);
    this.storeDenied = false;
    return left;
  }
}

/**
 * Runs one transaction on the state of the block; its changes stay in the overlay.
 *
 * @throws Cancelled when the block is abandoned
 */
export function executeTransaction(scope: BlockScope, transaction: ExecutableTransaction): Outcome {
  const limit = scope.gasLimit;
  const plainBase = baseGas(transaction);
  const work = createWork(Math.min(Number(limit) * WORK_FACTOR, Number.MAX_SAFE_INTEGER - 1));
  const { from: origin, gasPrice } = transaction;
  const host = new TransactionHost(scope, origin, gasPrice, work);
  if (plainBase > limit) {
    return finish(host, { status: TRANSACTION_STATUS.OutOfGasIntrinsic, gasLeft: 0n });
  }
  const { charging } = scope;
  const pays = charging?.pays(origin, transaction.to) ?? false;
  if (pays && !charging?.affords(origin, plainBase)) return unpaid(host, origin);
  const base = scope.rules.freeStorage ? FREE_STORAGE_BASE_GAS : plainBase;
  if (base > limit) return finish(host, { status: TRANSACTION_STATUS.OutOfGasBase, gasLeft: 0n });
  if (pays && !charging?.affords(origin, base)) return unpaid(host, origin);

  const given = limit - base;
  const gas = given < MAX_FRAME_GAS ? Number(given) : Number.MAX_SAFE_INTEGER;
  const result = runMessage(host, toMessage(transaction, gas));
  const left = given - BigInt(gas) + BigInt(result.gasLeft);
  const gasLeft = host.hasRunCode ? refunded(host, transaction.gas, left) : left;
  for (const address of host.destroyed()) scope.accounts.destroy(address);
  const ending = { ...result, gasLeft };
  if (charging === undefined) return finish(host, ending);
  if (!pays) return finish(host, ending, 0n);
  // Only the base is charged to one that has used up everything; refunds give back no more than was
  // used. Source: execution 5, 9
  const used = gasLeft < limit ? limit - gasLeft : 0n;
  return finish(host, ending, charging.charge(origin, left === 0n ? base : used));
}

/** Nothing runs for a sender who cannot pay the base. Source: execution 2.3, 2.5, 9 */
function unpaid(host: StateHost, origin: Address): Outcome {
  host.scope.charging?.settle(origin);
  return finish(host, { status: TRANSACTION_STATUS.NotEnoughRemainGas, gasLeft: 0n }, 0n);
}

/** Base gas by the normal formula: 68 per non-zero byte at every version. Source: execution 2.1 */
export function baseGas(transaction: Pick<ExecutableTransaction, "to" | "input">): bigint {
  let data = 0;
  const { input } = transaction;
  for (let at = 0; at < input.length; at++)
    data += input[at] === 0 ? ZERO_BYTE_GAS : NON_ZERO_BYTE_GAS;
  return (transaction.to === null ? CREATION_BASE_GAS : CALL_BASE_GAS) + BigInt(data);
}

function runMessage(host: StateHost, message: Message): FrameResult {
  const { overlay } = host.scope;
  overlay.allowance = host.allowance();
  try {
    return host.scope.rules.evm.execute(host.context, message);
  } catch (reason) {
    if (!(reason instanceof WorkExceeded)) throw reason;
    // The whole transaction unwinds to its start and pays the base. Source: decision 21
    host.unwindAll();
    return resultOf(TRANSACTION_STATUS.OutOfGas, message.gas, EMPTY_BYTES);
  } finally {
    // What follows is no longer undone when it is ended.
    overlay.allowance = undefined;
  }
}

function toMessage(transaction: ExecutableTransaction, gas: number): Message {
  const { from, to, value, input } = transaction;
  const recipient = to ?? ZERO_ADDRESS;
  return {
    kind: to === null ? "create" : "call",
    depth: 0,
    isStatic: false,
    gas,
    sender: from,
    recipient,
    codeAddress: recipient,
    value,
    input,
    salt: undefined,
  };
}

/** Gas left after refunds; the client's gas field wraps below zero. Source: execution 5 */
function refunded(host: StateHost, gasField: bigint, gasLeft: bigint): bigint {
  const counter = BigInt(host.refund());
  if (counter === 0n) return gasLeft;
  const half = ((gasField - gasLeft) & UINT256) / 2n;
  return gasLeft + (half < counter ? half : counter);
}

interface Ending {
  readonly status: number;
  readonly gasLeft: bigint;
  readonly output?: Uint8Array;
  readonly created?: Address | undefined;
}

function finish(host: StateHost, ending: Ending, charged?: bigint): Outcome {
  const { scope } = host;
  const outcome: Outcome = {
    status: ending.status,
    gasUsed: charged ?? (scope.gasLimit - ending.gasLeft) & UINT256,
    contractAddress: ending.created ?? ZERO_ADDRESS,
    output: ending.output ?? EMPTY_BYTES,
    logs: host.logs,
    // Looked up after every transaction: below 2.5.0 this opens the sender's table.
    // Source: tx-block-codec 12.4
    remainGas: host.remainGas(host.origin),
    work: host.context.work.spent + host.context.work.beside,
  };
  scope.overlay.endTransaction();
  return outcome;
}

function isCreation(message: Message): boolean {
  return message.kind === "create" || message.kind === "create2";
}
