/** A line in which no address, and no connection of one, keeps another from its turn. */

/** Who waits. */
export interface LinePlace {
  readonly address: string;
  /** What tells the connections of an address apart. */
  readonly connection: unknown;
}

/**
 * Gives turns between addresses, then between the connections of an address, then in order. A class
 * because it owns the line.
 */
export class FairLine<Item> {
  /** A caller that has had a turn goes behind the others. */
  readonly #addresses = new Map<string, Map<unknown, Set<Item>>>();
  #length = 0;
  #served: LinePlace | undefined;

  /** All that wait. */
  get length(): number {
    return this.#length;
  }

  /** Those of a connection that wait. */
  lengthOf({ address, connection }: LinePlace): number {
    return this.#addresses.get(address)?.get(connection)?.size ?? 0;
  }

  add({ address, connection }: LinePlace, item: Item): void {
    const own = this.#addresses.get(address) ?? new Map<unknown, Set<Item>>();
    const items = own.get(connection) ?? new Set<Item>();
    this.#addresses.set(address, own.set(connection, items.add(item)));
    this.#length += 1;
  }

  /** It waits no more. @returns false when it did not */
  remove({ address, connection }: LinePlace, item: Item): boolean {
    const own = this.#addresses.get(address);
    const items = own?.get(connection);
    if (!own || !items?.delete(item)) return false;
    this.#length -= 1;
    if (items.size === 0) own.delete(connection);
    if (own.size === 0) this.#addresses.delete(address);
    return true;
  }

  /** Takes out whose turn it is. */
  next(): Item | undefined {
    this.#sendBack();
    for (const [address, own] of this.#addresses)
      for (const [connection, items] of own)
        for (const item of items) {
          this.#served = { address, connection };
          this.remove(this.#served, item);
          return item;
        }
    return undefined;
  }

  /**
   * Takes out the youngest of the address that has most, by address, then by connection, when one
   * more of a connection is to come.
   *
   * @returns undefined when nobody has more than that one itself
   */
  yieldTo(newcomer: LinePlace): Item | undefined {
    const addresses = [...this.#addresses].map(([address, all]) => ({ address, sum: sumOf(all) }));
    const own = addresses.find(({ address }) => address === newcomer.address)?.sum ?? 0;
    const [most] = addresses.sort((a, b) => b.sum - a.sum);
    if (!most) return undefined;
    const isOwn = most.sum <= own + 1;
    const address = isOwn ? newcomer.address : most.address;
    const connections = [...(this.#addresses.get(address) ?? [])];
    const [largest] = connections.sort(([, a], [, b]) => b.size - a.size);
    if (!largest) return undefined;
    const [connection, items] = largest;
    if (isOwn && items.size <= this.lengthOf(newcomer) + 1) return undefined;
    const youngest = [...items].at(-1);
    if (youngest !== undefined) this.remove({ address, connection }, youngest);
    return youngest;
  }

  /** All that wait. */
  *items(): Iterable<Item> {
    for (const own of this.#addresses.values()) for (const items of own.values()) yield* items;
  }

  #sendBack(): void {
    if (!this.#served) return;
    const { address, connection } = this.#served;
    const own = this.#addresses.get(address);
    if (!own) return;
    this.#addresses.delete(address);
    this.#addresses.set(address, own);
    const items = own.get(connection);
    if (!items) return;
    own.delete(connection);
    own.set(connection, items);
  }
}

function sumOf(own: ReadonlyMap<unknown, ReadonlySet<unknown>>): number {
  let sum = 0;
  for (const items of own.values()) sum += items.size;
  return sum;
}
