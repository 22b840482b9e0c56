/** Signatures that travel as base64 of a JSON object with texts in it. Source: precompiles 16 */
import { fromBase64 } from "../bytes/base64.ts";
import { byteString, type ByteString } from "../bytes/byte-string.ts";

/** The texts of a JSON object by name; other values are left out. */
export type TextFields = ReadonlyMap<string, ByteString>;

/** Nesting that every engine parses and the reference does not exceed. Source: rpc-semantics 2.6 */
const MAX_DEPTH = 1_000;

/** How deep lists and objects of a JSON text are nested. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i] ?? "";
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) i += character === "\\" ? 1 : 0;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}

/** Reads base64 of a JSON object; undefined when the text is none. */
export function readTextFields(text: ByteString): TextFields | undefined {
  const bytes = fromBase64(text);
  const json = bytes && byteString(bytes);
  if (json === undefined || depthOf(json) > MAX_DEPTH) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const texts = Object.entries(value).filter(([, field]) => typeof field === "string");
    return new Map(texts as [string, string][]);
  } catch {
    // No JSON.
    return undefined;
  }
}
