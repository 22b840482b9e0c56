/** The recorded ledgers of older versions through our executor. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createSmSuite } from "../../core/crypto/national.ts";
import { WORK_FACTOR } from "../../core/execution/chain-rules.ts";
import { version } from "../../core/model/version.ts";
import { createNodeSuite } from "../../runtimes/node/backends.ts";
import { absent } from "../support/recorded-ledger.ts";
import { versionLedger } from "../support/replay.ts";
import { replay } from "../support/replay-check.ts";
import { assertReads } from "../support/replay-reads.ts";

// rules: sm-suite 3, sm-suite 5, precompiles 17.1, precompiles 17.2
// rules: execution 3, 4, 5, 7, 15, storage 5, 6, tx-block-codec 8.3, 12.4

const suite = await createNodeSuite();
const skip = absent("golden");

/** The whole recordings; each ran the same 657 transactions. */
const LEDGERS = [
  { name: "v2.0.0", version: version(2, 0, 0), last: 149 },
  { name: "v2.1.0", version: version(2, 1, 0), last: 149 },
  { name: "v2.2.0", version: version(2, 2, 0), last: 149 },
  { name: "v2.3.0", version: version(2, 3, 0), last: 149 },
  { name: "v2.4.0", version: version(2, 4, 0), last: 149 },
  { name: "v2.4.0-free", version: version(2, 4, 0), last: 150 },
  { name: "v2.5.0", version: version(2, 5, 0), last: 149 },
  { name: "v2.6.0", version: version(2, 6, 0), last: 149 },
  { name: "v2.7.0", version: version(2, 7, 0), last: 149 },
  { name: "v2.8.0", version: version(2, 8, 0), last: 149 },
  { name: "v2.3.0-sm", version: version(2, 3, 0), last: 150 },
  { name: "v2.4.0-sm", version: version(2, 4, 0), last: 149 },
] as const;
const national = createSmSuite();
for (const ledger of LEDGERS) {
  test.skipIf(skip !== undefined)(
    `${ledger.name} comes out as recorded${skip ?? ""}`,
    async () => {
      const files = versionLedger(ledger.name);
      const ofLedger = ledger.name.endsWith("-sm") ? national : suite;
      const options = { files, suite: ofLedger, version: ledger.version, last: ledger.last };
      const replayed = await replay(options);
      assert.equal(replayed.transactions, 657);
      assert.ok(replayed.largestWork < WORK_FACTOR, `${replayed.largestWork} times the limit`);
      await assertReads({ ...options, ledger: replayed.ledger });
    },
  );
}
