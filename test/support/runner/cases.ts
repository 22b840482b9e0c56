/**
 * How many cases a property, a simulator or a comparison examines. A test run examines few, always
 * the same ones: what was green once stays green until the code changes. `npm run soak -- regress`
 * examines all, and each time at others.
 */
import { env } from "node:process";

/** "all" for every case; else a few. */
export const CASES_VARIABLE = "CHAIN_NODE_CASES";
/** Where properties begin; else always at the same place. */
export const SEED_VARIABLE = "CHAIN_NODE_CASES_SEED";

/** A test run takes one of this many cases, */
const SMOKE_SHARE = 10;
/** but not fewer than these. */
const FEWEST = 30;
const STEADY_SEED = 20_260_401;

/** Whether every case is examined. */
export const TAKES_ALL_CASES = env[CASES_VARIABLE] === "all";

/** How many of this many cases are examined now. */
export function cases(all: number, fewest = FEWEST): number {
  if (TAKES_ALL_CASES) return all;
  return Math.min(all, Math.max(fewest, Math.ceil(all / SMOKE_SHARE)));
}

/** The seed of all properties. */
export function propertySeed(): number {
  return Number(env[SEED_VARIABLE] ?? STEADY_SEED);
}
