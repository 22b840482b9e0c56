/**
 * Whether blocks are of the chain that is followed. Sealers may sign for several groups, or for a
 * chain that was given up, and a header does not name its own: what they signed counts when it is
 * tied to a block that counts already, or enough upstreams name it, or it holds a transaction of
 * the group. Source: tx-block-codec 6
 */
import { NodeFault, ProofFault, TransportFault } from "../client/client-fault.ts";
import type { RpcCall } from "../client/transport.ts";
import { toldHeader, type TrailStep } from "../client/told-objects.ts";
import { verifyHeaderHash } from "../client/verify-proof.ts";
import { isOwnTrouble, nodesIn } from "./agreed-reads.ts";
import type { SharedWork } from "./kept-answers.ts";
import { PROVED_READS } from "./proved-reads.ts";
import type { Reader } from "./reader.ts";
import { staggered, type Verdict } from "./staggered.ts";
import { resultIn, type Upstream } from "./upstream.ts";
import type { Asking } from "./upstream-set.ts";

/** What ties a block to its neighbours. */
export type Tie = Pick<TrailStep, "number" | "hash" | "parentHash">;

/** What is needed to tell. */
export interface TieParts extends Asking {
  /** The block of a number that counts already. */
  known(number: number): Tie | undefined;
  /** Several readers want to know the same of a new head. */
  readonly naming: SharedWork<boolean>;
}

/** Headers between two blocks that are asked for to tie them: one batch, of a gateway too. */
const MOST_BETWEEN = 47;
/** Blocks that one batch asks the names of. */
const MOST_NAMED = 50;

function forked({ number }: Tie): ProofFault {
  return new ProofFault("fork", `block ${number} is not of the chain that was shown before`);
}

/** Blocks of one upstream, which its sealers are known to have signed. */
class Ties {
  readonly #reader: Reader;
  readonly #parts: TieParts;
  readonly #sure = new Map<number, Tie>();

  constructor(reader: Reader, parts: TieParts) {
    this.#reader = reader;
    this.#parts = parts;
  }

  known(number: number): Tie | undefined {
    return this.#sure.get(number) ?? this.#parts.known(number);
  }

  count(tie: Tie): void {
    this.#sure.set(tie.number, tie);
  }

  /** Whether a block is known, or one next to it is that says so. @throws ProofFault */
  isNeighbour(tie: Tie): boolean {
    const { number, hash, parentHash } = tie;
    const [parent, same, child] = [-1, 0, 1].map((step) => this.known(number + step));
    if (same !== undefined && same.hash !== hash) throw forked(tie);
    if (parent !== undefined && parent.hash !== parentHash) throw forked(tie);
    if (child !== undefined && child.parentHash !== hash) throw forked(tie);
    return (parent ?? same ?? child) !== undefined;
  }

  /** Whether headers lead from a block to one that is known. @throws ProofFault */
  async isNear(tie: Tie): Promise<boolean> {
    let isUpperAsked = false;
    for (let distance = 2; distance <= MOST_BETWEEN + 1; distance++) {
      const lower = this.known(tie.number - distance);
      if (lower !== undefined) {
        await this.#lead(lower, tie, (header) => this.#shown(header));
        return true;
      }
      const upper = this.known(tie.number + distance);
      if (upper === undefined || isUpperAsked) continue;
      isUpperAsked = true;
      if (await this.#leadsUp(tie, upper)) return true;
    }
    return false;
  }

  /** A client that is behind has no blocks above its own: that says nothing against it. */
  async #leadsUp(tie: Tie, upper: Tie): Promise<boolean> {
    try {
      await this.#lead(tie, upper, (header) => this.#reader.told(header));
      return true;
    } catch (cause) {
      if (!(cause instanceof NodeFault) || isOwnTrouble(cause.code)) throw cause;
      return false;
    }
  }

