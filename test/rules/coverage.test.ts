/**
 * Every rule that must be pinned is declared by a test, and nothing is declared that is no rule.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { expandRange, expandTable, REQUIRED } from "./rule-ids.ts";
import { decision, DOCUMENTS, section, specification } from "../support/ledger/specification.ts";
import { assertNone, listFiles, ROOT } from "./source-tree.ts";

interface Declaration {
  /** `document section`, or the text itself where it is none. */
  readonly id: string;
  readonly place: string;
}

/** The identifiers of one comment; a part without a document takes the one before it. */
function readDeclaration(text: string): string[] {
  const ids: string[] = [];
  let document = "";
  for (const part of text.split(",").map((piece) => piece.trim())) {
    const match = /^(?:(\S+) )?(\d[\d.-]*)$/.exec(part);
    document = match?.[1] ?? document;
    const expanded = expandRange(match?.[2] ?? "");
    if (expanded.length === 0) ids.push(part);
    for (const id of expanded) ids.push(`${document} ${id}`);
  }
  return ids;
}

function declarations(): Declaration[] {
  const files = listFiles("test").filter((path) => path.endsWith(".test.ts"));
  const linesOf = (path: string) => readFileSync(join(ROOT, path), "utf8").split("\n");
  return files.flatMap((path) =>
    linesOf(path).flatMap((line, index) => {
      const declared = /^\s*\/\/ rules: (.+)$/.exec(line);
      const place = `${path}:${index + 1}`;
      return readDeclaration(declared?.[1] ?? "")
        .filter((id) => id !== "")
        .map((id) => ({ id, place }));
    }),
  );
}

/** Whether a document has the section, or the index the decision. */
function exists(id: string): boolean {
  const [document = "", place = ""] = id.split(" ");
  if (document === "README") return decision(place) !== undefined;
  return DOCUMENTS.includes(document) && section(specification(document), place) !== undefined;
}

test("every rule on the list is declared by a test", () => {
  const declared = new Set(declarations().map(({ id }) => id));
  const missing = [...expandTable(REQUIRED)].filter((id) => !declared.has(id));
  assertNone(missing, "no test declares these; add `// rules: ...` next to the test that pins one");
});

test("every declared rule exists", () => {
  const offences = declarations().filter(({ id }) => !exists(id));
  assertNone(
    offences.map(({ id, place }) => `${place} ${id}`),
    "no specification has this rule",
  );
});

test("a declaration names documents once, sections alone, and ranges", () => {
  assert.deepEqual(readDeclaration("pbft 16.3.9-10, 16.2, txpool 5"), [
    "pbft 16.3.9",
    "pbft 16.3.10",
    "pbft 16.2",
    "txpool 5",
  ]);
  assert.deepEqual(readDeclaration("pbft sixteen"), ["pbft sixteen"]);
});
