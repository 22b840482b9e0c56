/** Tables that a contract makes on demand, whoever the origin is. Source: precompiles 10, 16 */
import type { Table } from "../../storage/live-table.ts";
import type { Overlay } from "../../storage/overlay.ts";
import type { TableSchema } from "../../storage/table.ts";

/**
 * Opens the table, or registers it: neither the list of permitted creators is asked nor, in the
 * block that makes it, its own. Source: storage 4
 */
export function openOrCreate(overlay: Overlay, schema: TableSchema): Table {
  return overlay.open(schema.name) ?? overlay.register(schema);
}
