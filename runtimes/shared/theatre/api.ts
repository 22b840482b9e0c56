/** What a page may ask of the theatre, in its worker or in place: types only. */
import type { Chart, Frame, MessageKind, TheatreEventId } from "./frame.ts";
import type { Action, ScenarioFault } from "./scenario.ts";

/** Until when to go on. All that is named must hold, of one node where it is about nodes. */
export type Until =
  | { readonly kind: "steps"; readonly count: number }
  | { readonly kind: "time"; readonly atMs: number }
  /** Some node (or the one that is named) has got that far. */
  | { readonly kind: "height"; readonly height: number; readonly node?: number }
  | { readonly kind: "view"; readonly view: number; readonly node?: number }
  | { readonly kind: "event"; readonly id: TheatreEventId; readonly node?: number }
  /** A message was delivered. */
  | {
      readonly kind: "delivery";
      readonly message?: MessageKind;
      readonly from?: number;
      readonly to?: number;
    };

/**
 * Bounds of a run: it ends at the first of them, whether or not the condition holds. A run up to a
 * time does all that is planned up to it, and leaves the clock there.
 */
export interface RunLimits {
  /** Most steps; at most {@link MAX_RUN_STEPS}. */
  readonly steps?: number;
  /** Most virtual time from here. */
  readonly ms?: number;
}

/** Most steps, and so frames, of one call. */
export const MAX_RUN_STEPS = 20_000;

/** What a run gave. */
export interface Run {
  /** Frames of the new steps, ascending; none when nothing is planned any more. */
  readonly frames: readonly Frame[];
  /** The condition holds. */
  readonly reached: boolean;
  /** The virtual clock, which may be past the newest step: an action by hand happens now. */
  readonly timeMs: number;
  /** It goes no further: an hour of virtual time or a million steps are over. */
  readonly isOver: boolean;
}

/** A theatre that is open. */
export type Opened =
  | {
      readonly ok: true;
      /** The scenario as it is played, as text. */
      readonly text: string;
      readonly charts: readonly Chart[];
      /** Step 0. */
      readonly frame: Frame;
    }
  | { readonly ok: false; readonly fault: ScenarioFault };

/** What came of an action by hand. */
export interface Acted {
  readonly frame: Frame;
  /** The scenario with this action in it. */
  readonly text: string;
}

/** The theatre as a worker serves it through comlink. One scenario is open at a time. */
export interface TheatreApi {
  /** Opens a scenario, and closes the one before. */
  open(text: string): Promise<Opened>;
  /** Goes on from the newest step. Timed actions happen by themselves. */
  run(until: Until, limits?: RunLimits): Promise<Run>;
  /** Does something now, behind the newest step. */
  act(action: Action): Promise<Acted>;
  /** Frames of earlier steps, both ends included; played again where they are not kept. */
  frames(from: number, to: number): Promise<readonly Frame[]>;
  /** Goes back to a step for good: what was done by hand behind it is forgotten. */
  branch(step: number): Promise<Opened>;
}

/** The first thing that a watcher of a running node is told; frames follow. */
export interface LiveHello {
  readonly charts: readonly Chart[];
  /** Groups that can be watched, ascending. */
  readonly groups: readonly number[];
  readonly frame: Frame;
}

/** What a watcher of a running node is told. */
export type LiveMessage =
  | { readonly type: "hello"; readonly hello: LiveHello }
  | { readonly type: "frame"; readonly frame: Frame }
  /** Nothing follows: the watcher was too slow, or the node or its group ends. */
  | { readonly type: "end"; readonly reason: "slow" | "stopped" | "tooMany" | "noSuchGroup" };
