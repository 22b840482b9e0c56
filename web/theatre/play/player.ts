/**
 * Plays a scenario: virtual time against real time, one step at a time, back and forward. At the
 * newest step the theatre is asked to go on a little at a time; before it, known frames are shown.
 */
import type { Opened, RunLimits, TheatreApi, Until } from "../../../runtimes/shared/theatre/api.ts";
import type { Chart, Frame } from "../../../runtimes/shared/theatre/frame.ts";
import type { Action, ScenarioFault } from "../../../runtimes/shared/theatre/scenario.ts";
import { BACKGROUND } from "./kinds.ts";
import { momentOf } from "./moment.ts";
import { isVisible, Reel, type Row } from "./reel.ts";

/** Virtual milliseconds for each real second. */
export const SPEEDS: readonly number[] = [10, 25, 50, 100, 250, 500, 1_000, 3_000, 10_000];
const USUAL_SPEED = 100;
/** While no message flies, time goes that much faster. */
const HURRY = 12;
/** Frames that are asked for at once. */
const CHUNK = 120;
/** Steps on the way to a moment that are asked for at once: it can be shown how far it is. */
const SLICE = 500;
/** Looking for the next block or view ends after this much. */
const FAR = { steps: 6_000, ms: 180_000 };
/** Real milliseconds of one tick at most: a tab that slept does not leap. */
const LONGEST_TICK = 100;

/** What a step by hand goes to. */
export type Stride = "message" | "block" | "view";

/** What the page shows of a theatre, played or watched. */
export abstract class Show {
  readonly charts: readonly Chart[];
  frame: Frame;
  /** Virtual time that is shown. */
  now: number;
  isPlaying = false;
  /** Nothing follows any more. */
  isOver = false;
  /** The step that was asked for last and is not shown yet. */
  aim: number | undefined;
  speed = USUAL_SPEED;
  hurries = true;
  failure: string | undefined;
  /** Nobody is notified of changes: what is shown stays as it is. */
  isQuiet = false;
  protected readonly reel: Reel;
  readonly #listeners = new Set<() => void>();

  constructor({ charts, frame }: { readonly charts: readonly Chart[]; readonly frame: Frame }) {
    this.charts = charts;
    this.frame = frame;
    this.now = frame.timeMs;
    this.reel = new Reel(frame);
  }

  /** Nothing can be done to it. */
  abstract readonly isLive: boolean;
  /** Oldest step that can be shown. */
  abstract readonly first: number;
  /** Something takes its time. */
  abstract readonly isBusy: boolean;

  /** Newest known step. */
  get head(): number {
    return this.reel.head;
  }

