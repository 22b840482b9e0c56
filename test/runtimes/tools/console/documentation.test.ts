/**
 * The pages docs/console.md and console.zh.md say what the console does. To write their tables of
 * commands anew:
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
import { inLanguage } from "../../../support/reference/in-language.ts";
import { ROOT } from "../../../support/runner/root.ts";

/** The page in each language, and the words of its table. */
const PAGES = [
  {
    language: "en",
    path: "docs/console.md",
    head: "| Command | Does |",
    since: (version: string) => `; from ${version} on`,
  },
  {
    language: "zh",
    path: "docs/console.zh.md",
    head: "| 命令 | 作用 |",
    since: (version: string) => `；自 ${version} 起`,
  },
] as const;
const TABLE = /(<!-- commands -->\n)[\s\S]*(<!-- end of commands -->)/;

/** Bars would end a cell. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function table({ language, head, since }: (typeof PAGES)[number]): string {
  const rows = COMMANDS.map((command) => {
    const { aliases = [], since: version } = command;
    const names = aliases.map((alias) => `\`${alias}\``).join(", ");
    const short = aliases.length > 0 ? ` (${names})` : "";
    const from = version === undefined ? "" : since(version);
    const says = inLanguage(command.says, language);
    return `| \`${cell(grammarOf(command))}\`${short} | ${cell(says)}${from} |`;
  });
  return [head, "|---|---|", ...rows, ""].join("\n");
}

for (const page of PAGES) {
  test(`the table of commands in ${page.path} is what the console has`, () => {
    const file = join(ROOT, page.path);
    const text = readFileSync(file, "utf8");
    const right = text.replace(
      TABLE,
      (_, begin: string, end: string) => `${begin}${table(page)}${end}`,
    );
    if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(file, right);
    else assert.equal(text, right, "stale: run with REWRITE_REFERENCE=1");
  });

  test(`${page.path} names every option and every exit code`, () => {
    const text = readFileSync(join(ROOT, page.path), "utf8");
    for (const option of START_USAGE.match(/^ {2}(-[\w-]+)/gm) ?? [])
      assert.match(text, new RegExp(`\`${option.trim()}[\` ]`), option);
    for (const code of Object.values(EXIT)) assert.ok(text.includes(`| ${code} |`), String(code));
  });
}
