/** What the ports of a process hold for their clients together: as much as one of them may. */

/** A port. */
export interface MemoryMember {
  /** Most that it holds by itself. */
  readonly bound: number;
  readonly heldBytes: number;
  /** Cuts the peer that holds most. @returns false when there is none */
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

  /** A member has grown: above the bound the one that holds most cuts, until it is met. */
  enforce(): void {
    for (;;) {
      let [held, greatest] = [0, 0];
      let largest: MemoryMember | undefined;
      for (const member of this.#members) {
        held += member.heldBytes;
        greatest = Math.max(greatest, member.bound);
        if (member.heldBytes > (largest?.heldBytes ?? 0)) largest = member;
      }
      if (held <= greatest || !largest?.cutLargest()) return;
    }
  }
}
