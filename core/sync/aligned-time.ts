/**
 * The clock that the sealers of a group agree on, as an offset to the own one. What is small counts
 * as nothing; what a minority claims changes nothing; no group moves a clock far.
 * Source: sync 6 (DEVIATE)
 */
import type { NodeId } from "../bytes/ids.ts";
import { version } from "../model/version.ts";

/** From here on a status carries the sender's clock. Source: sync 6 */
export const ALIGNED_FROM = version(2, 6, 0);
/** An offset that moved by no more is the same. Source: sync 6 */
export const SAME_OFFSET_MS = 3 * 60_000;
/** A peer farther off is worth a line in the log, and no clock is moved farther. Source: sync 6 */
export const FAR_OFFSET_MS = 30 * 60_000;

/** Whose clocks count. */
export interface Electorate {
  readonly self: NodeId;
  readonly sealers: readonly NodeId[];
}

/** A moment by the clocks of this node, in milliseconds. */
export interface OwnMoment {
  /** Of the wall clock, which may jump. */
  readonly wall: number;
  readonly steady: number;
}

/** How far may be reported of a group's clocks, and what counts where two halves differ. */
export interface ReferenceRule {
  /** How many of the sealers may say anything. */
  readonly byzantine: number;
  /** `own`: the half that is nearer to the own clock; `lowest`: the one behind. */
  readonly tie: "own" | "lowest";
}

/** What is known of the clocks of peers; bounded by the sessions of the group. */
export class AlignedTime {
  readonly #offsets = new Map<NodeId, number>();
  /** As each said last, from the own steady clock on: the own wall clock may jump meanwhile. */
  readonly #exact = new Map<NodeId, number>();

  /** Notes the clock of a peer; gives whether it moved and is far off now. */
  note(peer: NodeId, theirs: number, own: OwnMoment): boolean {
    const offset = theirs - own.wall;
    this.#exact.set(peer, theirs - own.steady);
    const before = this.#offsets.get(peer) ?? 0;
    if (Math.abs(offset - before) <= SAME_OFFSET_MS) return false;
    this.#offsets.set(peer, offset);
    return Math.abs(offset) > FAR_OFFSET_MS;
  }

  /** A session is gone. */
  forget(peer: NodeId): void {
    this.#offsets.delete(peer);
    this.#exact.delete(peer);
  }

  /**
   * The reference time, which judges how far a proposal is ahead: what is small counts too, and
   * nothing bounds it. Who says nothing has no part in it. Source: decision 27
   */
  reference(
    { self, sealers }: Electorate,
    own: OwnMoment,
    { byzantine, tie }: ReferenceRule,
  ): number {
    const { steady, wall } = own;
    const offsetOf = (id: NodeId): number | readonly never[] => {
      const base = this.#exact.get(id);
      return base === undefined ? [] : base + steady - wall;
    };
    const offsets = sealers.flatMap((id) => (id === self ? 0 : offsetOf(id)));
    offsets.sort((left, right) => left - right);
    const trimmed = Math.min(byzantine, Math.max(0, Math.floor((offsets.length - 1) / 2)));
    const counted = offsets.slice(trimmed, offsets.length - trimmed);
    return wall + (tie === "own" ? medianOf(counted) : lowerMiddle(counted));
  }

  /** Whether a peer has reported its clock in this session. */
  knows(peer: NodeId): boolean {
    return this.#exact.has(peer);
  }

  /** Whether more than half of the sealers have reported their clocks, the own one among them. */
  knowsMajority({ self, sealers }: Electorate): boolean {
    const known = sealers.filter((id) => id === self || this.#exact.has(id));
    return 2 * known.length > sealers.length;
  }

  /** Milliseconds to add to the own clock, while `byzantine` sealers may say anything. */
  offset(sealers: readonly NodeId[], byzantine: number): number {
    const known = sealers.map((sealer) => this.#offsets.get(sealer) ?? 0);
    known.sort((left, right) => left - right);
    const honest = known.slice(byzantine, known.length - byzantine);
    const median = medianOf(honest);
    return Math.max(-FAR_OFFSET_MS, Math.min(FAR_OFFSET_MS, median));
  }
}

function lowerMiddle(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Of an even count the one in the middle that is nearer to nothing. */
function medianOf(sorted: readonly number[]): number {
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = lowerMiddle(sorted);
  return Math.abs(lower) < Math.abs(upper) ? lower : upper;
}
