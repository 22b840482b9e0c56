/** The design page names nothing that is not there. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { assertNone, importsOf, ROOT, sources } from "./source-tree.ts";

/** `a/{b,c}.ts` as a/b.ts and a/c.ts. */
function expandBraces(path: string): string[] {
  const match = /^(.*)\{([^{}]+)\}(.*)$/.exec(path);
  if (match === null) return [path];
  const [, before = "", middle = "", after = ""] = match;
  return middle.split(",").flatMap((part) => expandBraces(before + part.trim() + after));
}

/** Paths in backticks that begin with a folder of the layout or name a file of the root. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  const isPath = /^((core|runtimes|web|test)(\/[\w.{},*@-]+)*\/?|[\w.-]+\.(mjs|json|md))$/;
  return spans
    .map((span) => span.replace(/#.*$/, ""))
    .filter((span) => isPath.test(span))
    .flatMap(expandBraces)
    .filter((path) => !path.includes("*"));
}

for (const page of ["ARCHITECTURE.md", "README.md"]) {
  test(`each path that ${page} names exists`, () => {
    const paths = pathsIn(readFileSync(join(ROOT, page), "utf8"));
    const missing = paths.filter((path) => !existsSync(join(ROOT, path)));
    assertNone([...new Set(missing)], `${page} names what is not there`);
  });
}

test("paths are found in prose, with braces, and other spans are left alone", () => {
  const text = "`core/a.ts`, `test/{b,c}.ts`, `build.mjs`, `npm start`, `m` + name, `core`";
  assert.deepEqual(pathsIn(text), ["core/a.ts", "test/b.ts", "test/c.ts", "build.mjs", "core"]);
});

function dependencySection(): string {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  return /^## Dependencies$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text)?.[1] ?? "";
}

test("each dependency has its line under Dependencies", () => {
  const section = dependencySection();
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const names = ["dependencies", "optionalDependencies", "devDependencies"].flatMap((kind) =>
    Object.keys(manifest[kind] ?? {}),
  );
  const missing = names.filter((name) => !section.includes(`\`${name}\``));
  assertNone(missing, "say what for, why this one, who may import it");
});

test("the folders beside a dependency are those that import it", () => {
  const edges = sources("core", "runtimes", "web").flatMap(importsOf);
  const offences: string[] = [];
  // Rows that name folders only: others say in words who uses it.
  const rows = /^\| `([^`]+)` \|.*\| ((?:`[\w/]+`(?:, )?)+) \|$/gm;
  let checked = 0;
  for (const [, name = "", where = ""] of dependencySection().matchAll(rows)) {
    checked += 1;
    const folders = pathsIn(where);
    const users = edges
      .filter(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`))
      .map(({ from }) => from);
    const isBelow = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
    for (const folder of folders)
      if (!users.some(isBelow(folder))) offences.push(`${name}: nothing in ${folder} imports it`);
    for (const file of users)
      if (!folders.some((folder) => isBelow(folder)(file))) offences.push(`${name}: ${file}`);
  }
  assert.ok(checked > 20, `${checked} rows`);
  assertNone(offences, "say under Dependencies which folders import it");
});
