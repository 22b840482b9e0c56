/** Executors with one fault each: what generated ledgers must show. */
import { join } from "node:path";
import { type Fault, loadMutant } from "../../support/runner/mutant-module.ts";
import type { compareLedger } from "./compared.ts";
import type { OracleProcess } from "./oracle-process.ts";
import { caseOf, caseText, KINDS, modesOf, VERSIONS } from "./plan.ts";
import { type Recorded, recordCase, type SuiteOf, suiteCache } from "./run.ts";

/** What issue 20 asks for. */
const MOST_TRANSACTIONS = 20_000;
const ENTRY = join("test", "soak", "ledgers", "compared.ts");
/** Compiling takes half a minute; the other kinds find these. */
const WITHOUT_COMPILERS = KINDS.filter((kind) => kind !== "solidity");

/** A fault of the executor. */
interface Mutant extends Fault {
  readonly name: string;
}

/** Six faults of six kinds. */
const MUTANTS: readonly [Mutant, ...Mutant[]] = [
  {
    name: "refunds have no cap",
    file: "core/execution/executive.ts",
    find: "return gasLeft + (half < counter ? half : counter);",
    replace: "return gasLeft + counter;",
  },
  {
    name: "a remove of a table costs less",
    file: "core/execution/precompiled/gas-meter.ts",
    find: "remove: [2_500, 200],",
    replace: "remove: [2_499, 199],",
  },
  {
    name: "a creation that fails keeps the rows that CRUD wrote in it",
    file: "core/execution/creation.ts",
    find: "if (!succeeded) host.unwind(mark);",
    replace: "if (!succeeded) host.forget(mark);",
  },
  {
    name: "a row inserted after a remove comes first",
    file: "core/storage/live-table.ts",
    find: "append(this.#newByKey, key, row);",
    replace: `const listed = this.#newByKey.get(key);
      if (listed?.some((it) => it.status === ROW_REMOVED)) listed.unshift(row);
      else append(this.#newByKey, key, row);`,
  },
  {
    name: "removed rows are hidden a version too early",
    file: "core/storage/live-table.ts",
    find: "if (!this.#overlay.since(2, 5, 0)) return dirty;",
    replace: "if (!this.#overlay.since(2, 4, 1)) return dirty;",
  },
  {
    name: "the latest log comes first",
    file: "core/execution/state-host.ts",
    find: "this.logs.push({",
    replace: "this.logs.unshift({",
  },
];

/** A fault, and whether it was found. */
interface Hunt {
  readonly mutant: Mutant;
  readonly compare: typeof compareLedger;
  found: string | undefined;
}

/** Plants each fault and looks for it. @throws Error when one is not found */
export async function runMutants(
  oracle: OracleProcess,
  from: number,
  say: (line: string) => void,
): Promise<void> {
  const modes = modesOf(WITHOUT_COMPILERS, VERSIONS);
  const suiteOf = suiteCache();
  const load = async (fault: Fault) =>
    (await loadMutant<typeof import("./compared.ts")>(ENTRY, fault)).compareLedger;
  // Bundled in the same way, but for the fault.
  const [{ file, find }] = MUTANTS;
  const truth = await load({ file, find, replace: find });
  const hunts: Hunt[] = [];
  for (const mutant of MUTANTS)
    hunts.push({ mutant, compare: await load(mutant), found: undefined });
  let transactions = 0;
  for (let seed = from; hunts.some((it) => !it.found); seed++) {
    const recorded = await recordCase(oracle, caseOf(seed, modes), []);
    transactions += recorded.blocks.reduce((sum, { txs }) => sum + txs.length, 0);
    // Only a ledger that the true executor agrees with says something of the others.
    if (!(await differs(truth, recorded, suiteOf))) await look(hunts, recorded, suiteOf);
    for (const hunt of hunts.filter(({ found }) => found === "")) {
      hunt.found = `${transactions} transactions, ${caseText(recorded.of)}`;
      say(`${hunt.mutant.name}: found after ${hunt.found}`);
    }
    if (transactions >= MOST_TRANSACTIONS) break;
  }
  const missed = hunts.filter(({ found }) => !found).map(({ mutant }) => mutant.name);
  if (missed.length > 0) throw new Error(`not found: ${missed.join("; ")}`);
  say(`${hunts.length} faults found within ${transactions} transactions`);
}

async function look(hunts: readonly Hunt[], recorded: Recorded, suiteOf: SuiteOf): Promise<void> {
  for (const hunt of hunts.filter(({ found }) => found === undefined))
    if (await differs(hunt.compare, recorded, suiteOf)) hunt.found = "";
}

/** An executor that fails is found too. */
async function differs(
  compare: typeof compareLedger,
  { of, ledger }: Recorded,
  suiteOf: SuiteOf,
): Promise<boolean> {
  const suite = await suiteOf(of.sm);
  const compared = await compare({ version: of.version, ...ledger }, suite).catch(() => undefined);
  return compared === undefined || compared.differences.length > 0;
}
