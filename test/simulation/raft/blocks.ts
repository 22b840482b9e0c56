/** Blocks of a Raft schedule: opaque to the core, known to the simulator by R. */
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { Proposal } from "../../../core/consensus/pbft/input.ts";
import type { Random } from "../random.ts";
import { nodeId } from "../workload.ts";
import type { RaftOptions } from "./options.ts";

/** A block as every node would see it. */
export interface Block {
  readonly proposal: Proposal;
  /** E: what executing it gives. */
  readonly executed: Hash;
  readonly executeMs: number;
  /** Sealers in force above it. */
  readonly sealersAfter: readonly NodeId[];
}

/** What a proposer decides about its block. */
export interface BlockWish {
  readonly parent: Hash;
  readonly number: number;
  readonly sealer: number;
  readonly sealers: readonly NodeId[];
  readonly empty: boolean;
}

/** Hexadecimal digits that are the same in all hashes of one kind. */
const FILLING = "0".repeat(52);

/** All blocks of one schedule. */
export class Blocks {
  /** Sealers no longer join or leave. */
  calm = false;
  readonly #known = new Map<Hash, Block>();
  readonly #options: RaftOptions;
  readonly #random: Random;
  readonly #lists = new Map<string, readonly NodeId[]>();

  constructor(options: RaftOptions, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  /** Sealers at genesis. */
  genesisSealers(): readonly NodeId[] {
    return this.#list(Array.from({ length: this.#options.sealers }, (_, number) => nodeId(number)));
  }

  /** The block of an R that exists. */
  get(proposal: Hash): Block {
    const block = this.#known.get(proposal);
    if (!block) throw new RangeError(`no block ${proposal}`);
    return block;
  }

  /** Makes a block that nobody made before. */
  create(wish: BlockWish): Block {
    const random = this.#random;
    const digits = FILLING + (this.#known.size + 1).toString(16).padStart(8, "0");
    const block: Block = {
      proposal: {
        hash: `0xaaaa${digits}` as Hash,
        number: wish.number,
        parentHash: wish.parent,
        sealer: wish.sealer,
        sealers: wish.sealers,
        txCount: wish.empty ? 0 : 1 + random.below(3),
      },
      executed: `0xeeee${digits}` as Hash,
      executeMs: random.between(0, this.#options.executeMs),
      sealersAfter: this.#sealersAfter(wish),
    };
    this.#known.set(block.proposal.hash, block);
    return block;
  }

  /** One node joins or leaves; with three or more at genesis never fewer than three remain. */
  #sealersAfter({ sealers, empty }: BlockWish): readonly NodeId[] {
    const options = this.#options;
    if (empty || this.calm || !this.#random.chance(options.roleChange)) return sealers;
    const id = nodeId(this.#random.below(options.nodes));
    const without = sealers.filter((sealer) => sealer !== id);
    if (without.length === sealers.length) return this.#list([...sealers, id]);
    const fewest = options.sealers >= 3 ? 3 : 1;
    return without.length >= fewest ? this.#list(without) : sealers;
  }

  /** The same list is the same object. */
  #list(ids: readonly NodeId[]): readonly NodeId[] {
    const sorted = [...ids].sort();
    const key = sorted.map((id) => id.slice(0, 2)).join();
    const known = this.#lists.get(key);
    if (known) return known;
    this.#lists.set(key, sorted);
    return sorted;
  }
}
