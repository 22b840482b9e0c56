/**
 * Sends and takes messages of consensus that are passed on: names them, puts headers before them,
 * and performs what the pure core of passing on asks for. Source: pbft 11
 */
import { toHex } from "../../bytes/hex.ts";
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import { encodeRelayed, type RelayHeader } from "../../network/relay/header.ts";
import { createRelay, type RelayState } from "../../network/relay/state.ts";
import {
  hasReceivers,
  isDistant,
  ownHeader,
  type RelayEffect,
  type RelayInput,
  step,
} from "../../network/relay/step.ts";
import type { RelayTuning } from "../../model/config.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Network } from "../../ports/network.ts";

/** What the service is made with. */
export interface RelayServiceOptions {
  readonly groupId: GroupId;
  readonly self: NodeId;
  readonly network: Network;
  readonly clock: Pick<Clock, "steady">;
  readonly hash: (bytes: Uint8Array) => Uint8Array;
  readonly tuning: RelayTuning;
}

/** A message that came with a header. */
export interface Copy {
  readonly header: RelayHeader;
  readonly payload: Uint8Array;
}

/** One that is to be verified because others wait for it, or because it came through others. */
export interface NamedCopy extends Copy {
  readonly id: string;
}

/** Where a copy comes from, and who is named as the author in it. */
export interface CopyOrigin {
  readonly from: NodeId;
  readonly speaker: NodeId;
}

/** An input without its time, which the service adds. */
type News<Of> = Of extends unknown ? Omit<Of, "now"> : never;

/** One per running PBFT group. */
export class RelayService {
  readonly state: RelayState;
  readonly #options: RelayServiceOptions;

  constructor(options: RelayServiceOptions) {
    this.#options = options;
    this.state = createRelay(options.self, options.tuning);
  }

  /** Sessions or lists have changed. @param members those with a session */
  refresh(
    sealers: readonly NodeId[],
    members: readonly NodeId[],
    passesOn: (peer: NodeId) => boolean,
  ): void {
    const connected = members.filter((peer) => sealers.includes(peer));
    this.#step({ type: "peers", sealers, connected, links: connected.filter(passesOn) });
  }

  /**
   * An own message for all sealers; `again` where it is for a distant one: they may have missed it
   * too.
   * @returns those that were sent it, with what they are to pass on; the others get it as it is
   */
  send(payload: Uint8Array, again = false): ReadonlySet<NodeId> {
    if (!ownHeader(this.state)) return new Set();
    const id = this.#nameOf(payload);
    const effects = this.#step({ type: "send", id, again });
    this.#perform(effects, payload);
    return new Set(effects.flatMap((it) => (it.type === "send" ? [it.to] : [])));
  }

  /** Whether a sealer is reached only through others. */
  isDistant(node: NodeId): boolean {
    return isDistant(this.state, node);
  }

  /**
   * Examines a copy before it is verified.
   * @returns `plain`: no node is to get it from here; `known`: there is nothing more to do; else:
   * to be verified whether it is relevant here or not
   */
  look(copy: Copy, { from, speaker }: CopyOrigin): NamedCopy | "plain" | "known" {
    const { header, payload } = copy;
    const isDirect = speaker === from;
    // An echo goes no further; consensus looks whether it is one.
    if (speaker === this.state.self) return "plain";
    if (isDirect && !hasReceivers(this.state, header, [from])) return "plain";
    const id = this.#nameOf(payload);
    const bytes = payload.length;
    const before = this.state.messages.get(id);
    const effects = this.#step({ type: "copy", id, from, speaker, header, bytes });
    if (effects.some(({ type }) => type === "verify")) return { ...copy, id };
    this.#perform(effects, payload);
    // What is too much to be passed on may still be learned of its author.
    return isDirect && before === undefined ? "plain" : "known";
  }

  /** It was verified. @param author undefined: no node is to pass it on */
  verified({ id, payload }: NamedCopy, author: NodeId | undefined): void {
    this.#perform(this.#step({ type: "verified", id, author }), payload);
  }

  #step(news: News<RelayInput>): readonly RelayEffect[] {
    return step(this.state, { ...news, now: this.#options.clock.steady() });
  }

  #perform(effects: readonly RelayEffect[], payload: Uint8Array): void {
    const { network, groupId } = this.#options;
    const encoded = new Map<RelayHeader, Uint8Array>();
    for (const effect of effects) {
      if (effect.type !== "send") continue;
      const { to, header } = effect;
      const bytes = encoded.get(header) ?? encodeRelayed(header, payload);
      encoded.set(header, bytes);
      network.send(to, { groupId, kind: "consensus", bytes });
    }
  }

  #nameOf(payload: Uint8Array): string {
    return toHex(this.#options.hash(payload));
  }
}
