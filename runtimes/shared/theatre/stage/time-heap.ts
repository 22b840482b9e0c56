/** A heap of what is planned in virtual time; the simulator of schedules uses it too. */

/** Something planned: by time, and at one time in the order of planning. */
export interface Timed {
  /** Virtual milliseconds. */
  readonly at: number;
  readonly sequence: number;
}

function isBefore(left: Timed, right: Timed): boolean {
  return left.at < right.at || (left.at === right.at && left.sequence < right.sequence);
}

/** A binary heap whose first item is the next one. */
export class TimeHeap<Item extends Timed> {
  readonly #items: Item[] = [];

  /** The next item; undefined: nothing is planned. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    const items = this.#items;
    let child = items.length;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = items[parent] as Item;
      if (!isBefore(item, above)) break;
      items[child] = above;
      child = parent;
    }
    items[child] = item;
  }

  /** Takes the next item out. */
  take(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (!first || !last) return undefined;
    if (items.length > 0) this.#sink(last);
    return first;
  }

  #sink(item: Item): void {
    const items = this.#items;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= items.length) break;
      const right = items[child + 1];
      if (right && isBefore(right, items[child] as Item)) child++;
      const below = items[child] as Item;
      if (!isBefore(below, item)) break;
      items[parent] = below;
      parent = child;
    }
    items[parent] = item;
  }
}
