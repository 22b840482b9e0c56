/**
 * Imports follow the ladder of the style guide, without cycles and barrels.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { test } from "vitest";
import { cyclesOf } from "./cycles.ts";
import { admits, mayImport, rungOf } from "./rungs.ts";
import {
  assertNone,
  type ImportEdge,
  importsOf,
  lineOf,
  ROOT,
  sourceFile,
  sources,
} from "./source-tree.ts";

const FILES = sources("core", "runtimes", "web");
const EDGES = FILES.flatMap(importsOf);
/** A worker's entry is what its platform calls, and some platforms call the default export. */
const DEFAULT_EXPORT = new Set([
  "runtimes/edge/gateway.ts",
  "runtimes/edge/objects/chain.ts",
  "runtimes/edge/objects/observer.ts",
]);
/** An export of the package is one file, whose names come from many. */
const PACKAGE_EXPORTS = new Set([
  "runtimes/shared/client/client.ts",
  "runtimes/node/client/client.ts",
]);

/** Part of the build, not of the product. */
const BUILD = new Set(
  ["bundles", "client-package", "install"].map((name) => `runtimes/${name}.mjs`),
);

function place(edge: ImportEdge): string {
  return `${edge.from}:${edge.line} ${edge.specifier}`;
}

test("imports are found wherever the formatter leaves them", () => {
  const texts = [
    'import { a } from "./a.ts"; // why',
    'import a from "./a.json" with {\n  type: "json",\n};',
    'f();\nconst a = await import("./a.ts");',
    'export type { A } from "./a.ts";\nf();',
    'import {\n  a,\n} from "./a.ts";',
    'import "./a.ts";',
  ];
  for (const text of texts) assert.equal(importsOf(sourceFile("core/b.ts", text)).length, 1, text);
});

test("every source folder has a row in the table of rungs", () => {
  const homeless = FILES.filter(({ path }) => !BUILD.has(path) && rungOf(path) === undefined);
  assertNone(
    homeless.map(({ path }) => path),
    "add the folder to the table, or move the file",
  );
});

test("imports point to a lower rung or stay in their folder, types included", () => {
  assertNone(EDGES.filter((edge) => !mayImport(edge)).map(place), "not allowed by the ladder");
});

test("external packages are imported only where the table admits them", () => {
  const offences = EDGES.filter(({ from, specifier, target }) => {
    const rung = rungOf(from);
    return target === undefined && rung !== undefined && !admits(rung.packages, specifier);
  });
  assertNone(offences.map(place), "this package is not on the rung's list");
});

test("external packages are dependencies of the package, with an exact version", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  const installed = { ...manifest["dependencies"], ...manifest["optionalDependencies"] };
  const offences = EDGES.filter(({ specifier, target, typeOnly }) => {
    const isOfPlatform = /^(node|cloudflare):/.test(specifier);
    if (target !== undefined || isOfPlatform || typeOnly) return false;
    const parts = specifier.split("/");
    const name = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
    return !/^\d/.test(installed[name] ?? "");
  });
  assertNone(offences.map(place), "running would lack this package");
});

test("relative imports end in .ts, .tsx or .css and name a file that exists", () => {
  const isSource = (target: string) => /\.(tsx?|css)$/.test(target);
  const offences = EDGES.filter(
    ({ from, target }) =>
      target !== undefined &&
      !((isSource(target) || BUILD.has(from)) && existsSync(join(ROOT, target))),
  );
  assertNone(offences.map(place), "import the file that defines the name");
});

test("no file re-exports names of another", () => {
  const barrels = EDGES.filter(({ kind, from }) => kind === "export" && !PACKAGE_EXPORTS.has(from));
  assertNone(barrels.map(place), "no barrels");
});

test("only users of the package import the files that gather names", () => {
  const inside = EDGES.filter(({ target }) => PACKAGE_EXPORTS.has(target ?? ""));
  assertNone(inside.map(place), "import the file that defines the name");
});

/** Whether it is worth its syntax tree. */
const mayBeUnnamed = (path: string, text: string) =>
  !DEFAULT_EXPORT.has(path) && /\bexport\s*(default|=)|\bdefault\s+(class|function)/.test(text);

test("exports are named", () => {
  const offences: string[] = [];
  for (const file of FILES.filter(({ path, text }) => mayBeUnnamed(path, text))) {
    for (const statement of file.tree.statements) {
      const isDefault =
        ts.isExportAssignment(statement) ||
        (ts.canHaveModifiers(statement) &&
          ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ===
            true);
      if (isDefault) offences.push(`${file.path}:${lineOf(file, statement)}`);
    }
  }
  assertNone(offences, "default exports have no name of their own");
});

test("no group of files imports each other, types included", () => {
  const graph = new Map<string, string[]>(FILES.map(({ path }) => [path, []]));
  for (const { from, target } of EDGES) if (target !== undefined) graph.get(from)?.push(target);
  assertNone(
    cyclesOf(graph).map((group) => group.join(" <-> ")),
    "break the cycle",
  );
});

test("the search for cycles finds a ring, a loop on itself, and nothing in a tree", () => {
  const ring = { a: ["b"], b: ["c"], c: ["a", "d"], d: [], e: ["e"] };
  const sizes = cyclesOf(new Map(Object.entries(ring))).map((group) => group.length);
  assert.deepEqual(sizes.sort(), [1, 3]);
  const tree = { a: ["b", "c"], b: ["c"], c: [] };
  assert.deepEqual(cyclesOf(new Map(Object.entries(tree))), []);
});

const TABLE = [
  { from: "core/crypto/merkle.ts", to: "core/bytes/rlp.ts", typeOnly: false, allowed: true },
  { from: "core/crypto/merkle.ts", to: "core/crypto/suite.ts", typeOnly: false, allowed: true },
  { from: "core/bytes/rlp.ts", to: "core/crypto/suite.ts", typeOnly: true, allowed: false },
  {
    from: "core/ledger/writer.ts",
    to: "core/execution/executive.ts",
    typeOnly: false,
    allowed: false,
  },
  { from: "core/consensus/pbft/step.ts", to: "core/sync/step.ts", typeOnly: true, allowed: false },
  { from: "core/rpc/methods/call.ts", to: "core/api/node-api.ts", typeOnly: true, allowed: true },
  {
    from: "core/rpc/methods/call.ts",
    to: "core/node/create-node.ts",
    typeOnly: true,
    allowed: false,
  },
  {
    from: "core/node/txpool/sender-recovery.ts",
    to: "core/node/group/group-runtime.ts",
    typeOnly: true,
    allowed: false,
  },
  {
    from: "core/node/create-node.ts",
    to: "runtimes/node/machine/clock.ts",
    typeOnly: true,
    allowed: false,
  },
  {
    from: "runtimes/node/main.ts",
    to: "runtimes/edge/gateway.ts",
    typeOnly: false,
    allowed: false,
  },
] as const;
for (const { from, to, typeOnly, allowed } of TABLE) {
  const form = typeOnly ? "types" : "values";
  test(`${from} ${allowed ? "may" : "may not"} import ${form} of ${to}`, () => {
    const edge = { from, target: to, typeOnly, specifier: to, kind: "import", line: 1 } as const;
    assert.equal(mayImport(edge), allowed);
  });
}
