/**
 * Recorded ledgers through our executor: every receipt, root, hash and seal must come out equal.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Address } from "../../core/bytes/ids.ts";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import { WORK_FACTOR } from "../../core/execution/chain-rules.ts";
import { version } from "../../core/model/version.ts";
import { GROUP1, recordedLedgers } from "../support/ledger/replay.ts";
import { assertReplays, replay } from "../support/ledger/replay-check.ts";
import { assertReads } from "../support/ledger/replay-reads.ts";
import { NATIONAL_SUITE as national, STANDARD_SUITE as suite } from "../support/suites.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";

// rules: sm-suite 5, sm-suite 9, sm-suite 10.4
// rules: rpc-semantics 6.1, 6.2, 6.3, 6.4, 6.5
// rules: execution 2, 3, 4, 5, 7, 7.1, 13, 15, storage 5, 6, tx-block-codec 12.4, 12.5

test("the four-node ledger comes out as recorded", async () => {
  const options = { files: GROUP1, suite, version: version(2, 11, 1) };
  const { ledger, processor, transactions, largestWork } = await replay(options);
  assert.equal(transactions, 748);
  await assertReads({ ...options, ledger, isEachAsked: TAKES_ALL_CASES });
  // No recorded ledger reaches the bound of work. Source: decision 21
  assert.ok(largestWork < WORK_FACTOR, `${largestWork} times the limit`);
  const call = {
    from: "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a" as Address,
    to: "0xae519fc2ba8e6ffe6473195c092bf1bae986ff90" as Address,
    value: 0n,
    data: hexBytes("6d4ce63c"),
  };
  const outcome = await processor.call(call);
  assert.deepEqual([outcome.number, outcome.status], [326, 0]);
  assert.match(toPrefixedHex(outcome.output), /^0x0{62}20/);
});

/** The others of the first folder are in replay-versions.differential.test.ts. */
const LEDGERS = [
  ...recordedLedgers("replay-versions").filter((it) => it.version >= version(2, 9, 0)),
  ...recordedLedgers("replay-rules"),
];
for (const ledger of LEDGERS) {
  test(`${ledger.name} comes out as recorded`, () =>
    assertReplays(ledger, ledger.isNational ? national : suite));
}
