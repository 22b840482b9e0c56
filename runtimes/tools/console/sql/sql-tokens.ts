/** Words, texts and signs of a statement. */
import { unreadable } from "./sql-fault.ts";

/** One token; `text` is without quotes. */
export interface SqlToken {
  /** A quoted name stands in backquotes; the end has no text. */
  readonly kind: "word" | "name" | "text" | "sign" | "end";
  readonly text: string;
}

/** What to type in place of signs that input methods for Chinese give. Source: console 4.6 */
const FULL_WIDTH: Readonly<Record<string, string>> = {
  "；": ";",
  "，": ",",
  "（": "(",
  "）": ")",
  "＝": "=",
  "＞": ">",
  "＜": "<",
  "＊": "*",
  "！": "!",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "＇": "'",
  "＂": '"',
  "\u3000": "a blank",
};

const SPACE = /^\s+/u;
/** Numbers too: whatever stands without quotes. */
const WORD = /^-?[\p{L}\p{N}_$@.]+/u;
const SIGN = /^(?:!=|<>|>=|<=|[=<>(),;*])/;
const QUOTED: Readonly<Record<string, SqlToken["kind"]>> = {
  "'": "text",
  '"': "text",
  "`": "name",
};

/** A quoted text: a quote is doubled, or follows a backslash. */
function quotedAt(statement: string, at: number): { readonly text: string; readonly end: number } {
  const quote = statement[at];
  let text = "";
  for (let i = at + 1; i < statement.length; i++) {
    const sign = statement[i] ?? "";
    const next = statement[i + 1];
    if (sign === "\\" && (next === quote || next === "\\")) text += next;
    else if (sign === quote && next === quote) text += sign;
    else if (sign === quote) return { text, end: i + 1 };
    else {
      text += sign;
      continue;
    }
    i++;
  }
  throw unreadable(`The text that begins with ${statement.slice(at, at + 20)} has no end quote.`);
}

/**
 * The tokens of a statement, with one of kind `end` behind them.
 * @throws SqlFault for signs that belong in no statement; those of full width have their own hint
 */
export function tokensOf(statement: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < statement.length; ) {
    const rest = statement.slice(at);
    const space = SPACE.exec(rest)?.[0];
    const first = rest[0] ?? "";
    const meant = FULL_WIDTH[first];
    if (meant !== undefined)
      throw unreadable(`It has the full-width sign ${first}: write ${meant} in its place.`);
    const kind = QUOTED[first];
    const word = WORD.exec(rest)?.[0];
    const sign = SIGN.exec(rest)?.[0];
    if (space !== undefined) at += space.length;
    else if (kind !== undefined) {
      const { text, end } = quotedAt(statement, at);
      tokens.push({ kind, text });
      at = end;
    } else if (word !== undefined) {
      tokens.push({ kind: "word", text: word });
      at += word.length;
    } else if (sign !== undefined) {
      tokens.push({ kind: "sign", text: sign });
      at += sign.length;
    } else throw unreadable(`It has the sign ${first}, which must stand in quotes.`);
  }
  return [...tokens, { kind: "end", text: "" }];
}