  async #lead(lower: Tie, upper: Tie, ask: (call: RpcCall) => Promise<unknown>): Promise<void> {
    const { suite } = this.#reader.asker.parts;
    const first = lower.number + 1;
    const calls = Array.from({ length: upper.number - first }, (_, i) =>
      this.#reader.call("getBlockHeaderByNumber", String(first + i), false),
    );
    await this.#reader.asker.prefetch(calls);
    let { parentHash } = upper;
    for (const call of calls.reverse()) {
      const header = toldHeader(await ask(call));
      verifyHeaderHash(header, suite);
      if (header.hash !== parentHash) throw forked(upper);
      ({ parentHash } = header);
    }
    if (parentHash !== lower.hash) throw forked(upper);
  }

  /** What lies below a block that it shows, it has. @throws ProofFault */
  async #shown(call: RpcCall): Promise<unknown> {
    try {
      return await this.#reader.told(call);
    } catch (cause) {
      if (!(cause instanceof NodeFault) || isOwnTrouble(cause.code)) throw cause;
      throw new ProofFault("proof", `it does not show what lies between: ${cause.message}`);
    }
  }

  /** Whether enough upstreams name these blocks. @throws ProofFault when they name others */
  areNamed(ties: readonly Tie[]): Promise<boolean> {
    const key = ties.map(({ number, hash }) => `${number} ${hash}`).join();
    return this.#parts.naming.share(key, () => this.#askNames(ties));
  }

  async #askNames(ties: readonly Tie[]): Promise<boolean> {
    const { groupId, upstreams, clock } = this.#parts;
    const calls = ties.map(({ number }) => ({
      method: "getBlockHashByNumber",
      params: [groupId, String(number)],
    }));
    const own = this.#reader.asker.parts.upstream;
    const counting = upstreams.counting();
    const enough = Math.min(upstreams.all.length, upstreams.needed);
    const same = counting.filter((it) => it === own).map((upstream) => ({ upstream }));
    const other: { readonly upstream: Upstream }[] = [];
    const isSettled = (): boolean => nodesIn(same) >= enough || nodesIn(other) >= enough;
    const judge = (word: Word): Verdict => {
      const side = word.isSame ? same : other;
      if (word.isSame !== undefined) side.push(word);
      return isSettled() ? "done" : word.isSame ? "wait" : "more";
    };
    const asked = counting
      .filter((it) => it !== own)
      .map((it) => () => this.#word(it, ties, calls));
    const first = enough - same.length;
    if (!isSettled()) await staggered(asked, { clock, first }, judge);
    const [tie] = ties;
    if (nodesIn(other) >= enough && tie !== undefined) throw forked(tie);
    return nodesIn(same) >= enough;
  }

  /** Never rejects. */
  async #word(upstream: Upstream, ties: readonly Tie[], calls: readonly RpcCall[]): Promise<Word> {
    try {
      await this.#parts.introduce(upstream);
      const told = (await upstream.ask(calls)).map(resultIn);
      return { upstream, isSame: ties.every(({ hash }, i) => told[i] === hash) };
    } catch (cause) {
      this.#parts.upstreams.refuseFor(upstream, cause, "getBlockHashByNumber");
      return { upstream, isSame: undefined };
    }
  }

  /** Whether the first transaction of a block is of the group. @throws ProofFault for another */
  async isOfGroup({ number, hash }: Tie): Promise<boolean> {
    const read = PROVED_READS["getTransactionByBlockNumberAndIndex"];
    const first = read?.([this.#parts.groupId, String(number), "0"]);
    try {
      return (await first?.(this.#reader))?.header.hash === hash;
    } catch (cause) {
      if (cause instanceof NodeFault) return false;
      throw cause;
    }
  }
}

/** What an upstream says of some blocks; undefined when it cannot say. */
interface Word {
  readonly upstream: Upstream;
  readonly isSame: boolean | undefined;
}

/** What was shown. */
export interface Shown {
  /** Blocks that their sealers signed, or that their hash is trusted for. */
  readonly ties: readonly Tie[];
  /** The number of a block of which a transaction of the group was shown. */
  readonly ofGroup?: number | undefined;
}

/**
 * Blocks of a reader are of the chain.
 *
 * @throws ProofFault for those of another; TransportFault while too few upstreams report
 */
export async function requireOfChain(
  { ties, ofGroup }: Shown,
  reader: Reader,
  parts: TieParts,
): Promise<void> {
  const told = new Ties(reader, parts);
  const loose: Tie[] = [];
  const byNumber = new Map(ties.map((tie) => [tie.number, tie]));
  // What is known counts first, with its parents: it ties the others.
  for (const tie of byNumber.values()) {
    if (parts.known(tie.number)?.hash === tie.hash) told.count(tie);
  }
  for (const tie of byNumber.values()) {
    if (told.isNeighbour(tie) || tie.number === ofGroup || (await told.isNear(tie))) {
      told.count(tie);
    } else loose.push(tie);
  }
  for (let from = 0; from < loose.length; from += MOST_NAMED) {
    const some = loose.slice(from, from + MOST_NAMED);
    if (await told.areNamed(some)) continue;
    for (const tie of some) {
      if (await told.isOfGroup(tie)) continue;
      const what = `whether block ${tie.number} is of the chain`;
      throw new TransportFault(`too few upstreams report ${what}`);
    }
  }
}
