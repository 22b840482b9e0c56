/**
 * The library interpreter as an oracle: Ethereum at Petersburg, whose prices are ours below version
 * 2.6.0.
 */
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM } from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { Account, Address as LibraryAddress, createAddressFromString } from "@ethereumjs/util";
import type { Address } from "../../core/bytes/ids.ts";
import type { Message, TransactionContext } from "../../core/execution/evm/message.ts";
import { hex, type TestLog } from "./evm-host.ts";

/** What is compared. */
export interface Outcome {
  readonly result: "success" | "revert" | "exception";
  readonly gasUsed: number;
  readonly output: string;
  readonly logs: readonly TestLog[];
  /** Non-zero slots as `address:slot:value`, sorted. */
  readonly slots: readonly string[];
  readonly destroyed: readonly string[];
}

/** A world of the oracle with the given codes. */
export async function createOracle(codes: ReadonlyMap<Address, Uint8Array>): Promise<{
  run(context: TransactionContext, message: Message): Promise<Outcome>;
}> {
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Petersburg });
  const stateManager = new SimpleStateManager({ common });
  const evm = await createEVM({ common, stateManager });
  for (const [address, code] of codes) {
    const place = createAddressFromString(address);
    await stateManager.putAccount(place, new Account(1n, 0n));
    await stateManager.putCode(place, code);
  }
  return { run: (context, message) => run(evm, stateManager, context, message) };
}

async function run(
  evm: EVM,
  stateManager: SimpleStateManager,
  context: TransactionContext,
  message: Message,
): Promise<Outcome> {
  const zero = new LibraryAddress(new Uint8Array(20));
  const header = {
    number: BigInt(context.number),
    timestamp: context.timestamp,
    coinbase: zero,
    difficulty: 0n,
    gasLimit: 0n,
    cliqueSigner: () => zero,
    prevRandao: new Uint8Array(32),
    baseFeePerGas: undefined,
    getBlobGasPrice: () => undefined,
  };
  const { execResult } = await evm.runCall({
    caller: createAddressFromString(message.sender),
    origin: createAddressFromString(context.origin),
    to: createAddressFromString(message.recipient),
    gasLimit: BigInt(message.gas),
    gasPrice: context.gasPrice,
    data: message.input,
    // The library asks a block for its header only.
    block: { header } as never,
  });
  const error = execResult.exceptionError?.error;
  const slots: string[] = [];
  for (const [place, value] of stateManager.storageStack[0] ?? []) {
    const [address, slot] = place.split("_");
    const number = BigInt(`0x${hex(value)}0`) >> 4n;
    if (number !== 0n) slots.push(`${address}:${BigInt(slot ?? "0")}:${number}`);
  }
  return {
    result: error === undefined ? "success" : error === "revert" ? "revert" : "exception",
    gasUsed: Number(execResult.executionGasUsed),
    output: hex(execResult.returnValue),
    logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
      address: `0x${hex(address)}` as Address,
      topics: topics.map(hex),
      data: hex(data),
    })),
    slots: slots.sort(),
    destroyed: [...(execResult.selfdestruct?.keys() ?? [])].sort(),
  };
}
