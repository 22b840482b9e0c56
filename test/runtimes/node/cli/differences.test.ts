/**
 * The pages docs/differences.md and differences.zh.md mention everything that is deliberately
 * different: every decision of the specification, every marked section, every refused setting.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { CONFIG_FILES } from "../../../support/reference/config-reference.ts";
import { COMMAND_ROWS } from "../../../../runtimes/node/cli/command-rows.ts";
import { DEFAULT_MAX_BODY_BYTES } from "../../../../runtimes/shared/http-app.ts";
import { ALLOWED } from "../../../golden/allowed.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { DOCUMENTS, specification } from "../../../support/ledger/specification.ts";

const PAGES = ["docs/differences.md", "docs/differences.zh.md"].map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), "utf8"),
}));
const MIB = 1024 * 1024;

/** Sources that a page names: the last cell of each row. */
function sourcesOf(text: string): Set<string> {
  const cells = [...text.matchAll(/^\|.*\| ([^|]+) \|$/gm)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => cell.split(/[;；]/)).map((source) => source.trim()));
}

function* rowsOf(text: string): Generator<readonly string[]> {
  for (const [line] of text.matchAll(/^\|.*\|$/gm))
    yield line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
}

/** Numbers in the table of decisions. */
function decisions(): string[] {
  const text = specification("README");
  const table = text.slice(text.indexOf("## Decisions"));
  return [...table.matchAll(/^\| (\d+) \|/gm)].map(([, number = ""]) => `decision ${number}`);
}

/** Sections with a mark of a deliberate difference, as `document section`. */
function markedSections(): Set<string> {
  const found = new Set<string>();
  for (const document of DOCUMENTS) {
    let section = "";
    for (const line of specification(document).split("\n")) {
      section = /^##+ (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section;
      // What stands above the first section explains the marks.
      if (section !== "" && /\[DEVIATE|\bPICK\b/.test(line)) found.add(`${document} ${section}`);
    }
  }
  return found;
}

for (const { path, text } of PAGES) {
  const sources = sourcesOf(text);

  test(`${path} mentions every decision of the specification`, () => {
    const all = decisions();
    assert.ok(all.length >= 34);
    assert.deepEqual(
      all.filter((decision) => !sources.has(decision)),
      [],
    );
  });

  test(`${path} mentions every section in which a difference is marked`, () => {
    const marked = markedSections();
    assert.ok(marked.size >= 20);
    assert.deepEqual(
      [...marked].filter((section) => !sources.has(section)),
      [],
    );
  });

  test(`${path} mentions what the recorded answers differ in`, () => {
    for (const { citation } of ALLOWED) assert.ok(sources.has(citation), citation);
  });

  test(`${path} mentions every setting that is refused`, () => {
    for (const { schema } of CONFIG_FILES) {
      for (const [section, { keys }] of Object.entries(schema)) {
        for (const [name, { notes }] of Object.entries(keys))
          if (notes.notOffered) assert.ok(text.includes(name), `[${section}] ${name}`);
      }
    }
  });

  test(`${path} has whole rows only`, () => {
    for (const row of rowsOf(text)) {
      assert.ok(row.length === 3 || row.length === 4, row.join(" | "));
      assert.notEqual(row[0], "");
      assert.notEqual(row.at(-1), "");
    }
  });
}

test("both pages name the bodies that a node and dev take", () => {
  const dev = COMMAND_ROWS.find(({ name }) => name === "dev");
  const { fallback } = dev?.options.find(({ flags }) => flags.startsWith("--max-body")) ?? {};
  const sizes = [DEFAULT_MAX_BODY_BYTES, Number(fallback)].map((bytes) => `${bytes / MIB} MiB`);
  for (const { path, text } of PAGES) {
    const row = [...rowsOf(text)].find(([topic]) =>
      /^(Size of a request|请求大小)$/.test(topic ?? ""),
    );
    assert.deepEqual(row?.[2]?.match(/\d+ MiB/g), sizes, path);
  }
});

test("both pages have the same rows with the same sources", () => {
  const [english = [], chinese = []] = PAGES.map(({ text }) =>
    [...rowsOf(text)].map((row) =>
      (row.at(-1) ?? "").replaceAll("；", "; ").replace(/^(自定|own)$/, "-"),
    ),
  );
  const named = (cells: readonly string[]) => cells.filter((cell) => !/^(Source|来源)$/.test(cell));
  assert.deepEqual(named(english), named(chinese));
});
