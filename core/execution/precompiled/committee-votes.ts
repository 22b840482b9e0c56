/**
 * Votes of the committee: weights, threshold, ballots, and when one has passed.
 * Source: precompiles 12
 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import type { Table } from "../../storage/live-table.ts";
import { ACCESS_TABLE } from "../../storage/system-tables.ts";
import type { RowView } from "../../storage/table.ts";
import { accessRows, columnOf, isCommitteeMember, putRow, whereColumn } from "./access-rows.ts";
import { type PrecompiledCall, PrecompiledFault, type PrecompiledScope } from "./contract.ts";
import type { Outcome } from "./methods.ts";

/** Table of votes, weights and the threshold; it appears when it is first asked for. */
const VOTES_TABLE = "_sys_committee_votes_";
/** Blocks that a vote is good for. */
const VOTE_BLOCKS = 10_000;
const THRESHOLD_KEY = "auth_threshold";
const FIRST_THRESHOLD = "0.500000";
const FIRST_WEIGHT = "1";

/** Row keys under which votes lie. */
export const BALLOT_KEY = {
  /** Grants and revocations of a member. */
  member: (member: Address): ByteString => member,
  weight: (member: Address): ByteString => `${member}_update_weight`,
  threshold: "update_auth_threshold",
} as const;

/** What is voted on. */
export interface Ballot {
  readonly key: ByteString;
  readonly value: ByteString;
  /** Does what was decided; returns the number of rows. */
  apply(): number;
  /** The votes stay where they are when they have passed. */
  readonly keepsVotes?: boolean;
}

/** The table of votes. */
export function votesTable({ overlay }: PrecompiledScope): Table {
  const opened = overlay.open(VOTES_TABLE);
  if (opened !== undefined) return opened;
  const fields = ["value", "origin", "block_limit"];
  const table = overlay.register({ name: VOTES_TABLE, keyField: "key", fields, hashed: true });
  table.insert(THRESHOLD_KEY, [["value", FIRST_THRESHOLD]]);
  return table;
}

/**
 * Counts the origin's vote, in place of an earlier one, and does what a sufficient part of the
 * weights asks for.
 *
 * @returns 0 while votes are missing, the result of the change, or a code
 */
export function vote(call: PrecompiledCall, ballot: Ballot): Outcome {
  const { scope, origin } = call;
  if (!isCommitteeMember(scope, origin)) return "notCommitteeMember";
  const table = votesTable(scope);
  const columns = [
    ["value", ballot.value],
    ["origin", origin],
    ["block_limit", String(scope.parentNumber + VOTE_BLOCKS)],
  ] as const;
  putRow(table, ballot.key, columns, whereColumn("origin", origin));
  // Those that have expired.
  const { parentNumber } = scope;
  table.remove(ballot.key, { test: (row) => Number(columnOf(row, "block_limit")) <= parentNumber });
  if (!hasPassed(scope, table, ballot)) return 0;
  const count = ballot.apply();
  if (ballot.keepsVotes !== true) table.remove(ballot.key, whereColumn("value", ballot.value));
  return count;
}

/** More than the threshold of the weights in force, in floating point. */
function hasPassed(scope: PrecompiledScope, table: Table, ballot: Ballot): boolean {
  const inForce = scope.parentNumber + 1;
  const votes = table.select(ballot.key, whereColumn("value", ballot.value));
  const members = accessRows(scope, ACCESS_TABLE).filter(
    (row) => Number(columnOf(row, "enable_num")) <= inForce,
  );
  const agreed = sumOf(votes, (row) => weightOf(table, columnOf(row, "origin")));
  const all = sumOf(members, (row) => weightOf(table, columnOf(row, "address")));
  return Number(agreed) / Number(all) > Number(thresholdText(scope));
}

function sumOf(rows: readonly RowView[], weight: (row: RowView) => bigint | undefined): bigint {
  return rows.reduce((sum, row) => sum + (weight(row) ?? 0n), 0n);
}

/**
 * The threshold as text of a fraction with six digits.
 *
 * @throws PrecompiledFault in a block that has rolled back the table's first use
 */
export function thresholdText(scope: PrecompiledScope): ByteString {
  const [row] = votesTable(scope).select(THRESHOLD_KEY);
  if (row === undefined) throw new PrecompiledFault("storage", "Entries no exists: 0");
  return columnOf(row, "value");
}

/** Whether that text is the threshold. */
export function isThreshold(scope: PrecompiledScope, text: ByteString): boolean {
  return votesTable(scope).select(THRESHOLD_KEY, whereColumn("value", text)).length > 0;
}

/** Puts another threshold in force at once. */
export function setThreshold(call: PrecompiledCall, text: ByteString): number {
  return votesTable(call.scope).update(THRESHOLD_KEY, byOrigin(call, text));
}

function weightKey(member: ByteString): ByteString {
  return `${member}_weight`;
}

function weightOf(table: Table, member: ByteString): bigint | undefined {
  const [row] = table.select(weightKey(member));
  return row === undefined ? undefined : BigInt(columnOf(row, "value"));
}

/** The weight of a member; undefined for others. */
export function memberWeight(scope: PrecompiledScope, member: Address): bigint | undefined {
  return weightOf(votesTable(scope), member);
}

/**
 * Whether a member has that weight. Like the threshold it is looked for by value: a row that a
 * rolled back removal touched first is not found by what it becomes. Source: storage 4
 */
export function isWeight(scope: PrecompiledScope, member: Address, weight: bigint): boolean {
  const filter = whereColumn("value", String(weight));
  return votesTable(scope).select(weightKey(member), filter).length > 0;
}

/** Gives a new member its weight. */
export function addWeight(call: PrecompiledCall, member: Address): void {
  votesTable(call.scope).insert(weightKey(member), byOrigin(call, FIRST_WEIGHT));
}

/** Weights and the threshold name the origin whose call put them in force. */
function byOrigin({ origin }: PrecompiledCall, value: ByteString): [ByteString, ByteString][] {
  return [
    ["value", value],
    ["origin", origin],
  ];
}

/** Puts another weight in force at once. */
export function setWeight(call: PrecompiledCall, member: Address, weight: bigint): number {
  return votesTable(call.scope).update(weightKey(member), byOrigin(call, String(weight)));
}

/** Takes the weight of a former member away. */
export function removeWeight(scope: PrecompiledScope, member: Address): void {
  votesTable(scope).remove(weightKey(member));
}
