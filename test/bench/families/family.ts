/** A family of contracts whose calls are measured in blocks. */
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { ALICE, type Sending, SUITE, type TestChain } from "../../support/execution/test-chain.ts";

/** A block of calls. */
export interface FamilyBlock {
  /** What comes first in the block and is not counted, such as the objects of a table. */
  readonly head: readonly Sending[];
  /** The counted calls. */
  readonly calls: readonly Sending[];
}

/** One row of the table. */
export interface Family {
  readonly name: string;
  /** Counted calls of a block. */
  readonly size: number;
  /** What the first word of each receipt reports; any number but a negative one when absent. */
  readonly answer?: bigint;
  /** Brings the chain to where the calls succeed. */
  prepare?(chain: TestChain): Promise<void>;
  /** The calls of a block; all of them succeed. */
  block(chain: TestChain): Promise<FamilyBlock> | FamilyBlock;
}

/** Numbers from 0 on. */
export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** A call by signature; a number is the address of a system contract. */
export function callOf(
  to: Address | number,
  signature: string,
  values: readonly AbiValue[],
  from: Address = ALICE,
): Sending {
  const address = typeof to === "number" ? addressOfNumber(to) : to;
  return { from, to: address, input: encodeCall(signature, values, SUITE.hash) };
}

/** A family whose calls are independent of what the chain holds. */
export function plainFamily(
  name: string,
  size: number,
  call: (index: number) => Sending,
  prepare?: (chain: TestChain) => Promise<void>,
): Family {
  const block = () => ({ head: [], calls: numbers(size).map(call) });
  return { name, size, block, ...(prepare ? { prepare } : {}) };
}

/** An address of its own for each number. */
export function someAddress(index: number): Address {
  return `0x${"ad".repeat(16)}${(index + 1).toString(16).padStart(8, "0")}` as Address;
}
