/**
 * A performance that is played a second time, to show steps that are not kept any more. A caller
 * that scrubs or plays there asks for the neighbours next: it keeps some frames, and goes on from
 * where it is.
 */
import type { Frame } from "./frame.ts";
import { History } from "./history.ts";
import type { Scenario } from "./scenario.ts";
import { Stage } from "./stage/stage.ts";

/** Frames that are kept, and how many of them lie before the first one that was asked for. */
const KEPT = 3_000;
const BEFORE = 1_000;

/** A second performance; a class because it owns the stage. */
export class Replay {
  /** What is played: with another action behind it, it is another performance. */
  readonly scenario: Scenario;
  readonly #first: number;
  readonly #history = new History(KEPT);
  #stage: Stage | undefined;

  constructor(scenario: Scenario, first: number) {
    this.scenario = scenario;
    this.#first = Math.max(0, first - BEFORE);
  }

  /** Whether it need not begin anew to show a step. */
  has(step: number): boolean {
    return step >= (this.#history.isEmpty ? this.#first : this.#history.oldest);
  }

  /** Frames of these steps, both ends included. */
  async range(from: number, to: number): Promise<Frame[]> {
    while (this.#history.isEmpty || this.#history.newest.step < to) {
      const frame = await this.#advance();
      if (!frame) break;
      if (frame.step >= this.#first) this.#history.add(frame);
    }
    return this.#history.range(from, to);
  }

  async #advance(): Promise<Frame | undefined> {
    if (this.#stage) return this.#stage.advance();
    this.#stage = new Stage(this.scenario);
    return this.#stage.begin();
  }
}
