/**
 * Virtual time: a heap of things to do, ordered by time and then by the order they were planned in.
 */

interface Planned {
  readonly at: number;
  readonly sequence: number;
  readonly run: () => void;
}

function isBefore(left: Planned, right: Planned): boolean {
  return left.at < right.at || (left.at === right.at && left.sequence < right.sequence);
}

/** The one clock and agenda of a schedule. */
export class Timeline {
  /** Virtual milliseconds since the schedule began. */
  now = 0;
  readonly #heap: Planned[] = [];
  #sequence = 0;

  /** Plans something; never before now. */
  at(time: number, run: () => void): void {
    const heap = this.#heap;
    const item = { at: Math.max(time, this.now), sequence: this.#sequence++, run };
    let child = heap.length;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent] as Planned;
      if (!isBefore(item, above)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = item;
  }

  /** Plans something after a delay. */
  after(delay: number, run: () => void): void {
    this.at(this.now + delay, run);
  }

  /** Does the next thing; false when nothing is planned. */
  advance(): boolean {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last) return false;
    if (heap.length > 0) this.#sink(last);
    this.now = first.at;
    first.run();
    return true;
  }

  #sink(item: Planned): void {
    const heap = this.#heap;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Planned)) child++;
      const below = heap[child] as Planned;
      if (!isBefore(below, item)) break;
      heap[parent] = below;
      parent = child;
    }
    heap[parent] = item;
  }
}
