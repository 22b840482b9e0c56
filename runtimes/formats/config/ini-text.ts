/**
 * Ini text as the reference reads it, line by line. The `ini` package cannot stand here: it has no
 * line numbers, cuts section names at dots, unquotes and unescapes values, turns words into
 * booleans, and lets the last of two equal keys win. Source: groups 8; generator 6.3
 */

/** One `key=value` line. */
export interface IniEntry {
  /** Empty above the first section. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A line that is none of the three that there are, or names something twice. */
export interface IniFlaw {
  readonly line: number;
  readonly section: string;
  readonly key: string;
  readonly text: string;
  readonly allowed: string;
}

/** A text, taken apart. */
export interface IniText {
  /** In the order of the file. */
  readonly entries: readonly IniEntry[];
  /** Line of each section's head. */
  readonly sections: ReadonlyMap<string, number>;
  readonly flaws: readonly IniFlaw[];
}

const BYTE_ORDER_MARK = "\ufeff";
const LINE_FORMS = "a line is [section], key=value, or a comment that begins with ;";
/** A file may hold that many flaws before the rest of it is not examined. */
const MAX_FLAWS = 100;

/**
 * Takes a text apart. Names are case-sensitive; blanks around names and values do not count; `;`
 * and `#` begin a comment at the beginning of a line only. A section and a key appear once.
 */
export function parseIni(text: string): IniText {
  const entries: IniEntry[] = [];
  const sections = new Map<string, number>();
  const known = new Map<string, number>();
  const flaws: IniFlaw[] = [];
  let section = "";
  const lines = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split("\n");
  for (const [index, raw] of lines.entries()) {
    const line = index + 1;
    const content = raw.trim();
    const flaw = (allowed: string, key = ""): void => {
      if (flaws.length < MAX_FLAWS) flaws.push({ line, section, key, text: content, allowed });
    };
    if (content === "" || content.startsWith(";") || content.startsWith("#")) continue;
    if (content.startsWith("[")) {
      const end = content.indexOf("]");
      if (end < 0) {
        flaw("a section's name stands between [ and ]");
        continue;
      }
      section = content.slice(1, end).trim();
      const before = sections.get(section);
      if (before !== undefined) flaw(`[${section}] stands on line ${before} already: one of them`);
      else sections.set(section, line);
      continue;
    }
    const equals = content.indexOf("=");
    const key = content.slice(0, Math.max(0, equals)).trim();
    if (equals < 0 || key === "") {
      flaw(LINE_FORMS);
      continue;
    }
    const name = `${section}\n${key}`;
    const before = known.get(name);
    if (before !== undefined) flaw(`${key} stands on line ${before} already: one of them`, key);
    else known.set(name, line);
    entries.push({ section, key, value: content.slice(equals + 1).trim(), line });
  }
  return { entries, sections, flaws };
}
