/** Entry objects of a block and lists of them. Source: precompiles 5 */
import { encodeAbi } from "../../abi/encode.ts";
import {
  type ByteString,
  bytesOf,
  decimalText,
  parseDecimalModulo256,
} from "../../bytes/byte-string.ts";
import { EMPTY_BYTES, fixedUintBytes } from "../../bytes/bytes.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import { invariant } from "../../fault/invariant.ts";
import { entryRow, setRowColumn } from "../../storage/entry-row.ts";
import type { Table } from "../../storage/live-table.ts";
import type { LiveRow, RowView } from "../../storage/table.ts";
import { addressOfText, isHexText } from "./access-rows.ts";
import { ADDRESS, addressOutput, BOOL, PrecompiledFault, stringsOutput } from "./contract.ts";
import type { PrecompiledOperation } from "./gas-meter.ts";
import { type Method, type MethodCall, ObjectKind } from "./methods.ts";

const WORD = 32;

/** Entries. */
export const ENTRY = new ObjectKind<LiveRow>({
  "getInt(string)": read("getInt", integerOutput),
  "getUInt(string)": read("getInt", integerOutput),
  "getAddress(string)": read("getAddress", (text) => {
    if (!isHexText(text)) throw new PrecompiledFault("other", "not hexadecimal");
    return addressOutput(addressOfText(text));
  }),
  "getBytes32(string)": read("getByte32", (text) => cutBytes(text, 32)),
  "getBytes64(string)": read("getByte64", (text) => cutBytes(text, 64)),
  "getString(string)": read("getString", (text) => stringsOutput([text])),
  "set(string,int256)": write((call) => decimalText(call.integer(1))),
  "set(string,uint256)": write((call) => decimalText(call.integer(1))),
  "set(string,address)": write((call) => call.address(1).slice(2)),
  "set(string,string)": write((call) => call.text(1)),
});

/** The rows of a select and the table that they are of. */
export const ENTRIES = new ObjectKind<{ readonly rows: RowView[]; readonly table: Table }>({
  "get(int256)": (call) => {
    const { rows, table } = call.target;
    const index = indexOf(call.integer(0), rows.length);
    const selected = rows[index];
    invariant(selected !== undefined, "the index is in the list");
    const row = entryRow(selected, table);
    // The objects of a row of one select share it.
    rows[index] = row;
    return addressOutput(ENTRY.register(call, row, row.columns.size));
  },
  "size()": ({ target }) => fixedUintBytes(target.rows.length, WORD),
});

/** A getter: a missing column reads as empty text. */
function read(
  operation: PrecompiledOperation,
  output: (text: ByteString) => Uint8Array,
): Method<LiveRow> {
  return (call) => {
    const value = output(call.target.columns.get(call.text(0)) ?? "");
    call.gas.add(operation);
    return value;
  };
}

function write(value: (call: MethodCall<LiveRow>) => ByteString): Method<LiveRow> {
  return (call) => {
    setRowColumn(call.scope.overlay, call.target, [call.text(0), value(call)]);
    call.gas.add("set");
    return EMPTY_BYTES;
  };
}

/**
 * The decimal, a minus allowed, as one word: two's complement, cut to 256 bits. A plus makes it no
 * number, other than in a condition.
 */
function integerOutput(text: ByteString): Uint8Array {
  const isNegative = text.startsWith("-");
  const magnitude = parseDecimalModulo256(isNegative ? text.slice(1) : text);
  if (magnitude === undefined) throw new PrecompiledFault("other", "not a number");
  return fixedUintBytes(BigInt.asUintN(256, isNegative ? -magnitude : magnitude), WORD);
}

/** The text's first bytes, zeros behind them. */
function cutBytes(text: ByteString, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(bytesOf(text.slice(0, size)));
  return bytes;
}

function indexOf(index: bigint, size: number): number {
  const place = BigInt.asUintN(64, index);
  if (place < BigInt(size)) return Number(place);
  throw new PrecompiledFault("storage", `Entries no exists: ${place}`);
}

/** Whether there is a row, and its entry; the zero address without one. */
export function foundOutput(entry: Address | undefined): Uint8Array {
  return encodeAbi([BOOL, ADDRESS], [entry !== undefined, entry ?? ZERO_ADDRESS]);
}
