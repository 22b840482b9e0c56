/** The contents of a ledger in a database whose files were examined before. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import type { Report } from "../../../shared/ledger-check/defect.ts";
import { checkExecution } from "../../../shared/ledger-check/execution-check.ts";
import { genesisOfMark } from "../../../shared/ledger-check/genesis-mark.ts";
import { checkLedger, type LedgerCheck } from "../../../shared/ledger-check/ledger-check.ts";
import { createChainSuite } from "../../machine/chain-suite.ts";
import {
  genesisPath,
  groupFacts,
  type LedgerPlace,
  needsGenesisFile,
} from "../../store/ledger-place.ts";
import { copySuspicion, silentStart } from "../../store/copy-guard.ts";
import { withDatabaseView } from "../../store/level-files/database-view.ts";
import { type LevelStore, openLevelStore } from "../../store/store.ts";
import type { CheckOptions } from "./check-report.ts";

/** What one ledger is checked with. */
export interface CheckWork extends Pick<CheckOptions, "from" | "execute"> {
  readonly place: LedgerPlace;
  readonly findings: {
    /** Defects that were found so far. */
    readonly count: number;
    readonly report: Report;
    readonly note: (sentence: string) => void;
  };
  readonly progress: (text: string) => void;
}

type Findings = Pick<CheckWork["findings"], "report">;

/** Stands for a ledger that cannot be opened. */
const NOTHING: LedgerCheck = { head: -1, blocks: 0, transactions: 0, keys: 0 };

/** A database with damaged files may be one that does not open: then that is told, too. */
export async function checkBlocks(work: CheckWork): Promise<LedgerCheck> {
  const { findings, place } = work;
  const { folder, files = folder } = place;
  try {
    return await withDatabaseView(files, (store) => checkContent(store, work));
  } catch (cause) {
    if (!(cause instanceof StoreFault) || cause.kind === "full") throw cause;
    // Without damage that was found before, only what says so itself is some.
    if (findings.count === 0 && cause.kind !== "corrupt") throw cause;
    return unreadable(findings, cause.message);
  }
}

/** Reports what is wrong with the database, not with a block. */
function reportStore({ report }: Findings, what: string, stored: string, expected: string): void {
  report({ block: undefined, kind: "store", what, stored, expected });
}

/** Reports that the database cannot be read. */
export function unreadable(findings: Findings, stored: string): LedgerCheck {
  reportStore(findings, "the database as a whole", stored, "readable data");
  return NOTHING;
}

async function checkContent(store: LevelStore, work: CheckWork): Promise<LedgerCheck> {
  const { place, findings, progress } = work;
  const { node, groupId } = place;
  const facts = await groupFacts(node, groupId);
  const suite = await createChainSuite(node.chain.nationalCrypto ? "national" : "standard");
  const { report } = findings;
  const base = { store, suite, version: node.chain.supportedVersion, report, progress };
  const genesis = facts.genesis ?? (await genesisOfMark(base));
  if (!facts.genesis && needsGenesisFile(node, groupId))
    findings.note(withoutFile(place, genesis !== undefined));
  const found = await checkLedger({ ...base, genesis, from: work.from });
  if (work.from === 0) await checkSums(store, work);
  if (work.from > found.head && found.head >= 0) throw aboveHead(work, found);
  await checkVotes(store, work, found);
  if (work.execute) {
    if (!genesis) throw withoutGenesis(place);
    const executed = { ...base, ...facts, genesis, head: found.head };
    await withScratch((scratch) => checkExecution({ ...executed, scratch }));
  }
  return found;
}

/**
 * Votes that a disk lost are no defect of the blocks: what is left is whole. Of a node that runs
 * the files are a moment older than the marks beside them.
 */
async function checkVotes(store: LevelStore, work: CheckWork, found: LedgerCheck): Promise<void> {
  const { place, findings } = work;
  if (place.files !== undefined || found.head < 0) return;
  const suspicion = await copySuspicion(place.folder, store).catch(reasonOf);
  if (suspicion !== undefined) findings.note(`${silentStart(suspicion)} (docs/copies.md)`);
}

/** A row that is gone shows in the sum of its table. Source: decision 30 */
async function checkSums(store: LevelStore, { findings, progress }: CheckWork): Promise<void> {
  if (!store.isSealed) {
    findings.note("rows were written by an earlier version: those that are gone show to --execute");
    return;
  }
  let entries = 0;
  try {
    for await (const page of store.pass()) {
      entries += page.entries;
      progress(`${entries} entries`);
    }
  } catch (cause) {
    if (!(cause instanceof StoreFault)) throw cause;
    reportStore(findings, "sums of tables", cause.message, "what was written");
  }
}

function aboveHead({ place: { node, groupId }, from }: CheckWork, { head }: LedgerCheck) {
  const said = `--from ${from} is above the newest block of group ${groupId}, ${head}`;
  return new FolderFault("argument", `${node.home}: ${said}`);
}

/** What is not known of a ledger whose group has no genesis file. */
function withoutFile({ node, groupId }: LedgerPlace, isMarked: boolean): string {
  const said = `${genesisPath(node, groupId)} is not there`;
  if (!isMarked) return `${said}: block 0, and who sealed block 1, were compared with nothing`;
  return `${said}: block 0 is as it says of itself, and was compared with nothing else`;
}

function withoutGenesis({ node, groupId }: LedgerPlace): FolderFault {
  const place = `group.${groupId}.genesis in ${node.configPath}`;
  return new FolderFault("missing", `--execute needs ${place}: block 0 does not say enough`);
}

/** Lends an empty store, which is removed afterwards. */
async function withScratch(
  work: (store: Awaited<ReturnType<typeof openLevelStore>>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "chain-node-check-"));
  try {
    const store = await openLevelStore(folder, { create: true });
    await work(store).finally(() => store.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
