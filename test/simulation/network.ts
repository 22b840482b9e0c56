/** The network of PBFT schedules: some nodes hear nothing of some rounds. */
import type { Hash } from "../../core/bytes/ids.ts";
import type { SyncedBlock } from "../../core/consensus/exchange.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import { type LinkParts, Links } from "./links.ts";
import type { Loses } from "./losses.ts";
import type { Options } from "./options.ts";
import type { Random } from "./random.ts";

/** What travels between nodes. */
export type Packet =
  /** `content`: R of the header that goes with a prepare. */
  | { readonly kind: "message"; readonly message: Message; readonly content: Hash | undefined }
  | { readonly kind: "bodyRequest"; readonly proposal: Hash }
  | { readonly kind: "body"; readonly proposal: Hash }
  | { readonly kind: "blockRequest"; readonly height: number }
  | { readonly kind: "block"; readonly block: SyncedBlock };

/** The links of a PBFT schedule. */
export class Network extends Links<Packet> {
  /** What is lost besides. */
  loses: Loses | undefined;
  readonly #options: Options;
  readonly #random: Random;
  readonly #deaf = new Map<string, boolean>();

  constructor(options: Options, parts: LinkParts<Packet>) {
    super(options, parts);
    this.#options = options;
    this.#random = parts.random;
  }

  protected override isLost(from: number, to: number, packet: Packet): boolean {
    return this.loses?.(from, to, packet) ?? false;
  }

  /** Whether a node receives nothing of one kind in one round: how partial quorums come about. */
  protected override isUnheard(to: number, packet: Packet): boolean {
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
}
