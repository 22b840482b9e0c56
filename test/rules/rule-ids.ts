/** The rules of the specifications that tests must pin, and all names a test may declare. */

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

/** What a test may declare besides: every section, and every numbered item, of every document. */
export const KNOWN: Readonly<Record<string, string>> = {
  README: "1-34",
  benchmark: "1-11 2.1-5 11.1-7",
  "channel-protocol":
    "1-15 2.1-3 2.2.1-2 3.1 5.1-3 6.1-2 7.1-3 8.1-4 6.1.1-3 8.1.1-5 8.4.1-5 3.0-42 9.0-104",
  console: "1-9 4.1-10 9.1-4",
  execution: "1-15 2.1-9 3.1-9 4.1-7 7.1-3 7.1.1-3 12.1-3",
  generator: "1-13 5.1-2 6.1-5 9.1-3 10.1-4 5.2.1-4 9.1.1-10 13.1-7",
  groups: "1-10 3.1-8",
  interface: "1-9 2.1-7 3.1-2 4.1-3 7.1-5 4.2.1-4",
  "node-network": "1-9",
  pbft: "1-16 16.1-5 2.1-8 4.1-7 6.1-7 7.1-3 16.3.1-10",
  precompiles: "1-18 15.1-5 17.1-9",
  raft: "1-10 2.0-3 6.1-5",
  "rpc-semantics": "1-14 2.1-7 3.1-2 5.1-3 6.1-5 2.1.1-11 4.1-5 7.1-5 8.1-6 10.1-4 12.1-2 14.1-12",
  "sm-suite": "1-10 10.1-4",
  storage: "1-15 4.1 7.1-5 13.1-7",
  sync: "1-10 1.0-5",
  "tx-block-codec": "1-13 2.1-4 8.1-4 12.1-6 2.1.0-6 5.0-6 6.0-12 9.0-4",
  txpool: "1-9 3.1-2 3.2.1-11 4.1-5 7.1-4",
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
