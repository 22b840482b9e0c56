/** Virtual time of a schedule: what is planned can be called off, and real timers are replaced. */
import { Timeline } from "../timeline.ts";

/** The timers of the platform that some libraries take by themselves. */
const REAL = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** Resolves when no reservation has anything left to do; the event loop does not turn. */
export function drained(): Promise<void> {
  return new Promise((resume) => process.nextTick(resume));
}

/** The clock and agenda of a schedule. */
export class Agenda {
  readonly #timeline = new Timeline();
  /** What was done last was not called off: reserves may follow from it. */
  #acted = false;

  /** Virtual milliseconds since the beginning. */
  get now(): number {
    return this.#timeline.now;
  }

  /** Plans something after a delay; the function returned calls it off. */
  after(delay: number, run: () => void): () => void {
    let wanted: (() => void) | undefined = run;
    this.#timeline.after(Math.max(0, delay), () => {
      if (!wanted) return;
      this.#acted = true;
      wanted();
    });
    return () => {
      wanted = undefined;
    };
  }

  /** Resolves after that much virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resume) => void this.after(ms, resume));
  }

  /** Does the next thing and all that follows from it at once; false when nothing is planned. */
  async advance(): Promise<boolean> {
    this.#acted = false;
    while (!this.#acted) if (!this.#timeline.advance()) return false;
    await drained();
    return true;
  }

  /** Puts virtual timers in the place of the platform's; the function returned undoes it. */
  takeTimers(): () => void {
    const wanted = new Map<number, () => void>();
    let last = 0;
    const set = (run: () => void, delay = 0): number => {
      const id = ++last;
      wanted.set(
        id,
        this.after(delay, () => wanted.delete(id) && run()),
      );
      return id;
    };
    const clear = (id: number | undefined): void => {
      wanted.get(id ?? 0)?.();
      wanted.delete(id ?? 0);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
    return () => void Object.assign(globalThis, REAL);
  }
}
