/** The compiler keeps platforms out of core, and every folder is compiled strictly. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { test } from "vitest";
import { ROOT } from "./source-tree.ts";

function optionsOf(folder: string): ts.CompilerOptions {
  const path = join(ROOT, folder, "tsconfig.json");
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile);
  assert.equal(error, undefined);
  return ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, folder)).options;
}

const FOLDERS = ["core", "test", ...readdirSync(join(ROOT, "runtimes")).map((n) => `runtimes/${n}`)]
  .filter((folder) => existsSync(join(ROOT, folder)))
  .sort();

const STRICT = [
  "strict",
  "noUncheckedIndexedAccess",
  "exactOptionalPropertyTypes",
  "noImplicitReturns",
  "noFallthroughCasesInSwitch",
  "noUnusedLocals",
  "noUnusedParameters",
  "verbatimModuleSyntax",
  "erasableSyntaxOnly",
] as const;

for (const folder of FOLDERS) {
  test(`${folder} is compiled with every strict setting`, () => {
    const options = optionsOf(folder);
    assert.deepEqual(
      STRICT.filter((name) => options[name] !== true),
      [],
    );
  });
}

const PLATFORM = [
  "setTimeout(() => {}, 1);",
  'fetch("/");',
  'console.log("");',
  "process.exit();",
  "Buffer.alloc(1);",
  "crypto.randomUUID();",
  "new TextEncoder();",
  'import { existsSync } from "node:fs"; existsSync("");',
] as const;

/** The errors of one statement under the options of a folder. */
function errorsOf(statement: string, options: ts.CompilerOptions): number {
  const name = join(ROOT, "core", "statement.ts");
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === name
      ? ts.createSourceFile(path, `${statement}\nexport {};\n`, ts.ScriptTarget.ES2023)
      : getSourceFile.call(host, path, ...rest);
  const program = ts.createProgram([name], { ...options, incremental: false }, host);
  const file = program.getSourceFile(name);
  return program.getSemanticDiagnostics(file).length;
}

for (const statement of PLATFORM) {
  test(`core does not compile with ${statement}`, () => {
    assert.equal(errorsOf(statement, optionsOf("core")), 1);
  });
}

test("core compiles what the language itself has", () => {
  assert.equal(
    errorsOf("new Map([[1n, new Uint8Array(1)]]).get(1n)?.at(0);", optionsOf("core")),
    0,
  );
});
