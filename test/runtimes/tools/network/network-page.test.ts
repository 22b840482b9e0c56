/**
 * docs/network.md says what the schema and the parser do. To write its table anew:
 * REWRITE_REFERENCE=1 npx vitest run test/runtimes/tools/network/network-page.test.ts
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { createProgram } from "../../../../runtimes/node/cli/command-run.ts";
import { NETWORK_ROWS } from "../../../../runtimes/node/cli/command-rows-network.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import {
  type FileKey,
  type FileSection,
  NETWORK_SCHEMA,
} from "../../../../runtimes/tools/network/network-schema.ts";
import { ROOT } from "../../../support/runner/root.ts";

const PAGE = join(ROOT, "docs/network.md");
const [BEGIN, END] = ["<!-- reference -->\n", "<!-- end -->\n"];

/** `chain.name`, `agencies`, `nodes[].host`. */
function nameOf(section: string, { form }: FileSection, key: string): string {
  if (form === "values") return `${section}[]`;
  return form === "map" ? `${section}.${key}` : `${section}[].${key}`;
}

function shown(fallback: string): string {
  // Sentences and quoted keys are not values.
  return /[ `;,]/.test(fallback) && !/^[\d,]+$/.test(fallback) ? fallback : `\`${fallback}\``;
}

/** The reference of the file. */
function reference(): string {
  const rows = Object.entries(NETWORK_SCHEMA).flatMap(([section, row]: [string, FileSection]) =>
    Object.entries(row.keys).map(
      ([key, { says, kind, fallback, required, many }]: [string, FileKey]) => {
        const usual = required ? "required" : shown(fallback ?? "none");
        const allowed = many === "all" ? `\`all\`, or a list of names` : kind.allowed;
        return `| \`${nameOf(section, row, key)}\` | ${usual} | ${allowed} | ${says} |`;
      },
    ),
  );
  return ["| Key | Default | Allowed | Meaning |", "|---|---|---|---|", ...rows, ""].join("\n");
}

test("the page's table of keys is what the schema gives", () => {
  const text = readFileSync(PAGE, "utf8");
  const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  assert.ok(from >= BEGIN.length && to >= from);
  if (process.env["REWRITE_REFERENCE"] === "1")
    writeFileSync(PAGE, text.slice(0, from) + reference() + text.slice(to));
  const now = readFileSync(PAGE, "utf8");
  assert.ok(now.includes(`${BEGIN}${reference()}${END}`), "stale: run with REWRITE_REFERENCE=1");
});

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
