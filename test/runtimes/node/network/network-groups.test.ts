/** Three groups on four nodes: side by side, and one that stops is nothing to the others. */
// rules: groups 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { request } from "../../../support/process/dev-process.ts";
import {
  groupsText,
  keepBusy,
  stopEverywhere,
  untilBlocks,
} from "../../../support/process/group-clients.ts";
import { initProcessChain } from "../../../support/process/node-processes.ts";
import { untilConnected } from "../../../support/process/process-checks.ts";

const IDS = Array.from({ length: 3 }, (_, index) => index + 1);
const STOPPED = 2;
const BLOCKS = 3;

test("three groups run on four nodes, and the others go on when one is stopped", async () => {
  const chain = await initProcessChain({ nodes: 4, groups: groupsText(IDS), hosted: true });
  try {
    const { nodes } = chain;
    const [first] = nodes;
    assert.ok(first);
    await Promise.all(nodes.map((node) => node.start()));
    await untilConnected(nodes);
    const others = IDS.filter((id) => id !== STOPPED);
    const stops = new Map(IDS.map((id) => [id, keepBusy(nodes, id)]));
    await Promise.all(IDS.map((id) => untilBlocks(first, id, 1)));
    await stops.get(STOPPED)?.();
    await stopEverywhere(nodes, STOPPED);
    await Promise.all(others.map((id) => untilBlocks(first, id, BLOCKS)));
    const done = await Promise.all(others.map((id) => stops.get(id)?.()));
    assert.ok(
      done.every((count) => Number(count) >= BLOCKS),
      done.join(" "),
    );
    for (const { url } of nodes) assert.deepEqual(await request(url, "getGroupList", []), others);
  } finally {
    await chain.close();
  }
});
