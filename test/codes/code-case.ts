/** What a case about one code of the interface is. */
import type { Door, DoorOptions } from "./door.ts";

/** Opens a node whose answers are watched; it ends with the case. */
export type OpenDoor = (options?: DoorOptions) => Promise<Door>;

/** How a running node comes to show one code. */
export interface CodeCase {
  readonly code: number;
  /** The name of the test. */
  readonly test: string;
  readonly run: (open: OpenDoor) => Promise<unknown>;
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
