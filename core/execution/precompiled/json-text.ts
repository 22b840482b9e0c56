/**
 * JSON as contracts return it: one line, keys in byte order, a line feed at the end. Bytes above
 * 0x7f stay as they are.
 * Source: precompiles 8, 9, 12
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { compareBytes } from "../../storage/table.ts";

/** What contracts write: texts, lists and objects of them. */
export type JsonValue = null | ByteString | readonly JsonValue[] | JsonObject;
/** Members by name. */
export type JsonObject = { readonly [name: ByteString]: JsonValue };

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const ESCAPED = /["\\\u0000-\u001f]/g;

/** A text in quotation marks; control characters have four upper-case digits. */
export function quoteJson(text: ByteString): ByteString {
  const escaped = text.replace(ESCAPED, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return NAMED_ESCAPES[character] ?? `\\u${code}`;
  });
  return `"${escaped}"`;
}

/** The members of an object in the order of their names. */
export function sortedMembers(value: JsonObject): (readonly [ByteString, JsonValue])[] {
  return Object.entries(value).sort(([left], [right]) => compareBytes(left, right));
}

/** The compact form with its line feed. */
export function compactJson(value: JsonValue): ByteString {
  return `${compact(value)}\n`;
}

function compact(value: JsonValue): ByteString {
  if (value === null) return "null";
  if (typeof value === "string") return quoteJson(value);
  if (isList(value)) return `[${value.map(compact).join(",")}]`;
  const members = sortedMembers(value).map(([name, item]) => `${quoteJson(name)}:${compact(item)}`);
  return `{${members.join(",")}}`;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
