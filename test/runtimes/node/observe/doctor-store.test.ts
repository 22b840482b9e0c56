/** What the doctor says of a ledger that is not that of genesis file and version. */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { version } from "../../../../core/model/version.ts";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { checkStore } from "../../../../runtimes/node/observe/doctor-store.ts";
import {
  databaseOf,
  recordedNodeFolder,
  temporaryFolder,
} from "../../../support/ledger/recorded-folder.ts";
import { loseTwoVotes } from "../../../support/ledger/lost-votes.ts";
import { RECORD_GENESIS } from "../../../support/ledger/signed-record.ts";

test("a ledger is compared with genesis file and version", async () => {
  const parent = await temporaryFolder();
  try {
    const place = await recordedNodeFolder(parent, "node0");
    const { value: config } = readNodeConfig(
      await readFile(join(place, "config.ini"), "utf8"),
      "config.ini",
    );
    const file = join(place, "conf", "group.1.genesis");
    const base = { ledger: databaseOf(place), file, home: place, config, genesis: RECORD_GENESIS };
    const [right, ...more] = await checkStore(base);
    assert.equal(right?.outcome, "ok", right?.says);
    assert.deepEqual(more, []);
    const [other] = await checkStore({ ...base, genesis: { ...RECORD_GENESIS, gasLimit: 7n } });
    assert.match(
      other?.says ?? "",
      /block holds the genesis block 0x\w{64}, and .*genesis gives 0x\w{64}$/,
    );
    assert.match(
      other?.next ?? "",
      /^Put back the .*group\.1\.genesis that the other nodes have\./,
    );
    const chain = { ...config.chain, supportedVersion: version(2, 0, 0) };
    const [older] = await checkStore({ ...base, config: { ...config, chain } });
    assert.match(
      older?.next ?? "",
      /config\.ini is 2\.0\.0, and the ledger was begun with one like 2\./,
    );
    const [lost] = await checkStore({ ...base, ledger: join(place, "none"), home: "my net/node0" });
    assert.equal(lost?.next, "chain-node check 'my net/node0' says what is damaged.");
    await loseTwoVotes(databaseOf(place));
    const [, copied] = await checkStore(base);
    assert.match(copied?.says ?? "", /has lost 2 records of votes .* as a silent observer until/);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});
