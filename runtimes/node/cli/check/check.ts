/** `chain-node check`: whether the ledgers of a node are whole. Nothing is repaired. */
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { ConfigFault } from "../../../formats/config/config-fault.ts";
import { FolderFault } from "../../../folder/folder-fault.ts";
import { checkApart } from "./check-apart.ts";
import { checkBlocks, type CheckWork } from "./check-blocks.ts";
import { type CountLine, createCountLine } from "../count-line.ts";
import {
  type CheckedLedger,
  type CheckOptions,
  Findings,
  reportText,
  type SkippedNode,
} from "./check-report.ts";
import { findNodes, type LedgerPlace, type NodePlace } from "../../store/ledger-place.ts";
import { checkDatabaseFiles } from "../../store/level-files/database-files.ts";
import { damageOf } from "../../store/repaired-ledger.ts";
import { readableLedgers } from "../readable-ledgers.ts";

/** Checks one ledger, whose node is held. @throws FolderFault, ConfigFault, StoreFault */
export async function checkOne(
  place: LedgerPlace,
  options: CheckOptions,
  line: CountLine,
): Promise<CheckedLedger> {
  const { node, groupId, folder, files: database = folder } = place;
  const progress = (text: string) => line.show(() => `${node.name} group ${groupId}: ${text}`);
  const findings = new Findings();
  const work: CheckWork = { place, ...options, findings, progress };
  // Before the database is opened, which drops what its logs lost.
  const { count: files } = await checkDatabaseFiles({
    folder: database,
    progress,
    report: findings.report,
    note: findings.note,
  });
  const mark = await damageOf(folder);
  if (mark !== undefined)
    findings.note(`marked as damaged: the next start builds it anew from its peers (${mark})`);
  // LevelDB may end the process over files that are not as they were written.
  const found = findings.count === 0 ? await checkBlocks(work) : await checkApart(work);
  const ledger = { node: node.name, group: groupId, folder, running: place.files !== undefined };
  const { count: defects, firstBadBlock = null, first, notes } = findings;
  const told = { files, executed: options.execute, defects, firstBadBlock, first, notes };
  return { ...ledger, ...found, ...told };
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
  const report = () => reportText(ledgers, skipped, options);
  process.stdout.write(options.json ? `${JSON.stringify(found)}\n` : report());
  return skipped.length === 0 && ledgers.every(({ defects }) => defects === 0) ? 0 : 1;
}
