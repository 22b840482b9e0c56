/** Frames that are kept, up to a bound; earlier ones are played again. */
import type { Frame } from "./frame.ts";

/** Frames kept: enough to scrub through at least 10,000 steps without playing again. */
export const FRAMES_KEPT = 12_000;

/** The newest frames of a performance. */
export class History {
  readonly #limit: number;
  #frames: Frame[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Step of the oldest frame that is kept. */
  get oldest(): number {
    return this.#frames[0]?.step ?? 0;
  }

  get newest(): Frame {
    const frame = this.#frames.at(-1);
    if (!frame) throw new RangeError("there is no frame yet");
    return frame;
  }

  add(frame: Frame): void {
    this.#frames.push(frame);
    // In one go now and then: to shift an array at each step costs more.
    if (this.#frames.length > this.#limit + this.#limit / 4)
      this.#frames = this.#frames.slice(-this.#limit);
  }

  /** Frames of these steps, both ends included, as far as they are kept. */
  range(from: number, to: number): Frame[] {
    const { oldest } = this;
    return this.#frames.slice(Math.max(0, from - oldest), Math.max(0, to - oldest + 1));
  }
}
