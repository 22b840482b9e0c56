/**
 * Long texts in the parameters of a request. Only transactions and the data of calls are long:
 * their bytes are made where the body is read, and of other texts no more is kept than any reader
 * takes.
 */
import { readHexBytes } from "../bytes/quantity.ts";
import { isObject, type Json } from "./json.ts";

/** Longer texts are not passed on as they are. */
export const LONG_PARAM_CHARS: number = 64 * 1024;

/** A hexadecimal text whose bytes are known. It stands where a text would, as one to the types. */
export class BytesText {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** The bytes, as a text among other values. */
export function bytesText(bytes: Uint8Array): string {
  return new BytesText(bytes) as unknown as string;
}

/** The bytes that stand in place of a text. */
export function bytesOfText(text: unknown): Uint8Array | undefined {
  return text instanceof BytesText ? text.bytes : undefined;
}

/** The parameters without long texts, and the bytes of the one that is wanted as bytes. */
export interface ShortParams {
  readonly params: Json | undefined;
  readonly bytes?: Uint8Array | undefined;
}

/** Where the bytes stood. */
const PLACES = ["data", "code"] as const;
const SUBMISSIONS: ReadonlySet<string> = new Set([
  "sendRawTransaction",
  "sendRawTransactionAndGetProof",
]);

/** Takes the long texts out. */
export function shortened(method: string, params: Json | undefined): ShortParams {
  let bytes: Uint8Array | undefined;
  const keep = (value: Json, isWanted: boolean): Json => {
    if (typeof value === "string") {
      if (value.length <= LONG_PARAM_CHARS) return value;
      const read = isWanted && !bytes ? readHexBytes(value) : undefined;
      bytes ??= read;
      return read ? PLACE : value.slice(0, LONG_PARAM_CHARS);
    }
    if (Array.isArray(value))
      return value.map((item: Json, index) => keep(item, index === 1 && SUBMISSIONS.has(method)));
    if (!isObject(value)) return value;
    const isCall = method === "call";
    const entries = Object.entries(value).map(([name, member]) => {
      const isData = isCall && PLACES.some((place) => place === name);
      return [name, keep(member, isData)] as const;
    });
    return Object.fromEntries(entries);
  };
  return { params: params === undefined ? undefined : keep(params, false), bytes };
}

/** No parameter is this text. */
const PLACE = "\u0000bytes";

/** Puts the bytes back. */
export function withBytes(params: Json | undefined, bytes: Uint8Array): Json | undefined {
  const put = (value: Json): Json => {
    if (value === PLACE) return bytesText(bytes);
    if (Array.isArray(value)) return value.map(put);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, put(member)]));
  };
  return params === undefined ? undefined : put(params);
}
