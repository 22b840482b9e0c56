/** Overlays over rows that a test writes down. */
import { version, type Version } from "../../../core/model/version.ts";
import { Overlay } from "../../../core/storage/overlay.ts";
import { TABLES_TABLE } from "../../../core/storage/system-tables.ts";
import type { RowSource, StoredRow } from "../../../core/storage/table.ts";

/** A stored row: the key column is set by {@link rowsOf}. */
export interface RowText {
  readonly id: number;
  readonly key: string;
  readonly columns?: Readonly<Record<string, string>>;
  readonly removed?: boolean;
}

/** Stored rows by table name; the key column of a table is in front. */
export type TableTexts = Readonly<
  Record<string, { readonly keyField: string; readonly rows: readonly RowText[] }>
>;

/** A source of those rows. */
export function rowsOf(tables: TableTexts): RowSource {
  return {
    rows(table, key) {
      const found = tables[table];
      if (found === undefined) return [];
      return found.rows
        .filter((row) => row.key === key)
        .map(
          (row): StoredRow => ({
            id: row.id,
            number: 1,
            status: row.removed === true ? 1 : 0,
            columns: new Map([[found.keyField, row.key], ...Object.entries(row.columns ?? {})]),
          }),
        );
    },
  };
}

/** The rows that register a user table. */
export function registration(name: string, keyField: string, fields: string): RowText {
  return { id: 100_001, key: name, columns: { key_field: keyField, value_field: fields } };
}

/** An overlay above block 5 on a group with one user table `u_t` (key `name`, columns `a`, `b`). */
export function openOverlay(
  rows: readonly RowText[] = [],
  options: {
    readonly version?: Version;
    readonly tables?: TableTexts;
    readonly reconfirmCommittee?: boolean;
  } = {},
): Overlay {
  const tables: TableTexts = {
    [TABLES_TABLE]: { keyField: "table_name", rows: [registration("u_t", "name", "a,b")] },
    u_t: { keyField: "name", rows },
    ...options.tables,
  };
  return new Overlay({
    source: rowsOf(tables),
    version: options.version ?? version(2, 11, 1),
    parentNumber: 5,
    reconfirmCommittee: options.reconfirmCommittee ?? false,
  });
}
