/** A second group on a kept dev chain: generated over RPC, on disk, there again after a restart. */
// rules: groups 1, groups 2, groups 3
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createDevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { groupsContract } from "../../../contract/groups.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";

const ROOT = mkdtempSync(join(tmpdir(), "dev-groups-"));

beforeAll(useBuiltWorkers);
afterAll(() => rmSync(ROOT, { recursive: true, force: true }));

test("a generated group runs next to the first one, and both are as they were left", async () => {
  const dataDir = join(ROOT, "chain");
  await groupsContract({
    open: () => createDevChain({ nodes: 4, blockTimeMs: 0, dataDir }),
    async look() {
      const home = join(dataDir, "node0");
      assert.deepEqual(readdirSync(join(home, "conf")), [
        "group.1.genesis",
        "group.1.ini",
        "group.2.genesis",
        "group.2.ini",
      ]);
      const word = (groupId: number) =>
        readFileSync(join(home, `group${groupId}`, ".group_status"), "utf8");
      assert.deepEqual([word(1), word(2)], ["STOPPED", "RUNNING"]);
    },
  });
});
