/**
 * `chain-node check`: whether the ledgers of a node are whole. Nothing is repaired.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { ConfigFault } from "../../formats/config/config-fault.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { genesisOfMark } from "../../shared/ledger-check/genesis-mark.ts";
import { checkExecution } from "../../shared/ledger-check/execution-check.ts";
import { checkLedger, type LedgerCheck } from "../../shared/ledger-check/ledger-check.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { type CountLine, createCountLine } from "./count-line.ts";
import {
  type CheckedLedger,
  type CheckOptions,
  Findings,
  reportText,
  type SkippedNode,
} from "./check-report.ts";
import {
  findNodes,
  genesisPath,
  groupFacts,
  type LedgerPlace,
  needsGenesisFile,
  type NodePlace,
} from "../store/ledger-place.ts";
import { readableLedgers } from "./readable-ledgers.ts";
import { checkDatabaseFiles } from "../store/level-files/database-files.ts";
import { withDatabaseView } from "../store/level-files/database-view.ts";
import { type LevelStore, openLevelStore } from "../store/store.ts";

/** What one ledger is checked with. */
interface CheckWork {
  readonly place: LedgerPlace;
  readonly options: CheckOptions;
  readonly findings: Findings;
  readonly progress: (text: string) => void;
}

async function checkOne(
  place: LedgerPlace,
  options: CheckOptions,
  line: CountLine,
): Promise<CheckedLedger> {
  const { node, groupId, folder, files: database = folder } = place;
  const progress = (text: string) => line.show(() => `${node.name} group ${groupId}: ${text}`);
  const findings = new Findings();
  const work = { place, options, findings, progress };
  // Before the database is opened, which drops what its logs lost.
  const files = await checkDatabaseFiles({
    folder: database,
    progress,
    report: findings.report,
    note: findings.note,
  });
  const found = await checkBlocks(work);
  return {
    node: node.name,
    group: groupId,
    folder,
    ...found,
    files,
    executed: options.execute,
    defects: findings.count,
    firstBadBlock: findings.firstBadBlock ?? null,
    first: findings.first,
    notes: findings.notes,
  };
}

/** Stands for a ledger that cannot be opened. */
const NOTHING: LedgerCheck = { head: -1, blocks: 0, transactions: 0, keys: 0 };

/** A database with damaged files may be one that does not open: then that is told, too. */
async function checkBlocks(work: CheckWork): Promise<LedgerCheck> {
  const { findings, place } = work;
  const { folder, files = folder } = place;
  try {
    return await withDatabaseView(files, (store) => checkContent(store, work));
  } catch (cause) {
    const isLost = cause instanceof StoreFault && findings.count > 0 && cause.kind !== "full";
    if (!isLost) throw cause;
    const { report } = findings;
    const what = "the database as a whole";
    report({
      block: undefined,
      kind: "store",
      what,
      stored: cause.message,
      expected: "readable data",
    });
    return NOTHING;
  }
}

async function checkContent(store: LevelStore, work: CheckWork): Promise<LedgerCheck> {
  const { place, options, findings, progress } = work;
  const { node, groupId } = place;
  const facts = await groupFacts(node, groupId);
  const suite = await createChainSuite(node.chain.nationalCrypto ? "national" : "standard");
  const { report } = findings;
  const base = { store, suite, version: node.chain.supportedVersion, report, progress };
  const genesis = facts.genesis ?? (await genesisOfMark(base));
  if (!facts.genesis && needsGenesisFile(node, groupId))
    findings.note(withoutFile(place, genesis !== undefined));
  const found = await checkLedger({ ...base, genesis, from: options.from });
  if (options.from > found.head && found.head >= 0) throw aboveHead(place, options, found);
  if (options.execute) {
    if (!genesis) throw withoutGenesis(place);
    const executed = { ...base, ...facts, genesis, head: found.head };
    await withScratch((scratch) => checkExecution({ ...executed, scratch }));
  }
  return found;
}

function aboveHead({ node, groupId }: LedgerPlace, { from }: CheckOptions, { head }: LedgerCheck) {
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

async function checkNode(node: NodePlace, options: CheckOptions, line: CountLine) {
  const held = await readableLedgers(node, options.group);
  try {
    const checked: CheckedLedger[] = [];
    for (const place of held.ledgers) checked.push(await checkOne(place, options, line));
    return checked;
  } finally {
    await held.close();
  }
}

/** A node that runs, or that says something of itself that cannot be, does not keep others. */
function isOfOneNode(cause: unknown): cause is Error {
  return (
    cause instanceof StoreFault || cause instanceof FolderFault || cause instanceof ConfigFault
  );
}

/** All nodes that can be checked; the first fault where none can. */
async function checkNodes(nodes: readonly NodePlace[], options: CheckOptions, line: CountLine) {
  const ledgers: CheckedLedger[] = [];
  const skipped: SkippedNode[] = [];
  let first: Error | undefined;
  for (const node of nodes) {
    try {
      ledgers.push(...(await checkNode(node, options, line)));
    } catch (cause) {
      if (!isOfOneNode(cause)) throw cause;
      first ??= cause;
      skipped.push({ node: node.name, reason: cause.message });
    }
  }
  if (first && ledgers.length === 0) throw first;
  return { ledgers, skipped };
}

/** The folder, given as the argument or with --data. */
function folderOf(folder: string | undefined, data: string | undefined): string {
  const named = [folder, data].filter((path) => path !== undefined);
  const [only] = named;
  if (named.length === 1 && only !== undefined) return only;
  throw new FolderFault("argument", "check takes one folder: as its argument, or with --data");
}

/** Checks. Gives the exit code. @throws FolderFault, ConfigFault, StoreFault */
export async function runCheck(folder: string | undefined, options: CheckOptions): Promise<number> {
  const path = folderOf(folder, options.data);
  if (options.execute && options.from > 0)
    throw new FolderFault("argument", "--execute begins with block 0: leave --from out");
  const nodes = await findNodes(path);
  const line = createCountLine();
  const found = await checkNodes(nodes, options, line).finally(() => line.end());
  const { ledgers, skipped } = found;
  if (ledgers.length === 0) {
    const wanted = options.group === undefined ? "a ledger" : `a ledger of group ${options.group}`;
    throw new FolderFault("missing", `${path} holds no node with ${wanted}`);
  }
  process.stdout.write(options.json ? `${JSON.stringify(found)}\n` : reportText(found, options));
  return skipped.length === 0 && ledgers.every(({ defects }) => defects === 0) ? 0 : 1;
}
