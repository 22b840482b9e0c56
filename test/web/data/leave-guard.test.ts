/** Who is asked before the tab is closed. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { TabStatus } from "../../../runtimes/browser/link/api.ts";
import { isMissed } from "../../../web/data/leave-guard.ts";

interface Changes {
  readonly kind?: "chain" | "join";
  readonly owner?: TabStatus["owner"];
  readonly phase?: TabStatus["phase"];
  readonly isSealer?: boolean;
  readonly isMember?: boolean;
}

function statusWith(changes: Changes): TabStatus {
  const { kind = "join", owner = "this", phase = "running" } = changes;
  const { isSealer = true, isMember = true } = changes;
  const common = { name: "tab", chainId: 1, sm: false, created: 0 };
  const consensus = { kind: "pbft", view: 0, toView: 0, isSealer } as const;
  const group = {
    groupId: 1,
    height: 3,
    headHash: "",
    pending: 0,
    isSyncing: false,
    isMember,
    consensus: { ...consensus, isLeader: false, isChangingView: false },
    silence: undefined,
  };
  const node = { index: 0, nodeId: "aa", peers: 4, groups: [group], failures: [] };
  const chain = { ...common, kind, consensus: "pbft", nodeIds: ["aa"], accounts: [] } as const;
  return { phase, owner, chain, nodes: [node], reason: undefined };
}

test("only the tab that runs a sealer of a network is asked", () => {
  assert.equal(isMissed(statusWith({})), true);
  const others: readonly Changes[] = [
    { kind: "chain" },
    { owner: "other" },
    { phase: "stopping" },
    { isSealer: false },
    { isSealer: true, isMember: false },
  ];
  for (const other of others) {
    assert.equal(isMissed(statusWith(other)), false, JSON.stringify(other));
  }
});
