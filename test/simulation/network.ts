/** A network that loses, delays, duplicates, reorders and splits. */
import type { Hash } from "../../core/bytes/ids.ts";
import type { SyncedBlock } from "../../core/consensus/exchange.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import type { Loses } from "./losses.ts";
import type { Options } from "./options.ts";
import type { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** What travels between nodes. */
export type Packet =
  /** `content`: R of the header that goes with a prepare. */
  | { readonly kind: "message"; readonly message: Message; readonly content: Hash | undefined }
  | { readonly kind: "bodyRequest"; readonly proposal: Hash }
  | { readonly kind: "body"; readonly proposal: Hash }
  | { readonly kind: "blockRequest"; readonly height: number }
  | { readonly kind: "block"; readonly block: SyncedBlock };

/** Called when a packet arrives. */
export type Deliver = (from: number, to: number, packet: Packet) => void;

/** Delay once the faults have stopped. */
const CALM_DELAY_MS = 20;

/** Links between all nodes, each direction on its own. */
export class Network {
  readonly #options: Options;
  readonly #random: Random;
  readonly #timeline: Timeline;
  readonly #deliver: Deliver;
  readonly #blocked: boolean[][];
  readonly #deaf = new Map<string, boolean>();
  /** What is lost besides. */
  loses: Loses | undefined;
  #calm = false;

  constructor(options: Options, random: Random, timeline: Timeline, deliver: Deliver) {
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
    const { loss, duplication, delayMs } = this.#options;
    if (this.#calm) return this.#plan(from, to, packet, CALM_DELAY_MS);
    if (this.loses?.(from, to, packet)) return;
    if (this.#random.chance(loss) || this.#isDeaf(to, packet)) return;
    this.#plan(from, to, packet, delayMs);
    if (this.#random.chance(duplication)) this.#plan(from, to, packet, delayMs);
  }

  /** Whether a node hears nothing of one kind in one round: how partial quorums come about. */
  #isDeaf(to: number, packet: Packet): boolean {
    const { deafness } = this.#options;
    if (packet.kind === "blockRequest" && !this.#options.servesBlocks) return true;
    if (deafness === 0 || packet.kind !== "message") return false;
    const { type, height, view } = packet.message;
    if (type === "status" || type === "viewCertificate") return false;
    const round = `${type}/${height}/${view}/${to}`;
    let deaf = this.#deaf.get(round);
    if (deaf === undefined) {
      deaf = this.#random.chance(deafness);
      this.#deaf.set(round, deaf);
    }
    return deaf;
  }

  #plan(from: number, to: number, packet: Packet, delayMs: number): void {
    const delay = 1 + this.#random.next() * delayMs;
    this.#timeline.after(delay, () => this.#deliver(from, to, packet));
  }

  /** Whether two nodes hear each other. */
  connects(one: number, other: number): boolean {
    return !this.#blocked[one]?.[other] && !this.#blocked[other]?.[one];
  }

  /**
   * Splits the nodes in two, in one direction or both, or heals them. Gives whether there is a
   * split.
   */
  repartition(): boolean {
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
    return split;
  }

  /** All links work from now on. */
  heal(): void {
    this.#calm = true;
    for (const row of this.#blocked) row.fill(false);
  }
}
