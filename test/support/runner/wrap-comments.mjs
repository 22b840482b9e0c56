// Wraps comments at 100 columns, which the formatter leaves alone: node build.mjs check --write
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const COLUMNS = 100;
const FOLDERS = ["core", "runtimes", "web", "test"];
/** Lines that begin something of their own, so that the line before does not flow into them. */
const STARTS_ANEW = /^\s*($|@|[-*] |\d+\. |\||```|rules:)/;

function columns(text) {
  return [...text].length;
}

/** Fills words into lines of the width. */
function fill(words, width) {
  const lines = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && columns(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

/** Refills the paragraphs that have a line beyond the width. */
function refill(lines, width) {
  const result = [];
  for (let start = 0; start < lines.length; ) {
    // An empty line is a paragraph of its own: it would be lost in a refill.
    if (lines[start].trim() === "") {
      result.push(lines[start++]);
      continue;
    }
    let end = start + 1;
    while (end < lines.length && !STARTS_ANEW.test(lines[end])) end++;
    const paragraph = lines.slice(start, end);
    const isTooLong = paragraph.some((line) => columns(line) > width);
    if (isTooLong && !/^\s*(\||```)/.test(paragraph[0])) {
      // A list item keeps its indent: the text of an item hangs under its first word.
      const hang = /^\s*([-*] |\d+\. )/.exec(paragraph[0])?.[0].length ?? 0;
      const text = paragraph.join(" ").trim();
      // The source of a rule is looked for: it keeps a line of its own.
      const source = /^(.*\S) (Source: .*)$/.exec(text);
      const parts = source === null ? [text] : source.slice(1);
      const [head, ...rest] = parts.flatMap((part) => fill(part.split(/\s+/), width - hang));
      const indent = " ".repeat(hang);
      result.push(head, ...rest.map((line) => indent + line));
    } else result.push(...paragraph);
    start = end;
  }
  return result;
}

/** A block comment that stands on its own lines. */
function wrapBlock(text, indent) {
  const isDoc = text.startsWith("/**");
  const inner = text.slice(isDoc ? 3 : 2, -2).split("\n");
  const lines = inner.map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  if (lines.length > 0) lines[0] = lines[0].trimStart();
  while (lines.length > 0 && lines[0] === "") lines.shift();
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  const body = refill(lines, COLUMNS - indent.length - 3);
  const open = isDoc ? "/**" : "/*";
  const middle = body.map((line) => (line === "" ? `${indent} *` : `${indent} * ${line}`));
  return [open, ...middle, `${indent} */`].join("\n");
}

/** A run of `//` lines that stand on their own. */
function wrapLines(texts, indent) {
  const lines = texts.map((text) => text.replace(/^\/\/ ?/, ""));
  return refill(lines, COLUMNS - indent.length - 3)
    .map((line) => (line === "" ? "//" : `// ${line}`))
    .join(`\n${indent}`);
}

/** All comments of a file in order, found by the parser so that strings do not count. */
function commentsOf(text, name) {
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const found = new Map();
  const add = (ranges) => {
    for (const { pos, end, kind } of ranges ?? []) found.set(pos, { pos, end, kind });
  };
  const walk = (node) => {
    const children = node.getChildren(tree);
    if (children.length === 0) {
      add(ts.getLeadingCommentRanges(text, node.getFullStart()));
      add(ts.getTrailingCommentRanges(text, node.end));
    }
    children.forEach(walk);
  };
  walk(tree);
  return [...found.values()].sort((a, b) => a.pos - b.pos);
}

function isTooWide(text, pos, end) {
  const from = text.lastIndexOf("\n", pos - 1) + 1;
  const next = text.indexOf("\n", end);
  const lines = text.slice(from, next < 0 ? text.length : next).split("\n");
  return lines.some((line) => columns(line) > COLUMNS);
}

/** Joins `//` comments on consecutive lines into one range. */
function groups(text, comments) {
  const result = [];
  for (const comment of comments) {
    const lineStart = text.lastIndexOf("\n", comment.pos - 1) + 1;
    const indent = text.slice(lineStart, comment.pos);
    if (indent.trim() !== "") {
      result.push({ ...comment, indent: /^\s*/.exec(indent)[0], lineStart, isTrailing: true });
      continue;
    }
    const last = result.at(-1);
    const isLine = comment.kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const between = last === undefined ? "" : text.slice(last.end, comment.pos);
    if (
      isLine &&
      last?.isLine &&
      !last.isTrailing &&
      /^\n\s*$/.test(between) &&
      between.split("\n").length === 2
    ) {
      last.end = comment.end;
    } else result.push({ ...comment, indent, lineStart, isLine, isTrailing: false });
  }
  return result;
}

/** The text with its wide comments wrapped; trailing ones move above their line. */
export function wrapComments(text, name) {
  let result = text;
  for (const group of groups(text, commentsOf(text, name)).reverse()) {
    const { pos, end, indent, isLine, isTrailing, lineStart } = group;
    if (!isTooWide(text, pos, end)) continue;
    const comment = text.slice(pos, end);
    if (/biome-ignore|@ts-|eslint|^\/\/ rules:/.test(comment)) continue;
    if (isTrailing) {
      const rest = text.slice(end, text.indexOf("\n", end));
      if (!comment.startsWith("//") || rest.trim() !== "") continue;
      const code = text.slice(lineStart, pos).trimEnd();
      const above = `${indent}${wrapLines([comment], indent)}\n`;
      result = result.slice(0, lineStart) + above + code + result.slice(end);
      continue;
    }
    const lines = comment.split("\n").map((line) => line.trim());
    const wrapped = isLine ? wrapLines(lines, indent) : wrapBlock(comment, indent);
    result = result.slice(0, pos) + wrapped + result.slice(end);
  }
  return result;
}

const ORACLE = join("test", "oracle");

function filesBelow(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    // The oracle is exempt from the rules of style.
    if (path === ORACLE) return [];
    if (entry.isDirectory()) return filesBelow(path);
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** With arguments only those files or folders. */
const wanted = process.argv.length > 2 ? process.argv.slice(2) : FOLDERS;
for (const path of wanted.flatMap((place) =>
  /\.(ts|mjs)$/.test(place) ? [place] : filesBelow(place),
)) {
  const text = readFileSync(path, "utf8");
  const wrapped = wrapComments(text, path);
  if (wrapped !== text) writeFileSync(path, wrapped);
}
