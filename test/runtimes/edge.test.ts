/** Core inside workerd. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { bundleFor } from "../support/platform-bundle.ts";
import { openWorker } from "../support/workerd.ts";
import { runScenario } from "./block-scenario.ts";

const MODULE = `
  import { runScenario } from "./block-scenario.ts";
  export default { fetch: async () => Response.json(await runScenario()) };
`;

test("a block executes in workerd with the same hashes as on Node", async () => {
  const { script } = await bundleFor("edge", MODULE);
  const worker = await openWorker(script);
  try {
    const answer = await worker.fetch("/");
    assert.deepEqual(await answer.json(), await runScenario());
  } finally {
    await worker.close();
  }
});

test("a module that needs Node does not bundle for the edge", async () => {
  await assert.rejects(bundleFor("edge", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
