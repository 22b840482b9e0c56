/** What the connections of an endpoint hold in memory, bounded for all of them together. */

import type { MemoryMember, MemoryTotal } from "./memory-total.ts";

/** A connection that holds something. */
export interface Holder {
  heldBytes: number;
  /** Whose it is; each connection for itself when absent. */
  readonly address?: string | undefined;
  /** Its connection is gone, and what runs for it still holds this: there is nothing to cut. */
  readonly isGone?: boolean;
  /** Holds nothing from then on. */
  cut(): void;
}

/**
 * Who holds less than this part of the bound is not cut for what others hold: those who have gone
 * may still hold all there is.
 */
const SMALL_PART = 2_048;

/**
 * Above the bound the peer that holds most is cut: of the address that holds most, its connection
 * that does. A class because it keeps the sum.
 */
export class SocketMemory implements MemoryMember {
  readonly bound: number;
  readonly #total: MemoryTotal | undefined;
  readonly #holders = new Map<Holder, Share>();
  /** By address; of who has none, by itself. */
  readonly #shares = new Map<unknown, Share>();
  #held = 0;

  /** @param total of which this is a member */
  constructor(bound: number, total?: MemoryTotal) {
    this.bound = bound;
    this.#total = total;
  }

  /** Of all connections. */
  get heldBytes(): number {
    return this.#held;
  }

  add(holder: Holder): void {
    if (this.#holders.has(holder)) return;
    const key = holder.address ?? holder;
    const share = this.#shares.get(key) ?? { key, heldBytes: 0, holders: new Set<Holder>() };
    this.#shares.set(key, share);
    this.#holders.set(holder, share);
    share.holders.add(holder);
  }

  /** It holds more, or less; nothing happens to one that was removed. */
  change(holder: Holder, bytes: number): void {
    const share = this.#holders.get(holder);
    if (!share) return;
    const change = Math.max(bytes, -holder.heldBytes);
    holder.heldBytes += change;
    share.heldBytes += change;
    this.#held += change;
    if (bytes <= 0) return;
    while (this.#held > this.bound) if (!this.cutLargest()) return;
    this.#total?.enforce();
  }

  get largestBytes(): number {
    return this.#largest().bytes;
  }

  cutLargest(): boolean {
    const { holder } = this.#largest();
    if (!holder) return false;
    this.remove(holder);
    holder.cut();
    return true;
  }

  /** Of the address that holds most, with the bytes of that. */
  #largest(): { readonly bytes: number; readonly holder?: Holder } {
    let found: { readonly bytes: number; readonly holder?: Holder } = { bytes: 0 };
    for (const { heldBytes: bytes, holders } of this.#shares.values()) {
      const isMore = bytes > Math.max(found.bytes, this.bound / SMALL_PART);
      const holder = isMore ? largestOf(holders) : undefined;
      if (holder) found = { bytes, holder };
    }
    return found;
  }

  remove(holder: Holder): void {
    const share = this.#holders.get(holder);
    if (!share) return;
    this.#holders.delete(holder);
    share.holders.delete(holder);
    if (share.holders.size === 0) this.#shares.delete(share.key);
    share.heldBytes -= holder.heldBytes;
    this.#held -= holder.heldBytes;
    holder.heldBytes = 0;
  }
}

/** What the connections of an address hold together. */
interface Share {
  readonly key: unknown;
  heldBytes: number;
  readonly holders: Set<Holder>;
}

function largestOf(holders: ReadonlySet<Holder>): Holder | undefined {
  let found: Holder | undefined;
  for (const holder of holders)
    if (!holder.isGone && holder.heldBytes > (found?.heldBytes ?? 0)) found = holder;
  return found;
}
