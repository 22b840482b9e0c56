/**
 * Which machines have a cable between them: all, or drawn for a schedule. Sealers always hear each
 * other through sealers; the extra node has a cable to everybody. Source: pbft 11
 */
import { DEFAULT_RELAY_TUNING, type RelayTuning } from "../../../core/model/config.ts";
import { Random } from "../random.ts";

/** A pair of machines, the smaller number first: `0-2`. */
export type Cable = `${number}-${number}`;

/** The cables that there are not, and how nodes make up for them. */
export interface Graph {
  readonly name: string;
  readonly absent: ReadonlySet<Cable>;
  readonly relay: RelayTuning;
}

/** Everybody with everybody. */
export const FULL_GRAPH: Graph = { name: "full", absent: new Set(), relay: DEFAULT_RELAY_TUNING };

function cable(one: number, other: number): Cable {
  return `${Math.min(one, other)}-${Math.max(one, other)}`;
}

/** All pairs of this many machines but those. */
function without(sealers: number, cables: ReadonlySet<Cable>): ReadonlySet<Cable> {
  const absent = new Set<Cable>();
  for (let one = 0; one < sealers; one++)
    for (let other = one + 1; other < sealers; other++)
      if (!cables.has(cable(one, other))) absent.add(cable(one, other));
  return absent;
}

/** A closed ring of sealers, in the order of their numbers. */
export function ringOf(sealers: number, relay: RelayTuning = DEFAULT_RELAY_TUNING): Graph {
  const cables = Array.from({ length: sealers }, (_, one) => cable(one, (one + 1) % sealers));
  return { name: "ring", absent: without(sealers, new Set(cables)), relay };
}

/** All sealers with one. */
export function starOf(
  sealers: number,
  centre: number,
  relay: RelayTuning = DEFAULT_RELAY_TUNING,
): Graph {
  const leaves = Array.from({ length: sealers }, (_, one) => one).filter((one) => one !== centre);
  const cables = leaves.map((leaf) => cable(leaf, centre));
  return { name: "star", absent: without(sealers, new Set(cables)), relay };
}

/** A line of sealers in any order, and some cables more. */
function webOf(random: Random, sealers: number, relay: RelayTuning): Graph {
  const order: number[] = [];
  for (let one = 0; one < sealers; one++) order.splice(random.below(order.length + 1), 0, one);
  const cables = new Set<Cable>();
  for (const [at, one] of order.entries()) {
    const next = order[at + 1];
    if (next !== undefined) cables.add(cable(one, next));
  }
  const density = random.next();
  for (const extra of without(sealers, new Set()))
    if (random.chance(density / 2)) cables.add(extra);
  return { name: "web", absent: without(sealers, cables), relay };
}

/** The graph of a seed. Enough hops for the longest way where there is no list. */
export function drawGraph(seed: number, sealers: number): Graph {
  const random = new Random(seed ^ 0x3c6ef372);
  const byList = random.chance(0.6);
  const relay = { byList, ttl: byList ? 2 : Math.max(2, sealers - 1) };
  const kind = random.below(3);
  if (kind === 0) return ringOf(sealers, relay);
  if (kind === 1) return starOf(sealers, random.below(sealers), relay);
  return webOf(random, sealers, relay);
}
