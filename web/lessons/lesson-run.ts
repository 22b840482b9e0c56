/** Plays a lesson: each step goes on until its idea is to be seen, and its claims are checked. */
import type { Player } from "../theatre/play/player.ts";
import type { Claim, Lesson } from "./lesson.ts";
import { PastRecorder } from "./past.ts";

/** Steps of the theatre that one step of a lesson takes at most. */
const MOST_STEPS = 3_000;

/** A claim and whether it holds. */
export interface Checked {
  readonly claim: Claim;
  readonly holds: boolean;
}

/** Where a step of the lesson has come to. */
export interface Shot {
  /** Step of the theatre. */
  readonly step: number;
  /** The scenario up to here. */
  readonly text: string;
  /** What the step waited for, then its claims. */
  readonly checked: readonly Checked[];
}

/** A lesson that is being played. */
export class LessonRun {
  readonly lesson: Lesson;
  readonly player: Player;
  readonly #shots: Shot[] = [];
  readonly #recorder: PastRecorder;
  #last: Promise<unknown> = Promise.resolve();

  /** @param player with the lesson's scenario open, at its beginning */
  constructor(lesson: Lesson, player: Player) {
    this.lesson = lesson;
    this.player = player;
    this.#recorder = new PastRecorder(player.frame);
  }

  /** What has been played. */
  get shots(): readonly Shot[] {
    return this.#shots;
  }

  /** Plays on until the shot of a step of the lesson is there; one call after the other. */
  reach(index: number): Promise<Shot | undefined> {
    const done = this.#last.then(() => this.#reach(index));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #reach(index: number): Promise<Shot | undefined> {
    while (this.#shots.length <= index) {
      const shot = await this.#next();
      if (!shot) return undefined;
      this.#shots.push(shot);
    }
    return this.#shots[index];
  }

  async #next(): Promise<Shot | undefined> {
    const step = this.lesson.steps[this.#shots.length];
    if (!step) return undefined;
    const { player } = this;
    const recorder = this.#recorder;
    if (!player.isAtHead) await player.seek(player.head);
    recorder.begin();
    for (const action of step.acts?.(recorder.past) ?? []) {
      await player.act(action);
      recorder.add(player.frame);
    }
    for (let count = 0; count < MOST_STEPS && !step.until.holds(recorder.past); count++) {
      const before = player.frame.step;
      await player.run({ kind: "steps", count: 1 });
      if (player.frame.step === before) break;
      recorder.add(player.frame);
    }
    const { past } = recorder;
    const all = [step.until, ...(step.claims ?? [])];
    const checked = all.map((claim) => ({ claim, holds: claim.holds(past) }));
    return { step: player.frame.step, text: player.text, checked };
  }
}
