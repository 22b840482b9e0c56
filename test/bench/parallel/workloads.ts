/** Blocks of transactions that touch nothing in common. */
import type { Address } from "../../../core/bytes/ids.ts";
import { concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { assemble } from "../../support/execution/assembler.ts";
import type { Sending, TestChain } from "../../support/execution/test-chain.ts";
import { callOf, numbers, someAddress } from "../families/family.ts";
import { loopCode } from "../families/evm.ts";

/** Independent transactions. */
export interface Workload {
  readonly name: string;
  readonly size: number;
  block(chain: TestChain): Promise<readonly Sending[]>;
}

const TRANSFER = 0x5002;
const SELECTOR = Uint8Array.of(1, 2, 3, 4);

/** Adds one to the slot that the first parameter names. */
const COUNT = "4 calldataload dup1 sload 1 add swap1 sstore stop";

function contractLoad(name: string, size: number, code: Uint8Array): Workload {
  return {
    name,
    size,
    async block(chain) {
      const to: Address = await chain.deploy(code);
      return numbers(size).map((i) => {
        const input = concatBytes(SELECTOR, fixedUintBytes(i + 1, 32));
        return { from: someAddress(i), to, input };
      });
    },
  };
}

const hashes = (count: number) => loopCode(count, "32 0 sha3 0 mstore");

/** From the lightest to the heaviest. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: "DagTransfer: transfer",
    size: 1_000,
    async block(chain) {
      const add = (i: number) => callOf(TRANSFER, "userAdd(string,uint256)", [`u${i}`, 1_000n]);
      await chain.block(...numbers(1_000).map(add));
      await chain.block(...numbers(1_000).map((i) => add(1_000 + i)));
      return numbers(1_000).map((i) => {
        const values = [`u${2 * i}`, `u${2 * i + 1}`, 1n];
        const call = callOf(TRANSFER, "userTransfer(string,string,uint256)", values);
        return { ...call, from: someAddress(i) };
      });
    },
  },
  contractLoad("EVM: a slot each", 1_000, assemble(COUNT)),
  contractLoad("EVM: 100 hashes each", 1_000, hashes(100)),
  contractLoad("EVM: 1,000 hashes each", 200, hashes(1_000)),
];
