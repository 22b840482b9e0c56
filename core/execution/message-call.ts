/**
 * How a message call begins: the checks in their order, precompiled contracts, the frame.
 * Source: execution 4, 6
 */
import { encodeRevert, SELECTOR_BYTES } from "../abi/encode.ts";
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { TRANSACTION_STATUS } from "../fault/transaction-status.ts";
import { ColumnFault } from "../storage/live-table.ts";
import {
  chargeBesideGas,
  chargeWork,
  type Entry,
  type FrameResult,
  type Message,
  WorkExceeded,
} from "./evm/message.ts";
import {
  HIDDEN_FAILURE,
  PrecompiledFault,
  type PrecompiledContract,
} from "./precompiled/contract.ts";
import { GasMeter } from "./precompiled/gas-meter.ts";
import type { FrameMark, StateHost } from "./state-host.ts";

/** Begins a call, of a transaction or a contract. */
export function enterCall(host: StateHost, message: Message): Entry {
  const mark = host.mark();
  if (message.depth === 0) {
    const frozen = refuseFrozenOrigin(host, message.gas);
    if (frozen !== undefined) return ended(message, frozen);
  }
  const { codeAddress } = message;
  const builtIn = enterEthereumContract(host, message);
  if (builtIn !== undefined) return ended(message, builtIn);
  const contract = host.scope.find(codeAddress);
  if (contract !== undefined) return ended(message, runPrecompiled(host, message, contract, mark));

  const account = host.scope.accounts.get(codeAddress);
  if (account?.isFrozen() === true) return ended(message, frozenContract(host, message));
  if (account === undefined || !account.hasCode()) return ended(message, noCode(host, message));
  host.openFrame(mark);
  return { result: undefined, message, codeHash: account.codeHashText() };
}

/**
 * Runs the call when the code address is one of the Ethereum contracts 1 to 9; undefined otherwise.
 * Source: execution 4; precompiles 17
 */
function enterEthereumContract(host: StateHost, message: Message): FrameResult | undefined {
  const contract = host.scope.rules.ethereum.get(message.codeAddress);
  if (contract === undefined) return undefined;
  const { overlay } = host.scope;
  const { gas } = message;
  const cost = overlay.since(2, 5, 0) ? contract.cost(message.input) : 0;
  if (cost > gas) return resultOf(TRANSACTION_STATUS.OutOfGasBase, gas, EMPTY_BYTES);
  chargeWork(host.context, cost);
  chargeBesideGas(host.context, contract.work(message.input));
  const output = contract.run(message.input);
  if (output === undefined && overlay.since(2, 6, 0)) {
    return resultOf(TRANSACTION_STATUS.RevertInstruction, 0, EMPTY_BYTES);
  }
  return resultOf(TRANSACTION_STATUS.None, gas - cost, output ?? EMPTY_BYTES);
}

/** Ends a call that ran code. */
export function leaveCall(host: StateHost, result: FrameResult): FrameResult {
  const mark = host.closeFrame();
  if (result.status !== TRANSACTION_STATUS.None) host.unwind(mark);
  return result;
}

/**
 * The refusal for a frozen account that sends a transaction; from 2.5.0 on. Source: execution 3, 4
 */
export function refuseFrozenOrigin(host: StateHost, gasLeft: number): FrameResult | undefined {
  const { overlay, accounts } = host.scope;
  if (!overlay.since(2, 5, 0)) return undefined;
  if (accounts.get(host.origin)?.isFrozen() !== true) return undefined;
  return failure(host, TRANSACTION_STATUS.AccountFrozen, {
    gasLeft,
    message: `Frozen account:${host.origin}`,
  });
}

/** A message that is over without a frame. */
export function ended(message: Message, result: FrameResult): Entry {
  return { result, message, codeHash: undefined };
}

/** A failed result; with a message as `Error(string)`. */
export function failure(
  host: StateHost,
  status: number,
  detail: { readonly gasLeft: number; readonly message?: string },
): FrameResult {
  const { gasLeft, message } = detail;
  const output = message === undefined ? EMPTY_BYTES : encodeRevert(message, host.scope.suite.hash);
  return resultOf(status, gasLeft, output);
}

