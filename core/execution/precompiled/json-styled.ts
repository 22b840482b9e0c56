/**
 * Rows as the indented JSON text of the reference: three blanks a level, ` : ` between name and
 * value, names in byte order. Source: precompiles 6
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { type RowView, sortedNames } from "../../storage/table.ts";
import { quoteJson } from "./json-text.ts";

/** The rows with all their columns as an array of objects. */
export function styledRows(rows: readonly RowView[]): ByteString {
  if (rows.length === 0) return "[]\n";
  return `[\n${rows.map(({ columns }) => styledRow(columns)).join(",\n")}\n]\n`;
}

function styledRow(columns: ReadonlyMap<ByteString, ByteString>): ByteString {
  const members = sortedNames(columns).map(
    (name) => `      ${quoteJson(name)} : ${quoteJson(columns.get(name) ?? "")}`,
  );
  return `   {\n${members.join(",\n")}\n   }`;
}
