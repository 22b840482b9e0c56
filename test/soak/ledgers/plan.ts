/** Which ledger a seed stands for: kind of transactions, version, storage mode and suite. */
import type { GenerateOptions } from "./oracle-process.ts";

/** Generators of the oracle. */
export const KINDS = [
  "evm",
  "tables",
  "system",
  "life",
  "charging",
  "dag",
  "governance",
  "solidity",
] as const;

/** Every version at which the specification names a step, and the two at the ends. */
export const VERSIONS = [
  "2.0.0",
  "2.1.0",
  "2.2.0",
  "2.3.0",
  "2.4.0",
  "2.4.1",
  "2.5.0",
  "2.6.0",
  "2.7.0",
  "2.8.0",
  "2.9.0",
  "2.10.0",
  "2.11.0",
  "2.11.1",
] as const;
/** Free storage exists from here on. */
const FIRST_FREE = VERSIONS.indexOf("2.4.0");
const BLOCKS = 10;
const TRANSACTIONS = 14;
/**
 * Ledgers next to each other have little in common. It shares no factor with the number of modes,
 * so that each has its turn.
 */
const STRIDE = 197;

/** A ledger to generate. */
export type LedgerCase = Omit<GenerateOptions, "contracts">;

type Mode = Pick<LedgerCase, "kind" | "version" | "free" | "sm">;

/** Every mode in which a ledger of these kinds and versions is generated. */
export function modesOf(kinds: readonly string[], versions: readonly string[]): readonly Mode[] {
  return versions.flatMap((version) => {
    const hasFree = VERSIONS.indexOf(version as (typeof VERSIONS)[number]) >= FIRST_FREE;
    return (hasFree ? [false, true] : [false]).flatMap((free) =>
      [false, true].flatMap((sm) => kinds.map((kind) => ({ kind, version, free, sm }))),
    );
  });
}

/** The ledger of a seed. */
export function caseOf(seed: number, modes: readonly Mode[]): LedgerCase {
  const mode = modes[(seed * STRIDE) % modes.length];
  if (!mode) throw new RangeError("no ledger is of these kinds and versions");
  return { ...mode, seed, blocks: BLOCKS, transactions: TRANSACTIONS };
}

/** One line about a ledger. */
export function caseText({ seed, kind, version, free, sm }: LedgerCase): string {
  return `seed ${seed}: ${kind}, ${version}${free ? ", free storage" : ""}${sm ? ", SM" : ""}`;
}
