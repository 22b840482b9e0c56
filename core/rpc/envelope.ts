/**
 * The request and response envelopes of JSON-RPC 2.0. Source: rpc-semantics 2.1, 2.2; interface 2.1
 */
import { type Json, type JsonObject, isObject, isWhole64Source, memberSource } from "./json.ts";
import { type Answer, joined } from "./long-answer.ts";

/** Where a request stands in the text it came in. */
export interface RequestPlace {
  readonly text: string;
  /** Position of the request; asked for only when its text is needed. */
  readonly start: () => number;
}

/** A request object after the checks of steps 2 to 6. */
export type Envelope =
  | {
      readonly valid: true;
      readonly method: string;
      readonly params: Json | undefined;
      /** JSON text to echo, however long; undefined when there is no `id` member. */
      readonly id: Answer | undefined;
    }
  | {
      readonly valid: false;
      /** JSON text to echo: `null` unless the request is an object with a usable id. */
      readonly id: Answer;
    };

const INVALID: Envelope = { valid: false, id: "null" };

/** Checks one request object: method, version, id, params. Source: rpc-semantics 2.1.2-6 */
export function readEnvelope(value: Json | undefined, place: RequestPlace): Envelope {
  if (!isObject(value)) return INVALID;
  const id = readId(value, place);
  if (id === "unusable") return INVALID;
  const { method, jsonrpc, params } = value;
  const isValid =
    typeof method === "string" &&
    jsonrpc === "2.0" &&
    (params === undefined || params === null || typeof params === "object");
  if (!isValid) return { valid: false, id: id ?? "null" };
  return { valid: true, method, params, id };
}

/**
 * Longer numbers are not usable as ids: their digits are examined one by one. Texts are echoed
 * whatever their length, as recordings have it; memory counts them, and the room of a batch does.
 */
const MAX_ID_DIGITS = 1_024;

/** The id as JSON text, whole numbers of 64 bits digit for digit. Source: rpc-semantics 2.1 */
function readId(request: JsonObject, place: RequestPlace): string | undefined | "unusable" {
  const { id } = request;
  if (id === undefined) return undefined;
  if (id === null) return "null";
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return "unusable";
  if (Number.isSafeInteger(id)) return String(id);
  const source = memberSource(place.text, "id", place.start()) ?? "";
  return source.length <= MAX_ID_DIGITS && isWhole64Source(source) ? source : "unusable";
}

/** A successful response. `result` is JSON text. Source: rpc-semantics 2.2 */
export function successText(id: Answer, result: Answer): Answer {
  return joined(['{"id":', id, ',"jsonrpc":"2.0","result":', result, "}"]);
}

/** An error as it is sent. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  /** True for errors of step 10 and 11, which carry `"data":null`. */
  readonly hasData: boolean;
}

/** A failure response. Source: rpc-semantics 2.2 */
export function failureText(id: string, error: ErrorObject): string;
export function failureText(id: Answer, error: ErrorObject): Answer;
export function failureText(id: Answer, error: ErrorObject): Answer {
  const data = error.hasData ? `"data":null,` : "";
  const message = JSON.stringify(error.message);
  const body = `{"code":${error.code},${data}"message":${message}}`;
  return joined([`{"error":${body},"id":`, id, ',"jsonrpc":"2.0"}']);
}
