/** A network that loses, delays, duplicates, reorders and splits, each direction on its own. */
import type { Hash } from "../../../core/bytes/ids.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import type { Random } from "../random.ts";
import type { Timeline } from "../timeline.ts";
import type { WrittenBlock } from "./disk.ts";
import type { RaftOptions } from "./options.ts";

/** What travels between nodes. */
export type Packet =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "status"; readonly height: number }
  | { readonly kind: "bodyRequest"; readonly proposal: Hash }
  | { readonly kind: "body"; readonly proposal: Hash }
  | { readonly kind: "blockRequest"; readonly height: number }
  | { readonly kind: "block"; readonly block: WrittenBlock }
  /** Block sync: everything above a height. */
  | { readonly kind: "rangeRequest"; readonly height: number }
  | { readonly kind: "range"; readonly height: number; readonly blocks: readonly WrittenBlock[] };

/** Called when a packet arrives. */
export type Deliver = (from: number, to: number, packet: Packet) => void;

/** Delay once the faults have stopped. */
const CALM_DELAY_MS = 20;

/** Links between all nodes. */
export class Network {
  readonly #options: RaftOptions;
  readonly #random: Random;
  readonly #timeline: Timeline;
  readonly #deliver: Deliver;
  readonly #blocked: boolean[][];
  #calm = false;

  constructor(options: RaftOptions, random: Random, timeline: Timeline, deliver: Deliver) {
    this.#options = options;
    this.#random = random;
    this.#timeline = timeline;
    this.#deliver = deliver;
    const { nodes } = options;
    this.#blocked = Array.from({ length: nodes }, () => new Array<boolean>(nodes).fill(false));
  }

  /** Sends one packet; it may never arrive, or twice. */
  send(from: number, to: number, packet: Packet): void {
    if (from === to || this.#blocked[from]?.[to]) return;
    const { loss, duplication, delayMs, servesBlocks } = this.#options;
    if (this.#calm) return this.#plan(from, to, packet, CALM_DELAY_MS);
    const { kind } = packet;
    if (!servesBlocks && (kind === "blockRequest" || kind === "rangeRequest")) return;
    if (this.#random.chance(loss)) return;
    this.#plan(from, to, packet, delayMs);
    if (this.#random.chance(duplication)) this.#plan(from, to, packet, delayMs);
  }

  #plan(from: number, to: number, packet: Packet, delayMs: number): void {
    const delay = 1 + this.#random.next() * delayMs;
    this.#timeline.after(delay, () => this.#deliver(from, to, packet));
  }

  /** Splits the nodes in two, in one direction or both, or heals them. */
  repartition(): "none" | "both" | "oneWay" {
    const random = this.#random;
    const split = random.chance(0.7);
    const oneWay = random.chance(0.4);
    const side = this.#blocked.map(() => random.chance(0.5));
    this.#blocked.forEach((row, from) => {
      row.forEach((_, to) => {
        const across = side[from] !== side[to] && (!oneWay || side[from] === true);
        row[to] = split && across;
      });
    });
    if (!split || !side.some((it) => it !== side[0])) return "none";
    return oneWay ? "oneWay" : "both";
  }

  /** All links work from now on. */
  heal(): void {
    this.#calm = true;
    for (const row of this.#blocked) row.fill(false);
  }
}