  get rows(): readonly Row[] {
    return this.reel.rows;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  abstract play(): void;

  pause(): void {
    this.isPlaying = false;
    this.notify();
  }

  /** It cannot go on. */
  fail(why: string): void {
    this.failure = why;
    this.pause();
  }

  /** This much real time has passed. */
  abstract tick(realMs: number): void;
  abstract seek(step: number): Promise<void>;
  abstract step(stride: Stride): Promise<void>;
  abstract back(): Promise<void>;
  abstract setSpeed(speed: number, hurries: boolean): void;
  /** Gives why it was refused; undefined: it was done, or the theatre has failed. */
  abstract act(action: Action): Promise<string | undefined>;

  protected show(frame: Frame): void {
    this.frame = frame;
    this.now = frame.timeMs;
  }

  protected notify(): void {
    if (this.isQuiet) return;
    for (const listener of this.#listeners) listener();
  }
}

/** A scenario that cannot be opened. */
export class ScenarioRefused extends Error {
  readonly fault: ScenarioFault;

  constructor(fault: ScenarioFault) {
    super(fault.code);
    this.fault = fault;
  }
}

/** Plays what a theatre gives. */
export class Player extends Show {
  readonly isLive = false;
  readonly first = 0;
  /** Playing ends at this step. */
  #stopAt = Number.POSITIVE_INFINITY;
  /** The scenario with everything that was done by hand. */
  text: string;
  readonly #api: TheatreApi;
  /** Virtual time up to which the theatre has gone. */
  #reached: number;
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(api: TheatreApi, opened: Extract<Opened, { ok: true }>) {
    super(opened);
    this.#api = api;
    this.text = opened.text;
    this.#reached = this.now;
  }

  /**
   * Opens a scenario and goes on to the moment that it names.
   *
   * @throws ScenarioRefused
   */
  static async open(
    api: TheatreApi,
    text: string,
    onStep: (step: number) => void = () => undefined,
  ): Promise<Player> {
    const opened = await api.open(text);
    if (!opened.ok) throw new ScenarioRefused(opened.fault);
    const player = new Player(api, opened);
    const moment = momentOf(text);
    while (moment && !player.isOver) {
      const left = "afterStep" in moment ? moment.afterStep - player.frame.step : SLICE;
      if (left <= 0) break;
      const until: Until =
        "atMs" in moment
          ? { kind: "time", atMs: moment.atMs }
          : { kind: "steps", count: Math.min(SLICE, left) };
      const { step } = player.frame;
      if ((await player.#run(until, { steps: SLICE })) && "atMs" in moment) break;
      if (player.frame.step === step) break;
      onStep(player.frame.step);
    }
    return player;
  }

  get isBusy(): boolean {
    return this.#pending > 0 && !this.isPlaying;
  }

  /** Whether the newest known step is shown. */
  get isAtHead(): boolean {
    return this.frame.step >= this.head;
  }

  play(): void {
    this.#stopAt = Number.POSITIVE_INFINITY;
    this.isPlaying = true;
    this.notify();
  }

  /** Plays known steps up to one of them. */
  playTo(step: number): void {
    this.#stopAt = Math.min(step, this.head);
    this.isPlaying = this.frame.step < this.#stopAt;
    this.notify();
  }

  setSpeed(speed: number, hurries: boolean): void {
    this.speed = speed;
    this.hurries = hurries;
    this.notify();
  }

  tick(realMs: number): void {
    if (!this.isPlaying) return;
    const factor = this.hurries && !isAnythingFlying(this.frame) ? HURRY : 1;
    const passed = (Math.min(realMs, LONGEST_TICK) / 1_000) * this.speed * factor;
    const wanted = this.now + passed;
    if (!this.isAtHead) return this.#replay(wanted);
    this.now = Math.min(wanted, Math.max(this.now, this.#reached));
    if (this.#pending === 0) this.#do(() => this.#goOn(this.now + 2 * passed));
    this.notify();
  }

  async seek(step: number): Promise<void> {
    this.isPlaying = false;
    this.aim = Math.min(Math.max(0, Math.round(step)), this.head);
    await this.#do(() => this.#showAim());
  }

  async step(stride: Stride): Promise<void> {
    this.isPlaying = false;
    await this.#do(() => (stride === "message" ? this.#nextVisible() : this.#next(stride)));
  }

  async back(): Promise<void> {
    const wanted = this.reel.visibleBefore(this.frame.step) ?? 0;
    await this.seek(wanted);
  }

  /** Does something at the step that is shown; what was behind it is forgotten. */
  async act(action: Action): Promise<string | undefined> {
    return this.#do(async () => {
      if (!this.isAtHead) {
        const { step } = this.frame;
        const opened = await this.#api.branch(step);
        if (!opened.ok) throw new ScenarioRefused(opened.fault);
        this.reel.cut(step);
        this.isOver = false;
        this.#reached = this.frame.timeMs;
      }
      try {
        const { frame, text } = await this.#api.act(action);
        this.text = text;
        this.#take([frame]);
        return undefined;
      } catch (cause) {
        // It was refused; the theatre goes on.
        if (cause instanceof Error && cause.name === "RangeError") return cause.message;
        throw cause;
      }
    });
  }

  /** Goes on until a condition holds. */
  async run(until: Until, limits: RunLimits = FAR): Promise<boolean> {
    return (await this.#do(() => this.#run(until, limits))) ?? false;
  }

  /** Tells when a known step happened, without showing it. */
  async peek(step: number, tell: (timeMs: number) => void): Promise<void> {
    await this.#do(async () => {
      if (!this.reel.get(step)) this.reel.add(await this.#api.frames(step, step));
      const frame = this.reel.get(step);
      if (frame) tell(frame.timeMs);
    });
  }

  /** Calls to the theatre go one after the other. */
  #do<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.#pending++;
    const done = this.#last.then(work).catch((cause: unknown) => {
      this.fail(cause instanceof Error ? cause.message : String(cause));
      return undefined;
    });
    this.#last = done.finally(() => {
      this.#pending--;
      this.notify();
    });
    if (!this.isPlaying) this.notify();
    return done;
  }

