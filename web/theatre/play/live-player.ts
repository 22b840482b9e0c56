/** Shows a running node as it tells of itself: newest frame first, older ones by scrubbing. */
import type { LiveHello } from "../../../runtimes/shared/theatre/api.ts";
import type { Chart, Flight, Frame } from "../../../runtimes/shared/theatre/frame.ts";
import type { Show, Stride } from "./player.ts";
import { Reel, type Row } from "./reel.ts";

/** How long a message is seen to fly: it passed the node at one moment. */
const FLIGHT_MS = 450;
/** Messages that are drawn at once. */
const MOST_FLIGHTS = 60;

/** The show of a running node; nothing can be done to it. */
export class LivePlayer implements Show {
  readonly isLive = true;
  readonly isBusy = false;
  readonly isOver = false;
  readonly aim = undefined;
  readonly speed = 1_000;
  readonly hurries = false;
  readonly charts: readonly Chart[];
  frame: Frame;
  now: number;
  isPlaying = true;
  failure: string | undefined;
  readonly #reel: Reel;
  readonly #listeners = new Set<() => void>();
  #flying: readonly Flight[] = [];
  #newest: Frame;

  constructor({ charts, frame }: LiveHello) {
    this.charts = charts;
    this.frame = frame;
    this.#newest = frame;
    this.now = frame.timeMs;
    this.#reel = new Reel(frame);
  }

  get head(): number {
    return this.#reel.head;
  }

  get first(): number {
    return this.#reel.oldest;
  }

  get rows(): readonly Row[] {
    return this.#reel.rows;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The node tells of itself. */
  add(told: Frame): void {
    const passed = [...told.sent, ...told.ended.map(({ flight }) => flight)];
    const fresh = passed.map((flight) => flying(flight, told.timeMs));
    const still = this.#flying.filter(({ arrivesAt = 0 }) => arrivesAt > told.timeMs);
    this.#flying = [...still, ...fresh].slice(-MOST_FLIGHTS);
    const left = told.sent.map((flight) => ({ flight, how: "delivered" }) as const);
    const shown = { ...told, ended: [...told.ended, ...left], flights: this.#flying };
    this.#reel.add([shown]);
    this.#newest = shown;
    this.#reel.keepNear(this.isPlaying ? shown.step : this.frame.step);
    if (this.isPlaying) this.#show(shown);
    this.#notify();
  }

  fail(why: string): void {
    this.failure = why;
    this.isPlaying = false;
    this.#notify();
  }

  play(): void {
    this.isPlaying = true;
    this.#show(this.#newest);
    this.#notify();
  }

  pause(): void {
    this.isPlaying = false;
    this.#notify();
  }

  tick(realMs: number): void {
    if (!this.isPlaying) return;
    this.now = Math.min(this.now + realMs, this.frame.timeMs + FLIGHT_MS);
    this.#notify();
  }

  async seek(step: number): Promise<void> {
    this.isPlaying = false;
    const frame = this.#reel.nearest(step);
    if (frame) this.#show(frame);
    this.#notify();
  }

  async step(_stride: Stride): Promise<void> {
    const next = this.#reel.visibleAfter(this.frame.step, true);
    if (next !== undefined) await this.seek(next);
  }

  async back(): Promise<void> {
    const before = this.#reel.visibleBefore(this.frame.step, true);
    if (before !== undefined) await this.seek(before);
  }

  setSpeed(): void {
    // A running node keeps its own time.
  }

  async act(): Promise<undefined> {
    // Nothing can be done to a running node from here.
    return undefined;
  }

  #show(frame: Frame): void {
    this.frame = frame;
    this.now = frame.timeMs;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function flying(flight: Flight, now: number): Flight {
  return { ...flight, sentAt: now, arrivesAt: now + FLIGHT_MS };
}
