/** The compiler keeps platforms out of core, and every folder is compiled strictly. */
import assert from "node:assert/strict";
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

const FOLDERS = ["core", "runtimes", "runtimes/node", "web", "test/runtimes/browser", "test"];

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

/** Numbers of errors of statements, each in a file of its own, under the options of a folder. */
function errorsOf(statements: readonly string[], folder: string): number[] {
  const options = { ...optionsOf(folder), incremental: false };
  const texts = new Map(
    statements.map((text, index) => [join(ROOT, folder, `statement-${index}.ts`), text]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    if (text === undefined) return getSourceFile.call(host, path, ...rest);
    return ts.createSourceFile(path, `${text}\nexport {};\n`, ts.ScriptTarget.ES2023);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].map(
    (path) => program.getSemanticDiagnostics(program.getSourceFile(path)).length,
  );
}

const LANGUAGE = "new Map([[1n, new Uint8Array(1)]]).get(1n)?.at(0);";

test("core compiles with the language alone", () => {
  const named = [...PLATFORM, LANGUAGE];
  const compiling = errorsOf(named, "core").flatMap((count, index) =>
    count === 0 ? [named[index]] : [],
  );
  assert.deepEqual(compiling, [LANGUAGE]);
});

test("the web runtimes compile with timers and fetch, but not with Node", () => {
  const [timer, request, , , buffer, , , files] = errorsOf(PLATFORM, "runtimes");
  assert.deepEqual([timer, request, buffer, files], [0, 0, 1, 1]);
});
