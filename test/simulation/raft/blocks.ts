/** Blocks of a Raft schedule: opaque to the core, known to the simulator by R. */
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { Proposal } from "../../../core/consensus/exchange.ts";
import type { Random } from "../random.ts";
import { SealerLists } from "../sealer-lists.ts";
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
export interface BlockOptions {
  readonly parent: Hash;
  readonly number: number;
  readonly sealer: number;
  readonly sealers: readonly NodeId[];
  readonly empty: boolean;
}

/** A list that is long enough at genesis stays so: fewer tolerate no fault. */
const FEWEST_SEALERS = 3;
/** Hexadecimal digits that are the same in all hashes of one kind. */
const FILLING = "0".repeat(52);

/** All blocks of one schedule. */
export class Blocks {
  /** Sealers no longer join or leave. */
  calm = false;
  readonly #known = new Map<Hash, Block>();
  readonly #options: RaftOptions;
  readonly #random: Random;
  readonly #lists: SealerLists;

  constructor(options: RaftOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    const nodes = Array.from({ length: options.nodes }, (_, number) => nodeId(number));
    const { sealers, roleChange } = options;
    this.#lists = new SealerLists(random, { nodes, sealers, roleChange, fewest: FEWEST_SEALERS });
  }

  /** Sealers at genesis. */
  genesisSealers(): readonly NodeId[] {
    return this.#lists.genesis();
  }

  /** The block of an R that exists. */
  get(proposal: Hash): Block {
    const block = this.#known.get(proposal);
    if (!block) throw new RangeError(`no block ${proposal}`);
    return block;
  }

  /** Makes a block that no node made before. */
  create(options: BlockOptions): Block {
    const random = this.#random;
    const digits = FILLING + (this.#known.size + 1).toString(16).padStart(8, "0");
    const block: Block = {
      proposal: {
        hash: `0xaaaa${digits}` as Hash,
        number: options.number,
        parentHash: options.parent,
        sealer: options.sealer,
        sealers: options.sealers,
        txCount: options.empty ? 0 : 1 + random.below(3),
      },
      executed: `0xeeee${digits}` as Hash,
      executeMs: random.between(0, this.#options.executeMs),
      sealersAfter:
        options.empty || this.calm ? options.sealers : this.#lists.after(options.sealers),
    };
    this.#known.set(block.proposal.hash, block);
    return block;
  }
}
