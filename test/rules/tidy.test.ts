/** Size, shape, names and comments of every source file. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { test } from "vitest";
import * as shape from "./shape.ts";
import {
  assertNone,
  listFiles,
  ROOT,
  type SourceFile,
  sourceFile,
  sources,
} from "./source-tree.ts";

const CORE = sources("core");
const PRODUCT = [...CORE, ...sources("runtimes", "web")];
/** Its style is its own: terse, as data to compare with. */
const ORACLE = "test/oracle/";
const TESTS = sources("test").filter(({ path }) => !path.startsWith(ORACLE));
const ALL = [...PRODUCT, ...TESTS, ...sources("build.mjs", "vitest.config.ts")];

/** Functions that one `switch` makes long: the interpreter's dispatch. */
const LONG_FUNCTIONS = new Set<string>(["core/execution/evm/dispatch.ts"]);
/** Files that are tables of codes or of rule names. */
const LONG_FILES = new Set<string>([]);

const ROOT_ENTRIES = new Set([
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "biome.json",
  "build.mjs",
  "core",
  "docs",
  "package-lock.json",
  "package.json",
  "runtimes",
  "test",
  "tsconfig.json",
  "vitest.config.ts",
  "web",
]);
const GENERATED = new Set(["node_modules", "dist", "coverage"]);
const BANNED_NAMES = /^(utils?|helpers?|common|misc|types)$/;

function without(files: readonly SourceFile[], exempt: ReadonlySet<string>): SourceFile[] {
  return files.filter(({ path }) => !exempt.has(path));
}

interface Check {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly rule: shape.Rule;
  /** A text that offends, so that the rule itself is known to bite. */
  readonly offence: string;
}

const CHECKS: readonly Check[] = [
  {
    name: "lines have at most 100 columns",
    files: ALL,
    rule: shape.longLines,
    offence: `// ${"word ".repeat(20)}`,
  },
  {
    name: "functions have at most 70 lines",
    files: without(ALL, LONG_FUNCTIONS),
    rule: shape.longFunctions,
    offence: `function f({\n  a,\n}: Long): void {\n${"  a();\n".repeat(67)}}`,
  },
  {
    name: "files have at most 500 lines",
    files: without(ALL, LONG_FILES),
    rule: shape.longFile,
    offence: "\n".repeat(501),
  },
  {
    name: "functions have at most 4 parameters",
    files: ALL,
    rule: shape.manyParameters,
    offence: "const f = (a, b, c, d, e) => a;",
  },
  {
    name: "core has no any",
    files: CORE,
    rule: shape.anyTypes({ withReason: false }),
    offence: "// parsed\nlet a: any;",
  },
  {
    name: "any stands next to its reason elsewhere",
    files: ALL,
    rule: shape.anyTypes({ withReason: true }),
    offence: "let a: readonly any[];",
  },
  {
    name: "core has no non-null assertion",
    files: CORE,
    rule: shape.nonNull({ withReason: false }),
    offence: "// present\nf(list[0]!);",
  },
  {
    name: "a non-null assertion of a runtime stands next to its reason",
    files: PRODUCT,
    rule: shape.nonNull({ withReason: true }),
    offence: "f(list[0]!);",
  },
  {
    name: "no comment suppresses the compiler",
    files: ALL,
    rule: shape.ignoredErrors,
    offence: "// @ts-ignore because\nf();",
  },
  {
    name: "comments hold no open points",
    files: ALL,
    rule: shape.openNotes,
    offence: `// ${"TO"}${"DO"} later`,
  },
  {
    name: "comments hold no code",
    files: ALL,
    rule: shape.commentedCode,
    offence: "f();\n// const a = f();\ng();",
  },
  {
    name: "files open with a sentence about what they hold",
    files: ALL.filter(({ path }) => !path.endsWith(".test.ts")),
    rule: shape.openingSentence,
    offence: 'import a from "./a.ts";',
  },
  {
    name: "every export of core has a doc comment",
    files: CORE,
    rule: shape.undocumentedExports,
    offence: "export const a = 1;",
  },
  {
    name: "core reads no clock, draws no lots and throws no plain error",
    files: CORE,
    rule: shape.bannedCalls,
    offence: 'throw new Error("no such group");',
  },
];

for (const { name, files, rule, offence } of CHECKS) {
  test(name, () => assertNone(files.flatMap(rule), name));
  test(`an offence is found: ${name}`, () => {
    assert.equal(rule(sourceFile("core/offence.ts", offence)).length, 1);
  });
}

for (const call of ["Date.now()", "new Date()", "Math.random()", "Error('x')", "Date()"]) {
  test(`${call} is banned in core`, () => {
    assert.equal(shape.bannedCalls(sourceFile("core/a.ts", call)).length, 1);
  });
}

test("the top level holds what the layout names, and dotfiles", () => {
  const entries = readdirSync(ROOT).filter(
    (name) => !name.startsWith(".") && !GENERATED.has(name) && !ROOT_ENTRIES.has(name),
  );
  assertNone(entries, "move it into a folder of the layout");
});

test("no file or folder has a name that says nothing", () => {
  const offences = listFiles(".").filter((path) =>
    path.split("/").some((part) => BANNED_NAMES.test(part.split(".")[0] ?? "")),
  );
  assertNone(offences, "name it after what it holds");
});

function isWellNamed(path: string): boolean {
  const name = posix.basename(path).replace(/\.(machine\.)?(test\.|slow\.)*(tsx?|mjs)$/, "");
  // Methods of the interface are spelled as on the wire, and so are the tests next to them.
  if (path.includes("rpc/methods/")) return /^[a-z][A-Za-z0-9]*$/.test(name);
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z-]+)*$/.test(name);
}

test("source files are named in kebab-case", () => {
  const offences = ALL.map(({ path }) => path).filter((path) => !isWellNamed(path));
  assertNone(offences, "rename the file");
});

test("tests of core lie where the file they test lies", () => {
  const folders = new Set(listFiles("core").map((path) => posix.dirname(path)));
  const offences = listFiles("test/core")
    .map((path) => posix.dirname(path).slice("test/".length))
    .filter((folder) => folder !== "core" && !folders.has(folder));
  assertNone([...new Set(offences)], "core has no such folder");
});

test("only TypeScript, JSON and what the build consists of are source", () => {
  const isMarkup = (path: string) => path.startsWith("web/") && path.endsWith(".tsx");
  const scripts = listFiles(".").filter(
    (path) => /\.(js|cjs|jsx|tsx|cts)$/.test(path) && !isMarkup(path),
  );
  assertNone(scripts, "write it in TypeScript; generated files belong into dist");
});
