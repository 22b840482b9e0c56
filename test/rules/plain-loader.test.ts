/** How the engine loads sources of tests: their lines, and never those of an older one. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, test } from "vitest";

interface Loaded {
  readonly format?: string;
  readonly source: string;
}

interface Loader {
  initialize(data: { readonly folder: string }): void;
  load(url: string, context: object, next: () => Loaded): Promise<Loaded>;
}

const place = new URL("../support/runner/plain-loader.mjs", import.meta.url).href;
const { initialize, load } = (await import(place)) as Loader;
const root = mkdtempSync(join(tmpdir(), "chain-node-plain-"));
initialize({ folder: join(root, "kept") });
afterAll(() => rmSync(root, { recursive: true }));

const ELSEWHERE = { source: "from elsewhere" };

async function loaded(name: string, lines?: readonly string[], query = ""): Promise<string> {
  const path = join(root, name);
  if (lines) writeFileSync(path, lines.join("\n"));
  return (await load(`${pathToFileURL(path).href}${query}`, {}, () => ELSEWHERE)).source;
}

test("types go, and every line and column stays", async () => {
  const lines = ["interface A {", "  readonly a: number;", "}", "const a: A = { a: 1 };"];
  const plain = (await loaded("a.ts", lines)).split("\n");
  assert.equal(plain.length, 4);
  assert.equal(plain[3], "const a    = { a: 1 };");
});

test("a source that changed is made anew, also when it is asked for as before", async () => {
  assert.equal(await loaded("b.ts", ["const b: 1 = 1;"], "?vitest=1"), "const b    = 1;");
  assert.equal(await loaded("b.ts", ["const b: 2 = 2;"], "?vitest=1"), "const b    = 2;");
  assert.equal(await loaded("b.ts", ["const b: 1 = 1;"]), "const b    = 1;");
});

test("tags of a page become calls", async () => {
  assert.match(await loaded("c.tsx", ["export const c: object = <p>1</p>;"]), /jsx-runtime/);
});

test("what cannot be erased is refused by name", async () => {
  await assert.rejects(loaded("d.ts", ["export enum D { E }"]), /d\.ts: not erasable: export enum/);
});

test("other modules are left to the engine", async () => {
  assert.equal(await loaded("e.js", ["const e = 1;"]), ELSEWHERE.source);
  assert.equal(await loaded("f.d.ts", ["declare const f: 1;"]), ELSEWHERE.source);
});
