/**
 * The requests of a body, read from its text: here, or elsewhere for a long one.
 * Source: rpc-semantics 2.1, 2.3
 */
import { type Envelope, readEnvelope, type RequestPlace } from "./envelope.ts";
import { countValues, elementStarts, type Json, MAX_JSON_VALUES, parseJson } from "./json.ts";

/** A request and what its envelope says. */
export interface ReadRequest {
  readonly value: Json;
  readonly envelope: Envelope;
}

/** What a body holds. */
export type Requests =
  /** The text is no JSON. */
  | { readonly kind: "malformed" }
  /** More values than are examined. */
  | { readonly kind: "tooMany"; readonly most: number }
  | { readonly kind: "one"; readonly request: ReadRequest; readonly values?: number }
  | {
      readonly kind: "batch";
      readonly count: number;
      /** JSON values that are held of a text that is not short. */
      readonly values?: number;
      /** Asked for each from 0 on, one after the other. */
      readonly at: (index: number) => ReadRequest | Promise<ReadRequest>;
      /** Nothing more is asked for: what is read elsewhere is dropped there. */
      readonly done?: () => void;
    };

function read(value: Json, place: RequestPlace): ReadRequest {
  return { value, envelope: readEnvelope(value, place) };
}

/** Of shorter texts the values are not counted: they take little. */
const SHORT_CHARS = 4 * 1024;

/** Reads a text. Source: rpc-semantics 2.1 */
export function readRequests(text: string): Requests {
  const values = text.length < SHORT_CHARS ? 0 : countValues(text);
  if (values > MAX_JSON_VALUES) return { kind: "tooMany", most: MAX_JSON_VALUES };
  const parsed = parseJson(text);
  if (parsed === undefined) return { kind: "malformed" };
  if (!Array.isArray(parsed))
    return { kind: "one", request: read(parsed, { text, start: () => 0 }), values };
  const batch: readonly Json[] = parsed;
  let starts: readonly number[] | undefined;
  const startOf = (index: number): number => {
    starts ??= elementStarts(text);
    return starts[index] ?? 0;
  };
  const at = (index: number) => read(batch[index] ?? null, { text, start: () => startOf(index) });
  return { kind: "batch", count: batch.length, values, at };
}
