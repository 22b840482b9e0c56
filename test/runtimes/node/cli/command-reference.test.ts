/**
 * The pages docs/reference/commands.md and commands.zh.md say what the parser does. To write them
 * anew: REWRITE_REFERENCE=1 npx vitest run test/runtimes/node/cli/command-reference.test.ts
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { test } from "vitest";
import { argumentsOf } from "../../../../runtimes/node/cli/command-line.ts";
import { createProgram } from "../../../../runtimes/node/cli/command-run.ts";
import { commandReference } from "../../../support/reference/command-reference.ts";
import { inLanguage } from "../../../support/reference/in-language.ts";
import { COMMAND_ROWS } from "../../../../runtimes/node/cli/command-rows.ts";
import { stepsOf } from "../../../support/process/page-shell.ts";
import { ROOT } from "../../../support/runner/root.ts";

const PAGES = [
  { language: "en", path: "docs/reference/commands.md" },
  { language: "zh", path: "docs/reference/commands.zh.md" },
] as const;

/** What the parser has called. */
function recorder() {
  const calls: unknown[][] = [];
  const run = async (name: string, given: readonly unknown[]): Promise<void> => {
    calls.push([name, ...given]);
  };
  return { calls, run };
}

function* commandsBelow(command: Command, above = ""): Generator<[string, Command]> {
  for (const child of command.commands) {
    const name = `${above}${child.name()}`;
    yield [name, child];
    yield* commandsBelow(child, `${name} `);
  }
}

for (const { language, path } of PAGES) {
  test(`${path} is what the rows give`, () => {
    const file = join(ROOT, path);
    const page = commandReference(language);
    if (process.env["REWRITE_REFERENCE"] === "1") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    }
    assert.equal(readFileSync(file, "utf8"), page, "stale: run with REWRITE_REFERENCE=1");
  });
}

test("the parser knows the commands and options of the rows and no others", () => {
  const program = createProgram("1.2.3", recorder().run);
  const parsed = [...commandsBelow(program)].map(([name, command]) => ({
    name,
    arguments: command.registeredArguments.map((argument) => argument.name()),
    options: command.options.map(({ flags }) => flags),
  }));
  const rows = COMMAND_ROWS.map((row) => ({
    name: row.name,
    arguments: argumentsOf(row).map(({ name }) => name.replaceAll(/[<>[\].]/g, "")),
    options: row.options.map(({ flags }) => flags),
  }));
  assert.deepEqual(parsed, rows);
});

test("a page names every option and its default", () => {
  for (const { language } of PAGES) {
    const page = commandReference(language);
    for (const { name, options } of COMMAND_ROWS) {
      for (const { flags } of options) assert.ok(page.includes(`| \`${flags}\` |`), name);
    }
    const rows = COMMAND_ROWS.flatMap(({ options }) => options).length;
    assert.equal(page.match(/^\| `-/gm)?.length, rows);
    for (const usual of ["8645,20200,30300", "1:pbft", "127.0.0.1", "10485760"])
      assert.ok(page.includes(`\`${usual}\``), usual);
  }
});

test("every command, argument and option has words in both languages", () => {
  for (const row of COMMAND_ROWS) {
    for (const words of [row, ...(row.argument ? [row.argument] : []), ...row.options]) {
      assert.match(words.help, /^[\x20-\x7e]+[^.]$/, row.name);
      assert.match(inLanguage(words.help, "zh"), /[\u4e00-\u9fff].*[^。]$/, row.name);
    }
    for (const { kind } of row.options)
      if (kind) assert.match(inLanguage(kind.allowed, "zh"), /[\u4e00-\u9fff]/, row.name);
  }
});

async function requireAccepted(line: string): Promise<void> {
  const { calls, run } = recorder();
  await createProgram("1.2.3", run).parseAsync(line.split(" "), { from: "user" });
  assert.equal(calls.length, 1, line);
}

for (const { name, examples } of COMMAND_ROWS) {
  for (const example of examples) {
    test(`the example "chain-node ${example}" is accepted by ${name}`, () =>
      requireAccepted(example));
  }
}

test("the program accepts every command of the operators' page", async () => {
  const lines = stepsOf("docs/operators.md")
    .flatMap(({ commands }) => commands.replaceAll(/\\\n */g, "").split("\n"))
    .flatMap((line) => /^chain-node (.*?)(?: \|\| true)?$/.exec(line)?.[1] ?? []);
  assert.ok(lines.length > 15);
  for (const line of lines) await requireAccepted(line);
});
