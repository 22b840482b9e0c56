/** CNS at 0x1004: contract addresses by name and version. Source: precompiles 8 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Table } from "../../storage/live-table.ts";
import { CNS_TABLE } from "../../storage/system-tables.ts";
import type { RowView } from "../../storage/table.ts";
import { addressOfText, columnOf, isHexText, whereColumn } from "./access-rows.ts";
import { addressOutput, PrecompiledFault, type PrecompiledCall } from "./contract.ts";
import { type MethodCall, type Outcome, systemContract } from "./methods.ts";
import { rowsOutput } from "./table-limits.ts";

/** Bytes of a name from 2.7.0 on, and of a version. Source: precompiles 3 */
const MAX_LENGTH = 128;
/** Memory that a new row counts with: its number of fields. */
const FIELDS_OF_ROW = 4;

/** Names of the columns that are shown. */
const SHOWN = ["abi", "address", "name", "version"];

/** The contract. */
export const CNS = systemContract({
  methods: {
    "insert(string,string,string,string)": insert,
    "selectByName(string)": (call) => {
      const rows = openNames(call).select(call.text(0));
      // Charged as Set, not as Select. Source: precompiles 8
      call.gas.add("set", rows.length);
      return rowsOutput(rows, SHOWN);
    },
    "selectByNameAndVersion(string,string)": (call) => {
      call.gas.add("eq");
      return rowsOutput(rowsOfVersion(call), SHOWN);
    },
    "getContractAddress(string,string)": (call) => {
      const [row] = rowsOfVersion(call);
      if (row === undefined) throw new PrecompiledFault("storage", "Entries no exists: 0");
      const text = columnOf(row, "address");
      // Only chains below 2.2.0 can hold such a text.
      if (!isHexText(text)) throw new PrecompiledFault("other", "the address is not hexadecimal");
      return addressOutput(addressOfText(text));
    },
  },
});

function insert(call: MethodCall): Outcome {
  const [name, version, address, abi] = [call.text(0), call.text(1), call.text(2), call.text(3)];
  const isAddress = readAddress(call, address);
  if (isAddress) requireNameLength(call, name);
  const table = openNames(call);
  const rows = table.select(name);
  call.gas.add("select", rows.length);
  if (version.length > MAX_LENGTH) return "contractVersionTooLong";
  const exists = rows.some((row) => columnOf(row, "version") === version);
  if (exists) return "contractVersionExists";
  if (!isAddress) return "invalidAddress";
  if (!call.scope.overlay.permits(table, call.origin)) return "permissionDenied";
  table.insert(name, [
    ["version", version],
    ["address", address],
    ["abi", abi],
  ]);
  call.gas.add("insert");
  call.gas.noteMemory(FIELDS_OF_ROW);
  return 1;
}

/**
 * Whether the text is an address, as any is below 2.2.0. Whether there is such a contract changes
 * nothing, but looking opens its table, whatever the answer will be. Source: tx-block-codec 12.4
 */
function readAddress({ scope }: PrecompiledCall, text: ByteString): boolean {
  if (!scope.overlay.since(2, 2, 0)) return true;
  if (!isHexText(text)) return false;
  scope.accounts.get(addressOfText(text));
  return true;
}

/** @throws PrecompiledFault from 2.7.0 on */
function requireNameLength({ scope }: PrecompiledCall, name: ByteString): void {
  if (name.length <= MAX_LENGTH || !scope.overlay.since(2, 7, 0)) return;
  throw new PrecompiledFault("storage", `size of value/key greater than${MAX_LENGTH}`);
}

function openNames(call: PrecompiledCall): Table {
  call.gas.add("openTable");
  return call.scope.overlay.systemTable(CNS_TABLE);
}

function rowsOfVersion(call: MethodCall): readonly RowView[] {
  const rows = openNames(call).select(call.text(0), whereColumn("version", call.text(1)));
  call.gas.add("select", rows.length);
  return rows;
}
