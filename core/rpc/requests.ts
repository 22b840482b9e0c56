/**
 * The requests of a body, read from its text: here, or elsewhere for a long one.
 *
 * Source: rpc-semantics 2.1, 2.3
 */
import { type Envelope, readEnvelope, type RequestPlace } from "./envelope.ts";
import { elementStarts, hasTooManyValues, type Json, MAX_JSON_VALUES, parseJson } from "./json.ts";

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
  | { readonly kind: "one"; readonly request: ReadRequest }
  | {
      readonly kind: "batch";
      readonly count: number;
      /** Asked for each from 0 on, one after the other. */
      readonly at: (index: number) => ReadRequest | Promise<ReadRequest>;
      /** Nothing more is asked for: what is read elsewhere is dropped there. */
      readonly done?: () => void;
    };

function read(value: Json, place: RequestPlace): ReadRequest {
  return { value, envelope: readEnvelope(value, place) };
}

/** Reads a text. Source: rpc-semantics 2.1 */
export function readRequests(text: string): Requests {
  if (hasTooManyValues(text)) return { kind: "tooMany", most: MAX_JSON_VALUES };
  const parsed = parseJson(text);
  if (parsed === undefined) return { kind: "malformed" };
  if (!Array.isArray(parsed))
    return { kind: "one", request: read(parsed, { text, start: () => 0 }) };
  const batch: readonly Json[] = parsed;
  let starts: readonly number[] | undefined;
  const startOf = (index: number): number => {
    starts ??= elementStarts(text);
    return starts[index] ?? 0;
  };
  const at = (index: number) => read(batch[index] ?? null, { text, start: () => startOf(index) });
  return { kind: "batch", count: batch.length, at };
}
