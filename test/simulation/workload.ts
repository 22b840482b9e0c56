/** Blocks of a schedule: opaque to the core, known to the simulator by R. */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { Proposal } from "../../core/consensus/exchange.ts";
import type { Options } from "./options.ts";
import type { Random } from "./random.ts";
import { SealerLists } from "./sealer-lists.ts";

/** A block as every honest node would see it. */
export interface Body {
  readonly proposal: Proposal;
  /** E: what executing it gives. */
  readonly executed: Hash;
  /** The executor refuses it: made by a Byzantine sealer. */
  readonly refused: boolean;
  readonly executeMs: number;
  /** Sealers in force above it. */
  readonly sealersAfter: readonly NodeId[];
  /** No pool has its transactions. */
  readonly withheld: boolean;
}

/** What a proposer decides about its block. */
export interface BlockOptions {
  readonly parent: Hash;
  readonly number: number;
  readonly sealer: number;
  readonly sealers: readonly NodeId[];
  readonly empty: boolean;
  readonly withheld?: boolean;
  readonly refused?: boolean;
  /** List in the header, where it differs from the true one. */
  readonly listed?: readonly NodeId[];
}

/** More nodes than any schedule has. */
const MOST_NODES = 16;
const NODE_IDS = Array.from(
  { length: MOST_NODES },
  (_, number) => (number + 1).toString(16).padStart(2, "0").repeat(64) as NodeId,
);
const NODE_NUMBERS = new Map(NODE_IDS.map((id, number) => [id, number]));

/** Node ID of a number: ascending, of the right length. */
export function nodeId(number: number): NodeId {
  return NODE_IDS[number] as NodeId;
}

/** Number of a node ID; -1 for an unknown one. */
export function nodeNumber(id: NodeId): number {
  return NODE_NUMBERS.get(id) ?? -1;
}

/** A hash that no block has, for nonsense. */
export function fakeHash(number: number): Hash {
  return `0xdd${number.toString(16).padStart(62, "0")}` as Hash;
}

/** Hash of the genesis block. */
export const GENESIS = `0x${"11".repeat(32)}` as Hash;
/** Blocks that outlive a view execute about this long, in milliseconds. */
const HEAVY_MS = { from: 2_000, to: 12_000 };
/** A list that is long enough at genesis stays so: fewer tolerate no fault. */
const FEWEST_SEALERS = 4;
/** Hexadecimal digits that are the same in all hashes of one kind. */
const FILLING = "0".repeat(52);

/** All blocks of one schedule. */
export class Workload {
  readonly bodies = new Map<Hash, Body>();
  /** Sealers no longer join or leave. */
  calm = false;
  readonly #options: Options;
  readonly #random: Random;
  readonly #lists: SealerLists;

  constructor(options: Options, random: Random) {
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

  /** The body of an R that exists. */
  body(proposal: Hash): Body {
    const body = this.bodies.get(proposal);
    if (!body) throw new RangeError(`no body ${proposal}`);
    return body;
  }

  /** Makes a block that no node made before. */
  create(block: BlockOptions): Body {
    const options = this.#options;
    const random = this.#random;
    const digits = FILLING + (this.bodies.size + 1).toString(16).padStart(8, "0");
    const heavy = !block.empty && !this.calm && random.chance(options.heavy);
    const body: Body = {
      proposal: {
        hash: `0xaaaa${digits}` as Hash,
        number: block.number,
        parentHash: block.parent,
        sealer: block.sealer,
        sealers: block.listed ?? block.sealers,
        txCount: block.empty ? 0 : 1 + random.below(3),
      },
      executed: `0xeeee${digits}` as Hash,
      refused: block.refused ?? false,
      executeMs: heavy
        ? random.between(HEAVY_MS.from, HEAVY_MS.to)
        : random.between(0, options.executeMs),
      sealersAfter: block.empty || this.calm ? block.sealers : this.#lists.after(block.sealers),
      withheld: block.withheld ?? false,
    };
    this.bodies.set(body.proposal.hash, body);
    return body;
  }
}