  async #goOn(atMs: number): Promise<void> {
    const { frames, isOver } = await this.#api.run({ kind: "time", atMs });
    this.reel.add(frames);
    this.#reached = Math.max(this.#reached, atMs);
    this.isOver = isOver;
    if (isOver) this.isPlaying = false;
    this.#follow();
  }

  /** Shows the newest frame that is due. */
  #follow(): void {
    for (let next = this.reel.get(this.frame.step + 1); next && next.timeMs <= this.#reached; ) {
      this.frame = next;
      next = this.reel.get(next.step + 1);
    }
    this.now = Math.max(this.now, this.frame.timeMs);
    this.reel.keepNear(this.frame.step);
  }

  /** Plays known frames. */
  #replay(wanted: number): void {
    this.now = wanted;
    let next = this.reel.get(this.frame.step + 1);
    while (next && next.timeMs <= wanted && this.frame.step < this.#stopAt) {
      this.frame = next;
      next = this.reel.get(next.step + 1);
    }
    if (this.frame.step >= this.#stopAt) {
      this.now = this.frame.timeMs;
      this.isPlaying = false;
    }
    if (!next && !this.isAtHead && this.#pending === 0)
      this.#do(() => this.#fetch(this.frame.step + 1));
    if (!next) this.now = Math.min(wanted, Math.max(this.frame.timeMs, this.#reached));
    this.notify();
  }

  async #fetch(from: number): Promise<void> {
    const last = Math.min(this.head, from + CHUNK);
    this.reel.add(await this.#api.frames(from, last));
  }

  async #show(step: number): Promise<void> {
    if (!this.reel.get(step)) {
      const from = Math.max(0, step - CHUNK / 2);
      this.reel.add(await this.#api.frames(from, Math.min(this.head, from + CHUNK)));
    }
    const frame = this.reel.get(step);
    if (!frame) return;
    this.show(frame);
    this.reel.keepNear(step);
  }

  /** A user who drags the slider asks for many steps: the last one is shown. */
  async #showAim(): Promise<void> {
    const { aim } = this;
    if (aim === undefined) return;
    try {
      await this.#show(Math.min(aim, this.head));
    } finally {
      if (this.aim === aim) this.aim = undefined;
    }
  }

  async #nextVisible(): Promise<void> {
    const known = this.reel.visibleAfter(this.frame.step);
    if (known !== undefined) return this.#show(known);
    if (!this.isAtHead) await this.#show(this.head);
    for (let count = 0; count < FAR.steps; count++) {
      await this.#run({ kind: "steps", count: 1 });
      if (isVisible(this.frame) || this.isOver) return;
    }
  }

  async #next(stride: "block" | "view"): Promise<void> {
    const isReached = reachedFrom(this.frame, stride);
    while (!this.isAtHead) {
      const step = this.frame.step + 1;
      await this.#show(step);
      if (this.frame.step !== step) break;
      if (isReached(this.frame)) return;
    }
    const { protocol } = this.frame;
    await this.#run(
      stride === "block"
        ? { kind: "height", height: highest(this.frame) + 1 }
        : { kind: "event", id: protocol === "pbft" ? "viewEntered" : "becameLeader" },
      FAR,
    );
  }

  async #run(until: Until, limits: RunLimits = {}): Promise<boolean> {
    if (!this.isAtHead) await this.#show(this.head);
    const { frames, reached, isOver } = await this.#api.run(until, limits);
    this.isOver = isOver;
    this.#take(frames);
    return reached;
  }

  #take(frames: readonly Frame[]): void {
    this.reel.add(frames);
    const newest = frames.at(-1);
    if (!newest) return;
    this.show(newest);
    this.#reached = Math.max(this.#reached, newest.timeMs);
    this.reel.keepNear(newest.step);
  }
}

/** Whether a message flies that is worth looking at. */
export function isAnythingFlying({ flights }: Frame): boolean {
  return flights.some(({ held, kind }) => !held && !BACKGROUND.has(kind));
}

/** The highest block of any node. */
export function highest({ nodes }: Frame): number {
  return Math.max(0, ...nodes.map(({ height }) => height));
}

function reachedFrom(from: Frame, stride: "block" | "view"): (frame: Frame) => boolean {
  if (stride === "block") return (frame) => highest(frame) > highest(from);
  const id = from.protocol === "pbft" ? "viewEntered" : "becameLeader";
  return ({ events }) => events.some((event) => event.id === id);
}
