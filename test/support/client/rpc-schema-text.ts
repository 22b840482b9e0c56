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

function objectType(schema: JsonObject): string {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const patterns = (schema["patternProperties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (schema["required"] ?? []) as readonly string[];
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `readonly ${keyOf(name)}${required.includes(name) ? "" : "?"}: ${typeOf(member)};`,
  );
  for (const [pattern, member] of Object.entries(patterns)) {
    const prefix = (PATTERNED.exec(pattern)?.[1] ?? "").replaceAll("\\", "");
    members.push(`readonly [name: \`${prefix}\${number}\`]: ${typeOf(member)};`);
  }
  if (members.length === 0) return "JsonObject";
  return `{\n${members.join("\n")}\n}`;
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

/** The file of the objects that answers hold. */
export function rpcObjectsText({ components }: DescribedMethods): string {
  const parts = Object.entries(components.schemas).map(([name, schema]) => {
    const type = typeOf(schema);
    const doc = `/** ${name} as nodes answer it. Source: interface 2 */`;
    return type.startsWith("{")
      ? `${doc}\nexport interface ${name} ${type}\n`
      : `${doc}\nexport type ${name} = ${type};\n`;
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
`;

/** The file of the operations. */
export function rpcSchemaText({ methods, components }: DescribedMethods): string {
  const rows = methods.map(({ name, summary, params, result }) => {
    const types = params.map((it) => `${it.name}: ${typeOf(it.schema)}`);
    const entry = `params: readonly [${types.join(", ")}];\nresult: ${typeOf(result.schema)};`;
    return `/** ${summary}. */\n${keyOf(name)}: {\n${entry}\n};`;
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
    new RegExp(`: [^\n"]*\\b${name}\\b`).test(text),
  );
  const imports = `import type { ${used.join(", ")} } from "./rpc-objects.ts";`;
  return [SCHEMA_HEAD + imports, SCHEMA_TYPES.slice(1), text].join("\n\n");
}

/** The text without what a formatter may change. */
export function unformatted(text: string): string {
  return text.replaceAll(/[\s,;()|]+/g, "");
}
