/** The log lines that operators search for, in one place. Source: groups 8 */
import type { Hash } from "../bytes/ids.ts";
import type { ReportEvent } from "../consensus/raft/effect.ts";
import type { Log } from "../ports/log.ts";

/**
 * A block was built and is proposed: the marker `++++` with the group. Its name as a proposal is
 * not the hash that it has after execution; the line about the written block gives both.
 * Source: pbft 4.5
 */
export function logSealed(
  log: Log,
  group: number,
  block: { number: number; view: number; transactions: number; proposal: Hash },
): void {
  log.write("info", `[g:${group}] ++++ block sealed`, block);
}

/**
 * A quorum agrees on a view, or a leader and its followers hear each other, even without
 * transactions. Also marked `++++`: health checks search for it on idle chains.
 * Source: interface 4.3; generator 10.4
 */
export function logAlive(
  log: Log,
  group: number,
  where: { readonly number: number } & ({ readonly view: number } | { readonly term: number }),
): void {
  log.write("info", `[g:${group}] ++++ consensus is alive`, where);
}

/** A block is on disk: the marker `^^^^`. Source: pbft 7 */
export function logWritten(
  log: Log,
  block: {
    readonly number: number;
    readonly transactions: number;
    readonly hash: Hash;
    /** As in the line about the sealed block. */
    readonly proposal: Hash;
    readonly sealer: number;
    readonly seals: number;
  },
): void {
  log.write("info", "^^^^ block written", block);
}

/** A view timed out: the marker `ViewChangeWarning`. Idle rounds write none. Source: pbft 7 */
export function logViewChange(
  log: Log,
  change: { number: number; view: number; toView: number; cause: string },
): void {
  const { number, view, toView, cause } = change;
  log.write("warning", "ViewChangeWarning", { number, view, toView, cause });
}

/** This node began to lead a Raft group, or no longer leads it. Source: raft 5 */
export function logLeaderChange(
  log: Log,
  change: Extract<ReportEvent, { event: "leaderElected" | "steppedDown" }>,
): void {
  const { event, height, term } = change;
  const fields = { number: height, term };
  if (event === "leaderElected") return log.write("info", "this node leads the group", fields);
  const { cause } = change;
  log.write("warning", "this node no longer leads the group", { ...fields, cause });
}
