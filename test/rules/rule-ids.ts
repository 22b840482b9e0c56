/** The rules of the specifications that tests must pin. */

/**
 * What some test must declare, by document: sections, and items of numbered lists and tables as
 * `section.item`; `a-b` at the end is a range.
 */
export const REQUIRED: Readonly<Record<string, string>> = {
  pbft: "5 16.1 16.2 16.3.1-10 16.5",
  "rpc-semantics": "2.1.1-11 2.2 2.3 2.4 2.5 2.7 3.1 3.2 4.1-5 6.1 6.2 6.3 6.4 6.5 7 8.1-6",
  txpool: "3.2.1-11 4.1-5 5 6",
  execution: "2.1-9 3.1-9 4.1-7 5 6 7.1.1-3 8 9 10 11",
  storage: "4.1 5 6 7.1-5 13.1-7",
  "tx-block-codec": "2.1 5 6 8.1 8.4",
  README: "12 13 21",
};

/** `16.3.1-3` as 16.3.1, 16.3.2, 16.3.3. */
export function expandRange(text: string): string[] {
  const match = /^((?:\d+\.)*)(\d+)(?:-(\d+))?$/.exec(text);
  if (match === null) return [];
  const [, section = "", first = "", last = first] = match;
  const count = Number(last) - Number(first) + 1;
  return Array.from(
    { length: Math.max(count, 0) },
    (_, index) => section + (Number(first) + index),
  );
}

/** The identifiers of a table, as `document section`. */
export function expandTable(table: Readonly<Record<string, string>>): Set<string> {
  const ids = Object.entries(table).flatMap(([document, text]) =>
    text.split(" ").flatMap((part) => expandRange(part).map((id) => `${document} ${id}`)),
  );
  return new Set(ids);
}
