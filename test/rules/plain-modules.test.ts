/** The modules that stand for tests: the lines of their sources, and never those of older ones. */
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, test } from "vitest";
import { makePlainModules, plainPath, sourcePath } from "../support/runner/plain-modules.ts";
import { ROOT } from "../support/runner/root.ts";

const MAKERS = ["test/support/runner/plain-modules.ts", "package-lock.json"];
let root = "";

function write(name: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), lines.join("\n"));
}

const read = (name: string) => readFileSync(plainPath(root, name), "utf8");

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chain-node-plain-"));
  for (const room of ["core", "docs", "runtimes", "web"]) mkdirSync(join(root, room));
  for (const maker of MAKERS) {
    mkdirSync(dirname(join(root, maker)), { recursive: true });
    cpSync(join(ROOT, maker), join(root, maker));
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("types go, and every line and column stays", async () => {
  write("core/a.ts", "interface A {", "  readonly a: number;", "}", "const a: A = { a: 1 };");
  await makePlainModules(root);
  const lines = read("core/a.ts").split("\n");
  assert.equal(lines.length, 4);
  assert.equal(lines[3], "const a    = { a: 1 };");
});

test("imports name modules, and files that are no sources", async () => {
  write(
    "test/a.ts",
    'import type { T } from "../core/t.ts";',
    'import { b, type B } from "../core/b.ts";',
    'export * from "./c.tsx";',
    'import d from "./d.json" with { type: "json" };',
    'export const later = () => import("./e.ts");',
    'export const text = `import { b } from "./b.ts"`;',
  );
  write("test/c.tsx", "export const c = <p>1</p>;");
  await makePlainModules(root);
  const lines = read("test/a.ts").split("\n");
  assert.equal(lines[0]?.trim(), "");
  assert.match(lines[1] ?? "", /"\.\.\/core\/b\.js"/);
  assert.equal(lines[2], 'export * from "./c.js";');
  const json = pathToFileURL(join(root, "test/d.json")).href;
  assert.equal(lines[3], `import d from "${json}" with { type: "json" };`);
  assert.match(lines[4] ?? "", /import\("\.\/e\.js"\)/);
  assert.match(lines[5] ?? "", /"\.\/b\.ts"/);
  assert.match(read("test/c.tsx"), /preact\/jsx-runtime/);
});

test("a module is where its source is", async () => {
  write("runtimes/a.ts", "export const at = [import.meta.url, import.meta.dirname];");
  await makePlainModules(root);
  const url = pathToFileURL(join(root, "runtimes/a.ts")).href;
  assert.ok(read("runtimes/a.ts").includes(`["${url}", "${join(root, "runtimes")}"]`));
  assert.equal(sourcePath(root, plainPath(root, "runtimes/a.ts")), join(root, "runtimes/a.ts"));
  assert.equal(sourcePath(root, "/elsewhere/a.js"), "/elsewhere/a.js");
});

test("what cannot be erased is refused", async () => {
  write("core/a.ts", "export enum A { B }");
  await assert.rejects(makePlainModules(root), /core\/a\.ts: not erasable: export enum A/);
});

test("only what changed is made anew, and what is gone goes", async () => {
  write("core/a.ts", "export const a = 1;");
  write("core/b.ts", "export const b = 1;");
  await makePlainModules(root);
  writeFileSync(plainPath(root, "core/a.ts"), "kept");
  write("core/c.ts", "export const c = 1;");
  rmSync(join(root, "core/b.ts"));
  await makePlainModules(root);
  assert.equal(read("core/a.ts"), "kept");
  assert.equal(read("core/c.ts"), "export const c = 1;");
  assert.equal(existsSync(plainPath(root, "core/b.ts")), false);
  // Another set of packages may make another module.
  writeFileSync(join(root, "package-lock.json"), "{}");
  await makePlainModules(root);
  assert.equal(read("core/a.ts"), "export const a = 1;");
});
