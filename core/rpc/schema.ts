/**
 * JSON Schema fragments of the wire forms: what parameters and results look like.
 * Source: rpc-semantics 3.2
 */
import type { Json, JsonObject } from "./json.ts";

/** A JSON Schema (draft 7 subset), itself JSON. */
export type Schema = JsonObject;

/** Members of a result object by name. */
export type Fields = Readonly<Record<string, Schema>>;

/** What a presenter must return for a field list: the same member names, nothing else. */
export type Shown<F extends Fields> = { readonly [Name in keyof F]: Json };

/** Number text: `0x` and lower-case digits without leading zeros. */
export const QUANTITY: Schema = text("^0x(0|[1-9a-f][0-9a-f]*)$", "quantity");
/** 32 bytes. */
export const HASH: Schema = text("^0x[0-9a-f]{64}$", "hash");
/** 20 bytes. */
export const ADDRESS: Schema = text("^0x[0-9a-f]{40}$", "address");
/** Bytes of any length. */
export const BYTES: Schema = text("^0x([0-9a-f]{2})*$", "bytes");
/** A bloom filter of 256 bytes. */
export const BLOOM: Schema = text("^0x[0-9a-f]{512}$", "bloom filter");
/** A node's public key without prefix. */
export const NODE_ID: Schema = text("^[0-9a-f]{128}$", "node ID");
/** Digits of a proof, without prefix. */
export const BARE_HEX: Schema = text("^([0-9a-f]{2})+$", "bytes without prefix");
/** Decimal digits; empty for a key without a value. */
export const DECIMAL: Schema = text("^[0-9]*$", "decimal number");
/** Any text. */
export const TEXT: Schema = { type: "string" };
/** A JSON integer. */
export const INTEGER: Schema = { type: "integer" };
/** true or false. */
export const BOOLEAN: Schema = { type: "boolean" };
/** null. */
export const NULL: Schema = { type: "null" };

function text(pattern: string, title: string): Schema {
  return { type: "string", title, pattern };
}

/** An array of one kind of element. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** One of several forms. */
export function anyOf(...forms: readonly Schema[]): Schema {
  return { anyOf: forms };
}

/** The form, or null. */
export function orNull(form: Schema): Schema {
  return anyOf(form, NULL);
}

/** An object with exactly these members; the names in `optional` may be absent. */
export function objectOf(fields: Fields, optional: readonly string[] = []): Schema {
  const required = Object.keys(fields).filter((name) => !optional.includes(name));
  return { type: "object", properties: fields, required, additionalProperties: false };
}

/** Members of an object by name: the schema of each, and how it is read. */
export type Members<From> = Readonly<
  Record<string, readonly [schema: Schema, read: (from: From) => Json]>
>;

/** Schema and presenter of an object; its members stand in ascending order. */
export function shape<From>(members: Members<From>) {
  const rows = Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    schema: objectOf(Object.fromEntries(rows.map(([name, [schema]]) => [name, schema]))),
    present: (from: From): JsonObject =>
      Object.fromEntries(rows.map(([name, [, read]]) => [name, read(from)])),
  };
}

/** A reference to a named object of the document. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
