/** Which members of the group have a session. Source: sync 2; pbft 16.1 */
import type { NodeId } from "../../bytes/ids.ts";

/** Connected peers; members of the group are told apart. */
export class PeerTable {
  readonly #connected = new Set<NodeId>();
  #members: ReadonlySet<NodeId> = new Set();

  /** Sealers and observers of the group, self included or not. */
  setMembers(members: readonly NodeId[]): void {
    this.#members = new Set(members);
  }

  /** A session is up. */
  up(peer: NodeId): void {
    this.#connected.add(peer);
  }

  down(peer: NodeId): void {
    this.#connected.delete(peer);
  }

  isConnected(peer: NodeId): boolean {
    return this.#connected.has(peer);
  }

  /** Whether a node is a sealer or an observer of the group. */
  isMember(peer: NodeId): boolean {
    return this.#members.has(peer);
  }

  /** Connected members, ascending. */
  members(): NodeId[] {
    return [...this.#connected].filter((peer) => this.#members.has(peer)).sort();
  }
}
