/**
 * JSON as contracts return it, members in byte order of their names, bytes above 0x7f as they are.
 * Source: precompiles 6, 8, 9, 12
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { compareBytes, type RowView } from "../../storage/table.ts";

/** What contracts write: texts, lists and objects of them. */
export type JsonValue =
  | null
  | ByteString
  | readonly JsonValue[]
  | { readonly [name: ByteString]: JsonValue };

/** A text in quotation marks; control characters have four upper-case digits. */
function quoteJson(text: ByteString): ByteString {
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (character) => {
    const inner = JSON.stringify(character).slice(1, -1);
    return inner.startsWith("\\u") ? `\\u${inner.slice(2).toUpperCase()}` : inner;
  });
  return `"${escaped}"`;
}

/** Members in byte order of their names. */
export function sortedMembers<T>(members: Iterable<[ByteString, T]>): [ByteString, T][] {
  return [...members].sort(([left], [right]) => compareBytes(left, right));
}

/** One line with a line feed at its end. */
export function compactJson(value: JsonValue): ByteString {
  return `${compact(value)}\n`;
}

function compact(value: JsonValue): ByteString {
  if (value === null) return "null";
  if (typeof value === "string") return quoteJson(value);
  if (Array.isArray(value)) return `[${value.map(compact).join(",")}]`;
  const members = sortedMembers<JsonValue>(Object.entries(value));
  return `{${members.map(([name, item]) => `${quoteJson(name)}:${compact(item)}`).join(",")}}`;
}

/** Rows with all their columns: three blanks a level, ` : ` between name and value. */
export function styledRows(rows: readonly RowView[]): ByteString {
  if (rows.length === 0) return "[]\n";
  return `[\n${rows.map(({ columns }) => styledRow(columns)).join(",\n")}\n]\n`;
}

function styledRow(columns: ReadonlyMap<ByteString, ByteString>): ByteString {
  const members = sortedMembers(columns).map(
    ([name, value]) => `      ${quoteJson(name)} : ${quoteJson(value)}`,
  );
  return `   {\n${members.join(",\n")}\n   }`;
}
