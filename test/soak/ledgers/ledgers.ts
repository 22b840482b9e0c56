/**
 * `npm run soak -- ledgers`: ledgers that generators write and the oracle executes, replayed by the
 * executor of nodes and compared receipt by receipt and root by root.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_INFO } from "../../../runtimes/shared/platform/build-info.ts";
import { createCountLine } from "../../../runtimes/node/cli/count-line.ts";
import { differenceLines } from "../../../runtimes/node/cli/replay.ts";
import type { Difference } from "../../../runtimes/shared/ledger-file/differences.ts";
import { numberOption, OptionFault, type Soak, textOption } from "../soak.ts";
import { keepCase, readCase } from "./case-file.ts";
import { generatorContracts } from "./contracts.ts";
import { runDevChains } from "./dev-chain.ts";
import { runMutants } from "./mutants.ts";
import { type OracleChain, OracleProcess } from "./oracle-process.ts";
import { caseOf, caseText, KINDS, modesOf, VERSIONS } from "./plan.ts";
import { reduceBlocks } from "./reduce.ts";
import {
  type Recorded,
  recordCase,
  reexecuteExport,
  replayRecorded,
  type SuiteOf,
  suiteCache,
} from "./run.ts";
import { addCase, type Counts, countsText, leftOutShare, noCounts } from "./tally.ts";

/** What issue 20 asks for. */
const TRANSACTIONS = 200_000;
/**
 * One ledger in this many is exported by ours and executed again by the oracle. It shares no factor
 * with the number of modes, so that ledgers of every mode are.
 */
const EXPORT_EACH = 5;
/** Ledgers with a difference that are reduced; of the others the first difference is told. */
const MOST_REDUCED = 10;
const MOST_LEFT_OUT = 0.01;

interface Settings {
  readonly transactions: number;
  readonly kinds: readonly string[];
  readonly versions: readonly string[];
  readonly resume: string | undefined;
  readonly keep: string;
  readonly isJson: boolean;
  readonly say: (line: string) => void;
}

function listOption(args: readonly string[], name: string, known: readonly string[]) {
  const text = textOption(args, name);
  if (text === undefined) return known;
  const chosen = text.split(",");
  const wrong = chosen.find((it) => !known.includes(it));
  if (wrong !== undefined) throw new OptionFault(`--${name}: ${wrong} is none of ${known.join()}`);
  return chosen;
}

function settingsOf(args: readonly string[], say: (line: string) => void): Settings {
  const isJson = args.includes("--json");
  return {
    transactions: numberOption(args, "transactions", TRANSACTIONS),
    kinds: listOption(args, "kinds", KINDS),
    versions: listOption(args, "versions", VERSIONS),
    resume: textOption(args, "resume"),
    keep: textOption(args, "keep") ?? join("dist", "soak", "ledgers"),
    isJson,
    say: isJson ? () => undefined : say,
  };
}

