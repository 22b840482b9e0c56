/** What is done on this part of the page: one thing at a time. */
import type { TabNode, TabStatus } from "../../runtimes/browser/link/api.ts";

/** How forms and buttons have something done. */
export interface Work {
  readonly isBusy: boolean;
  /** Does it, and says what failed. */
  readonly onWork: (work: () => Promise<void>) => void;
}

/** The same, of a node of this browser. */
export interface NodeWork extends Work {
  readonly node: TabNode;
  readonly status: TabStatus;
}
