/**
 * Calls of the Ethereum precompiled contracts 1 to 9: what they cost and how they fail, by version.
 * Source: execution 4; precompiles 17
 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import { TRANSACTION_STATUS } from "../fault/transaction-status.ts";
import { chargeBesideGas, chargeWork, type FrameResult, type Message } from "./evm/message.ts";
import type { StateHost } from "./state-host.ts";

/** Runs the call when the code address is one of the nine; undefined otherwise. */
export function enterEthereumContract(host: StateHost, message: Message): FrameResult | undefined {
  const contract = host.scope.rules.ethereum.get(message.codeAddress);
  if (contract === undefined) return undefined;
  const { overlay } = host.scope;
  const { gas } = message;
  const cost = overlay.since(2, 5, 0) ? contract.cost(message.input) : 0;
  if (cost > gas) return result(TRANSACTION_STATUS.OutOfGasBase, gas, EMPTY_BYTES);
  chargeWork(host.context, cost);
  chargeBesideGas(host.context, contract.work(message.input));
  const output = contract.run(message.input);
  if (output === undefined && overlay.since(2, 6, 0)) {
    return result(TRANSACTION_STATUS.RevertInstruction, 0, EMPTY_BYTES);
  }
  return result(TRANSACTION_STATUS.None, gas - cost, output ?? EMPTY_BYTES);
}

function result(status: number, gasLeft: number, output: Uint8Array): FrameResult {
  return { status, gasLeft, output, created: undefined };
}
