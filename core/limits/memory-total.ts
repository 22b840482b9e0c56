/** What the ports of a process hold for their clients together, bounded besides each of them. */

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
  readonly #spare: number;
  readonly #members = new Set<MemoryMember>();

  /** @param spare what all may hold above the greatest bound of one */
  constructor(spare: number) {
    this.#spare = spare;
  }

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
      if (held <= greatest + this.#spare || !largest?.cutLargest()) return;
    }
  }
}
