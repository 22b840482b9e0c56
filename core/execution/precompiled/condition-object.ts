/** Condition objects of a block. Source: precompiles 5 (Condition) */
import { decimalText } from "../../bytes/byte-string.ts";
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { version, type Version } from "../../model/version.ts";
import {
  keepText,
  type PrecompiledCall,
  type PrecompiledContract,
  PrecompiledFault,
} from "./contract.ts";
import { type ObjectMethod, objectMethods, type ObjectRunner } from "./object-methods.ts";
import { type ConditionOperator, createRowCondition, type RowCondition } from "./row-condition.ts";

/** Answers the calls of conditions. */
export type ConditionRunner = ObjectRunner<RowCondition>;

type Method = ObjectMethod<RowCondition>;

/** The methods of conditions for a suite. */
export function conditionMethods(suite: CryptoSuite): ConditionRunner {
  const methods: Record<string, Method> = {
    "EQ(string,int256)": compareInteger("eq"),
    "EQ(string,string)": compareText("eq"),
    "EQ(string,address)": compareAddress,
    "NE(string,int256)": compareInteger("ne"),
    "NE(string,string)": compareText("ne"),
    "GT(string,int256)": compareInteger("gt"),
    "GE(string,int256)": compareInteger("ge"),
    "LT(string,int256)": compareInteger("lt"),
    "LE(string,int256)": compareInteger("le"),
    "limit(int256)": ({ call, target, integer }) => limit(call, target, [0n, integer(0)]),
    "limit(int256,int256)": ({ call, target, integer }) =>
      limit(call, target, [integer(0), integer(1)]),
  };
  return objectMethods(suite, methods);
}

/** A condition with an address. */
export class ConditionObject implements PrecompiledContract {
  readonly condition = createRowCondition();
  readonly #run: ConditionRunner;

  constructor(run: ConditionRunner) {
    this.#run = run;
  }

  run(call: PrecompiledCall): Uint8Array {
    return this.#run(call, this.condition);
  }
}

function compareInteger(operator: ConditionOperator): Method {
  return ({ call, target, text, integer }) => {
    keepText(call, text(0));
    target.add(operator, text(0), decimalText(integer(1)));
    call.gas.add(operator);
    return EMPTY_BYTES;
  };
}

function compareText(operator: ConditionOperator): Method {
  return ({ call, target, text }) => {
    keepText(call, text(0), text(1));
    target.add(operator, text(0), text(1));
    call.gas.add(operator);
    return EMPTY_BYTES;
  };
}

/** First version with a comparison of addresses. Source: precompiles 5 */
const ADDRESSES_FROM: Version = version(2, 7, 0);

/** Addresses lie in rows without `0x`. */
const compareAddress: Method = ({ call, target, text, address }) => {
  if (call.scope.overlay.options.version < ADDRESSES_FROM) return EMPTY_BYTES;
  keepText(call, text(0));
  target.add("eq", text(0), address(1).slice(2));
  call.gas.add("eq");
  return EMPTY_BYTES;
};

/** Of a number that is not negative the low 32 bits count, with a sign. */
function limit(
  call: PrecompiledCall,
  condition: RowCondition,
  numbers: readonly [bigint, bigint],
): Uint8Array {
  if (numbers.some((number) => number < 0n)) throw new PrecompiledFault("other", "negative limit");
  const [offset, count] = numbers.map((number) => Number(BigInt.asIntN(32, number)));
  condition.limit(offset ?? 0, count ?? 0);
  call.gas.add("limit");
  return EMPTY_BYTES;
}