/** A run under way; a class because it owns the oracle. */
class LedgerRun {
  readonly #settings: Settings;
  readonly #oracle = new OracleProcess();
  readonly #suiteOf: SuiteOf = suiteCache();
  #reduced = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get oracle(): OracleProcess {
    return this.#oracle;
  }

  async all(counts: Counts): Promise<void> {
    const { transactions, kinds, versions, resume } = this.#settings;
    const modes = modesOf(kinds, versions);
    const contracts = kinds.includes("solidity") ? generatorContracts() : [];
    const record = (seed: number) => recordCase(this.#oracle, caseOf(seed, modes), contracts);
    const line = createCountLine();
    try {
      let ahead: Promise<Recorded> | undefined;
      while (counts.transactions < transactions) {
        const recorded = await (ahead ?? record(counts.next));
        counts.next += 1;
        // The oracle is a ledger ahead.
        ahead = record(counts.next);
        // Examined when it is awaited.
        ahead.catch(() => undefined);
        await this.#judge(recorded, counts);
        if (resume !== undefined) writeCounts(resume, { ...runOf(this.#settings), counts });
        line.show(() => `${counts.transactions} of ${transactions} transactions`);
      }
    } finally {
      line.end();
    }
  }

  async #judge(recorded: Recorded, counts: Counts): Promise<void> {
    const { of, ledger } = recorded;
    const began = performance.now();
    const compared = await replayRecorded(of, ledger, this.#suiteOf);
    const ours = performance.now() - began;
    const isExported = of.seed % EXPORT_EACH === 0 && compared.differences.length === 0;
    const exported = isExported
      ? await reexecuteExport(this.#oracle, recorded, compared.transactions, this.#suiteOf)
      : [];
    const differences = [...compared.differences, ...exported];
    addCase(counts, { of, ledger, differences, ours, isExported });
    if (differences.length === 0) return;
    const { say, kinds, versions } = this.#settings;
    say(`${caseText(of)}: ${differences.length} differences in a block`);
    for (const text of differenceLines(differences.slice(0, 3))) say(`  ${text}`);
    const among = [
      ...(kinds.length < KINDS.length ? [`--kinds ${kinds.join()}`] : []),
      ...(versions.length < VERSIONS.length ? [`--versions ${versions.join()}`] : []),
    ];
    const again = [`--from ${of.seed}`, "--transactions 1", ...among].join(" ");
    say(`  to see it again: npm run soak -- ledgers ${again}`);
    counts.failed.push(again);
    if (compared.differences.length > 0) await this.#reduce(recorded, compared.differences);
  }

  /** Prints the fewest transactions that show it. */
  async #reduce({ of, blocks }: Recorded, first: readonly Difference[]): Promise<void> {
    if (++this.#reduced > MOST_REDUCED) return;
    const { keep, say } = this.#settings;
    const wanted = kindOf(first);
    const few = await reduceBlocks(blocks, async (some) => {
      const { differences } = await this.#replay(of, some);
      return differences.length > 0 && kindOf(differences) === wanted;
    });
    const ledger = await this.#oracle.record(of, few);
    const { version, free, sm } = of;
    const kept = { chain: { version, free, sm }, blocks: few, shows: wanted };
    const name = [of.kind, version, ...(free ? ["free"] : []), ...(sm ? ["sm"] : []), of.seed];
    const file = keepCase(keep, name.join("-"), kept, ledger);
    const left = few.reduce((sum, { txs }) => sum + txs.length, 0);
    say(`  reduced to ${left} transactions: npm run soak -- ledgers --file ${file}`);
  }

  /** Shows a case that was kept. */
  async file(path: string): Promise<readonly Difference[]> {
    const { chain, blocks } = readCase(path);
    const { differences } = await this.#replay(chain, blocks);
    for (const text of differenceLines(differences)) this.#settings.say(text);
    return differences;
  }

  async #replay(chain: OracleChain, blocks: Recorded["blocks"]) {
    return replayRecorded(chain, await this.#oracle.record(chain, blocks), this.#suiteOf);
  }
}

/** The first field that differs, without numbers. */
function kindOf([first]: readonly Difference[]): string {
  return (first?.field ?? "").replace(/\d+/g, "n");
}

/** What is kept to go on from. */
interface Kept {
  /** What the counts are of. */
  readonly run: string;
  readonly counts: Counts;
}

/** Counts of another build, or of other kinds of ledgers, say nothing of these. */
function runOf({ kinds, versions }: Settings): Pick<Kept, "run"> {
  return { run: [BUILD_INFO.gitCommit, ...kinds, ...versions].join() };
}

function readCounts(settings: Settings): Counts | undefined {
  const { resume } = settings;
  if (resume === undefined || !existsSync(resume)) return undefined;
  const { run, counts } = JSON.parse(readFileSync(resume, "utf8")) as Kept;
  if (run === runOf(settings).run) return counts;
  throw new OptionFault(`${resume} is of another commit or of other ledgers: remove it`);
}

function writeCounts(file: string, kept: Kept): void {
  writeFileSync(`${file}.new`, JSON.stringify(kept));
  renameSync(`${file}.new`, file);
}

async function runAll(run: LedgerRun, settings: Settings, from: number): Promise<void> {
  const counts = readCounts(settings) ?? noCounts(from);
  if (counts.ledgers > 0) settings.say(`goes on at seed ${counts.next}`);
  await run.all(counts);
  if (settings.isJson) process.stdout.write(`${JSON.stringify(counts)}\n`);
  for (const line of countsText(counts)) settings.say(line);
  if (counts.different > 0) throw new Error(`${counts.different} ledgers differ`);
  if (leftOutShare(counts) >= MOST_LEFT_OUT) throw new Error("too much is left out");
}

/** `npm run soak -- ledgers`. */
export const ledgersSoak: Soak = {
  about:
    `generated ledgers next to the oracle: [--transactions ${TRANSACTIONS}] [--from SEED] ` +
    "[--kinds A,B] [--versions A,B] [--resume F] [--keep FOLDER] [--json] [--file F] " +
    "[--mutants] [--dev-chain]",
  async run(args, say) {
    const settings = settingsOf(args, say);
    const run = new LedgerRun(settings);
    const from = Math.max(1, numberOption(args, "from", 1));
    const file = textOption(args, "file");
    try {
      if (args.includes("--mutants")) await runMutants(run.oracle, from, say);
      else if (args.includes("--dev-chain")) await runDevChains(run.oracle, from, say);
      else if (file === undefined) await runAll(run, settings, from);
      else if ((await run.file(file)).length > 0) throw new Error(`${file} differs`);
    } finally {
      await run.oracle.close();
    }
  },
};
