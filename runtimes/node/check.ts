/**
 * `chain-node check`: whether the ledgers of a stopped node are whole. Nothing is repaired.
 * Source: issue 4 (integrity)
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderFault } from "../folder/folder-fault.ts";
import type { Defect, DefectKind } from "../shared/ledger-check/defect.ts";
import { genesisOfMark } from "../shared/ledger-check/genesis-mark.ts";
import { checkExecution } from "../shared/ledger-check/execution-check.ts";
import { checkLedger, type LedgerCheck } from "../shared/ledger-check/ledger-check.ts";
import type { CheckOptions } from "./args.ts";
import { createChainSuite } from "./chain-suite.ts";
import { type CountLine, createCountLine } from "./count-line.ts";
import { excerpts } from "./excerpts.ts";
import {
  findNodes,
  groupFacts,
  holdNode,
  type LedgerPlace,
  ledgersOf,
  type NodePlace,
  openLedgerStore,
} from "./ledger-place.ts";
import { openLevelStore } from "./store.ts";

/** Defects of a ledger that are printed; all are counted. */
const SHOWN_DEFECTS = 20;

/** What came of one ledger. */
interface CheckedLedger extends LedgerCheck {
  readonly node: string;
  readonly group: number;
  readonly folder: string;
  readonly executed: boolean;
  readonly defects: number;
  /** Number of the first block with a defect; null without one. */
  readonly firstBadBlock: number | null;
  readonly first: readonly Defect[];
}

/** Collects what is found. */
class Findings {
  count = 0;
  firstBadBlock: number | undefined;
  readonly first: Defect[] = [];

  readonly report = (defect: Defect): void => {
    this.count += 1;
    const { block } = defect;
    if (block !== undefined) this.firstBadBlock = Math.min(block, this.firstBadBlock ?? block);
    if (this.first.length < SHOWN_DEFECTS) this.first.push(defect);
  };
}

async function checkOne(
  place: LedgerPlace,
  options: CheckOptions,
  line: CountLine,
): Promise<CheckedLedger> {
  const { node, groupId, folder } = place;
  const facts = await groupFacts(node, groupId);
  const suite = await createChainSuite(node.chain.nationalCrypto ? "national" : "standard");
  const store = await openLedgerStore(folder);
  const findings = new Findings();
  const { report } = findings;
  const progress = (text: string) => line.show(() => `${node.name} group ${groupId}: ${text}`);
  const base = { store, suite, version: node.chain.supportedVersion, report, progress };
  try {
    const genesis = facts.genesis ?? (await genesisOfMark(base));
    const found = await checkLedger({ ...base, genesis, from: options.from });
    if (options.execute) {
      if (!genesis) throw withoutGenesis(place);
      const executed = { ...base, ...facts, genesis, head: found.head };
      await withScratch((scratch) => checkExecution({ ...executed, scratch }));
    }
    return {
      node: node.name,
      group: groupId,
      folder,
      ...found,
      executed: options.execute,
      defects: findings.count,
      firstBadBlock: findings.firstBadBlock ?? null,
      first: findings.first,
    };
  } finally {
    await store.close();
  }
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
  const held = await holdNode(node);
  try {
    const found = await ledgersOf(node);
    const { group } = options;
    const wanted = found.filter(({ groupId }) => group === undefined || groupId === group);
    const checked: CheckedLedger[] = [];
    for (const place of wanted) checked.push(await checkOne(place, options, line));
    return checked;
  } finally {
    await held.close();
  }
}

/** What a kind of defect is called. */
const KIND_WORDS: Readonly<Record<DefectKind, string>> = {
  number: "number index",
  header: "header",
  seals: "seals",
  transactions: "transactions",
  senders: "senders",
  receipts: "receipts",
  index: "transaction index",
  nonces: "nonces",
  counter: "counter",
  row: "row",
  orphan: "orphan",
  store: "store",
};

function defectLines({ block, kind, what, stored, expected }: Defect): string[] {
  const place = block === undefined ? "no block" : `block ${block}`;
  const [left, right] = excerpts(stored, expected);
  return [`${place}: ${KIND_WORDS[kind]}: ${what}`, `  stored   ${left}`, `  expected ${right}`];
}

/** Columns as wide as their widest cell. */
function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const HEADING = [
  "node",
  "group",
  "head",
  "blocks",
  "transactions",
  "records",
  "defects",
  "first bad",
];

function rowOf(found: CheckedLedger): readonly string[] {
  const { node, group, head, blocks, transactions, keys, defects, firstBadBlock } = found;
  const numbers = [group, head, blocks, transactions, keys, defects].map(String);
  const bad = firstBadBlock === null ? "-" : `block ${firstBadBlock}`;
  return [node, ...numbers, defects === 0 ? "-" : bad];
}

/** What an operator does next about a ledger that is not whole. */
function nextStep({ node, group, folder }: CheckedLedger): string {
  return `${node} group ${group}: do not start it as it is. Restore it with chain-node restore, or \
move ${folder}
  and ${folder}.made away (keep them): the node then downloads its blocks from the others again.`;
}

function reportText(found: readonly CheckedLedger[], { execute, from }: CheckOptions): string {
  const lines = found.flatMap(({ node, group, first, defects }) => {
    const more = defects - first.length;
    const shown = first.flatMap(defectLines);
    if (more > 0) shown.push(`... and ${more} more`);
    return shown.length === 0 ? [] : [`${node} group ${group}:`, ...shown];
  });
  lines.push(...tableLines([HEADING, ...found.map(rowOf)]));
  const bad = found.filter(({ defects }) => defects > 0);
  lines.push(...bad.map(nextStep));
  if (bad.length === 0) lines.push(cleanText(execute, from));
  return lines.map((line) => `${line}\n`).join("");
}

function cleanText(execute: boolean, from: number): string {
  if (from > 0) return `clean from block ${from} on; rows and counters were not looked at`;
  if (execute) return "clean: all blocks executed anew with the same results, all rows equal";
  return "clean; --execute also compares the contents of all rows with an execution from block 0";
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
  const line = createCountLine();
  const found: CheckedLedger[] = [];
  try {
    for (const node of await findNodes(path)) found.push(...(await checkNode(node, options, line)));
  } finally {
    line.end();
  }
  if (found.length === 0) {
    const wanted = options.group === undefined ? "a ledger" : `a ledger of group ${options.group}`;
    throw new FolderFault("missing", `${path} holds no node with ${wanted}`);
  }
  const json = `${JSON.stringify({ ledgers: found })}\n`;
  process.stdout.write(options.json ? json : reportText(found, options));
  return found.every(({ defects }) => defects === 0) ? 0 : 1;
}
