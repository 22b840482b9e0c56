/** Signatures that travel as base64 of a JSON object with texts in it. Source: precompiles 16 */
import { fromBase64 } from "../bytes/base64.ts";
import { byteString, type ByteString } from "../bytes/byte-string.ts";

/** The texts of a JSON object by name; other values are left out. */
export type TextFields = ReadonlyMap<string, ByteString>;

/** Reads base64 of a JSON object; undefined when the text is none. */
export function readTextFields(text: ByteString): TextFields | undefined {
  const bytes = fromBase64(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(byteString(bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const texts = Object.entries(value).filter(([, field]) => typeof field === "string");
    return new Map(texts as [string, string][]);
  } catch {
    // No JSON.
    return undefined;
  }
}
