/**
 * The frames that the page holds, and what happened, as one list of rows. Frames that are far from
 * what is shown are let go and asked for again; rows are small and stay.
 */
import type { EndedFlight, Frame, TheatreEvent } from "../../../runtimes/shared/theatre/frame.ts";
import { BACKGROUND } from "./kinds.ts";

/** Frames that are held at most. */
export const MOST_FRAMES = 1_500;
/** Rows that are held; the oldest are let go, some at a time. */
export const MOST_ROWS = 20_000;
const SPARE_ROWS = 1_000;

/** Something that happened: a message that ended, or an event. */
export type Row = { readonly step: number; readonly timeMs: number } & (
  | { readonly ended: EndedFlight; readonly event?: never }
  | { readonly event: TheatreEvent; readonly ended?: never }
);

/** Whether there is something to see at a step. */
export function isVisible({ events, ended, sent, cause }: Frame): boolean {
  if (events.length > 0 || cause.kind === "action") return true;
  return (
    ended.some(({ flight }) => !BACKGROUND.has(flight.kind)) ||
    sent.some(({ kind }) => !BACKGROUND.has(kind))
  );
}

/** Frames and rows of one theatre. */
export class Reel {
  readonly #frames = new Map<number, Frame>();
  /** Steps of the kept rows' frames that have something to see, ascending. */
  readonly #visible: number[] = [];
  readonly #rows: Row[] = [];
  #head: number;

  constructor(first: Frame) {
    this.#head = first.step - 1;
    this.add([first]);
  }

  /** The newest step that was added. */
  get head(): number {
    return this.#head;
  }

  /** Everything that happened, in order; the list grows and shrinks. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  get(step: number): Frame | undefined {
    return this.#frames.get(step);
  }

  /** Adds newer frames, ascending, or earlier ones that were asked for again. */
  add(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.#frames.set(frame.step, frame);
      if (frame.step <= this.#head) continue;
      this.#head = frame.step;
      if (isVisible(frame)) this.#visible.push(frame.step);
      this.#rows.push(...rowsOf(frame));
    }
    for (const list of [this.#rows, this.#visible])
      if (list.length > MOST_ROWS + SPARE_ROWS) list.splice(0, list.length - MOST_ROWS);
  }

  /** Lets frames go that are neither near a step nor among the newest. */
  keepNear(step: number): void {
    if (this.#frames.size <= MOST_FRAMES) return;
    const part = MOST_FRAMES / 4;
    for (const known of this.#frames.keys())
      if (Math.abs(known - step) > part && this.#head - known > part) this.#frames.delete(known);
  }

  /** The oldest step whose frame is held. */
  get oldest(): number {
    return Math.min(...this.#frames.keys());
  }

  /** The frame that is held and nearest to a step. */
  nearest(step: number): Frame | undefined {
    let best = this.#frames.get(this.#head);
    for (const frame of this.#frames.values())
      if (!best || Math.abs(frame.step - step) < Math.abs(best.step - step)) best = frame;
    return best;
  }

  /** Forgets everything behind a step. */
  cut(step: number): void {
    for (const known of this.#frames.keys()) if (known > step) this.#frames.delete(known);
    const isBehind = (known: number) => known > step;
    const row = this.#rows.findIndex((one) => isBehind(one.step));
    if (row >= 0) this.#rows.length = row;
    const visible = this.#visible.findIndex(isBehind);
    if (visible >= 0) this.#visible.length = visible;
    this.#head = Math.min(this.#head, step);
  }

  /** The nearest step before another one that has something to see. */
  visibleBefore(step: number, isHeld = false): number | undefined {
    return this.#visible.findLast((known) => known < step && this.#isFit(known, isHeld));
  }

  /** The nearest step behind another one that has something to see. */
  visibleAfter(step: number, isHeld = false): number | undefined {
    return this.#visible.find((known) => known > step && this.#isFit(known, isHeld));
  }

  #isFit(step: number, isHeld: boolean): boolean {
    return !isHeld || this.#frames.has(step);
  }
}

function rowsOf({ step, timeMs, ended, events }: Frame): Row[] {
  return [
    ...ended
      .filter(({ flight }) => !BACKGROUND.has(flight.kind))
      .map((one) => ({ step, timeMs, ended: one })),
    ...events.map((event) => ({ step, timeMs, event })),
  ];
}
