/**
 * Checks values against the part of JSON Schema that the self-description uses; other keywords are
 * errors.
 */
import { isDeepStrictEqual } from "node:util";

/** A schema of the self-description. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type Named = Readonly<Record<string, JsonSchema>>;
type Check = (value: unknown, argument: unknown, schema: JsonSchema, named: Named) => string[];

function typeOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number")
    return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ensure(holds: boolean, message: string): string[] {
  return holds ? [] : [message];
}

const LIMITS: Readonly<Record<string, bigint>> = {
  int64: 2n ** 63n - 1n,
  uint256: 2n ** 256n - 1n,
};

/** The range of a number text; texts that are no numbers are the pattern's business. */
function fitsFormat(value: string, format: unknown): boolean {
  const limit = LIMITS[String(format)];
  if (limit === undefined) throw new Error(`format ${String(format)}`);
  return !/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(value) || BigInt(value) <= limit;
}

const CHECKS: Readonly<Record<string, Check>> = {
  title: () => [],
  description: () => [],
  type: (value, types) => {
    const accepted = [types].flat();
    return ensure(
      typeOf(value).some((type) => accepted.includes(type)),
      `no ${String(types)}`,
    );
  },
  pattern: (value, pattern) =>
    ensure(
      typeof value !== "string" || new RegExp(String(pattern), "u").test(value),
      `not ${String(pattern)}`,
    ),
  format: (value, format) =>
    ensure(typeof value !== "string" || fitsFormat(value, format), "range"),
  enum: (value, values) =>
    ensure(
      (values as unknown[]).some((it) => isDeepStrictEqual(it, value)),
      "not listed",
    ),
  minimum: (value, least) => ensure(typeof value !== "number" || value >= Number(least), "too low"),
  maximum: (value, most) => ensure(typeof value !== "number" || value <= Number(most), "too high"),
  minItems: (value, count) =>
    ensure(!Array.isArray(value) || value.length >= Number(count), "too few"),
  maxItems: (value, count) =>
    ensure(!Array.isArray(value) || value.length <= Number(count), "too many"),
  items: (value, items, _, named) => {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => {
      const schema: unknown = Array.isArray(items) ? items[index] : items;
      return schemaErrors(item, schema as JsonSchema, named).map((it) => `[${index}] ${it}`);
    });
  },
  properties: (value, properties, _, named) => {
    if (!isRecord(value)) return [];
    return Object.entries(properties as Named).flatMap(([name, schema]) =>
      name in value ? schemaErrors(value[name], schema, named).map((it) => `${name} ${it}`) : [],
    );
  },
  patternProperties: (value, properties, _, named) => {
    if (!isRecord(value)) return [];
    return Object.entries(properties as Named).flatMap(([pattern, schema]) =>
      Object.keys(value)
        .filter((name) => new RegExp(pattern, "u").test(name))
        .flatMap((name) => schemaErrors(value[name], schema, named)),
    );
  },
  required: (value, names) =>
    isRecord(value)
      ? (names as string[]).filter((name) => !(name in value)).map((name) => `lacks ${name}`)
      : [],
  additionalProperties: (value, allowed, schema) => {
    if (allowed !== false || !isRecord(value)) return [];
    const patterns = Object.keys((schema["patternProperties"] ?? {}) as Named);
    const known = Object.keys((schema["properties"] ?? {}) as Named);
    return Object.keys(value)
      .filter((name) => !known.includes(name))
      .filter((name) => !patterns.some((pattern) => new RegExp(pattern, "u").test(name)))
      .map((name) => `unknown member ${name}`);
  },
  anyOf: (value, forms, _, named) =>
    ensure(
      (forms as JsonSchema[]).some((form) => schemaErrors(value, form, named).length === 0),
      "none of the forms",
    ),
  $ref: (value, target, _, named) => {
    const schema = named[String(target).replace("#/components/schemas/", "")];
    return schema === undefined ? [`no ${String(target)}`] : schemaErrors(value, schema, named);
  },
};

/** What is wrong with a value; empty when it fits. */
export function schemaErrors(value: unknown, schema: JsonSchema, named: Named): string[] {
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    const check = CHECKS[keyword];
    return check === undefined ? [`keyword ${keyword}`] : check(value, argument, schema, named);
  });
}
