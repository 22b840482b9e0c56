/** Follows the height of the chain for block limits. Source: benchmark 3 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import type { Chain } from "./chain.ts";

/** Between two looks. Source: benchmark 3 */
const LOOK_MS = 2_000;

/** The height as it was last seen. */
export class HeightWatch {
  readonly #chain: Chain;
  readonly #clock: BenchClock;
  readonly #end = new AbortController();
  #height = 0;

  constructor(chain: Chain, clock: BenchClock) {
    this.#chain = chain;
    this.#clock = clock;
  }

  get height(): number {
    return this.#height;
  }

  /** Looks a first time, and then again and again. @throws NodeFault, TransportFault */
  async start(): Promise<void> {
    this.#height = await this.#look();
    void this.#follow();
  }

  stop(): void {
    this.#end.abort();
  }

  async #look(): Promise<number> {
    const params = [this.#chain.groupId];
    return Number(await this.#chain.request({ method: "getBlockNumber", params }));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#clock.sleep(LOOK_MS, signal);
      if (signal.aborted) return;
      // A node that does not answer is no reason to stop: the limit is far away.
      const height = await this.#look().catch(() => this.#height);
      this.#height = Math.max(this.#height, height);
    }
  }
}
