/**
 * docs/network.md and network.zh.md say what the schema and the parser do. To write their tables
 * anew:
 * REWRITE_REFERENCE=1 npx vitest run test/runtimes/tools/network/network-page.test.ts
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "vitest";
import { createProgram } from "../../../../runtimes/node/cli/command-run.ts";
import { NETWORK_ROWS } from "../../../../runtimes/node/cli/command-rows-network.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import {
  type FileKey,
  type FileSection,
  NETWORK_SCHEMA,
} from "../../../../runtimes/tools/network/network-schema.ts";
import { inLanguage, type Language } from "../../../support/reference/in-language.ts";
import { ROOT } from "../../../support/runner/root.ts";

const PAGE = join(ROOT, "docs/network.md");
const [BEGIN, END] = ["<!-- reference -->\n", "<!-- end -->\n"];

/** The page in each language, and the head of its table. */
const PAGES = [
  { language: "en", path: PAGE, head: "| Key | Default | Allowed | Meaning |" },
  {
    language: "zh",
    path: join(ROOT, "docs/network.zh.md"),
    head: "| 键 | 默认值 | 允许的值 | 含义 |",
  },
] as const;

/** `chain.name`, `agencies`, `nodes[].host`. */
function nameOf(section: string, { form }: FileSection, key: string): string {
  if (form === "values") return `${section}[]`;
  return form === "map" ? `${section}.${key}` : `${section}[].${key}`;
}

function shown(fallback: string, language: Language): string {
  // Sentences and quoted keys are not values.
  const isValue = !/[ `;,]/.test(fallback) || /^[\d,]+$/.test(fallback);
  return isValue ? `\`${fallback}\`` : inLanguage(fallback, language);
}

/** The reference of the file. */
function reference({ language, head }: (typeof PAGES)[number]): string {
  const rows = Object.entries(NETWORK_SCHEMA).flatMap(([section, row]: [string, FileSection]) =>
    Object.entries(row.keys).map(
      ([key, { help, kind, fallback, required, many }]: [string, FileKey]) => {
        const usual = required
          ? inLanguage("required", language)
          : shown(fallback ?? "none", language);
        const allowed = many === "all" ? "`all`, or a list of names" : kind.allowed;
        const words = [allowed, help].map((text) => inLanguage(text, language));
        return `| \`${nameOf(section, row, key)}\` | ${[usual, ...words].join(" | ")} |`;
      },
    ),
  );
  return [head, "|---|---|---|---|", ...rows, ""].join("\n");
}

for (const page of PAGES) {
  test(`the table of keys in ${relative(ROOT, page.path)} is what the schema gives`, () => {
    const text = readFileSync(page.path, "utf8");
    const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
    assert.ok(from >= BEGIN.length && to >= from);
    const right = text.slice(0, from) + reference(page) + text.slice(to);
    if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(page.path, right);
    else assert.equal(text, right, "stale: run with REWRITE_REFERENCE=1");
  });
}

test("the page's file is one that is taken, with the members it speaks of", () => {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, "utf8")) ?? [];
  const spec = parseNetwork(yaml, "/srv/network.yaml");
  assert.deepEqual(
    spec.groups.map(({ id, sealers, observers }) => [id, sealers.length, observers.length]),
    [
      [1, 6, 1],
      [2, 3, 1],
    ],
  );
});

test("the program takes every command of the page, and the page names every command", async () => {
  const text = readFileSync(PAGE, "utf8");
  const lines = [...text.matchAll(/^chain-node (network .*)$/gm)].map(([, line = ""]) => line);
  assert.ok(lines.length >= 2);
  for (const line of lines) {
    let calls = 0;
    const program = createProgram("1.2.3", async () => {
      calls++;
    });
    await program.parseAsync(line.split(" "), { from: "user" });
    assert.equal(calls, 1, line);
  }
  for (const { name } of NETWORK_ROWS.filter((row) => /^network ./.test(row.name)))
    assert.ok(text.includes(`| \`${name} FILE`), name);
});
