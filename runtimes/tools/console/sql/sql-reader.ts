/** Walks over the tokens of a statement and says what it met in place of what it wanted. */
import { SqlFault, unreadable } from "./sql-fault.ts";
import { type SqlToken, tokensOf } from "./sql-tokens.ts";

const END: SqlToken = { kind: "end", text: "" };

/** The tokens of one statement, from the first to the last. */
export class SqlReader {
  readonly #tokens: readonly SqlToken[];
  #at = 0;

  /** @throws SqlFault for signs that belong in no statement */
  constructor(statement: string) {
    this.#tokens = tokensOf(statement);
  }

  /** The next token, which stays. */
  peek(): SqlToken {
    return this.#tokens[this.#at] ?? END;
  }

  next(): SqlToken {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** Takes the sign when it is next. */
  takeSign(sign: string): boolean {
    const { kind, text } = this.peek();
    const isNext = kind === "sign" && text === sign;
    if (isNext) this.#at++;
    return isNext;
  }

  /** Takes the word, of any case, when it is next. */
  takeWord(word: string): boolean {
    const { kind, text } = this.peek();
    const isNext = kind === "word" && text.toUpperCase() === word;
    if (isNext) this.#at++;
    return isNext;
  }

  /** @throws SqlFault when another token is next */
  wantSign(sign: string): void {
    if (!this.takeSign(sign)) throw this.unexpected(sign);
  }

  /** @throws SqlFault when another token is next */
  wantWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected(word);
  }

  /** A name of a field or table. @throws SqlFault */
  wantName(what: string): string {
    const { kind, text } = this.peek();
    if (kind !== "name" && (kind !== "word" || isReserved(text))) throw this.unexpected(what);
    this.#at++;
    if (kind === "word" && what !== "a table") this.#refuseCall(text);
    return text;
  }

  /** A value, with or without quotes. @throws SqlFault */
  wantValue(): string {
    const { kind, text } = this.peek();
    if (kind === "sign" && text === "(")
      throw new SqlFault("Statements within statements are not supported.");
    const isNull = kind === "word" && text.toUpperCase() === "NULL";
    if ((kind !== "word" && kind !== "text") || isNull) throw this.unexpected("a value");
    this.#at++;
    if (kind === "word") this.#refuseCall(text);
    return text;
  }

  #refuseCall(word: string): void {
    const { kind, text } = this.peek();
    if (kind === "sign" && text === "(")
      throw new SqlFault(`Functions such as ${word}() are not supported.`);
  }

  /** A whole number from 0 on. @throws SqlFault */
  wantCount(what: string): number {
    const { kind, text } = this.peek();
    const isCount = kind === "word" && /^[0-9]{1,9}$/.test(text);
    if (!isCount) throw this.unexpected(`${what}, a number from 0 to 999999999`);
    this.#at++;
    return Number(text);
  }

  /** Takes the semicolon at the end. @throws SqlFault when more follows */
  wantEnd(): void {
    this.takeSign(";");
    if (this.peek().kind !== "end") throw this.unexpected("the end of the statement");
  }

  /** What to say about the next token, which is not the one that was wanted. */
  unexpected(wanted: string): SqlFault {
    const { kind, text } = this.peek();
    const why = kind === "word" ? unsupported(text) : undefined;
    if (why !== undefined) return new SqlFault(`${why}.`);
    const met = kind === "end" ? "the statement ends" : `there is ${JSON.stringify(text)}`;
    return unreadable(`Expected ${wanted}, but ${met}.`);
  }
}

const CONDITIONS = "conditions are joined by AND only";
const JOINS = "JOIN is not supported: a statement reads one table";
const ROWS = "rows come in the order in which they were inserted";

/** Messages by the word that begins what is not supported. Source: console 4.6 */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  OR: `OR is not supported: ${CONDITIONS}`,
  NOT: "NOT is not supported: use != or the opposite operator",
  IN: "IN is not supported: ask for one value after the other",
  LIKE: "LIKE is not supported: conditions compare whole values",
  IS: "IS NULL is not supported: every field of a row has a text, maybe an empty one",
  NULL: "NULL is not supported: every field of a row has a text, maybe an empty one",
  BETWEEN: "BETWEEN is not supported, and a field has one condition only",
  EXISTS: "EXISTS is not supported: there are no statements within statements",
  ORDER: `ORDER BY is not supported: ${ROWS}`,
  GROUP: "GROUP BY is not supported",
  HAVING: "HAVING is not supported",
  ...Object.fromEntries(
    ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL"].map((word) => [word, JOINS]),
  ),
  UNION: "UNION is not supported: a statement reads one table",
  TOP: "TOP is not supported: use LIMIT",
  DISTINCT: "DISTINCT is not supported",
  ALL: "ALL is not supported",
  AS: "AS is not supported: fields and tables keep their names",
  OFFSET: "OFFSET is not supported: write LIMIT offset, count",
  IF: "IF [NOT] EXISTS is not supported: desc says whether a table exists",
  FOREIGN: "FOREIGN KEY is not supported: a table has its primary key only",
  UNIQUE: "UNIQUE is not supported: rows of one key may be the same",
  CHECK: "CHECK is not supported",
  DEFAULT: "DEFAULT is not supported: every row gives all fields",
  AUTO_INCREMENT: "AUTO_INCREMENT is not supported: every row gives all fields",
};

/** Words that name nothing unless they stand in backquotes. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.keys(UNSUPPORTED),
  ...["CREATE", "TABLE", "PRIMARY", "INSERT", "INTO", "VALUES", "SELECT", "FROM", "WHERE"],
  ...["UPDATE", "SET", "DELETE", "AND", "LIMIT"],
]);

/** Why a word is refused; undefined when it is nothing that SQL has elsewhere. */
export function unsupported(word: string): string | undefined {
  return UNSUPPORTED[word.toUpperCase()];
}

/** Whether a word names neither field nor table. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word.toUpperCase());
}
