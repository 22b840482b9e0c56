/** Statements on tables of a chain, as they are understood. Source: console 4.6 */

/** How a condition compares. */
export type SqlOperator = "=" | "!=" | ">" | ">=" | "<" | "<=";

/** A condition on a field. */
export interface SqlCondition {
  readonly field: string;
  readonly operator: SqlOperator;
  readonly value: string;
}

/** Which of the rows that match. */
export interface SqlLimit {
  readonly offset: number;
  readonly count: number;
}

/** Which rows a statement is about. */
export interface SqlFilter {
  readonly conditions: readonly SqlCondition[];
  readonly limit?: SqlLimit | undefined;
}

/** Makes a table. */
export interface CreateStatement {
  readonly kind: "create";
  readonly table: string;
  readonly keyField: string;
  readonly valueFields: readonly string[];
}

/** Adds a row. */
export interface InsertStatement {
  readonly kind: "insert";
  readonly table: string;
  /** Of the values; absent when they are in the table's order, the key first. */
  readonly fields?: readonly string[] | undefined;
  readonly values: readonly string[];
}

/** Reads rows. */
export interface SelectStatement {
  readonly kind: "select";
  readonly table: string;
  /** Absent for all. */
  readonly fields?: readonly string[] | undefined;
  readonly filter: SqlFilter;
}

/** Changes rows. */
export interface UpdateStatement {
  readonly kind: "update";
  readonly table: string;
  readonly changes: ReadonlyMap<string, string>;
  readonly filter: SqlFilter;
}

/** Removes rows. */
export interface DeleteStatement {
  readonly kind: "delete";
  readonly table: string;
  readonly filter: SqlFilter;
}

/** Any of them. */
export type SqlStatement =
  | CreateStatement
  | InsertStatement
  | SelectStatement
  | UpdateStatement
  | DeleteStatement
  | { readonly kind: "desc"; readonly table: string };
