/** What a run counts, by kind, version, mode and suite. */
import type { Difference } from "../../../runtimes/shared/ledger-file/differences.ts";
import type { OracleLedger } from "./oracle-process.ts";
import type { LedgerCase } from "./plan.ts";

/** Ledgers of one kind. */
interface Row {
  ledgers: number;
  transactions: number;
  leftOut: number;
  different: number;
}

/** Counts so far; also what a resumed run goes on from. */
export interface Counts extends Row {
  /** Seed of the next ledger. */
  next: number;
  /** Ledgers that ours exported and the oracle executed again. */
  exported: number;
  /** Milliseconds of replaying. */
  replayMs: number;
  readonly rows: Record<string, Row>;
  /** Options that show each ledger that differs. */
  readonly failed: string[];
  /** Why transactions were left out. */
  readonly reasons: Record<string, number>;
  /** Receipts by status. */
  readonly statuses: Record<string, number>;
}

/** A ledger that was judged. */
interface Judged {
  readonly of: LedgerCase;
  readonly ledger: OracleLedger;
  readonly differences: readonly Difference[];
  readonly ours: number;
  readonly isExported: boolean;
}

const STATUS = /"status":"(0x[0-9a-f]+)","statusMsg"/g;

function emptyRow(): Row {
  return { ledgers: 0, transactions: 0, leftOut: 0, different: 0 };
}

/** Counts of a run that begins. */
export function noCounts(next: number): Counts {
  const lists = { rows: {}, failed: [], reasons: {}, statuses: {} };
  return { next, exported: 0, replayMs: 0, ...lists, ...emptyRow() };
}

/** Counts a ledger. */
export function addCase(
  counts: Counts,
  { of, ledger, differences, ours, isExported }: Judged,
): void {
  let transactions = 0;
  for (const [, status = ""] of ledger.lines.join("\n").matchAll(STATUS)) {
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    transactions += 1;
  }
  for (const { reason } of ledger.leftOut)
    counts.reasons[reason] = (counts.reasons[reason] ?? 0) + 1;
  const mode = `${of.free ? "free storage" : "usual storage"}, ${of.sm ? "SM" : "secp256k1"}`;
  const names = [`kind ${of.kind}`, `version ${of.version}`, mode];
  const rows = names.map((name) => (counts.rows[name] ??= emptyRow()));
  for (const row of [counts, ...rows]) {
    row.ledgers += 1;
    row.transactions += transactions;
    row.leftOut += ledger.leftOut.length;
    row.different += differences.length > 0 ? 1 : 0;
  }
  counts.exported += isExported ? 1 : 0;
  counts.replayMs += ours;
}

/** The share of transactions that the oracle has no rules for. */
export function leftOutShare({ transactions, leftOut }: Row): number {
  return leftOut / Math.max(1, transactions + leftOut);
}

function rowText(name: string, row: Row): string {
  const { ledgers, transactions, leftOut, different } = row;
  const differ = `${different} differ, ${leftOut} left out`;
  return `${name}: ${ledgers} ledgers, ${transactions} transactions, ${differ}`;
}

/** The counts for people. */
export function countsText(counts: Counts): readonly string[] {
  const { rows, reasons, statuses, replayMs, exported, transactions } = counts;
  const rate = Math.round((1_000 * transactions) / Math.max(1, replayMs));
  return [
    ...Object.entries(rows)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, row]) => rowText(name, row)),
    ...Object.entries(reasons).map(([reason, count]) => `left out: ${reason}: ${count}`),
    `statuses: ${Object.entries(statuses)
      .map(([status, count]) => `${status} ${count}`)
      .join(", ")}`,
    `${exported} ledgers exported by ours and executed again by the oracle`,
    `${rate} transactions per second replayed`,
    rowText("all", counts),
  ];
}
