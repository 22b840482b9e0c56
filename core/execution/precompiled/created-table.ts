/** Tables that a contract makes on demand, whoever the origin is. Source: precompiles 10, 16 */
import { invariant } from "../../fault/invariant.ts";
import type { Table } from "../../storage/live-table.ts";
import type { Overlay } from "../../storage/overlay.ts";
import type { TableSchema } from "../../storage/table.ts";

/** Opens the table, or registers and opens it; the list of permitted creators is not asked. */
export function openOrCreate(overlay: Overlay, schema: TableSchema): Table {
  const table = overlay.open(schema.name) ?? overlay.registerForUser(schema);
  invariant(table !== undefined, "a table that cannot be opened can be registered");
  return table;
}
