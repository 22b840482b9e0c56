/** Shows a running node as it reports itself: newest frame first, older ones by scrubbing. */
import type { LiveHello } from "../../../runtimes/shared/theatre/api.ts";
import type { Flight, Frame } from "../../../runtimes/shared/theatre/frame.ts";
import { Show, type Stride } from "./player.ts";

/** How long a message is seen to fly: it passed the node at one moment. */
const FLIGHT_MS = 450;
/** Messages that are drawn at once. */
const MOST_FLIGHTS = 60;

/** The show of a running node; nothing can be done to it. */
export class LivePlayer extends Show {
  readonly isLive = true;
  readonly isBusy = false;
  override isPlaying = true;
  override readonly speed = 1_000;
  override readonly hurries = false;
  #flying: readonly Flight[] = [];
  #newest: Frame;

  constructor(hello: LiveHello) {
    super(hello);
    this.#newest = hello.frame;
  }

  get first(): number {
    return this.reel.oldest;
  }

  /** The node reports of itself. */
  add(told: Frame): void {
    const passed = [...told.sent, ...told.ended.map(({ flight }) => flight)];
    const fresh = passed.map((flight) => flying(flight, told.timeMs));
    const still = this.#flying.filter(({ arrivesAt = 0 }) => arrivesAt > told.timeMs);
    this.#flying = [...still, ...fresh].slice(-MOST_FLIGHTS);
    const left = told.sent.map((flight) => ({ flight, how: "delivered" }) as const);
    const shown = { ...told, ended: [...told.ended, ...left], flights: this.#flying };
    this.reel.add([shown]);
    this.#newest = shown;
    this.reel.keepNear(this.isPlaying ? shown.step : this.frame.step);
    if (this.isPlaying) this.show(shown);
    this.notify();
  }

  play(): void {
    this.isPlaying = true;
    this.show(this.#newest);
    this.notify();
  }

  tick(realMs: number): void {
    if (!this.isPlaying) return;
    this.now = Math.min(this.now + realMs, this.frame.timeMs + FLIGHT_MS);
    this.notify();
  }

  async seek(step: number): Promise<void> {
    this.isPlaying = false;
    const frame = this.reel.nearest(step);
    if (frame) this.show(frame);
    this.notify();
  }

  async step(_stride: Stride): Promise<void> {
    const next = this.reel.visibleAfter(this.frame.step, true);
    if (next !== undefined) await this.seek(next);
  }

  async back(): Promise<void> {
    const before = this.reel.visibleBefore(this.frame.step, true);
    if (before !== undefined) await this.seek(before);
  }

  setSpeed(): void {
    // A running node keeps its own time.
  }

  async act(): Promise<undefined> {
    // Nothing can be done to a running node from here.
    return undefined;
  }
}

function flying(flight: Flight, now: number): Flight {
  return { ...flight, sentAt: now, arrivesAt: now + FLIGHT_MS };
}
