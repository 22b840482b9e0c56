/** What the ports of a process hold for their clients together: as much as one of them may. */

/** A port. */
export interface MemoryMember {
  /** Most that it holds by itself. */
  readonly bound: number;
  readonly heldBytes: number;
  /** What the peer holds that holds most of those that can be cut; 0 when there is none. */
  readonly largestBytes: number;
  /** Cuts that peer. @returns false when there is none */
  cutLargest(): boolean;
}

/** A class because it owns the list. */
export class MemoryTotal {
  readonly #members = new Set<MemoryMember>();

  /** @returns takes it out again */
  join(member: MemoryMember): () => void {
    this.#members.add(member);
    return () => void this.#members.delete(member);
  }

  /** A member has grown: above the bound the peer that holds most is cut, until it is met. */
  enforce(): void {
    while (this.#isAbove()) {
      let largest: MemoryMember | undefined;
      let most = 0;
      for (const member of this.#members) {
        const { largestBytes } = member;
        if (largestBytes > most) [largest, most] = [member, largestBytes];
      }
      if (!largest?.cutLargest()) return;
    }
  }

  #isAbove(): boolean {
    let [held, bound] = [0, 0];
    for (const member of this.#members) {
      held += member.heldBytes;
      bound = Math.max(bound, member.bound);
    }
    return held > bound;
  }
}
