/** What SQL has and tables of a chain have not, each with its own text. Source: console 4.6 */

const CONDITIONS = "conditions are joined by AND only";
const ROWS = "rows come in the order in which they were inserted";

/** Messages by the word that begins what is not supported. */
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
  JOIN: "JOIN is not supported: a statement reads one table",
  INNER: "JOIN is not supported: a statement reads one table",
  LEFT: "JOIN is not supported: a statement reads one table",
  RIGHT: "JOIN is not supported: a statement reads one table",
  FULL: "JOIN is not supported: a statement reads one table",
  CROSS: "JOIN is not supported: a statement reads one table",
  NATURAL: "JOIN is not supported: a statement reads one table",
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
