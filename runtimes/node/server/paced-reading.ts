/**
 * Reads of connections that send much, in turns: the system gives one connection two megabytes in a
 * row, and all that are ready before anything else has its turn.
 */
import type { Pace } from "../../../core/limits/pace.ts";

/** Less than this at a time is no long message. */
const LEAST_BYTES = 8 * 1024;

/** What is read. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Reading of one connection; a class because two may stop it. */
export class PacedReading {
  readonly #source: Source;
  readonly #pace: () => ReturnType<Pace>;
  #waits = false;
  #isStopped = false;
  #isEnded = false;

  constructor(source: Source, pace: () => ReturnType<Pace>) {
    this.#source = source;
    this.#pace = pace;
  }

  /** This much was read at once: more may have to wait. */
  took(bytes: number): void {
    if (bytes < LEAST_BYTES || this.#waits || this.#isEnded) return;
    const turn = this.#pace();
    if (!turn) return;
    this.#waits = true;
    this.#source.pause();
    void turn.then(() => {
      this.#waits = false;
      if (!this.#isStopped) this.#source.resume();
    });
  }

  /** Nothing is read until {@link PacedReading.resume}. */
  pause(): void {
    this.#isStopped = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isStopped = false;
    if (!this.#waits) this.#source.resume();
  }

  /** What still comes is dropped: it is read without a turn. */
  end(): void {
    this.#isEnded = true;
    this.#isStopped = false;
    this.#source.resume();
  }
}
