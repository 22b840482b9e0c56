/**
 * The peers of a group: who is connected, who of them is a member, who may speak, and what each has
 * sent that no honest peer sends. Source: sync 2; pbft 16.1
 */
import { type SessionActor, sessionMachine } from "../../actors/session.machine.ts";
import { endActor, type Inspector, type Parent, startSupervised } from "../../actors/supervise.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { RELAY_FROM_VERSION } from "../../network/relay/header.ts";
import type { Log } from "../../ports/log.ts";
import type { Incoming } from "../../ports/network.ts";

/** Sessions watched at most: more peers than members have no business here. */
const SESSION_LIMIT = 256;

/** What sessions are started with. */
export interface GroupPeersOptions {
  readonly groupId: number;
  readonly log: Log;
  readonly inspect?: Inspector | undefined;
  /** Whose children they are. */
  readonly parent: Parent | undefined;
  readonly onError: (cause: unknown) => void;
  /** A peer was blocked: the network ends its connection, which heals an honest one. */
  readonly onBlocked: (peer: NodeId, reason: string) => void;
  /** The version of the peer protocol that a connected peer speaks; undefined: the newest. */
  readonly versionOf: (peer: NodeId) => number | undefined;
}

/** One session per connected peer of a running group. A class because it owns them. */
export class GroupPeers {
  readonly #options: GroupPeersOptions;
  readonly #sessions = new Map<NodeId, SessionActor>();
  /** Peers with a session that pass on what others report. Source: decision 34 */
  readonly #passingOn = new Set<NodeId>();
  #members: ReadonlySet<NodeId>;
  /** Connected members as they were told last. */
  #reported = "";

  constructor(options: GroupPeersOptions, members: readonly NodeId[]) {
    this.#options = options;
    this.#members = new Set(members);
  }

  /** Sealers and observers of the group, self included or not. */
  setMembers(members: readonly NodeId[]): void {
    this.#members = new Set(members);
  }

  /** A peer connected; false when there is no room for it, or the group has ended. */
  up(peer: NodeId): boolean {
    const known = this.#sessions.get(peer);
    if (!known && (this.#hasEnded() || this.#sessions.size >= SESSION_LIMIT)) return false;
    const session = known ?? this.#start(peer);
    this.#sessions.set(peer, session);
    const version = this.#options.versionOf(peer) ?? RELAY_FROM_VERSION;
    if (version >= RELAY_FROM_VERSION) this.#passingOn.add(peer);
    else this.#passingOn.delete(peer);
    session.send({ type: "peer.up" });
    return true;
  }

  down(peer: NodeId): void {
    const session = this.#sessions.get(peer);
    session?.send({ type: "session.close" });
    if (session) endActor(session);
    this.#sessions.delete(peer);
    this.#passingOn.delete(peer);
  }

  /** Whether a connected peer passes on what others report. Source: decision 34 */
  passesOn(peer: NodeId): boolean {
    return this.#passingOn.has(peer);
  }

  /** Whether messages of their sender are listened to. */
  admits({ from }: Pick<Incoming, "from">): boolean {
    return this.#sessions.get(from)?.getSnapshot().value === "up";
  }

  isConnected(peer: NodeId): boolean {
    return this.#sessions.has(peer);
  }

  /** Whether a node is a sealer or an observer of the group. */
  isMember(peer: NodeId): boolean {
    return this.#members.has(peer);
  }

  /** Connected members, ascending. */
  members(): readonly NodeId[] {
    return [...this.#sessions.keys()].filter((peer) => this.#members.has(peer)).sort();
  }

  /** Connected members, to be told now. */
  report(): readonly NodeId[] {
    const members = this.members();
    this.#reported = members.join();
    return members;
  }

  /** Whether others are connected than were told last. */
  hasNews(): boolean {
    return this.members().join() !== this.#reported;
  }

  /** Counts what no honest peer sends; too much of it blocks the peer and is reported once. */
  reject(peer: NodeId, reason: string): void {
    const { groupId, log, onBlocked } = this.#options;
    log.write("debug", "message rejected", { peer: peer.slice(0, 8), reason });
    const wasUp = this.admits({ from: peer });
    const session = this.#sessions.get(peer);
    session?.send({ type: "message.rejected", reason });
    if (wasUp && session?.getSnapshot().value === "blocked")
      onBlocked(peer, `too many rejected messages in group ${groupId}, the last: ${reason}`);
  }

  /** A pass of the clean-up timer: one rejection of each peer is forgiven. */
  cleanUp(): void {
    for (const session of this.#sessions.values()) {
      if (session.getSnapshot().context.rejected > 0) session.send({ type: "time.passed" });
    }
  }

  close(): void {
    for (const session of this.#sessions.values()) endActor(session);
    this.#sessions.clear();
  }

  /** A node that stops may learn of a peer when its groups have stopped already. */
  #hasEnded(): boolean {
    const { parent } = this.#options;
    return parent !== undefined && parent.getSnapshot().status !== "active";
  }

  #start(peer: NodeId): SessionActor {
    const { groupId, log, inspect, parent, onError } = this.#options;
    const id = `g${groupId}.session.${peer.slice(0, 8)}`;
    return startSupervised(sessionMachine, { id, input: { peer }, log, inspect, parent, onError });
  }
}
