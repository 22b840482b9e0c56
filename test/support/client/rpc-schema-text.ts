/** Writes the types of the client's requests from the OpenRPC document of the registry. */
import type { Json, JsonObject } from "../../../core/rpc/json.ts";

/** The parts of an OpenRPC document that types are made of. */
export interface DescribedMethods {
  readonly methods: readonly {
    readonly name: string;
    readonly summary: string;
    readonly params: readonly {
      readonly name: string;
      readonly schema: JsonObject;
    }[];
    readonly result: { readonly schema: JsonObject };
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

const PATTERNED = /^\^(.*)\[0-9\]\+\$$/;
const WORD = /^[A-Za-z_$][\w$]*$/;

function keyOf(name: string): string {
  return WORD.test(name) ? name : JSON.stringify(name);
}

/** The members of an object, each as it is written. */
function membersOf(schema: JsonObject): ReadonlyMap<string, string> {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const patterns = (schema["patternProperties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema["required"] ?? []) as readonly string[];
  const members = new Map<string, string>();
  for (const [name, member] of Object.entries(properties)) {
    const key = `${keyOf(name)}${required.includes(name) ? "" : "?"}`;
    members.set(name, `readonly ${key}: ${typeOf(member)};`);
  }
  for (const [pattern, member] of Object.entries(patterns)) {
    const prefix = (PATTERNED.exec(pattern)?.[1] ?? "").replaceAll("\\", "");
    members.set(pattern, `readonly [name: \`${prefix}\${number}\`]: ${typeOf(member)};`);
  }
  return members;
}

function objectType(schema: JsonObject): string {
  const members = [...membersOf(schema).values()];
  return members.length === 0 ? "JsonObject" : `{\n${members.join("\n")}\n}`;
}

function arrayType({ items }: JsonObject): string {
  if (!Array.isArray(items)) return `readonly (${typeOf(items as JsonObject)})[]`;
  return `readonly [${(items as readonly JsonObject[]).map(typeOf).join(", ")}]`;
}

function textType(schema: JsonObject): string {
  const { enum: words, format, pattern } = schema;
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (format === "int64" || format === "uint256") return "NumberText";
  return typeof pattern === "string" && pattern.startsWith("^0x") ? "Hex" : "string";
}

function plainType(schema: JsonObject, type: Json | undefined): string {
  switch (type) {
    case "object":
      return objectType(schema);
    case "array":
      return arrayType(schema);
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    default:
      return textType(schema);
  }
}

/** The type of the values that a schema admits. */
function typeOf(schema: JsonObject): string {
  const { $ref: reference, anyOf, type } = schema;
  if (typeof reference === "string") return reference.split("/").at(-1) ?? "";
  const forms = Array.isArray(anyOf)
    ? (anyOf as readonly JsonObject[]).map(typeOf)
    : (Array.isArray(type) ? (type as readonly Json[]) : [type]).map((of) => plainType(schema, of));
  return [...new Set(forms)].join(" | ");
}

function kindOf({ name, schema }: { readonly name: string; readonly schema: JsonObject }): string {
  if (name === "groupID") return "group";
  return schema["format"] === "int64" ? "number" : "value";
}

const HOW = ` * To write it anew, with the formatter after it:
 * REWRITE_REFERENCE=1 npx vitest run test/core/client/rpc-schema.test.ts`;

const OBJECTS_HEAD = `/**
 * Objects of answers, written from the description that nodes give of themselves.
${HOW}
 *
 * Source: interface 2
 */

/** Hexadecimal text: \`0x\` and digits. */
export type Hex = \`0x\${string}\`;
`;

type Members = ReturnType<typeof membersOf>;

/** An interface; over the largest other one whose members it has, though some of another type. */
function interfaceText(name: string, objects: ReadonlyMap<string, Members>): string {
  const members = objects.get(name) ?? new Map<string, string>();
  const [base] = [...objects]
    .filter(([, of]) => of.size < members.size && [...of.keys()].every((key) => members.has(key)))
    .sort(([, a], [, b]) => b.size - a.size);
  const [baseName = "", inherited = new Map<string, string>()] = base ?? [];
  const own = [...members].filter(([key, text]) => inherited.get(key) !== text);
  const other = own.flatMap(([key]) => (inherited.has(key) ? [JSON.stringify(key)] : []));
  const whole = other.length === 0 ? baseName : `Omit<${baseName}, ${other.join(" | ")}>`;
  const head = base ? `${name} extends ${whole}` : name;
  return `export interface ${head} {\n${own.map(([, text]) => text).join("\n")}\n}\n`;
}

/** The file of the objects that answers hold. */
export function rpcObjectsText({ components }: DescribedMethods): string {
  const schemas = Object.entries(components.schemas);
  const objects = new Map(
    schemas.flatMap(([name, schema]) =>
      schema["type"] === "object" ? [[name, membersOf(schema)] as const] : [],
    ),
  );
  const parts = schemas.map(([name, schema]) => {
    const doc = `/** ${name} as nodes answer it. Source: interface 2 */`;
    if (objects.has(name)) return `${doc}\n${interfaceText(name, objects)}`;
    return `${doc}\nexport type ${name} = ${typeOf(schema)};\n`;
  });
  return [OBJECTS_HEAD, ...parts].join("\n");
}

const SCHEMA_HEAD = `/**
 * Parameters and results of every operation, written from the description that nodes give of
 * themselves.
${HOW}
 *
 * Source: interface 4.2
 */
`;

const SCHEMA_TYPES = `
/** A number, or its decimal or \`0x\` hexadecimal text. */
export type NumberText = string | number | bigint;
/** An object of any members. */
export type JsonObject = Readonly<Record<string, unknown>>;

interface Operation<Params extends readonly unknown[], Result> {
  params: Readonly<Params>;
  result: Result;
}
`;

/** The file of the operations. */
export function rpcSchemaText({ methods, components }: DescribedMethods): string {
  const rows = methods.map(({ name, summary, params, result }) => {
    const types = params.map((it) => `${it.name}: ${typeOf(it.schema)}`);
    const entry = `Operation<[${types.join(", ")}], ${typeOf(result.schema)}>`;
    return `/** ${summary}. */\n${keyOf(name)}: ${entry};`;
  });
  const kinds = methods.map(
    ({ name, params }) =>
      `${keyOf(name)}: [${params.map((it) => JSON.stringify(kindOf(it))).join(", ")}],`,
  );
  const text = [
    "/** Every operation by its name. Source: interface 4.2 */",
    `export interface RpcSchema {\n${rows.join("\n")}\n}\n`,
    "/** What the parameters are: the group, a number as text, or any other value. */",
    `export const RPC_PARAMS = {\n${kinds.join("\n")}\n} as const;\n`,
  ].join("\n");
  const used = ["Hex", ...Object.keys(components.schemas)].filter((name) =>
    new RegExp(`[:,] [^\n"]*\\b${name}\\b`).test(text),
  );
  const imports = `import type { ${used.join(", ")} } from "./rpc-objects.ts";`;
  return [SCHEMA_HEAD + imports, SCHEMA_TYPES.slice(1), text].join("\n\n");
}

/** The text without what a formatter may change. */
export function unformatted(text: string): string {
  return text.replaceAll(/[\s,;()|]+/g, "");
}
