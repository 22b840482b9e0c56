/** ParallelConfig at 0x1006: which functions may run in parallel. Source: precompiles 10 */
import { type ByteString, bytesOf, decimalText } from "../../bytes/byte-string.ts";
import { numberOfBytes } from "../../bytes/bytes.ts";
import type { Table } from "../../storage/live-table.ts";
import { familyTable } from "../../storage/system-tables.ts";
import { putRow, whereColumn } from "./access-rows.ts";
import { type MethodCall, systemContract } from "./methods.ts";

/** The row key of every registration of a contract. Source: storage 2 */
export const PARALLEL_ROW_KEY = "parallel";
/** The columns of a registration. Source: storage 2 */
const PARALLEL_FIELDS = ["selector", "functionName", "criticalSize"] as const;

/** The contract. */
export const PARALLEL_CONFIG = systemContract({
  isFree: true,
  methods: {
    "registerParallelFunctionInternal(address,string,uint256)": (call) => {
      const table = registrations(call);
      const selector = selectorNumber(call);
      const columns = [
        ["selector", selector],
        ["functionName", call.text(1)],
        ["criticalSize", String(call.integer(2))],
      ] as const;
      putRow(table, PARALLEL_ROW_KEY, columns, whereColumn("selector", selector));
      return 0;
    },
    "unregisterParallelFunctionInternal(address,string)": (call) => {
      registrations(call).remove(PARALLEL_ROW_KEY, whereColumn("selector", selectorNumber(call)));
      return 0;
    },
  },
});

/**
 * The table of a contract's registrations, made when it is absent, no matter who asks: neither the
 * list of permitted creators is asked nor, in the block that makes it, its own. Source: storage 4
 */
function registrations(call: MethodCall): Table {
  const { overlay } = call.scope;
  const name = familyTable("parallel", call.address(0).slice(2), overlay.options.version);
  const schema = { name, keyField: PARALLEL_ROW_KEY, fields: PARALLEL_FIELDS, hashed: true };
  return overlay.open(name) ?? overlay.register(schema);
}

/** The selector of a signature as rows hold it: the decimal of its big-endian number. */
function selectorNumber({ scope, text }: MethodCall): ByteString {
  return decimalText(numberOfBytes(scope.suite.hash(bytesOf(text(1))), 0, 4));
}
