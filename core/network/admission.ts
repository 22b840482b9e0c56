/** Who may be a peer, which of two connections stays, when to dial. Source: node-network 2 */
import type { NodeId } from "../bytes/ids.ts";
import type { Refusal } from "./handshake.ts";

function normalise(id: string): string {
  return id.trim().toLowerCase().replace(/^0x/, "");
}

/** Blacklist and whitelist; the blacklist wins, letters compare without case. */
export class PeerLists {
  readonly #black: ReadonlySet<string>;
  #white: ReadonlySet<string>;

  constructor(blacklist: readonly string[], whitelist: readonly string[]) {
    this.#black = new Set(blacklist.map(normalise));
    this.#white = new Set(whitelist.map(normalise));
  }

  /** Replaces the whitelist; an empty one admits everybody. */
  setWhitelist(whitelist: readonly string[]): void {
    this.#white = new Set(whitelist.map(normalise));
  }

  /** Why a node is refused; undefined when it is admitted. */
  refusal(nodeId: NodeId): Refusal | undefined {
    if (this.#black.has(nodeId)) return "blacklisted";
    if (this.#white.size > 0 && !this.#white.has(nodeId)) return "not on the whitelist";
    return undefined;
  }
}

/** A connection to a peer that another one meets. */
export interface KnownConnection {
  /** False while this node has sent its proof and waits for the peer's word. */
  readonly active: boolean;
  readonly dialledBySelf: boolean;
  readonly ageMs: number;
}

/** A connection whose peer has just proven who it is. */
export interface NewConnection {
  readonly self: NodeId;
  readonly peer: NodeId;
  readonly dialledBySelf: boolean;
}

/**
 * Whether a new connection takes the place of a known one. A dialler keeps what it has. Of two
 * simultaneous dials both ends keep the one of the smaller ID. Otherwise the peer has finished a
 * dial although it keeps what it has: it has lost the known connection. Source: node-network 2
 */
export function takesOver(
  known: KnownConnection,
  { self, peer, dialledBySelf }: NewConnection,
  raceMs: number,
): boolean {
  if (dialledBySelf) return false;
  const isRace = known.dialledBySelf && (!known.active || known.ageMs < raceMs);
  return isRace ? peer < self : true;
}

/** First pause before a peer is dialled again. */
export const FIRST_PAUSE_MS = 1_000;
/** Longest pause. */
export const LONGEST_PAUSE_MS = 30_000;

/** Doubles from the first pause to the longest; chance, 0 to 1, takes away up to half of it. */
function doubled(first: number, longest: number, times: number, chance: number): number {
  const whole = Math.min(longest, first * 2 ** Math.min(times, 16));
  return Math.round(whole * (1 - chance / 2));
}

/** The pause after a number of failures in a row: 1 s to 30 s. Source: node-network 9 */
export function pauseMs(failures: number, chance: number): number {
  return doubled(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, failures, chance);
}

/** First pause before an endpoint that was this node itself is asked again. */
export const FIRST_SELF_PAUSE_MS = 2 * 60_000;
/** Longest such pause. */
export const LONGEST_SELF_PAUSE_MS = 16 * 60_000;

/** The pause after an endpoint was this node itself, 2 to 16 min: addresses move between hosts. */
export function selfPauseMs(times: number, chance: number): number {
  return doubled(FIRST_SELF_PAUSE_MS, LONGEST_SELF_PAUSE_MS, times - 1, chance);
}

/** Offences after which a peer is disconnected; one is forgiven with each heartbeat. */
export const OFFENCES_BEFORE_BAN = 20;
/** How long a disconnected offender stays out. */
export const BAN_MS = 60_000;
