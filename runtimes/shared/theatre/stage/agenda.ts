/** Virtual time: what is planned, by time and then by the order in which it was planned. */
import type { Cause } from "../frame.ts";
import { type Timed, TimeHeap } from "./time-heap.ts";

/** Something planned. */
interface Planned extends Timed {
  readonly cause: Cause;
  /** False: nothing came of it, as of a timer of a node that is paused. */
  readonly run: () => boolean;
  wanted: boolean;
}

/** What came of going on. */
export interface Advance {
  readonly cause: Cause;
}

/** The one clock and agenda of a stage. */
export class Agenda {
  /** Virtual milliseconds since the beginning. */
  now = 0;
  readonly #heap = new TimeHeap<Planned>();
  #sequence = 0;

  /** Plans something after a delay; the function returned calls it off. */
  plan(delay: number, cause: Cause, run: () => boolean): () => void {
    const at = this.now + Math.max(0, delay);
    const item = { at, sequence: this.#sequence++, cause, run, wanted: true };
    this.#heap.add(item);
    return () => {
      item.wanted = false;
    };
  }

  /** Time of the next thing; undefined: nothing is planned. */
  nextAt(): number | undefined {
    while (this.#heap.first?.wanted === false) this.#heap.take();
    return this.#heap.first?.at;
  }

  /** Does the next thing of which something comes; undefined when nothing is planned. */
  advance(until = Number.POSITIVE_INFINITY): Advance | undefined {
    for (let at = this.nextAt(); at !== undefined && at <= until; at = this.nextAt()) {
      const item = this.#heap.take() as Planned;
      this.now = item.at;
      item.wanted = false;
      if (item.run()) return { cause: item.cause };
    }
    return undefined;
  }

  /** Lets time pass in which nothing is planned. */
  idle(until: number): void {
    this.now = Math.max(this.now, Math.min(until, this.nextAt() ?? until));
  }
}
