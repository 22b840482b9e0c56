/** Links between the cores of a schedule: they lose, delay, duplicate, reorder and split. */
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** How bad the links are. */
export interface LinkOptions {
  readonly nodes: number;
  readonly loss: number;
  readonly duplication: number;
  readonly delayMs: number;
}

/** What is between the nodes of a schedule. */
export interface LinkParts<Packet> {
  readonly random: Random;
  readonly timeline: Timeline;
  /** Called when a packet arrives. */
  readonly deliver: (from: number, to: number, packet: Packet) => void;
}

/** Delay once the faults have stopped. */
const CALM_DELAY_MS = 20;

/** Links between all nodes, each direction on its own. */
export class Links<Packet> {
  readonly #options: LinkOptions;
  readonly #with: LinkParts<Packet>;
  readonly #blocked: boolean[][];
  #calm = false;

  constructor(options: LinkOptions, parts: LinkParts<Packet>) {
    this.#options = options;
    this.#with = parts;
    const { nodes } = options;
    this.#blocked = Array.from({ length: nodes }, () => new Array<boolean>(nodes).fill(false));
  }

  /** Lost for a reason of its own; asked before chance is, until the calm. */
  protected isLost(_from: number, _to: number, _packet: Packet): boolean {
    return false;
  }

  /** Not heard; asked of what chance has let through. */
  protected isUnheard(_to: number, _packet: Packet): boolean {
    return false;
  }

  /** Sends one packet; it may never arrive, or twice. */
  send(from: number, to: number, packet: Packet): void {
    if (from === to || this.#blocked[from]?.[to]) return;
    const { loss, duplication, delayMs } = this.#options;
    const { random } = this.#with;
    if (this.#calm) return this.#plan(from, to, packet, CALM_DELAY_MS);
    if (this.isLost(from, to, packet)) return;
    if (random.chance(loss) || this.isUnheard(to, packet)) return;
    this.#plan(from, to, packet, delayMs);
    if (random.chance(duplication)) this.#plan(from, to, packet, delayMs);
  }

  #plan(from: number, to: number, packet: Packet, delayMs: number): void {
    const { random, timeline, deliver } = this.#with;
    const delay = 1 + random.next() * delayMs;
    timeline.after(delay, () => deliver(from, to, packet));
  }

  /** Whether two nodes hear each other. */
  connects(one: number, other: number): boolean {
    return !this.#blocked[one]?.[other] && !this.#blocked[other]?.[one];
  }

  /** Splits the nodes in two, in one direction or both, or heals them; two sides may be one. */
  repartition(): { readonly split: boolean; readonly oneWay: boolean; readonly sides: number } {
    const { random } = this.#with;
    const split = random.chance(0.7);
    const oneWay = random.chance(0.4);
    const side = this.#blocked.map(() => random.chance(0.5));
    this.#blocked.forEach((row, from) => {
      row.forEach((_, to) => {
        const across = side[from] !== side[to] && (!oneWay || side[from] === true);
        row[to] = split && across;
      });
    });
    return { split, oneWay, sides: new Set(side).size };
  }

  /** All links work from now on. */
  heal(): void {
    this.#calm = true;
    for (const row of this.#blocked) row.fill(false);
  }
}
