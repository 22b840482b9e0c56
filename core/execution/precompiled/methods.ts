/**
 * Methods of system contracts and of the objects that they make. Arguments are read by the
 * signature, lenient: what is short or malformed reads as zero.
 * Source: precompiles 0 (Conventions), 2
 */
import { decodeAbiLeniently } from "../../abi/decode.ts";
import { type AbiValue, SELECTOR_BYTES, selectorOf } from "../../abi/encode.ts";
import { type AbiType, parseSignature } from "../../abi/type.ts";
import type { ByteString } from "../../bytes/byte-string.ts";
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { toHex } from "../../bytes/hex.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { invariant } from "../../fault/invariant.ts";
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { wideBytes } from "../../storage/table.ts";
import {
  int256Output,
  type PrecompiledCall,
  type PrecompiledContract,
  PrecompiledFault,
} from "./contract.ts";

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

/** The methods of a contract or a kind of object, and what else differs between them. */
interface ContractRules<Target> {
  readonly methods: Methods<Target>;
  /** The answer to a selector that is not known; no bytes when absent. */
  readonly unknown?: Answer;
  /** Call data is not noted as memory. Source: precompiles 2 */
  readonly isFree?: true;
}

type BySelector<Target> = ReadonlyMap<
  string,
  { readonly inputs: readonly AbiType[]; readonly run: Method<Target> }
>;

/** What answers the calls for a target, by the selectors of the chain's hash. */
function methodRunner<Target>({
  methods,
  unknown = EMPTY_BYTES,
  isFree,
}: ContractRules<Target>): (call: PrecompiledCall, target: Target) => Uint8Array {
  const known = new WeakMap<CryptoSuite["hash"], BySelector<Target>>();
  return (call, target) => {
    const { hash } = call.scope.suite;
    let bySelector = known.get(hash);
    if (bySelector === undefined) {
      bySelector = selectorsOf(methods, hash);
      known.set(hash, bySelector);
    }
    const { length } = call.input;
    if (!isFree) call.gas.noteMemory(length);
    const method = bySelector.get(toHex(call.input, 0, Math.min(SELECTOR_BYTES, length)));
    if (method === undefined) return outputOf(unknown);
    return outputOf(method.run(methodCall(call, target, method.inputs)));
  };
}

function selectorsOf<Target>(
  methods: Methods<Target>,
  hash: CryptoSuite["hash"],
): BySelector<Target> {
  return new Map(
    Object.entries(methods).map(([text, run]) => {
      // One contract spells its types as C++ does. Source: precompiles 15
      const signature = parseSignature(text.replaceAll("std::", ""));
      invariant(signature !== undefined, `${text} is a signature`);
      return [toHex(selectorOf(text, hash)), { inputs: signature.inputs, run }];
    }),
  );
}

/** A contract of these methods. */
export function systemContract(rules: ContractRules<undefined>): PrecompiledContract {
  const run = methodRunner(rules);
  return { run: (call) => run(call, undefined) };
}

/** Work of an object that stays until the block is done, and of each column that it copies. */
const OBJECT_WORK = 4_000;
const OBJECT_COLUMN_WORK = 300;
/** Bytes of an object in {@link Overlay.held}, next to its text. */
const OBJECT_BYTES = 500;

/** An object of a block: what it stands for, and what answers its calls. */
class BlockObject<Target> implements PrecompiledContract {
  readonly kind: ObjectKind<Target>;
  readonly target: Target;

  constructor(kind: ObjectKind<Target>, target: Target) {
    this.kind = kind;
    this.target = target;
  }

  run(call: PrecompiledCall): Uint8Array {
    return this.kind.run(call, this.target);
  }
}

/** Objects of a block that have the same methods. */
export class ObjectKind<Target> {
  readonly run: (call: PrecompiledCall, target: Target) => Uint8Array;

  constructor(methods: Methods<Target>) {
    this.run = methodRunner({ methods });
  }

  /** Gives a new object an address; `columns` are those that it copies. */
  register(call: PrecompiledCall, target: Target, columns = 0): Address {
    call.work(OBJECT_WORK + columns * OBJECT_COLUMN_WORK);
    call.scope.overlay.held += OBJECT_BYTES + wideBytes(columns);
    return call.scope.register(new BlockObject(this, target));
  }

  /**
   * What the object at an address stands for.
   *
   * @throws PrecompiledFault when there is another object or none; the reference crashes there
   */
  at({ scope }: PrecompiledCall, address: Address): Target {
    const object = scope.find(address);
    if (object instanceof BlockObject && object.kind === this) return object.target as Target;
    throw new PrecompiledFault("other", `no such object at ${address}`);
  }
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
