/** What a case about one code of the interface is. */
import type { Entry, EntryOptions } from "./entry.ts";

/** Opens a node whose answers are watched; it ends with the case. */
export type OpenControlSocket = (options?: EntryOptions) => Promise<Entry>;

/** How a running node comes to show one code. */
export interface CodeCase {
  readonly code: number;
  /** The name of the test. */
  readonly test: string;
  readonly run: (open: OpenControlSocket) => Promise<unknown>;
}

/** Why no answer of a node has a code. */
export interface CodeReason {
  readonly code: number;
  readonly reason: string;
}

/** A code that is shown by a test of another suite. */
export interface CodeElsewhere {
  readonly code: number;
  readonly file: string;
  /** The name of the test in that file. */
  readonly test: string;
}
