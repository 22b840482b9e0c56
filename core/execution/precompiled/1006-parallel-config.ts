/** ParallelConfig at 0x1006: which functions may run in parallel. Source: precompiles 10 */
import type { AbiType } from "../../abi/type.ts";
import { type ByteString, bytesOf, decimalText } from "../../bytes/byte-string.ts";
import { EMPTY_BYTES, numberOfBytes } from "../../bytes/bytes.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { Table } from "../../storage/live-table.ts";
import { familyTable } from "../../storage/system-tables.ts";
import type { RowFilter } from "../../storage/table.ts";
import { methodsBySelector, readArguments, selectorText } from "./call-data.ts";
import { int256Output, type PrecompiledCall, type PrecompiledContract } from "./contract.ts";
import { openOrCreate } from "./created-table.ts";

/** The row key of every registration of a contract. Source: storage 2 */
export const PARALLEL_ROW_KEY = "parallel";
/** The columns of a registration. Source: storage 2 */
export const PARALLEL_FIELDS = ["selector", "functionName", "criticalSize"] as const;

const ADDRESS = { kind: "address" } as const satisfies AbiType;
const STRING = { kind: "string" } as const satisfies AbiType;
const UINT256 = { kind: "uint", bits: 256 } as const satisfies AbiType;

/** Creates the contract for a suite. */
export function createParallelConfig(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector(suite, {
    "registerParallelFunctionInternal(address,string,uint256)": register,
    "unregisterParallelFunctionInternal(address,string)": unregister,
  });
  return {
    run(call) {
      const method = methods.get(selectorText(call.input));
      if (method === undefined) return EMPTY_BYTES;
      method(call);
      return int256Output(0);
    },
  };
}

function register(call: PrecompiledCall): void {
  const [contract, name, criticalSize] = readArguments(call.input, [ADDRESS, STRING, UINT256]);
  const table = registrations(call, String(contract));
  const selector = selectorNumber(String(name), call.scope.suite);
  const columns = [
    ["selector", selector],
    ["functionName", String(name)],
    ["criticalSize", String(criticalSize)],
  ] as const;
  const same = ofSelector(selector);
  if (table.select(PARALLEL_ROW_KEY, same).length > 0)
    table.update(PARALLEL_ROW_KEY, columns, same);
  else table.insert(PARALLEL_ROW_KEY, columns);
}

function unregister(call: PrecompiledCall): void {
  const [contract, name] = readArguments(call.input, [ADDRESS, STRING]);
  const selector = selectorNumber(String(name), call.scope.suite);
  registrations(call, String(contract)).remove(PARALLEL_ROW_KEY, ofSelector(selector));
}

/** The table of a contract's registrations, made when it is absent, whoever asks. */
function registrations({ scope }: PrecompiledCall, contract: string): Table {
  const name = familyTable("parallel", contract.slice(2), scope.overlay.options.version);
  return openOrCreate(scope.overlay, {
    name,
    keyField: PARALLEL_ROW_KEY,
    fields: PARALLEL_FIELDS,
    hashed: true,
  });
}

/** The selector of a signature as rows hold it: the decimal of its big-endian number. */
function selectorNumber(signature: ByteString, suite: CryptoSuite): ByteString {
  return decimalText(numberOfBytes(suite.hash(bytesOf(signature)), 0, 4));
}

function ofSelector(selector: ByteString): RowFilter {
  return { test: (row) => row.columns.get("selector") === selector };
}