/** A result without a new account. */
export function resultOf(status: number, gasLeft: number, output: Uint8Array): FrameResult {
  return { status, gasLeft, output, created: undefined };
}

function frozenContract(host: StateHost, message: Message): FrameResult {
  return failure(host, TRANSACTION_STATUS.ContractFrozen, {
    gasLeft: message.gas,
    message: `Frozen contract:${message.codeAddress.slice(2)}`,
  });
}

function noCode(host: StateHost, message: Message): FrameResult {
  const gasLeft = message.gas;
  const isTold = host.scope.overlay.since(2, 3, 0);
  return failure(host, TRANSACTION_STATUS.CallAddressError, {
    gasLeft,
    ...(isTold ? { message: `Error address:${message.codeAddress.slice(2)}` } : {}),
  });
}

/**
 * Runs a system contract or an object of the block; data without a whole selector fails.
 * Source: execution 4.4, 6; decision 22
 */
function runPrecompiled(
  host: StateHost,
  message: Message,
  contract: PrecompiledContract,
  mark: FrameMark,
): FrameResult {
  const gasLeft = message.gas;
  const failed = (text: string | undefined): FrameResult => {
    host.unwind(mark);
    const detail = text === undefined ? { gasLeft } : { gasLeft, message: text };
    return failure(host, TRANSACTION_STATUS.PrecompiledError, detail);
  };
  const outcome = tryPrecompiled(host, message, contract);
  if ("fault" in outcome) return failed(outcome.fault);
  const { output, cost } = outcome;
  if (!host.scope.overlay.since(2, 4, 0)) {
    return resultOf(TRANSACTION_STATUS.None, gasLeft, output);
  }
  if (cost > gasLeft) {
    return failed(
      `OutOfGas when executing precompiled Contract, gasUsed: ${cost}, leftGas:${gasLeft}`,
    );
  }
  chargeWork(host.context, cost);
  return resultOf(TRANSACTION_STATUS.None, gasLeft - cost, output);
}

type PrecompiledOutcome =
  | { readonly output: Uint8Array; readonly cost: number }
  | { readonly fault: string | undefined };

function tryPrecompiled(
  host: StateHost,
  message: Message,
  contract: PrecompiledContract,
): PrecompiledOutcome {
  // Such data ends the reference's process: nothing is there to imitate.
  if (message.input.length < SELECTOR_BYTES) return { fault: hiddenText(host) };
  const { overlay, rules } = host.scope;
  const gas = new GasMeter(rules.freeStorage);
  const work = (amount: number): void => chargeBesideGas(host.context, amount);
  // Reading the arguments, which most contracts charge nothing for.
  work(message.input.length);
  const before = overlay.effort;
  try {
    const output = contract.run({
      scope: host.scope,
      input: message.input,
      origin: host.origin,
      sender: message.sender,
      gas,
      work,
    });
    work(overlay.effort - before);
    if (host.keepsTooMuch()) throw new WorkExceeded();
    return { output, cost: gas.total(output.length) };
  } catch (fault) {
    work(overlay.effort - before);
    if (host.keepsTooMuch()) throw new WorkExceeded();
    if (fault instanceof PrecompiledFault) return { fault: visibleText(host, fault) };
    if (fault instanceof ColumnFault) return { fault: hiddenText(host) };
    throw fault;
  }
}

/** What a receipt shows of a fault. Source: execution 6 */
function visibleText(host: StateHost, fault: PrecompiledFault): string | undefined {
  if (fault.kind === "contract") return fault.message;
  if (fault.kind === "storage" && host.scope.overlay.since(2, 7, 0)) return fault.message;
  return hiddenText(host);
}

function hiddenText(host: StateHost): string | undefined {
  return host.scope.overlay.since(2, 3, 0) ? HIDDEN_FAILURE : undefined;
}
