/** Condition objects of a block. Source: precompiles 5 (Condition) */
import { type ByteString, decimalText } from "../../bytes/byte-string.ts";
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { COLUMN_BYTES, textBytes } from "../../storage/table.ts";
import { PrecompiledFault } from "./contract.ts";
import { type Method, type MethodCall, ObjectKind } from "./methods.ts";
import type { ConditionOperator, RowCondition } from "./row-condition.ts";

type ConditionCall = MethodCall<RowCondition>;

/** Conditions. */
export const CONDITION = new ObjectKind<RowCondition>({
  "EQ(string,int256)": compareInteger("eq"),
  "EQ(string,string)": compareText("eq"),
  // From 2.7.0 on. Addresses lie in rows without `0x`. Source: precompiles 5
  "EQ(string,address)": (call) => {
    if (!call.scope.overlay.since(2, 7, 0)) return EMPTY_BYTES;
    keepText(call, call.text(0));
    return compare(call, "eq", call.address(1).slice(2));
  },
  "NE(string,int256)": compareInteger("ne"),
  "NE(string,string)": compareText("ne"),
  "GT(string,int256)": compareInteger("gt"),
  "GE(string,int256)": compareInteger("ge"),
  "LT(string,int256)": compareInteger("lt"),
  "LE(string,int256)": compareInteger("le"),
  "limit(int256)": (call) => limit(call, [0n, call.integer(0)]),
  "limit(int256,int256)": (call) => limit(call, [call.integer(0), call.integer(1)]),
});

function compareInteger(operator: ConditionOperator): Method<RowCondition> {
  return (call) => {
    keepText(call, call.text(0));
    return compare(call, operator, decimalText(call.integer(1)));
  };
}

function compareText(operator: ConditionOperator): Method<RowCondition> {
  return (call) => {
    keepText(call, call.text(0), call.text(1));
    return compare(call, operator, call.text(1));
  };
}

/** Counts a column with its text that the condition keeps until the block is done. */
function keepText({ scope }: ConditionCall, ...texts: readonly ByteString[]): void {
  scope.overlay.held += COLUMN_BYTES + textBytes(texts);
}

/** The first argument names the column. */
function compare(call: ConditionCall, operator: ConditionOperator, value: ByteString): Uint8Array {
  call.target.add(operator, call.text(0), value);
  call.gas.add(operator);
  return EMPTY_BYTES;
}

/** Of a number that is not negative the low 32 bits count, with a sign. */
function limit(call: ConditionCall, numbers: readonly [bigint, bigint]): Uint8Array {
  if (numbers.some((number) => number < 0n)) throw new PrecompiledFault("other", "negative limit");
  const [offset, count] = numbers.map((number) => Number(BigInt.asIntN(32, number)));
  call.target.limit(offset ?? 0, count ?? 0);
  call.gas.add("limit");
  return EMPTY_BYTES;
}
