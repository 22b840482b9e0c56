/** What a precompiled contract is given and what it may do: one small interface for all of them. */
import { encodeAbi } from "../../abi/encode.ts";
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Address, Hash } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { Overlay } from "../../storage/overlay.ts";
import type { Accounts } from "../accounts.ts";
import type { GasMeter } from "./gas-meter.ts";

/** The block or call that a precompiled contract runs in. */
export interface PrecompiledScope {
  readonly overlay: Overlay;
  readonly accounts: Accounts;
  readonly suite: CryptoSuite;
  /**
   * Number of the block below; rows written now carry `enable_num` parentNumber + 1.
   * Source: execution 1
   */
  readonly parentNumber: number;
  /** Hash of the block below. */
  readonly parentHash: Hash;
  /** Gives an object of this block an address, from 0x10001 on. Source: precompiles 1 */
  register(object: PrecompiledContract): Address;
  /** The contract or object at an address; undefined when there is none. */
  find(address: Address): PrecompiledContract | undefined;
}

/** One call of a precompiled contract. */
export interface PrecompiledCall {
  readonly scope: PrecompiledScope;
  /** Selector and arguments; may be a view that does not outlive the call. */
  readonly input: Uint8Array;
  /** Sender of the transaction. */
  readonly origin: Address;
  /** Immediate caller. */
  readonly sender: Address;
  readonly gas: GasMeter;
  /**
   * Counts work that gas does not pay for, before it is done: proofs take milliseconds and cost
   * their callers next to nothing. A unit is 5 ns in the slowest engine; what is kept until the end
   * of the block counts for its memory too. Table operations and the bytes of the call data are
   * counted by the caller. Source: decision 21
   *
   * @throws WorkExceeded when the transaction has done too much; not to be caught
   */
  work(amount: number): void;
}

/** A precompiled contract or an object of a block. */
export interface PrecompiledContract {
  /**
   * Runs a call; the output is the return value in ABI form.
   *
   * @throws PrecompiledFault for what ends the call with status 21
   */
  run(call: PrecompiledCall): Uint8Array;
}

/**
 * How a call fails. `contract`: the message is always shown; `storage`: from 2.7.0 on; `other`:
 * never. Source: execution 6
 */
export type PrecompiledFaultKind = "contract" | "storage" | "other";

/** Ends a call of a precompiled contract with status 21. Source: execution 6 */
export class PrecompiledFault extends Error {
  override readonly name = "PrecompiledFault";
  readonly kind: PrecompiledFaultKind;

  constructor(kind: PrecompiledFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Text of a failure whose own message is not shown. Source: execution 6 */
export const HIDDEN_FAILURE = "PrecompiledError";

const WORD = 32;
const STRING = { kind: "string" } as const;
/** ABI type `address`. */
export const ADDRESS = { kind: "address" } as const;
/** ABI type `bool`. */
export const BOOL = { kind: "bool" } as const;
/** ABI type `int256`. */
export const INT256 = { kind: "int", bits: 256 } as const;
/** ABI type `uint256`. */
export const UINT256 = { kind: "uint", bits: 256 } as const;
/** ABI type `address[]`. */
export const ADDRESSES = { kind: "array", element: ADDRESS, length: undefined } as const;

/** An address in ABI form. */
export function addressOutput(address: Address): Uint8Array {
  return encodeAbi([ADDRESS], [address]);
}

/** Byte strings in ABI form. */
export function stringsOutput(texts: readonly ByteString[]): Uint8Array {
  return encodeAbi(
    texts.map(() => STRING),
    texts,
  );
}

/**
 * A number as one int256 word, two's complement when negative. Source: precompiles 0 (Conventions)
 */
export function int256Output(value: number): Uint8Array {
  const word = new Uint8Array(WORD).fill(value < 0 ? 0xff : 0);
  new DataView(word.buffer).setInt32(WORD - 4, value);
  return word;
}
