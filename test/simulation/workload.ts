/** Blocks of a schedule: opaque to the core, known to the simulator by R. */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { Proposal } from "../../core/consensus/pbft/input.ts";
import type { Options } from "./options.ts";
import type { Random } from "./random.ts";

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
export interface BlockWish {
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
/** Hexadecimal digits that are the same in all hashes of one kind. */
const FILLING = "0".repeat(52);

/** All blocks of one schedule. */
export class Workload {
  readonly bodies = new Map<Hash, Body>();
  /** Sealers no longer join or leave. */
  calm = false;
  readonly #options: Options;
  readonly #random: Random;
  readonly #lists = new Map<string, readonly NodeId[]>();

  constructor(options: Options, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  /** Sealers at genesis. */
  genesisSealers(): readonly NodeId[] {
    return this.#list(Array.from({ length: this.#options.sealers }, (_, number) => nodeId(number)));
  }

  /** The body of an R that exists. */
  body(proposal: Hash): Body {
    const body = this.bodies.get(proposal);
    if (!body) throw new RangeError(`no body ${proposal}`);
    return body;
  }

  /** Makes a block that nobody made before. */
  create(wish: BlockWish): Body {
    const options = this.#options;
    const random = this.#random;
    const digits = FILLING + (this.bodies.size + 1).toString(16).padStart(8, "0");
    const heavy = !wish.empty && !this.calm && random.chance(options.heavy);
    const body: Body = {
      proposal: {
        hash: `0xaaaa${digits}` as Hash,
        number: wish.number,
        parentHash: wish.parent,
        sealer: wish.sealer,
        sealers: wish.listed ?? wish.sealers,
        txCount: wish.empty ? 0 : 1 + random.below(3),
      },
      executed: `0xeeee${digits}` as Hash,
      refused: wish.refused ?? false,
      executeMs: heavy
        ? random.between(HEAVY_MS.from, HEAVY_MS.to)
        : random.between(0, options.executeMs),
      sealersAfter: this.#sealersAfter(wish),
      withheld: wish.withheld ?? false,
    };
    this.bodies.set(body.proposal.hash, body);
    return body;
  }

  /** One node joins or leaves; with four or more at genesis never fewer than four remain. */
  #sealersAfter({ sealers, empty }: BlockWish): readonly NodeId[] {
    const options = this.#options;
    if (empty || this.calm || !this.#random.chance(options.roleChange)) return sealers;
    const id = nodeId(this.#random.below(options.nodes));
    const without = sealers.filter((sealer) => sealer !== id);
    if (without.length === sealers.length) return this.#list([...sealers, id]);
    const fewest = options.sealers >= 4 ? 4 : 1;
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
