/** Changes a list in an ini text and leaves everything else as its operator wrote it. */
import { parseIni } from "./ini-text.ts";

/** A list of a file: the keys `stem0`, `stem1` and so on of a section. */
export interface IniList {
  readonly section: string;
  /** With the dot: `node.`. */
  readonly stem: string;
}

const HEAD_INDENT = "    ";

/**
 * The text with these items as the list, numbered from 0, where the list began; a missing section
 * is added at the end. Comments, blanks and line ends stay. Source: node-network 5
 */
export function replaceList(text: string, list: IniList, items: readonly string[]): string {
  const { entries, sections } = parseIni(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const old = entries.filter(
    ({ section, key }) => section === list.section && key.startsWith(list.stem),
  );
  const lines = text.split("\n");
  const head = sections.get(list.section);
  const [first] = old;
  const indent = /^[ \t]*/.exec(first ? (lines[first.line - 1] ?? "") : HEAD_INDENT)?.[0] ?? "";
  const added = items.map((item, index) => `${indent}${list.stem}${index}=${item}`);
  if (head === undefined) {
    if (items.length === 0) return text;
    const end = text === "" || text.endsWith("\n") ? "" : newline;
    return `${text}${end}${[`[${list.section}]`, ...added].join(newline)}${newline}`;
  }
  const gone = new Set(old.map(({ line }) => line));
  const place = first?.line ?? head + 1;
  const own = added.map((line) => (newline === "\r\n" ? `${line}\r` : line));
  const kept = (line: string, index: number): string[] => {
    const before = index + 1 === place ? own : [];
    return gone.has(index + 1) ? before : [...before, line];
  };
  const result = lines.flatMap(kept);
  return (place > lines.length ? [...lines, ...own, ""] : result).join("\n");
}

/** A value of a file. */
export interface IniValue {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** `key=value` in the manner of a line that is there: its indent, and blanks around its sign. */
function entryLine({ key, value }: IniValue, like: string): string {
  const [, indent = "", sign = "="] = /^([ \t]*)[^=]*?([ \t]*=[ \t]*)/.exec(like) ?? [];
  const end = like.endsWith("\r") ? "\r" : "";
  return `${indent}${key}${sign}${value}${end}`;
}

/**
 * The text with a key set to a value: in its line where it has one, else at the end of its section,
 * which is added when it is missing. Comments, blanks and line ends stay.
 */
export function setValue(text: string, wanted: IniValue): string {
  const { entries, sections } = parseIni(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const ofSection = entries.filter(({ section }) => section === wanted.section);
  const own = ofSection.find(({ key }) => key === wanted.key);
  const last = own ?? ofSection.at(-1);
  const lines = text.split("\n");
  if (last) {
    const line = entryLine(wanted, lines[last.line - 1] ?? "");
    lines.splice(own ? last.line - 1 : last.line, own ? 1 : 0, line);
    return lines.join("\n");
  }
  const line = `${HEAD_INDENT}${wanted.key}=${wanted.value}`;
  const head = sections.get(wanted.section);
  if (head !== undefined) {
    lines.splice(head, 0, newline === "\r\n" ? `${line}\r` : line);
    return lines.join("\n");
  }
  const end = text === "" || text.endsWith("\n") ? "" : newline;
  return `${text}${end}[${wanted.section}]${newline}${line}${newline}`;
}

/** The text without a key, whose default holds then; everything else stays. */
export function removeValue(text: string, wanted: Omit<IniValue, "value">): string {
  const { entries } = parseIni(text);
  const own = entries.find(({ section, key }) => section === wanted.section && key === wanted.key);
  if (!own) return text;
  return text
    .split("\n")
    .filter((_, index) => index + 1 !== own.line)
    .join("\n");
}
