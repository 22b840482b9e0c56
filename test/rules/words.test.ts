/** The field's words: docs/glossary.md has them for people, words.json for this rule. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertNone, isSource, listFiles, ROOT } from "./source-tree.ts";
import { partsOf, wordsOf } from "./words.ts";

interface Phrase {
  readonly find: string;
  readonly standard: string;
}

interface Rules {
  readonly identifiers: readonly { readonly words: readonly string[]; readonly standard: string }[];
  readonly exceptions: readonly { readonly word: string; readonly file: string }[];
  readonly perThousandLines: number;
  readonly phrases: readonly Phrase[];
  readonly reported: readonly Phrase[];
}

const RULES = JSON.parse(readFileSync(join(ROOT, "test/rules/words.json"), "utf8")) as Rules;
const STANDARD = new Map(
  RULES.identifiers.flatMap(({ words, standard }) => words.map((word) => [word, standard])),
);
const ALLOWED = new Set(RULES.exceptions.map(({ word, file }) => `${word} ${file}`));

/** Data, the specification, and what names the words themselves. */
const LEFT_OUT = /^(test\/data|docs\/spec|test\/rules\/words|docs\/glossary|web\/static)|\.zh\.md$/;

/** Whole words, whatever their case. */
function finder(phrases: readonly Phrase[]): RegExp {
  const all = phrases.map(({ find }) => find).join("|");
  return new RegExp(`(?<![\\w-])(?:${all})(?![\\w-])`, "gi");
}

interface Findings {
  readonly names: string[];
  readonly phrases: string[];
  lineCount: number;
}

/** Names that were looked at, with those of their words that are refused: most names come often. */
const looked = new Map<string, readonly string[]>();

function refusedOf(name: string): readonly string[] {
  let refused = looked.get(name);
  if (refused === undefined) {
    refused = partsOf(name).filter((part) => STANDARD.has(part));
    looked.set(name, refused);
  }
  return refused;
}

function noteName(found: Findings, place: string, name: string, file: string): void {
  for (const part of refusedOf(name)) {
    if (ALLOWED.has(`${part} ${file}`)) continue;
    found.names.push(`${place} ${name}: the field says ${STANDARD.get(part)}`);
  }
}

/** Phrases of a text that begins at a line, each with its place. */
function phrasesOf(file: string, first: number, text: string, find: RegExp): string[] {
  return [...text.matchAll(find)].map(({ 0: phrase, index }) => {
    const line = first + text.slice(0, index).split("\n").length - 1;
    return `${file}:${line} ${phrase}`;
  });
}

/** What a file has of the words; a page consists of text only. */
function lookAt(found: Findings, file: string, text: string, find: RegExp): void {
  for (const part of file.split("/")) noteName(found, file, part, file);
  if (file.endsWith(".md")) {
    found.lineCount += text.split("\n").filter((line) => line.trim() !== "").length;
    found.phrases.push(...phrasesOf(file, 1, text, find));
    return;
  }
  const words = wordsOf(text);
  found.lineCount += words.lineCount;
  for (const { name, line } of words.identifiers)
    if (refusedOf(name).length > 0) noteName(found, `${file}:${line}`, name, file);
  for (const { text: part, line } of words.texts)
    found.phrases.push(...phrasesOf(file, line, part, find));
}

function look(files: Iterable<readonly [string, string]>, phrases: readonly Phrase[]): Findings {
  const found: Findings = { names: [], phrases: [], lineCount: 0 };
  const find = finder(phrases);
  for (const [file, text] of files) lookAt(found, file, text, find);
  return found;
}

function* repository(): Generator<readonly [string, string]> {
  const folders = ["core", "runtimes", "web", "test", "docs"];
  const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "build.mjs"];
  for (const file of [...folders.flatMap(listFiles), ...pages]) {
    if (LEFT_OUT.test(file) || !(isSource(file) || file.endsWith(".md"))) continue;
    yield [file, readFileSync(join(ROOT, file), "utf8")];
  }
}

test("identifiers and file names have the words of the field, and so have most texts", () => {
  const { names, phrases, lineCount } = look(repository(), RULES.phrases);
  assertNone(names, "names without a standard sense here, see docs/glossary.md:");
  const most = (RULES.perThousandLines * lineCount) / 1_000;
  if (phrases.length <= most) return;
  const count = `${phrases.length} phrases in ${lineCount} lines of comments and texts`;
  assertNone(phrases, `${count}, at most ${Math.floor(most)}; see docs/glossary.md:`);
});

const PLANTED = `
/** A desk for the guests. */
const sealingDesk = /door/.exec(\`a stranger \${{ voice: "a wish" }.voice} of \${name} no use\`);
const fine = deskless / 2; // seats / and doors
`;

test("a planted word is found with its place, in names, comments, strings and templates", () => {
  const { names, phrases, lineCount } = look([["core/shelf/a.ts", PLANTED]], RULES.phrases);
  expect(names.map((name) => name.split(":").slice(0, -1).join(":"))).toEqual([
    "core/shelf/a.ts shelf",
    "core/shelf/a.ts:3 sealingDesk",
    "core/shelf/a.ts:3 voice",
    "core/shelf/a.ts:3 voice",
  ]);
  expect(phrases).toEqual([
    "core/shelf/a.ts:2 desk",
    "core/shelf/a.ts:2 guests",
    "core/shelf/a.ts:3 stranger",
    "core/shelf/a.ts:3 wish",
    "core/shelf/a.ts:4 seats",
    "core/shelf/a.ts:4 doors",
  ]);
  expect(lineCount).toBe(3);
});

test("each exception is used, and phrases that are only reported can be found", () => {
  const stale = RULES.exceptions.filter(({ word, file }) => {
    const { identifiers } = wordsOf(readFileSync(join(ROOT, file), "utf8"));
    return !identifiers.some(({ name }) => partsOf(name).includes(word));
  });
  assert.deepEqual(stale, []);
  const { phrases } = look([["a.md", "Nobody said so.\nWhoever asks is told."]], RULES.reported);
  expect(phrases).toEqual(["a.md:1 Nobody", "a.md:1 said", "a.md:2 Whoever", "a.md:2 told"]);
});
