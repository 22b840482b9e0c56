/** The recorded ledgers of older versions, and the larger generated ones, through our executor. */
import { test } from "vitest";
import { version } from "../../core/model/version.ts";
import { recordedLedgers } from "../support/ledger/replay.ts";
import { assertReplays } from "../support/ledger/replay-check.ts";
import { NATIONAL_SUITE as national, STANDARD_SUITE as suite } from "../support/suites.ts";

// rules: sm-suite 3, sm-suite 5, precompiles 17.1, precompiles 17.2
// rules: execution 3, 4, 5, 7, 15, storage 5, 6, tx-block-codec 8.3, 12.4

/** Ledgers of newer versions are in replay.test.ts. */
const LEDGERS = [
  ...recordedLedgers("replay-versions").filter((it) => it.version < version(2, 9, 0)),
  ...recordedLedgers("replay-fuzz"),
];
for (const ledger of LEDGERS) {
  test(`${ledger.name} comes out as recorded`, () =>
    assertReplays(ledger, ledger.isNational ? national : suite));
}
