/** A contract that makes what no request can carry: a field of 16 MiB. */
import { encodeCall } from "../../core/abi/encode.ts";
import { addressOfNumber, hexBytes, toHex } from "../../core/bytes/hex.ts";
import { ZERO_ADDRESS } from "../../core/bytes/ids.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";

const { hash } = createStandardSuite();
const FACTORY = 0x1001;
const VALUE_BYTES = 2 ** 24;
/** Gas for the memory of the value, twice: of the contract and of the call. */
export const HUGE_GAS = 4_000_000_000n;

/** Where things lie in the memory of the program. */
const AT = { open: 0, create: 0x200, table: 0x400, entry: 0x420, insert: 0x500, set: 0x1000 };
const WORD = 32;

function hex(value: number, bytes = 4): string {
  return value.toString(16).padStart(2 * bytes, "0");
}

/** PUSH4. */
function push(value: number): string {
  return `63${hex(value)}`;
}

/** MSTORE of each word. */
function store(data: Uint8Array, at: number): string {
  let code = "";
  for (let from = 0; from < data.length; from += WORD) {
    const word = toHex(data, from, Math.min(from + WORD, data.length));
    code += `7f${word.padEnd(2 * WORD, "0")}${push(at + from)}52`;
  }
  return code;
}

interface Places {
  /** Code that pushes the receiver. */
  readonly to: string;
  readonly at: number;
  readonly bytes: number;
  readonly result?: number;
}

/** GAS, CALL; the result is left on the stack. */
function call({ to, at, bytes, result = 0 }: Places): string {
  const out = result === 0 ? push(0) + push(0) : push(WORD) + push(result);
  return `${out}${push(bytes)}${push(at)}${push(0)}${to}5af1`;
}

/** MLOAD. */
function load(at: number): string {
  return `${push(at)}51`;
}

/** Init code: opens table `t`, makes an entry with a huge `v`, inserts it and reverts with why. */
export function hugeValueProgram(): Uint8Array {
  const open = encodeCall("openTable(string)", ["t"], hash);
  const create = encodeCall("newEntry()", [], hash);
  const insert = encodeCall("insert(string,address)", ["x", ZERO_ADDRESS], hash);
  const set = encodeCall("set(string,string)", ["v", ""], hash);
  set.set(hexBytes(hex(VALUE_BYTES)), set.length - 4);
  const factory = `73${addressOfNumber(FACTORY).slice(2)}`;
  const [table, entry] = [load(AT.table), load(AT.entry)];
  const code = [
    store(open, AT.open),
    call({ to: factory, at: AT.open, bytes: open.length, result: AT.table }),
    store(create, AT.create),
    call({ to: table, at: AT.create, bytes: create.length, result: AT.entry }),
    store(set, AT.set),
    call({ to: entry, at: AT.set, bytes: set.length + VALUE_BYTES }),
    store(insert, AT.insert),
    `${entry}${push(AT.insert + 4 + WORD)}52`,
    call({ to: table, at: AT.insert, bytes: insert.length }),
    // RETURNDATACOPY and REVERT of all that came back.
    `3d${push(0)}${push(0)}3e3d${push(0)}fd`,
  ];
  return hexBytes(code.join(""));
}
