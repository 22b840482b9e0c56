/**
 * Virtual time: a heap of things to do, ordered by time and then by the order they were planned in.
 */
import { type Timed, TimeHeap } from "../../runtimes/shared/theatre/stage/time-heap.ts";

interface Planned extends Timed {
  readonly run: () => void;
}

/** The one clock and agenda of a schedule. */
export class Timeline {
  /** Virtual milliseconds since the schedule began. */
  now = 0;
  readonly #heap = new TimeHeap<Planned>();
  #sequence = 0;

  /** Plans something; never before now. */
  at(time: number, run: () => void): void {
    this.#heap.add({ at: Math.max(time, this.now), sequence: this.#sequence++, run });
  }

  /** Plans something after a delay. */
  after(delay: number, run: () => void): void {
    this.at(this.now + delay, run);
  }

  /** Does the next thing; false when nothing is planned. */
  advance(): boolean {
    const first = this.#heap.take();
    if (!first) return false;
    this.now = first.at;
    first.run();
    return true;
  }
}
