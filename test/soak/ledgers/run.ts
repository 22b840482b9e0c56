/** One ledger after the other: generated, recorded by the oracle, replayed by ours, compared. */
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import { createSuiteCache } from "../../../runtimes/node/machine/chain-suite.ts";
import type { Difference } from "../../../runtimes/shared/ledger-file/differences.ts";
import { type Compared, compareLedger, exportLedger } from "./compared.ts";
import type {
  OracleBlock,
  OracleChain,
  OracleContract,
  OracleLedger,
  OracleProcess,
} from "./oracle-process.ts";
import { caseText, type LedgerCase } from "./plan.ts";

/** A ledger of the oracle and where it came from. */
export interface Recorded {
  readonly of: LedgerCase;
  readonly blocks: readonly OracleBlock[];
  readonly ledger: OracleLedger;
}

/** Gives the suite of a chain. */
export type SuiteOf = (sm: boolean) => Promise<CryptoSuite>;

/** The fastest suites of this machine. */
export function suiteCache(): SuiteOf {
  const suites = createSuiteCache();
  const name = (sm: boolean): SuiteName => (sm ? "national" : "standard");
  return (sm) => suites(name(sm));
}

/** Generates the ledger of a case and has the oracle execute it. */
export async function recordCase(
  oracle: OracleProcess,
  of: LedgerCase,
  contracts: readonly OracleContract[],
): Promise<Recorded> {
  const wants = of.kind === "solidity" ? { contracts } : {};
  try {
    const blocks = await oracle.generate({ ...of, ...wants });
    return { of, blocks, ledger: await oracle.record(of, blocks) };
  } catch (cause) {
    throw new Error(`the oracle failed on ${caseText(of)}`, { cause });
  }
}

/** Ours on a ledger of the oracle. */
export async function replayRecorded(
  chain: OracleChain,
  ledger: OracleLedger,
  suiteOf: SuiteOf,
): Promise<Compared> {
  return compareLedger({ version: chain.version, ...ledger }, await suiteOf(chain.sm));
}

/**
 * The oracle on what ours exports of the same chain.
 *
 * @param transactions of the ledger
 * @returns the places that differ
 */
export async function reexecuteExport(
  oracle: OracleProcess,
  { of: { version, sm }, ledger }: Recorded,
  transactions: number,
  suiteOf: SuiteOf,
): Promise<readonly Difference[]> {
  const lines = await exportLedger({ version, ...ledger }, await suiteOf(sm));
  const chain = { version, sm, genesis: ledger.genesis };
  const found = await oracle.reexecute(chain, lines);
  const places = found.differences.map(({ block, index, field, recorded, computed }) => ({
    block,
    field: `exported${index === undefined ? "" : `[${index}]`}.${field}`,
    // What ours wrote is what was computed here.
    recorded: computed,
    computed: recorded,
  }));
  const block = found.blocks;
  const wanted = { blocks: ledger.lines.length, transactions, leftOut: 0 };
  const seen = { ...found, leftOut: found.leftOut.length };
  const counts = (["blocks", "transactions", "leftOut"] as const)
    .map((name) => ({ name, recorded: `${wanted[name]}`, computed: `${seen[name]}` }))
    .filter(({ recorded, computed }) => recorded !== computed)
    .map(({ name, ...values }) => ({ block, field: `exported.${name}`, ...values }));
  return [...places, ...counts];
}
