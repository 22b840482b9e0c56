/**
 * The table of codes in docs/reference/codes.md is what the cases of test/codes show. To write it
 * anew:
 * REWRITE_REFERENCE=1 npx vitest run test/rules/code-table.test.ts
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { type CodeSection, SECTIONS } from "../codes/sections.ts";
import { interfaceSection, tableRows } from "../core/fault/interface-tables.ts";
import { ROOT } from "./source-tree.ts";

const PAGE = join(ROOT, "docs/reference/codes.md");
const BEGIN = "<!-- codes: begin -->\n";
const END = "<!-- codes: end -->\n";

/** Who shows a code, or why nobody does. */
function shownBy({ cases, reasons, elsewhere = [] }: CodeSection, code: number): string {
  const found = cases.filter((it) => it.code === code).map((it) => it.test);
  const reason = reasons.filter((it) => it.code === code).map((it) => `*never:* ${it.reason}`);
  const others = elsewhere.filter((it) => it.code === code).map((it) => `${it.test} (SDK port)`);
  const [only, ...more] = [...found, ...reason, ...others];
  assert.ok(only !== undefined && more.length === 0, `${code} has one case or one reason`);
  return only;
}

function tableOf(section: CodeSection): string {
  const { names, show } = section;
  const rows = [...names].map(
    ([code, name]) => `| ${show(code)} | ${name} | ${shownBy(section, code)} |`,
  );
  const head = `### ${section.title} (interface ${section.section})`;
  return [head, "", "| code | name | shown when |", "|---|---|---|", ...rows, ""].join("\n");
}

test("the table of codes in docs/reference/codes.md is what the tests show", () => {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const [, behind] = rest?.split(END) ?? [];
  assert.ok(before !== undefined && behind !== undefined, "the page has both marks");
  const written = `${before}${BEGIN}\n${SECTIONS.map(tableOf).join("\n")}\n${END}${behind}`;
  if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(PAGE, written);
  assert.equal(readFileSync(PAGE, "utf8"), written, "stale: run with REWRITE_REFERENCE=1");
});

test("cases and reasons are of codes that the interface has", () => {
  for (const { section, names, cases, reasons } of SECTIONS) {
    for (const { code } of [...cases, ...reasons]) assert.ok(names.has(code), `${section} ${code}`);
  }
});

test("a code that another suite shows names a test that is there", () => {
  for (const { elsewhere = [] } of SECTIONS) {
    for (const { file, test: name } of elsewhere)
      assert.ok(readFileSync(join(ROOT, file), "utf8").includes(`test: "${name}"`), name);
  }
});

/** Codes as the text of the interface lists them. */
const LISTED: Readonly<Record<string, (text: string) => readonly number[]>> = {
  "7.3": (text) => [...text.matchAll(/(\d+)\/0x[0-9a-f]+:? \w+/g)].map((it) => Number(it[1])),
  "7.4": (text) => tableRows(text).map(([code]) => Number(code)),
  "7.5": (text) => [...text.matchAll(/(-?\d+): [^;]*?(?=;|\.\s*$)/gm)].map((it) => Number(it[1])),
};

for (const { section, names } of SECTIONS) {
  test(`the table has the codes of interface ${section}`, () => {
    const listed = LISTED[section]?.(interfaceSection(section)) ?? [];
    assert.ok(listed.length > 10);
    assert.deepEqual([...names.keys()], listed);
  });
}
