/** What `chain-node check` says of ledgers. */
import type { Defect, DefectKind } from "../../../shared/ledger-check/defect.ts";
import type { LedgerCheck } from "../../../shared/ledger-check/ledger-check.ts";
import { columns } from "../../log/terminal.ts";
import { excerpts } from "../excerpts.ts";

/** Options of `chain-node check`. */
export interface CheckOptions {
  readonly data: string | undefined;
  readonly group: number | undefined;
  readonly from: number;
  readonly execute: boolean;
  readonly json: boolean;
}

/** Defects of a ledger that are printed; all are counted. */
const SHOWN_DEFECTS = 20;

/** What came of one ledger. */
export interface CheckedLedger extends LedgerCheck {
  readonly node: string;
  readonly group: number;
  readonly folder: string;
  /** Whether its node runs. */
  readonly running: boolean;
  /** Files whose checksums were examined. */
  readonly files: number;
  readonly executed: boolean;
  readonly defects: number;
  /** Number of the first block with a defect; null without one. */
  readonly firstBadBlock: number | null;
  readonly first: readonly Defect[];
  /** Sentences about what is no defect. */
  readonly notes: readonly string[];
}

/** A node that was not examined. */
export interface SkippedNode {
  readonly node: string;
  readonly reason: string;
}

/** Collects what is found. */
export class Findings {
  count = 0;
  firstBadBlock: number | undefined;
  readonly first: Defect[] = [];
  readonly notes: string[] = [];

  readonly report = (defect: Defect): void => {
    this.count += 1;
    const { block } = defect;
    if (block !== undefined) this.firstBadBlock = Math.min(block, this.firstBadBlock ?? block);
    if (this.first.length < SHOWN_DEFECTS) this.first.push(defect);
  };

  readonly note = (sentence: string): void => {
    this.notes.push(sentence);
  };
}

/** What a kind of defect is called. */
const KIND_WORDS: Readonly<Record<DefectKind, string>> = {
  genesis: "genesis file",
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
  file: "file",
};

function defectLines({ block, kind, what, stored, expected }: Defect): string[] {
  const place = block === undefined ? "no block" : `block ${block}`;
  // What the store says of itself names the place: nothing of it stands next to the other.
  const isSaid = kind === "store";
  const said = stored.replace(/^.* holds a damaged database: /, "");
  const [left, right] = isSaid ? [said, expected] : excerpts(stored, expected);
  const isOfFile = kind === "file" || kind === "genesis";
  const kinds = isOfFile ? KIND_WORDS[kind] : `${place}: ${KIND_WORDS[kind]}`;
  return [`${kinds}: ${what}`, `  stored   ${left}`, `  expected ${right}`];
}

const HEADING = "node,group,head,blocks,transactions,records,defects,first bad".split(",");

function rowOf(found: CheckedLedger): readonly string[] {
  const { node, group, head, blocks, transactions, keys, defects, firstBadBlock } = found;
  const numbers = [group, head, blocks, transactions, keys, defects].map(String);
  const bad = firstBadBlock === null ? "-" : `block ${firstBadBlock}`;
  return [node, ...numbers, defects === 0 ? "-" : bad];
}

/** Whether the genesis file, or the version, is not the one that a ledger was begun with. */
export function isOtherGenesis({ first }: Pick<CheckedLedger, "first">): boolean {
  return first.some(({ kind }) => kind === "genesis");
}

/** What is done about that. */
export function genesisStep({ group, folder }: Pick<CheckedLedger, "group" | "folder">): string {
  const files = `group.${group}.genesis, and supported_version and sm_crypto in config.ini`;
  return `the ledger in ${folder} was begun with another genesis file or version: put back the
  ${files}, that the other nodes have`;
}

/** What an operator does next about a ledger that is not whole. */
function nextStep(checked: CheckedLedger): string {
  const { node, group, folder, running } = checked;
  if (isOtherGenesis(checked)) return `${node} group ${group}: ${genesisStep(checked)}.`;
  if (running)
    return `${node} group ${group}: the node runs. What it meets of this stops
  the group, which then repairs itself from its peers. To have that now, stop the node, run
  chain-node repair, and start it.`;
  const restore = "Restore it with chain-node restore, or have";
  const repair = "the next start build it anew from its peers: chain-node repair.";
  return `${node} group ${group}: do not start it as it is. ${restore}
  ${repair} Until then it is in ${folder}.`;
}

/** Defects in lines, with how many more there are. */
export function findingLines(first: readonly Defect[], defects: number): readonly string[] {
  const more = defects - first.length;
  const shown = first.flatMap(defectLines);
  return more > 0 ? [...shown, `... and ${more} more`] : shown;
}

/** For people. */
export function reportText(
  ledgers: readonly CheckedLedger[],
  skipped: readonly SkippedNode[],
  options: CheckOptions,
): string {
  const lines = ledgers.flatMap(({ node, group, first, defects, notes }) => {
    const shown = [...findingLines(first, defects)];
    shown.push(...notes.map((sentence) => `note: ${sentence}`));
    return shown.length === 0 ? [] : [`${node} group ${group}:`, ...shown];
  });
  lines.push(...columns([HEADING, ...ledgers.map(rowOf)]));
  const bad = ledgers.filter(({ defects }) => defects > 0);
  lines.push(...bad.map(nextStep));
  if (bad.length === 0) lines.push(cleanText(options, skipped.length > 0));
  lines.push(...skipped.map(({ node, reason }) => `${node}: not checked: ${reason}`));
  return lines.map((line) => `${line}\n`).join("");
}

function cleanText({ execute, from }: CheckOptions, isPart: boolean): string {
  const clean = isPart ? "these are clean" : "clean";
  if (from > 0) return `${clean} from block ${from} on; rows and counters were not examined`;
  if (execute) return `${clean}: all blocks executed anew with the same results, all rows equal`;
  const next = "--execute also compares the contents of all rows with an execution from block 0";
  return `${clean}; ${next}`;
}
