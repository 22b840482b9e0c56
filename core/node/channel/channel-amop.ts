/**
 * Messages between clients (AMOP) for the channel port of a node: gives the step what happens, and
 * does what it says. Source: channel-protocol 8; node-network 4
 */
import type { NodeId } from "../../bytes/ids.ts";
import {
  decodePeerMessage,
  encodePeerMessage,
  MAX_CARRIED_BYTES,
} from "../../channel/amop/peer-message.ts";
import {
  AMOP_BOUNDS,
  type AmopEffect,
  type AmopInput,
  type AmopSight,
  type AmopState,
  newAmopState,
} from "../../channel/amop/state.ts";
import { isForAmop, nextTick, step } from "../../channel/amop/step.ts";
import { shownTopics } from "../../channel/amop/topics.ts";
import type {
  ChannelExtension,
  ChannelSessions,
  SessionHandle,
} from "../../channel/session-handle.ts";
import { type Frame, HEADER_BYTES, shareFrame } from "../../channel/frame.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import {
  createBucket,
  permitsOfBytes,
  takePermits,
  type TokenBucket,
} from "../../limits/token-bucket.ts";
import type { TopicsExtension, TopicsLine } from "./topics-line.ts";

/** What the messages go through. */
export interface AmopPorts {
  readonly sessions: ChannelSessions;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Joins the node's network; called once. */
  readonly join: (extension: TopicsExtension) => TopicsLine;
}

/** Figures of the messages between clients. */
export interface AmopCounters {
  readonly topics: number;
  readonly fromClients: number;
  readonly fromNodes: number;
}

/**
 * A session is sent nothing of others beyond this many unread bytes: what it has asked for must
 * find room below the bound at which it is cut off. One message fits whatever its length.
 */
const BEHIND_BYTES = MAX_CARRIED_BYTES + HEADER_BYTES;
/** A peer whose messages cannot be read so often is cut off. */
const MOST_MALFORMED = 8;

/** The messages of one node's clients. A class because it owns the state and a timer. */
export class ChannelAmop implements ChannelExtension, TopicsExtension {
  readonly #ports: AmopPorts;
  readonly #line: TopicsLine;
  readonly #state: AmopState;
  readonly #sessions = new Map<number, SessionHandle>();
  readonly #malformed = new Map<NodeId, number>();
  readonly #copies: TokenBucket;
  #fromClients = 0;
  #fromNodes = 0;
  #cancelTick: (() => void) | undefined;
  #tickAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(ports: AmopPorts) {
    this.#ports = ports;
    this.#line = ports.join(this);
    this.#state = newAmopState(this.#line.self);
    this.#copies = createBucket(AMOP_BOUNDS.copiesPerSecond, ports.clock.steady());
    for (const peer of this.#line.peers()) this.#take({ type: "peerUp", peer });
  }

  /** For figures: topics that clients listen to, and messages so far. */
  counters(): AmopCounters {
    const { length: topics } = this.ownTopics();
    return { topics, fromClients: this.#fromClients, fromNodes: this.#fromNodes };
  }

  onFrame(session: SessionHandle, frame: Frame): boolean {
    if (!isForAmop(this.#state, session.id, frame)) return false;
    this.#fromClients++;
    this.#sessions.set(session.id, session);
    this.#take({ type: "frame", session: session.id, frame });
    return true;
  }

  onSessionClosed(session: SessionHandle): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#take({ type: "sessionClosed", session: session.id });
  }

  onTopicsChanged(session: SessionHandle): void {
    const { id, topics } = session;
    this.#sessions.set(id, session);
    this.#take({ type: "topicsChanged", session: id, topics });
  }

  onMessage(from: NodeId, bytes: Uint8Array): void {
    this.#fromNodes++;
    const message = decodePeerMessage(bytes);
    if (message === "otherVersion") return;
    if (message === "malformed") this.#complain(from);
    else this.#take({ type: "message", from, message });
  }

  onPeerUp(peer: NodeId): void {
    this.#take({ type: "peerUp", peer });
  }

  onPeerDown(peer: NodeId): void {
    this.#malformed.delete(peer);
    this.#take({ type: "peerDown", peer });
  }

  topicsOf(peer: NodeId): readonly string[] {
    const node = this.#state.peers.get(peer);
    return node ? shownTopics(node, false) : [];
  }

  ownTopics(): readonly string[] {
    return shownTopics(this.#state.own, true);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTick?.();
  }

  #take(input: AmopInput): void {
    if (this.#isClosed) return;
    for (const effect of step(this.#state, this.#sight(), input)) this.#perform(effect);
    this.#setTimer();
  }

  #perform(effect: AmopEffect): void {
    switch (effect.type) {
      case "toSession":
        return this.#sessions.get(effect.session)?.send(effect.frame);
      case "toSessions":
        return this.#sendToAll(effect.sessions, shareFrame(effect.frame));
      case "toPeers": {
        const bytes = encodePeerMessage(effect.message);
        for (const peer of effect.peers) this.#line.send(peer, bytes);
      }
    }
  }

  #sendToAll(sessions: readonly number[], frame: Frame): void {
    const bytes = HEADER_BYTES + frame.data.length;
    for (const id of sessions) {
      if (this.#isFree(id, bytes)) this.#sessions.get(id)?.send(frame);
    }
  }

  #isFree(id: number, bytes: number): boolean {
    const session = this.#sessions.get(id);
    if (!session || bytes > this.#ports.sessions.spareBytes()) return false;
    return session.unsentBytes + bytes <= BEHIND_BYTES;
  }

  #complain(from: NodeId): void {
    const count = (this.#malformed.get(from) ?? 0) + 1;
    this.#malformed.set(from, count);
    if (count === MOST_MALFORMED) this.#line.penalise(from, "malformed messages about topics");
  }

  /** A timer that is already set for an earlier time is left: it sets the next one. */
  #setTimer(): void {
    const at = nextTick(this.#state);
    if (at === undefined || at >= this.#tickAt || this.#isClosed) return;
    this.#cancelTick?.();
    this.#tickAt = at;
    const { clock } = this.#ports;
    this.#cancelTick = clock.after(Math.max(0, at - clock.steady()), () => {
      this.#tickAt = Number.POSITIVE_INFINITY;
      this.#take({ type: "tick" });
    });
  }

  #sight(): AmopSight {
    const { clock, entropy } = this.#ports;
    const now = clock.steady();
    return {
      now,
      isFree: (id, bytes) => this.#isFree(id, bytes),
      random: (count) => randomBelow(entropy, count),
      takeBandwidth: (bytes) => {
        const { bandwidth } = this.#line;
        return bandwidth === undefined || takePermits(bandwidth, permitsOfBytes(bytes), now);
      },
      takeCopies: (count) => takePermits(this.#copies, count, now),
    };
  }
}

function randomBelow(entropy: Entropy, count: number): number {
  const value = entropy.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0);
  return Math.floor((value / 2 ** 32) * count);
}
