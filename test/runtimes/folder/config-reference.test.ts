/**
 * The pages docs/reference/config.md and config.zh.md say what the code says. To write them anew:
 * REWRITE_REFERENCE=1 npx vitest run test/runtimes/folder/config-reference.test.ts
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "vitest";
import { CONFIG_FILES, configReference } from "../../support/reference/config-reference.ts";
import { inLanguage } from "../../support/reference/in-language.ts";
import { ROOT } from "../../support/runner/root.ts";

const PAGES = [
  { language: "en", path: "docs/reference/config.md" },
  { language: "zh", path: "docs/reference/config.zh.md" },
] as const;

for (const { language, path } of PAGES) {
  test(`${path} is what the schemas give`, () => {
    const file = join(ROOT, path);
    const page = configReference(language);
    if (process.env["REWRITE_REFERENCE"] === "1") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    }
    assert.equal(readFileSync(file, "utf8"), page, "stale: run with REWRITE_REFERENCE=1");
  });
}

test("a page has a row for every key of every file", () => {
  for (const { language } of PAGES) {
    const rows = configReference(language).match(/^\| `/gm)?.length;
    const keys = CONFIG_FILES.flatMap(({ schema }) =>
      Object.values(schema).flatMap((section) => Object.keys(section.keys)),
    );
    assert.equal(rows, keys.length);
  }
});

test("every key has words in both languages", () => {
  for (const { schema } of CONFIG_FILES) {
    for (const [section, { keys }] of Object.entries(schema)) {
      for (const [name, { notes, kind }] of Object.entries(keys)) {
        assert.match(notes.help, /^[\x20-\x7e]+\.$/, `[${section}] ${name}`);
        assert.match(inLanguage(notes.help, "zh"), /[\u4e00-\u9fff].*。$/, `[${section}] ${name}`);
        assert.match(inLanguage(kind.allowed, "zh"), /[\u4e00-\u9fff]/, `[${section}] ${name}`);
      }
    }
  }
});
