/** A case of the table in docs/channel-conformance.md: a test over a TLS socket and its rows. */

/** A case, run against a place of some kind. */
export interface RowCase<Place> {
  /** Rows, steps and texts of channel-protocol that it shows, as `3.1 row 4`. */
  readonly rows: readonly string[];
  /** A sentence about what the node does. */
  readonly test: string;
  readonly run: (place: Place) => Promise<void>;
  /** It mostly waits, and minds only other cases of this lane next to it; absent: any other. */
  readonly lane?: string;
}

/** Rows of one table, one after the other: `rowsOf("14", 1, 3)` are the first three of 14. */
export function rowsOf(section: string, first: number, last = first): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${section} row ${first + index}`);
}
