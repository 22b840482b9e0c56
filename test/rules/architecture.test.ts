/** The pages of the design name nothing that is not there, and stay short. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { isInside, RUNGS } from "./rungs.ts";
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
  const isPath = /^((core|runtimes|web|test|docs)(\/[\w.{},*@-]+)*\/?|[\w.-]+\.(mjs|json|md))$/;
  return spans
    .map((span) => span.replace(/#.*$/, ""))
    .filter((span) => isPath.test(span))
    .flatMap(expandBraces)
    .filter((path) => !path.includes("*"));
}

const DETAILS = "docs/architecture";
/** A page of the repository for each of its large folders. */
const FOLDER_PAGES = ["core", "runtimes", "web", "test"].map((folder) => `${folder}/README.md`);
const PAGES = [
  "ARCHITECTURE.md",
  "README.md",
  "CONTRIBUTING.md",
  ...FOLDER_PAGES,
  ...readdirSync(join(ROOT, DETAILS)).map((name) => `${DETAILS}/${name}`),
];

function textOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

for (const page of PAGES) {
  test(`each path that ${page} names exists`, () => {
    const paths = pathsIn(textOf(page));
    const missing = paths.filter((path) => !existsSync(join(ROOT, path)));
    assertNone([...new Set(missing)], `${page} names what is not there`);
  });
}

test("paths are found in prose, with braces, and other spans are left alone", () => {
  const text = "`core/a.ts`, `test/{b,c}.ts`, `build.mjs`, `npm start`, `m` + name, `core`";
  assert.deepEqual(pathsIn(text), ["core/a.ts", "test/b.ts", "test/c.ts", "build.mjs", "core"]);
});

/** Line bounds of the pages that a newcomer reads first. */
const LENGTHS = [
  ["ARCHITECTURE.md", 200, 300],
  ["README.md", 80, 120],
  ...FOLDER_PAGES.map((page) => [page, 20, 80] as const),
] as const;
for (const [page, least, most] of LENGTHS) {
  test(`${page} has ${least} to ${most} lines`, () => {
    const count = textOf(page).split("\n").length - 1;
    assert.ok(count >= least && count <= most, `${count} lines`);
  });
}

test("each folder of the ladder has its row on a page", () => {
  const rows = ["ARCHITECTURE.md", ...FOLDER_PAGES].flatMap((page) =>
    [...textOf(page).matchAll(/^\| `([\w/]+)` \|/gm)].map(([, folder = ""]) => folder),
  );
  // A folder below one with a row is explained there, but a room has a row of its own.
  const isExplained = (folder: string) =>
    rows.some(
      (row) => row === folder || (!/\/(node|tools)\//.test(folder) && isInside(folder, row)),
    );
  const missing = RUNGS.map(({ folder }) => folder).filter((folder) => !isExplained(folder));
  assertNone(missing, "say in ARCHITECTURE.md or the README of its wing what it owns");
});

test("every further page is named in ARCHITECTURE.md", () => {
  const text = textOf("ARCHITECTURE.md");
  const lost = readdirSync(join(ROOT, DETAILS)).filter(
    (name) => !text.includes(`](${DETAILS}/${name})`),
  );
  assertNone(lost, "add a row under Further pages");
});

/** The table of packages. */
function dependencyTable(): string {
  return textOf(`${DETAILS}/dependencies.md`);
}

test("each dependency has its row in docs/architecture/dependencies.md", () => {
  const section = dependencyTable();
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

test("the folders next to a dependency are those that import it", () => {
  const edges = sources("core", "runtimes", "web").flatMap(importsOf);
  const offences: string[] = [];
  // Rows that name folders only: others report in words who uses it.
  const rows = /^\| `([^`]+)` \|.*\| ((?:`[\w/]+`(?:, )?)+) \|$/gm;
  let checked = 0;
  for (const [, name = "", where = ""] of dependencyTable().matchAll(rows)) {
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
  assertNone(offences, "say in docs/architecture/dependencies.md which folders import it");
});
