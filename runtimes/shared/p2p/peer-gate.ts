/** Who may have a session, and be heard. Source: node-network 2, 8 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { BAN_MS, PeerLists } from "../../../core/network/admission.ts";
import type { Refusal } from "../../../core/network/handshake.ts";
import { UnsolicitedBudgets, type UnsolicitedMessage } from "../../../core/network/unsolicited.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { P2pOptions } from "./p2p-options.ts";

/** Lists, bans and accounts of peers; a class because they last longer than sessions. */
export class PeerGate {
  readonly #clock: Pick<Clock, "steady">;
  readonly #lists: PeerLists;
  readonly #bans = new Map<NodeId, number>();
  readonly #unsolicited = new UnsolicitedBudgets();

  constructor({ clock, blacklist = [], whitelist = [] }: P2pOptions) {
    this.#clock = clock;
    this.#lists = new PeerLists(blacklist, whitelist);
  }

  setWhitelist(whitelist: readonly string[]): void {
    this.#lists.setWhitelist(whitelist);
  }

  /** Why a node is refused by the lists. */
  listed(nodeId: NodeId): Refusal | undefined {
    return this.#lists.refusal(nodeId);
  }

  /** Why a node is refused now, by the lists or by what it has done. */
  refusal(nodeId: NodeId): Refusal | undefined {
    const until = this.#bans.get(nodeId) ?? 0;
    const isBanned = until > this.#clock.steady();
    return this.listed(nodeId) ?? (isBanned ? "banned after repeated offences" : undefined);
  }

  /** Keeps out an offender for {@link BAN_MS}. */
  ban(nodeId: NodeId): void {
    const now = this.#clock.steady();
    for (const [id, until] of this.#bans) if (until <= now) this.#bans.delete(id);
    this.#bans.set(nodeId, now + BAN_MS);
  }

  /** Charges what was not asked for; false when that is more than an honest peer says. */
  charge(nodeId: NodeId, message: Omit<UnsolicitedMessage, "now">): boolean {
    if (message.charge === 0) return true;
    return this.#unsolicited.charge(nodeId, { ...message, now: this.#clock.steady() });
  }
}
