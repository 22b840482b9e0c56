import assert from "node:assert/strict";
import { test } from "vitest";
import { addBlockNonces, createNonceWindow } from "../../../core/txpool/nonce-window.ts";
import { proposalDefect } from "../../../core/txpool/proposal-check.ts";

// rules: txpool 5

const HEAD = 200;
const window = createNonceWindow(7);
addBlockNonces(window, HEAD, [11n, 12n]);
const context = { head: HEAD, chainId: 1, groupId: 1 };
const good = { nonce: 1n, blockLimit: 201n, chainId: 1n, groupId: 1n };

const TABLE = [
  { change: {}, defect: undefined },
  { change: { nonce: 12n }, defect: "nonceUsed" },
  { change: { nonce: 2n }, defect: "repeatedNonce" },
  { change: { blockLimit: 200n }, defect: "blockLimitCheckFail" },
  { change: { blockLimit: 1_200n }, defect: undefined },
  { change: { blockLimit: 1_201n }, defect: "blockLimitCheckFail" },
  { change: { chainId: 2n }, defect: "invalidChainId" },
  { change: { groupId: 2n }, defect: "invalidGroupId" },
] as const;
for (const { change, defect } of TABLE) {
  const text = Object.entries(change).map(([name, value]) => `${name} ${value}`);
  test(`a transaction with ${text.join() || "nothing amiss"} gives ${defect}`, () => {
    const second = { ...good, nonce: 2n };
    const third = { ...good, nonce: 3n, ...change };
    assert.equal(proposalDefect(window, [good, second, third], context), defect);
  });
}
