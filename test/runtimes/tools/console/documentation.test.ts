/**
 * The page docs/console.md says what the console does. To write its table of commands anew:
 * REWRITE_REFERENCE=1 npx vitest run test/runtimes/tools/console/documentation.test.ts
 */
// rules: console 4
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { EXIT } from "../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../runtimes/tools/console/commands/all.ts";
import { START_USAGE } from "../../../../runtimes/tools/console/start-options.ts";
import { grammarOf } from "../../../../runtimes/tools/console/usage.ts";
import { ROOT } from "../../../support/runner/root.ts";

const FILE = join(ROOT, "docs/console.md");
const TABLE = /(<!-- commands -->\n)[\s\S]*(<!-- end of commands -->)/;

/** Bars would end a cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function table(): string {
  const rows = COMMANDS.map((command) => {
    const { aliases = [], since } = command;
    const names = aliases.map((alias) => `\`${alias}\``).join(", ");
    const short = aliases.length > 0 ? ` (${names})` : "";
    const from = since === undefined ? "" : `; from ${since} on`;
    return `| \`${cell(grammarOf(command))}\`${short} | ${cell(command.says)}${from} |`;
  });
  return ["| Command | Does |", "|---|---|", ...rows, ""].join("\n");
}

test("the table of commands is what the console has", () => {
  const page = readFileSync(FILE, "utf8");
  const right = page.replace(TABLE, (_, begin: string, end: string) => `${begin}${table()}${end}`);
  if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(FILE, right);
  else assert.equal(page, right, "stale: run with REWRITE_REFERENCE=1");
});

test("the page names every option and every exit code", () => {
  const page = readFileSync(FILE, "utf8");
  for (const option of START_USAGE.match(/^ {2}(-[\w-]+)/gm) ?? [])
    assert.match(page, new RegExp(`\`${option.trim()}[\` ]`), option);
  for (const code of Object.values(EXIT)) assert.ok(page.includes(`| ${code} |`), String(code));
});
