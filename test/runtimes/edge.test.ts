/** Core inside workerd. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createSmSuite } from "../../core/crypto/national.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { deploy, request } from "../support/client/json-rpc-session.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { openWorker } from "../support/browser/workerd.ts";
import { openObjectChain } from "../support/edge/object-chain.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { runScenario } from "./block-scenario.ts";

const MODULE = `
  import { runScenario } from "./block-scenario.ts";
  import { createWebSuite } from "../../runtimes/shared/platform/web-suite.ts";
  const run = async (name) => runScenario(await createWebSuite(name));
  const both = () => Promise.all(["standard", "national"].map(run));
  export default { fetch: async () => Response.json(await both()) };
`;
const SUITES = [createStandardSuite(), createSmSuite()];

test("a block of either suite executes in workerd with the same hashes as on Node", async () => {
  const { script } = await bundleFor("edge", MODULE);
  const worker = await openWorker(script);
  try {
    const answer = await worker.fetch("/");
    assert.deepEqual(await answer.json(), await Promise.all(SUITES.map(runScenario)));
  } finally {
    await worker.close();
  }
});

for (const suite of TAKES_ALL_CASES ? SUITES : SUITES.slice(1)) {
  test(`a node in a durable object takes a transaction of the ${suite.name} suite`, async () => {
    const chain = await openObjectChain(1, { variables: { SUITE: suite.name } });
    try {
      const ask = chain.ask();
      assert.deepEqual(await request(ask, "getGroupList", []), [1]);
      const receipt = await deploy(ask, suite);
      assert.equal(receipt["status"], "0x0");
      assert.equal(receipt["blockNumber"], "0x1");
    } finally {
      await chain.close();
    }
  });
}

test("a module that needs Node does not bundle for the edge", async () => {
  await assert.rejects(bundleFor("edge", 'import "node:fs";'), /Could not resolve "node:fs"/);
});
