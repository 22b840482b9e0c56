/** What a lesson is: a scenario, and steps that each show one idea in it. Lessons are data. */
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import type { Words } from "../texts.ts";
import type { Past } from "./past.ts";

/** Something that is true of what is shown; a test checks it on the engine. */
export interface Claim {
  readonly says: Words;
  holds(past: Past): boolean;
}

/** One idea. */
export interface LessonStep {
  /** A sentence or three. */
  readonly says: Words;
  /** Where to look in the picture. */
  readonly look?: Words;
  /** Nodes that are pointed at, from 0. */
  readonly pointed?: readonly number[];
  /** What is done first; it may depend on what is shown, as on who leads. */
  readonly acts?: (past: Past) => readonly Action[];
  /** The step goes on until this holds. */
  readonly until: Claim;
  /** What is true then, besides. */
  readonly claims?: readonly Claim[];
}

/** A lesson. */
export interface Lesson {
  readonly id: string;
  readonly title: Words;
  /** What one knows afterwards. */
  readonly about: Words;
  /** A statechart that stands next to the picture. */
  readonly chart?: { readonly node: number; readonly id: string };
  /** Text of the scenario. */
  readonly scenario: string;
  readonly steps: readonly LessonStep[];
}
