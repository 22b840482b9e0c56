/** Entry objects of a block and lists of them. Source: precompiles 5 (Entry, Entries) */
import { encodeAbi } from "../../abi/encode.ts";
import {
  type ByteString,
  bytesOf,
  decimalText,
  parseDecimalModulo256,
} from "../../bytes/byte-string.ts";
import { EMPTY_BYTES, fixedUintBytes } from "../../bytes/bytes.ts";
import { type Address, ZERO_ADDRESS } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { RowView } from "../../storage/table.ts";
import { addressOfText, isHexText } from "./address-text.ts";
import {
  keepText,
  type PrecompiledCall,
  type PrecompiledContract,
  PrecompiledFault,
  registerObject,
  stringsOutput,
} from "./contract.ts";
import type { PrecompiledOperation } from "./gas-meter.ts";
import {
  addressOutput,
  type ObjectCall,
  objectMethods,
  type ObjectRunner,
} from "./object-methods.ts";

/** Columns of a row that a contract reads or fills in. */
export type EntryColumns = Map<ByteString, ByteString>;

/** What entries and lists of entries answer with. */
export interface EntryMethods {
  readonly entry: ObjectRunner<EntryColumns>;
  readonly list: ObjectRunner<readonly RowView[]>;
}

/** The methods of entries and lists for a suite. */
export function entryMethods(suite: CryptoSuite): EntryMethods {
  const methods: EntryMethods = {
    entry: objectMethods<EntryColumns>(suite, {
      "getInt(string)": read("getInt", integerOutput),
      "getUInt(string)": read("getInt", integerOutput),
      "getAddress(string)": read("getAddress", addressWord),
      "getBytes32(string)": read("getByte32", (text) => cutBytes(text, 32)),
      "getBytes64(string)": read("getByte64", (text) => cutBytes(text, 64)),
      "getString(string)": read("getString", (text) => stringsOutput([text])),
      "set(string,int256)": write((request) => decimalText(request.integer(1))),
      "set(string,uint256)": write((request) => decimalText(request.integer(1))),
      "set(string,address)": write((request) => request.address(1).slice(2)),
      "set(string,string)": write((request) => request.text(1)),
    }),
    list: objectMethods<readonly RowView[]>(suite, {
      "get(int256)": ({ call, target, integer }) => {
        const columns = target[indexOf(integer(0), target.length)]?.columns ?? new Map();
        const entry = new EntryObject(methods, new Map(columns));
        return addressOutput(registerObject(call, entry, columns.size));
      },
      "size()": ({ target }) => fixedUintBytes(target.length, WORD),
    }),
  };
  return methods;
}

/** An entry with an address. */
export class EntryObject implements PrecompiledContract {
  readonly columns: EntryColumns;
  readonly #methods: EntryMethods;

  constructor(methods: EntryMethods, columns: EntryColumns) {
    this.#methods = methods;
    this.columns = columns;
  }

  run(call: PrecompiledCall): Uint8Array {
    return this.#methods.entry(call, this.columns);
  }
}

/** The rows of a select with an address. */
export class EntriesObject implements PrecompiledContract {
  readonly #rows: readonly RowView[];
  readonly #methods: EntryMethods;

  constructor(methods: EntryMethods, rows: readonly RowView[]) {
    this.#methods = methods;
    this.#rows = rows;
  }

  run(call: PrecompiledCall): Uint8Array {
    return this.#methods.list(call, this.#rows);
  }
}

const WORD = 32;
type EntryCall = ObjectCall<EntryColumns>;

/** A getter: a missing column reads as empty text. */
function read(operation: PrecompiledOperation, output: (text: ByteString) => Uint8Array) {
  return ({ call, target, text }: EntryCall): Uint8Array => {
    const value = output(target.get(text(0)) ?? "");
    call.gas.add(operation);
    return value;
  };
}

function write(value: (request: EntryCall) => ByteString) {
  return (request: EntryCall): Uint8Array => {
    const [name, text] = [request.text(0), value(request)];
    keepText(request.call, name, text);
    request.target.set(name, text);
    request.call.gas.add("set");
    return EMPTY_BYTES;
  };
}

/** The decimal, a sign allowed, as one word: two's complement, cut to 256 bits. */
function integerOutput(text: ByteString): Uint8Array {
  const magnitude = parseDecimalModulo256(/^[+-]/.test(text) ? text.slice(1) : text);
  if (magnitude === undefined) throw new PrecompiledFault("other", "not a number");
  const value = text.startsWith("-") ? -magnitude : magnitude;
  return fixedUintBytes(BigInt.asUintN(256, value), WORD);
}

function addressWord(text: ByteString): Uint8Array {
  if (!isHexText(text)) throw new PrecompiledFault("other", "not hexadecimal");
  return addressOutput(addressOfText(text));
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

const BOOL = { kind: "bool" } as const;
const ADDRESS = { kind: "address" } as const;

/** Whether there is a row, and its entry; the zero address without one. */
export function foundOutput(entry: Address | undefined): Uint8Array {
  return encodeAbi([BOOL, ADDRESS], [entry !== undefined, entry ?? ZERO_ADDRESS]);
}
