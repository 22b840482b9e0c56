/**
 * The sealers of a chain, followed from those that are trusted. Headers name their sealers, and
 * their hashes cover that, but only the list before can vouch for the next one.
 *
 * A header is trusted when its fields give its hash, a quorum of the sealers that it names signed
 * it, and the trail leads from a trusted header to it, where each step is one of these:
 * 1. both headers name the same sealers;
 * 2. downwards, to the block before: the trusted header carries its hash;
 * 3. upwards, to the block after, which carries the hash of the trusted one and is signed by a
 *    quorum of the trusted one's sealers;
 * 4. upwards, to the block after, which carries the hash of the trusted one, whose transactions and
 *    receipts show how its list became the next, as sealer-changes says.
 * Between two headers of different lists the change is looked for by halves. A header between two
 * trusted ones has to lead to both. Block 0 has no seals: it is trusted for its hash.
 *
 * What cannot be shown is a ProofFault `change`; what contradicts a trusted header is a `fork`.
 *
 * Source: tx-block-codec 6, 7, 10; groups 6
 */
import type { CryptoSuite } from "../crypto/suite.ts";
import { ProofFault } from "./client-fault.ts";
import { genesisSealers } from "./genesis-sealers.ts";
import type { BlockHeader, Hex } from "./rpc-objects.ts";
import type { SealerChange } from "./sealer-changes.ts";
import { toldHeader, toldMembers, toldTrailSteps, type TrailStep } from "./told-objects.ts";
import { hasMembers, quorum, signersOf, verifyHeader, verifyHeaderHash } from "./verify-proof.ts";

/** A trail between two visits: plain data. A node that can change it decides who is trusted. */
export interface KeptTrail {
  /** Ascending, the first is block 0. */
  readonly steps: readonly TrailStep[];
}

/** Where a trail asks for what it has not seen. */
export interface TrailSource {
  /** The header of a number with its signatures. */
  header(number: number): Promise<BlockHeader>;
  /**
   * What a block did to a list; undefined when that is too much to look at.
   *
   * @throws ProofFault when the answer is not of the block
   */
  changes(header: BlockHeader, before: readonly string[]): Promise<SealerChange | undefined>;
}

/** What a trail is made with. */
export interface TrailParts {
  readonly suite: CryptoSuite;
  readonly source: TrailSource;
  /** Headers that one call asks for at the most; {@link MOST_HEADERS} when absent. */
  readonly mostHeaders?: number;
}

/** Some changes of a chain of a billion blocks. */
const MOST_HEADERS = 256;

/** A header on its way to be trusted; steps that are trusted already come without. */
interface Candidate {
  readonly step: TrailStep;
  readonly header: BlockHeader | undefined;
}

/** What a call may still ask for. */
interface Budget {
  headers: number;
}

/** Which end of a part of the trail is trusted. */
type Trusted = "lower" | "upper";

function stepOf(header: BlockHeader, sealers = header.sealerList): TrailStep {
  const { number, hash, parentHash } = header;
  return { number, hash, parentHash, sealers: [...sealers] };
}

function forked(lower: TrailStep, upper: TrailStep): ProofFault {
  const what = `block ${upper.number} does not follow the block ${lower.number} that is told`;
  return new ProofFault("fork", `${what}: they are of different chains`);
}

/**
 * A header in its form. Headers are compared and counted by their numbers, also by who gave them:
 * the text of one would mislead.
 *
 * @throws ProofFault
 */
function readHeader(told: BlockHeader): BlockHeader {
  const { number } = toldMembers(told, "a header");
  if (typeof number === "number") return toldHeader(told);
  throw new ProofFault("malformed", `the number of a block is reported as ${typeof number}`);
}

/** Block 0, which names the first sealers in its mark, or has one of another form. */
function firstStep(genesis: BlockHeader, otherwise: readonly string[]): TrailStep {
  if (genesis.number === 0) return stepOf(genesis, genesisSealers(genesis) ?? otherwise);
  throw new ProofFault("mismatch", `the answer is block ${genesis.number}, not 0`);
}

