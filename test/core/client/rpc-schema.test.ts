/**
 * The client's types are those that nodes describe. To write them anew, with the formatter after
 * it: REWRITE_REFERENCE=1 npx vitest run test/core/client/rpc-schema.test.ts
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { RPC_PARAMS } from "../../../core/client/rpc-schema.ts";
import { openRpcDocument } from "../../../core/rpc/openrpc.ts";
import { METHODS } from "../../../core/rpc/registry.ts";
import { methodNames } from "../../support/client/interface-methods.ts";
import { ROOT } from "../../support/runner/root.ts";
import {
  type DescribedMethods,
  rpcObjectsText,
  rpcSchemaText,
  unformatted,
} from "../../support/client/rpc-schema-text.ts";

const FOLDER = join(ROOT, "core/client");
const DOCUMENT = openRpcDocument(METHODS, "0.0.0") as unknown as DescribedMethods;

for (const [name, write] of [
  ["rpc-objects.ts", rpcObjectsText],
  ["rpc-schema.ts", rpcSchemaText],
] as const) {
  test(`${name} of the client is written from the description of the nodes`, () => {
    const file = join(FOLDER, name);
    const text = write(DOCUMENT);
    if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(file, text);
    const stale = "stale: run with REWRITE_REFERENCE=1, then format the file";
    assert.equal(unformatted(readFileSync(file, "utf8")), unformatted(text), stale);
  });
}

test("the client knows every operation of the registry and of the interface", () => {
  const known = Object.keys(RPC_PARAMS);
  assert.deepEqual(
    known,
    METHODS.map(({ name }) => name),
  );
  assert.deepEqual(
    methodNames().filter((name) => !known.includes(name)),
    [],
  );
});

test("parameters are described in the order in which they are sent", () => {
  for (const { name, params } of METHODS) {
    const kinds: readonly string[] = RPC_PARAMS[name as keyof typeof RPC_PARAMS];
    assert.equal(kinds.length, params.length, name);
    const groups = params.flatMap((param, index) => (param.name === "groupID" ? [index] : []));
    assert.deepEqual(
      kinds.flatMap((kind, index) => (kind === "group" ? [index] : [])),
      groups,
      name,
    );
  }
});

const SHAPES = [
  [{ type: "integer" }, "number"],
  [{ type: ["string", "null"] }, "string|null"],
  [{ type: "string", enum: ["a", "b"] }, '"a"|"b"'],
  [{ type: "string", pattern: "^0x[0-9a-f]{64}$" }, "Hex"],
  [{ type: "array", items: { type: "boolean" } }, "readonly(boolean)[]"],
  [{ anyOf: [{ $ref: "#/components/schemas/Peer" }, { type: "null" }] }, "Peer|null"],
] as const;
for (const [schema, type] of SHAPES) {
  test(`a result of ${JSON.stringify(schema)} is typed ${type}`, () => {
    const methods = [{ name: "m", summary: "s", params: [], result: { schema } }];
    const text = rpcSchemaText({ methods, components: { schemas: {} } } as DescribedMethods);
    assert.ok(
      text.replaceAll(/\s+/g, "").includes(`Operation<[],${type.replaceAll(" ", "")}>`),
      text,
    );
  });
}
