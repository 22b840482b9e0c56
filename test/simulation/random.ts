/** Seeded randomness of the simulator: the same seed gives the same numbers everywhere. */
import { Random as Generator } from "../../runtimes/shared/theatre/stage/random.ts";

/** The generator of the theatre, with seeds beyond 32 bits and more ways to draw. */
export class Random extends Generator {
  constructor(seed: number) {
    super(seed, Math.floor(seed / 2 ** 32));
  }

  /** Uniform integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** Uniform in [from, to). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** True with that probability; draws nothing for 0. */
  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  /** One of the items, which must not be empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}
