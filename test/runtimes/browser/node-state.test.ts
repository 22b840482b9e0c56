/** How the nodes of a tab stand. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ZERO_HASH } from "../../../core/bytes/ids.ts";
import { consensusOf } from "../../../runtimes/browser/node-state.ts";
import { OWN_ID } from "../../support/data-node.ts";
import type { PbftStatus } from "../../../core/consensus/pbft/status.ts";

/** It has voted for view 8 and is in view 7. */
const WAITING: PbftStatus = {
  kind: "pbft",
  accountType: 1,
  cfgErr: false,
  connectedNodes: 3,
  consensusedBlockNumber: 6,
  currentView: 7,
  toView: 8,
  highestblockHash: ZERO_HASH,
  highestblockNumber: 5,
  leaderFailed: true,
  maxFaulty: 1,
  nodeIndex: 0,
  sealers: [OWN_ID],
  views: [{ nodeId: OWN_ID, view: 7 }],
};

function isChangingView(status: PbftStatus): boolean {
  const told = consensusOf(status, status.highestblockNumber, OWN_ID);
  assert.equal(told.kind, "pbft");
  return told.kind === "pbft" && told.isChangingView;
}

test("a sealer on its way to another view is shown so", () => {
  assert.equal(isChangingView(WAITING), true);
  assert.equal(isChangingView({ ...WAITING, currentView: 8, leaderFailed: false }), false);
});

test("one that fell quiet on its way is not: it would be shown so until the next block", () => {
  const quiet = { ...WAITING, accountType: 0, cfgErr: true, nodeIndex: 65_535 } as const;
  assert.equal(isChangingView(quiet), false);
});
