/** Which nodes seal after a block: a list that nodes join and leave. Shared by both simulators. */
import type { NodeId } from "../../core/bytes/ids.ts";
import type { Random } from "./random.ts";

/** What decides about lists. */
export interface SealerListRules {
  /** All that may seal; the first of them do at genesis. */
  readonly nodes: readonly NodeId[];
  readonly sealers: number;
  /** Chance that a block changes the list. */
  readonly roleChange: number;
  /** With this many at genesis, never fewer remain. */
  readonly fewest: number;
}

/** Lists by content: the same list is the same object. */
export class SealerLists {
  readonly #random: Random;
  readonly #rules: SealerListRules;
  readonly #lists = new Map<string, readonly NodeId[]>();

  constructor(random: Random, rules: SealerListRules) {
    this.#random = random;
    this.#rules = rules;
  }

  /** Sealers at genesis. */
  genesis(): readonly NodeId[] {
    return this.#list(this.#rules.nodes.slice(0, this.#rules.sealers));
  }

  /** One node joins or leaves, or nothing changes. */
  after(sealers: readonly NodeId[]): readonly NodeId[] {
    const { nodes, roleChange, fewest, sealers: atGenesis } = this.#rules;
    if (!this.#random.chance(roleChange)) return sealers;
    const id = nodes[this.#random.below(nodes.length)] as NodeId;
    const without = sealers.filter((sealer) => sealer !== id);
    if (without.length === sealers.length) return this.#list([...sealers, id]);
    const remaining = atGenesis >= fewest ? fewest : 1;
    return without.length >= remaining ? this.#list(without) : sealers;
  }

  /** The list of these nodes, ascending. */
  #list(ids: readonly NodeId[]): readonly NodeId[] {
    const sorted = [...ids].sort();
    const key = sorted.map((id) => id.slice(0, 2)).join();
    const known = this.#lists.get(key);
    if (known) return known;
    this.#lists.set(key, sorted);
    return sorted;
  }
}
