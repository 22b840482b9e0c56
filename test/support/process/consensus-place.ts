/** Where the consensus of groups stands. */
import assert from "node:assert/strict";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { ConsensusStatus, GroupApi } from "../../../core/api/node-api.ts";

/** The current view of a PBFT group. */
export function viewOf(group: GroupApi | undefined): number {
  const status = group?.consensusStatus();
  assert.ok(status?.kind === "pbft", "a PBFT group runs");
  return status.currentView;
}

/** What there is to say of machines. */
export interface WorldPlace {
  readonly now: number;
  readonly machines: readonly {
    readonly index: number;
    readonly life: { readonly node: RunningNode } | undefined;
    readonly crashes: number;
  }[];
  readonly failures: readonly { readonly index: number; readonly cause: unknown }[];
  readonly groupId: number;
}

/** Where everybody stands, for messages. */
export function describeWorld({ now, machines, failures, groupId }: WorldPlace): string {
  const stands = machines.map(({ index, life, crashes }) => {
    const status = life?.node.api.group(groupId)?.consensusStatus();
    return `${index}: ${status ? placeOf(status) : "off"} (${crashes} crashes)`;
  });
  const causes = failures.map(({ index, cause }) => `${index} failed: ${String(cause)}`);
  return [`at ${now} ms`, ...stands, ...causes].join("; ");
}

function placeOf(status: ConsensusStatus): string {
  const at = `${status.highestblockNumber}`;
  return status.kind === "pbft"
    ? `${at} view ${status.currentView}/${status.toView}`
    : `${at} ${status.role} in term ${status.term}`;
}
