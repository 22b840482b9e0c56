/** What channel-protocol says, one unit after the other: rows of tables, steps, paragraphs. */

/** A unit: what the node does, or a fact. */
export interface Unit {
  readonly says: string;
  /** Why no test over a socket shows it; a fact about clients or the reference. */
  readonly reason?: string;
  /** The test without a socket that shows it: its file and its name. */
  readonly elsewhere?: readonly [file: string, test: string];
}

/** The units of a section, in the order of the text. */
export interface UnitSection {
  readonly section: string;
  readonly title: string;
  readonly rows?: readonly Unit[];
  readonly steps?: readonly Unit[];
  readonly texts?: readonly Unit[];
}

/** What the node does, shown by a case. */
export function does(says: string): Unit {
  return { says };
}

/** What no test of the node can show. */
export function fact(says: string, reason: string): Unit {
  return { says, reason };
}

/** What a test without a socket shows. */
export function core(says: string, file: string, test: string): Unit {
  return { says, elsewhere: [file, test] };
}
