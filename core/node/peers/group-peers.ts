/** The peers of a group: who is connected, who of them is a member, who may speak. */
import type { NodeId } from "../../bytes/ids.ts";
import type { Incoming } from "../../ports/network.ts";
import { PeerTable } from "./peer-table.ts";
import { SessionTable, type SessionTableOptions } from "./session-table.ts";

/** One per running group. */
export class GroupPeers {
  readonly #table = new PeerTable();
  readonly #sessions: SessionTable;
  /** Connected members as they were told last. */
  #told = "";

  constructor(options: SessionTableOptions, members: readonly NodeId[]) {
    this.#sessions = new SessionTable(options);
    this.#table.setMembers(members);
  }

  /** Sealers and observers of the group, self included or not. */
  setMembers(members: readonly NodeId[]): void {
    this.#table.setMembers(members);
  }

  /** A peer connected; false when there is no room for it. */
  up(peer: NodeId): boolean {
    if (!this.#sessions.up(peer)) return false;
    this.#table.up(peer);
    return true;
  }

  down(peer: NodeId): void {
    this.#sessions.down(peer);
    this.#table.down(peer);
  }

  /** Whether messages of their sender are listened to. */
  hears({ from }: Incoming): boolean {
    return this.#sessions.isUp(from);
  }

  isConnected(peer: NodeId): boolean {
    return this.#table.isConnected(peer);
  }

  /** Whether a node is a sealer or an observer of the group. */
  isMember(peer: NodeId): boolean {
    return this.#table.isMember(peer);
  }

  /** Connected members, ascending. */
  members(): readonly NodeId[] {
    return this.#table.members();
  }

  /** Connected members, to be told now. */
  tell(): readonly NodeId[] {
    const members = this.members();
    this.#told = members.join();
    return members;
  }

  /** Whether others are connected than were told last. */
  hasNews(): boolean {
    return this.members().join() !== this.#told;
  }

  /** Counts what no honest peer sends; too much of it blocks the peer and is reported once. */
  reject(peer: NodeId, reason: string): void {
    this.#sessions.reject(peer, reason);
  }

  /** A pass of the clean-up timer: one rejection of each peer is forgiven. */
  cleanUp(): void {
    this.#sessions.cleanUp();
  }

  close(): void {
    this.#sessions.close();
  }
}
