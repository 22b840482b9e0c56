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

/** A long text that is not made yet: it stands in its body. */
export interface FarText {
  /** Bytes of its UTF-8 form. */
  readonly length: number;
  /** @param most bytes of it; all when absent */
  text(most?: number): string;
  /** As hexadecimal digits; undefined for what is none. */
  hexBytes(): Uint8Array | undefined;
  /** UTF-8 of its JSON text. */
  json(): Uint8Array;
}

/** Texts that are cut out of a body. */
export interface FarTexts {
  /** The text that a value stands for; undefined where it stands for itself. */
  of(value: string): FarText | undefined;
}

const NONE_FAR: FarTexts = { of: () => undefined };
/** Most bytes of a character. */
const CHARACTER_BYTES = 4;

/** Where the bytes stood. */
const PLACES = ["data", "code"] as const;
const SUBMISSIONS: ReadonlySet<string> = new Set([
  "sendRawTransaction",
  "sendRawTransactionAndGetProof",
]);

/** Takes the long texts out. */
export function shortened(
  method: string,
  params: Json | undefined,
  texts: FarTexts = NONE_FAR,
): ShortParams {
  let bytes: Uint8Array | undefined;
  const keepText = (value: string, isWanted: boolean): string => {
    const far = texts.of(value);
    const isLong = (far?.length ?? value.length) > LONG_PARAM_CHARS;
    const read =
      isLong && isWanted && !bytes ? (far?.hexBytes() ?? readHexBytes(value)) : undefined;
    bytes ??= read;
    if (read) return PLACE;
    const text = far?.text(LONG_PARAM_CHARS * CHARACTER_BYTES) ?? value;
    return isLong ? text.slice(0, LONG_PARAM_CHARS) : text;
  };
  const keep = (value: Json, isWanted: boolean): Json => {
    if (typeof value === "string") return keepText(value, isWanted);
    if (Array.isArray(value))
      return value.map((item: Json, index) => keep(item, index === 1 && SUBMISSIONS.has(method)));
    if (!isObject(value)) return value;
    const isCall = method === "call";
    const entries = Object.entries(value).map(([name, member]) => {
      const isData = isCall && PLACES.some((place) => place === name);
      return [texts.of(name)?.text() ?? name, keep(member, isData)] as const;
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
