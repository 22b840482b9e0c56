/** Words of a command line. Source: console 2 */
import { usageFault } from "./command.ts";

/** Blanks of every script: input methods for Chinese write U+3000. */
const BLANK = /\s/;
const CLOSING: Readonly<Record<string, string>> = { "[": "]", "{": "}" };
/** What a backslash stands for before these letters; before others it is itself. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** A word and where the next one may begin. */
interface Read {
  readonly word: string;
  readonly end: number;
}

/** A character, and how many of the line it takes. */
function escaped(line: string, at: number): { readonly text: string; readonly length: number } {
  const stands = line[at] === "\\" ? ESCAPES[line[at + 1] ?? ""] : undefined;
  return stands === undefined ? { text: line[at] ?? "", length: 1 } : { text: stands, length: 2 };
}

/** A quoted part: without its quotes, escapes resolved. Between `'` nothing is an escape but it. */
function readQuoted(line: string, start: number): Read {
  const quote = line[start];
  let word = "";
  for (let at = start + 1; at < line.length; ) {
    if (line[at] === quote) return { word, end: at + 1 };
    const isEscape = quote === '"' || line[at + 1] === quote;
    const { text, length } = isEscape ? escaped(line, at) : { text: line[at] ?? "", length: 1 };
    word += text;
    at += length;
  }
  const place = start + 1;
  throw usageFault(`the quote ${quote} at column ${place} is not closed`);
}

/** Where a quoted part ends; its text does not matter. */
function endOfQuoted(line: string, start: number): number {
  return readQuoted(line, start).end;
}

/** A list or an object: kept as it stands, with the blanks and quotes in it. */
function readNested(line: string, start: number): Read {
  const open: string[] = [];
  for (let at = start; at < line.length; ) {
    const character = line[at] ?? "";
    if (character === '"' || character === "'") {
      at = endOfQuoted(line, at);
      continue;
    }
    const closing = CLOSING[character];
    if (closing !== undefined) open.push(closing);
    else if (character === open.at(-1)) open.pop();
    at++;
    if (open.length === 0) return { word: line.slice(start, at), end: at };
  }
  throw usageFault(`the ${line[start]} at column ${start + 1} is not closed`);
}

/** Up to the next blank; what was read before it stands at the beginning. */
function readPlain(line: string, start: number, before: string): Read {
  let word = before;
  let at = start;
  while (at < line.length && !BLANK.test(line[at] ?? "")) {
    const blankNext = line[at] === "\\" && BLANK.test(line[at + 1] ?? "");
    word += blankNext ? (line[at + 1] ?? "") : (line[at] ?? "");
    at += blankNext ? 2 : 1;
  }
  return { word, end: at };
}

function readWord(line: string, start: number): Read {
  const first = line[start] ?? "";
  if (CLOSING[first] !== undefined) {
    const { word, end } = readNested(line, start);
    return readPlain(line, end, word);
  }
  if (first === '"' || first === "'") {
    const { word, end } = readQuoted(line, start);
    return readPlain(line, end, word);
  }
  return readPlain(line, start, "");
}

/**
 * The words of a line, as a shell would cut it: blanks separate, quotes at the beginning of a word
 * keep blanks and go away, and within double quotes a backslash writes quotes and line breaks.
 * Lists and objects are one word with all that is in them, so that `["a b", "c"]` is one argument.
 * Elsewhere quotes and backslashes are characters like others.
 * @throws ConsoleFault with exit code 2 that names the column of what is not closed
 * Source: console 2
 */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < line.length; ) {
    if (BLANK.test(line[at] ?? "")) {
      at++;
      continue;
    }
    const { word, end } = readWord(line, at);
    words.push(word);
    at = end;
  }
  return words;
}

/** The first word of a line, and where it ends. */
export function firstWord(line: string): string {
  return /^\s*(\S*)/.exec(line)?.[1] ?? "";
}
