/**
 * Methods of table factories and of the objects that they make: arguments read by the signature,
 * call data noted as memory, nothing for a selector that is not known.
 * Source: precompiles 0 (Conventions), 2
 */
import { decodeAbiLeniently } from "../../abi/decode.ts";
import { type AbiValue, encodeAbi, SELECTOR_BYTES, selectorOf } from "../../abi/encode.ts";
import { type AbiType, parseSignature } from "../../abi/type.ts";
import type { ByteString } from "../../bytes/byte-string.ts";
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { toHex } from "../../bytes/hex.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { invariant } from "../../fault/invariant.ts";
import { selectorText } from "./call-data.ts";
import type { PrecompiledCall } from "./contract.ts";

/** A call with its arguments read, and the object that it is for. */
export interface ObjectCall<Target> {
  readonly call: PrecompiledCall;
  readonly target: Target;
  /** The argument at a position, a `string`. */
  text(position: number): ByteString;
  /** The argument at a position, an integer. */
  integer(position: number): bigint;
  /** The argument at a position, an `address`. */
  address(position: number): Address;
}

/** One method of an object. */
export type ObjectMethod<Target> = (request: ObjectCall<Target>) => Uint8Array;

/** Answers a call of an object. */
export type ObjectRunner<Target> = (call: PrecompiledCall, target: Target) => Uint8Array;

interface KnownMethod<Target> {
  readonly inputs: readonly AbiType[];
  readonly run: ObjectMethod<Target>;
}

/** The methods of an object by signature, for the selectors of a suite. */
export function objectMethods<Target>(
  suite: CryptoSuite,
  methods: Readonly<Record<string, ObjectMethod<Target>>>,
): ObjectRunner<Target> {
  const bySelector = new Map<string, KnownMethod<Target>>();
  for (const [text, run] of Object.entries(methods)) {
    const signature = parseSignature(text);
    invariant(signature !== undefined, `${text} is a signature`);
    const selector = toHex(selectorOf(text, suite.hash));
    bySelector.set(selector, { inputs: signature.inputs, run });
  }
  return (call, target) => {
    call.gas.noteMemory(call.input.length);
    const method = bySelector.get(selectorText(call.input));
    if (method === undefined) return EMPTY_BYTES;
    const values = decodeAbiLeniently(method.inputs, call.input.subarray(SELECTOR_BYTES));
    return method.run(objectCall(call, target, values));
  };
}

function objectCall<Target>(
  call: PrecompiledCall,
  target: Target,
  values: readonly AbiValue[],
): ObjectCall<Target> {
  return {
    call,
    target,
    text: (position) => String(values[position] ?? ""),
    integer: (position) => BigInt(String(values[position] ?? 0)),
    address: (position) => (values[position] ?? ZERO_ADDRESS) as Address,
  };
}

const ADDRESS = { kind: "address" } as const;

/** An address in ABI form. */
export function addressOutput(address: Address): Uint8Array {
  return encodeAbi([ADDRESS], [address]);
}
