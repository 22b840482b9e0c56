/** Contracts in EVM code. */
import type { Address } from "../../../core/bytes/ids.ts";
import { concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { compileContract } from "../../support/execution/solidity.ts";
import { ALICE, type Sending, SUITE, type TestChain } from "../../support/execution/test-chain.ts";
import { helloWorldBytecode, setCall, textOf } from "../hello-world.ts";
import { callOf, type Family, numbers, someAddress } from "./family.ts";

const SIZE = 200;
/** Calls of a block of loops. */
const LOOPS = 20;
const SUPPLY = 1n << 64n;
const SECRET = new Uint8Array(32).fill(7);

/** Creation code of the token with its supply. */
export function tokenCreation(): Uint8Array {
  const bytecode = compileContract("Token.sol", "solc05")["Token"]?.bytecode ?? "";
  return concatBytes(hexBytes(bytecode), fixedUintBytes(SUPPLY, 32));
}

/** Runs a body this many times; the counter is on the stack. */
export function loopCode(times: number, body: string): Uint8Array {
  const rest = "1 swap1 sub dup1 @again jumpi stop";
  return assemble(`${times} again: ${body} ${rest}`);
}

/** A family that calls one contract. */
function contractFamily(
  name: string,
  deploy: (chain: TestChain) => Promise<Address>,
  call: (to: Address, index: number) => Sending,
  size = SIZE,
): Family {
  return {
    name,
    size,
    async block(chain) {
      const to = await deploy(chain);
      return { head: [], calls: numbers(size).map((index) => call(to, index)) };
    },
  };
}

const created = async (chain: TestChain, input: Uint8Array | string) =>
  (await chain.send({ input })).contractAddress;

/** A valid input of ecrecover. */
function recoverInput(index: number): Uint8Array {
  const digest = SUITE.hash(Uint8Array.of(index));
  const signature = SUITE.sign(digest, SECRET);
  const v = fixedUintBytes(27 + (signature[64] ?? 0), 32);
  return concatBytes(digest, v, signature.subarray(0, 64));
}

/** Families in EVM code, and the precompiled contracts of Ethereum that cost most. */
export const EVM_FAMILIES: readonly Family[] = [
  contractFamily(
    "EVM: set a string",
    (chain) => created(chain, helloWorldBytecode()),
    (to, index) => ({ to, input: setCall(textOf(index)) }),
  ),
  contractFamily(
    "EVM: token transfer",
    (chain) => created(chain, tokenCreation()),
    (to, index) => callOf(to, "transfer(address,uint256)", [someAddress(index), 1n], ALICE),
  ),
  {
    name: "EVM: create a contract",
    size: SIZE,
    block: () => ({
      head: [],
      calls: numbers(SIZE).map(() => ({ input: helloWorldBytecode() })),
    }),
  },
  contractFamily(
    "EVM: 1,000 hashes",
    (chain) => chain.deploy(loopCode(1_000, "32 0 sha3 0 mstore")),
    (to) => ({ to }),
    LOOPS,
  ),
  contractFamily(
    "EVM: 10,000 rounds of arithmetic",
    (chain) => chain.deploy(loopCode(10_000, "dup1 dup1 mul 7 add pop")),
    (to) => ({ to }),
    LOOPS,
  ),
  contractFamily(
    "EVM: ecrecover",
    (chain) => chain.deploy(assemble("128 0 0 calldatacopy 32 0 128 0 1 gas staticcall stop")),
    (to, index) => ({ to, input: recoverInput(index) }),
  ),
];