/** Fields, hash and a quorum of the sealers that the header names itself. */
function candidateOf(header: BlockHeader, suite: CryptoSuite): Candidate {
  verifyHeader(header, header.sealerList, suite);
  return { step: stepOf(header), header };
}

/** The sealers of a chain, as far as they were followed. */
export class SealerTrail {
  readonly #parts: TrailParts;
  #steps: readonly TrailStep[];
  /** One call at a time: the next finds what the last has learnt. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Goes on with a trail that was kept. @throws ProofFault when nothing is trusted */
  constructor(kept: KeptTrail, parts: TrailParts) {
    const steps = toldTrailSteps(kept);
    if (steps.length === 0) throw new ProofFault("malformed", "the trail has no beginning");
    this.#parts = parts;
    this.#steps = steps;
  }

  /** A trail that trusts block 0, by its hash, and the sealers that it names. @throws ProofFault */
  static fromGenesis(told: BlockHeader, parts: TrailParts): SealerTrail {
    const genesis = readHeader(told);
    verifyHeaderHash(genesis, parts.suite);
    const first = firstStep(genesis, []);
    if (first.sealers.length > 0) return new SealerTrail({ steps: [first] }, parts);
    throw new ProofFault("change", "the first block does not name the sealers of its group");
  }

  /**
   * A trail that trusts sealers, who signed the header: it has to lead down to block 0.
   *
   * @throws ProofFault when they did not, or the chain is not the one of that block 0
   */
  static async fromSealers(
    told: { readonly genesis: BlockHeader; readonly header: BlockHeader },
    sealers: readonly string[],
    parts: TrailParts,
  ): Promise<SealerTrail> {
    const genesis = readHeader(told.genesis);
    const header = readHeader(told.header);
    verifyHeaderHash(genesis, parts.suite);
    verifyHeader(header, sealers, parts.suite);
    const trail = new SealerTrail({ steps: [stepOf(header)] }, parts);
    const second = header.number === 1 ? header : readHeader(await parts.source.header(1));
    await trail.certify(second);
    const first = firstStep(genesis, second.sealerList);
    if (second.parentHash !== first.hash) throw forked(first, stepOf(second));
    // Block 1 is sealed by those whom block 0 names.
    if (!hasMembers(second.sealerList, first.sealers)) {
      throw new ProofFault("fork", "block 1 names other sealers than block 0");
    }
    trail.#keep(first);
    return trail;
  }

  /** What is trusted, ascending: where the list changed, and the ends. */
  get steps(): readonly TrailStep[] {
    return this.#steps;
  }

  /** Hash of block 0, which distinguishes chains and groups. */
  get genesisHash(): Hex | undefined {
    const [first] = this.#steps;
    return first?.number === 0 ? first.hash : undefined;
  }

  /** The sealers of the highest header that is trusted. */
  get sealers(): readonly string[] {
    return this.#steps.at(-1)?.sealers ?? [];
  }

