/** Who is connected and where they say they stand. Source: sync 2, 8; pbft 16.1 (Status) */
import type { Hash, NodeId } from "../bytes/ids.ts";
import { maxFaulty } from "../consensus/quorum.ts";

/** The last status of a peer. */
export interface PeerStatus {
  readonly number: number;
  readonly latestHash: Hash;
}

/** Statuses of connected members; bounded by the members of the group. */
export class PeerTable {
  readonly #connected = new Map<NodeId, PeerStatus>();
  readonly #genesis: Hash;
  #members: ReadonlySet<NodeId> = new Set();

  constructor(genesis: Hash) {
    this.#genesis = genesis;
  }

  /** Sealers and observers of the group, self included or not. */
  setMembers(members: readonly NodeId[]): void {
    this.#members = new Set(members);
  }

  /** A session is up. A peer shows block 0 until its first status. Source: sync 8 */
  up(peer: NodeId): void {
    if (!this.#connected.has(peer))
      this.#connected.set(peer, { number: 0, latestHash: this.#genesis });
  }

  down(peer: NodeId): void {
    this.#connected.delete(peer);
  }

  note(peer: NodeId, status: PeerStatus): void {
    if (this.#connected.has(peer)) this.#connected.set(peer, status);
  }

  isConnected(peer: NodeId): boolean {
    return this.#connected.has(peer);
  }

  /** Connected members, ascending. */
  members(): NodeId[] {
    return [...this.#connected.keys()].filter((peer) => this.#members.has(peer)).sort();
  }

  /** Connected members with their statuses, ordered by node ID. */
  statuses(): { readonly nodeId: NodeId; readonly number: number; readonly latestHash: Hash }[] {
    return this.members().map((nodeId) => {
      const status = this.#connected.get(nodeId);
      return {
        nodeId,
        number: status?.number ?? 0,
        latestHash: status?.latestHash ?? this.#genesis,
      };
    });
  }

  /**
   * The height that at least one honest sealer stands at, as far as sealers say: of f of them any
   * claim may be a lie.
   */
  believableHeight(sealers: readonly NodeId[]): number {
    const heights = sealers.map((sealer) => this.#connected.get(sealer)?.number ?? 0);
    heights.sort((left, right) => right - left);
    return heights[maxFaulty(sealers.length)] ?? 0;
  }

  /** The highest status of a member; undefined when none is above a height. */
  highestAbove(height: number): PeerStatus | undefined {
    let best: PeerStatus | undefined;
    for (const peer of this.statuses()) {
      if (peer.number > (best?.number ?? height)) best = peer;
    }
    return best;
  }
}
