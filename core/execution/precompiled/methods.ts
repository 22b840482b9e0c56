/**
 * Methods of system contracts and of the objects that they make. Arguments are read by the
 * signature, lenient: what is short or malformed reads as zero.
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
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { int256Output, type PrecompiledCall, type PrecompiledContract } from "./contract.ts";

/** A call of a method: its arguments by their positions, and the object that it is for. */
export interface MethodCall<Target = undefined> extends PrecompiledCall {
  readonly target: Target;
  /** A `string`. */
  text(position: number): ByteString;
  /** An integer. */
  integer(position: number): bigint;
  /** An `address`. */
  address(position: number): Address;
  /** `bytes` or `bytes32`. */
  bytes(position: number): Uint8Array;
}

/** A return value in ABI form, an int256, or the name of the code that is one. */
export type Answer = Uint8Array | number | PrecompiledCodeName;

/** What a method that changes something gives: a number of rows or a code. */
export type Outcome = number | PrecompiledCodeName;

/** One method. */
export type Method<Target = undefined> = (call: MethodCall<Target>) => Answer;

/** Methods by signature. */
export type Methods<Target = undefined> = Readonly<Record<string, Method<Target>>>;

/** Answers a call of an object. */
export type ObjectRunner<Target> = (call: PrecompiledCall, target: Target) => Uint8Array;

/** What else differs between contracts. */
interface ContractRules {
  /** The answer to a selector that is not known; no bytes when absent. */
  readonly unknown?: Answer;
  /** Call data is not noted as memory. Source: precompiles 2 */
  readonly isFree?: true;
}

type Inputs = NonNullable<ReturnType<typeof parseSignature>>["inputs"];
type Read = { readonly selector: string; readonly inputs: Inputs };

/** By hash: groups of one suite have the same selectors, a few hundred of them. */
const KNOWN = new WeakMap<CryptoSuite["hash"], Map<string, Read>>();

/** A signature of ours, read once for all groups. */
function read(text: string, hash: CryptoSuite["hash"]): Read {
  const known = KNOWN.get(hash) ?? new Map<string, Read>();
  KNOWN.set(hash, known);
  let found = known.get(text);
  if (found === undefined) {
    // One contract spells its types as C++ does. Source: precompiles 15
    const signature = parseSignature(text.replaceAll("std::", ""));
    invariant(signature !== undefined, `${text} is a signature`);
    found = { selector: toHex(selectorOf(text, hash)), inputs: signature.inputs };
    known.set(text, found);
  }
  return found;
}

/** The methods of an object for the selectors of a suite. */
export function objectMethods<Target>(
  suite: CryptoSuite,
  methods: Methods<Target>,
  { unknown = EMPTY_BYTES, isFree }: ContractRules = {},
): ObjectRunner<Target> {
  const bySelector = new Map(
    Object.entries(methods).map(([text, run]) => {
      const { selector, inputs } = read(text, suite.hash);
      return [selector, { inputs, run }];
    }),
  );
  return (call, target) => {
    const { length } = call.input;
    if (!isFree) call.gas.noteMemory(length);
    const method = bySelector.get(toHex(call.input, 0, Math.min(SELECTOR_BYTES, length)));
    if (method === undefined) return outputOf(unknown);
    return outputOf(method.run(methodCall(call, target, method.inputs)));
  };
}

/** A contract of these methods. */
export function systemContract(
  suite: CryptoSuite,
  methods: Methods,
  rules?: ContractRules,
): PrecompiledContract {
  const run = objectMethods(suite, methods, rules);
  return { run: (call) => run(call, undefined) };
}

/** A method that contracts know from a version on. */
export function since(version: readonly [number, number, number], method: Method): Method {
  return (call) => (call.scope.overlay.since(...version) ? method(call) : EMPTY_BYTES);
}

/** Arguments are read when a method first asks for one: some refuse, or count work, before. */
function methodCall<Target>(
  call: PrecompiledCall,
  target: Target,
  inputs: readonly AbiType[],
): MethodCall<Target> {
  let values: readonly AbiValue[] | undefined;
  const argument = (position: number): AbiValue | undefined => {
    values ??= decodeAbiLeniently(inputs, call.input.subarray(SELECTOR_BYTES));
    return values[position];
  };
  // Named one by one: a copy by spreading costs more than most methods.
  const { scope, input, origin, sender, gas, work } = call;
  return {
    scope,
    input,
    origin,
    sender,
    gas,
    work,
    target,
    text: (position) => String(argument(position) ?? ""),
    integer: (position) => (argument(position) ?? 0n) as bigint,
    address: (position) => (argument(position) ?? ZERO_ADDRESS) as Address,
    bytes: (position) => (argument(position) ?? EMPTY_BYTES) as Uint8Array,
  };
}

function outputOf(answer: Answer): Uint8Array {
  if (answer instanceof Uint8Array) return answer;
  return int256Output(typeof answer === "number" ? answer : precompiledCode(answer));
}

const ADDRESS = { kind: "address" } as const;

/** An address in ABI form. */
export function addressOutput(address: Address): Uint8Array {
  return encodeAbi([ADDRESS], [address]);
}