  /** To be kept until the next visit. */
  toKept(): KeptTrail {
    return { steps: this.#steps };
  }

  /**
   * Shows that a header is of the chain. It must have been asked for with its signatures.
   *
   * @throws ProofFault; what the source throws
   */
  certify(header: BlockHeader): Promise<void> {
    const done = this.#turn.then(() => this.#certify(header));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #certify(told: BlockHeader): Promise<void> {
    const { suite } = this.#parts;
    const header = readHeader(told);
    verifyHeaderHash(header, suite);
    const known = this.#steps.find(({ number }) => number === header.number);
    if (known !== undefined) {
      if (known.hash !== header.hash) {
        throw new ProofFault("fork", `another block ${header.number} is trusted already`);
      }
      // The hash covers the sealers, but not the signatures, which the caller relies on too.
      if (header.number > 0) candidateOf(header, suite);
      return;
    }
    const candidate = candidateOf(header, suite);
    const lower = this.#steps.findLast(({ number }) => number < header.number);
    const upper = this.#steps.find(({ number }) => number > header.number);
    const budget = { headers: this.#parts.mostHeaders ?? MOST_HEADERS };
    if (upper !== undefined) {
      await this.#join(candidate, { step: upper, header: undefined }, "upper", budget);
      if (lower !== undefined) {
        await this.#join({ step: lower, header: undefined }, candidate, "upper", budget);
      }
    } else if (lower !== undefined) {
      await this.#join({ step: lower, header: undefined }, candidate, "lower", budget);
    }
    this.#keep(candidate.step);
  }

  /** Leads from one header to the other, the trusted one of which decides what has to be shown. */
  async #join(lower: Candidate, upper: Candidate, trusted: Trusted, budget: Budget): Promise<void> {
    const gap = upper.step.number - lower.step.number;
    const isSame = hasMembers(upper.step.sealers, lower.step.sealers);
    if (gap === 1) {
      if (upper.step.parentHash !== lower.step.hash) throw forked(lower.step, upper.step);
      if (!isSame && trusted === "lower") await this.#requireChange(lower.step, upper, budget);
      return;
    }
    if (isSame) return;
    const middle = await this.#ask(lower.step.number + Math.floor(gap / 2), budget);
    if (trusted === "lower") {
      await this.#join(lower, middle, trusted, budget);
      this.#keep(middle.step);
      await this.#join(middle, upper, trusted, budget);
    } else {
      await this.#join(middle, upper, trusted, budget);
      this.#keep(middle.step);
      await this.#join(lower, middle, trusted, budget);
    }
  }

  async #ask(number: number, budget: Budget): Promise<Candidate> {
    return candidateOf(await this.#tell(number, budget), this.#parts.suite);
  }

  async #tell(number: number, budget: Budget): Promise<BlockHeader> {
    if (budget.headers <= 0) {
      const what = "the sealers changed so often that the trail takes more than one look";
      throw new ProofFault("change", `${what}: ask again to go on`);
    }
    budget.headers--;
    const header = readHeader(await this.#parts.source.header(number));
    if (header.number !== number) {
      throw new ProofFault("mismatch", `the answer is block ${header.number}, not ${number}`);
    }
    return header;
  }

  /** Steps 3 and 4 of the rule. */
  async #requireChange(
    lower: TrailStep,
    { step, header }: Candidate,
    budget: Budget,
  ): Promise<void> {
    const { suite, source } = this.#parts;
    if (header === undefined) return;
    const before = new Set(lower.sealers);
    const carried = [...signersOf(header, suite)].filter((id) => before.has(id)).length;
    if (carried >= quorum(before.size)) return;
    const place = `between blocks ${lower.number} and ${step.number}`;
    const told = await this.#tell(lower.number, budget);
    verifyHeaderHash(told, suite);
    if (told.hash !== lower.hash) {
      throw new ProofFault("fork", `another block ${lower.number} is trusted already`);
    }
    const change = await source.changes(told, lower.sealers);
    if (change !== undefined && hasMembers(step.sealers, [...change.sealers])) return;
    if (change?.isComplete) {
      throw new ProofFault("fork", `the sealers differ ${place}, where nothing changed them so`);
    }
    throw new ProofFault("change", `nothing shows how the sealers changed ${place}`);
  }

  /** Keeps a step that is trusted now; of a run of one list only the ends are needed. */
  #keep(step: TrailStep): void {
    if (this.#steps.some(({ number }) => number === step.number)) return;
    const all = [...this.#steps, step].sort((a, b) => a.number - b.number);
    this.#steps = all.filter((it, i) => {
      const [before, after] = [all[i - 1], all[i + 1]];
      if (before === undefined || after === undefined) return true;
      return !hasMembers(before.sealers, it.sealers) || !hasMembers(after.sealers, it.sealers);
    });
  }
}
