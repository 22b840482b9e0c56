/** A dev chain ends once, no matter who asks for it and whatever is under way. */
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { createDevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";

beforeAll(useBuiltWorkers);

test("all who close a chain learn of one end, and a request under way is answered or refused", async () => {
  const chain = await createDevChain({ nodes: 1, blockTimeMs: 0 });
  const requests = Array.from({ length: 20 }, () =>
    chain.request("getBlockNumber", [1]).then(
      () => "answered",
      () => "refused",
    ),
  );
  const ended: number[] = [];
  const closes = Array.from({ length: 30 }, (_, i) => chain.close().then(() => ended.push(i)));
  await Promise.all(closes);
  assert.deepEqual(ended, [...closes.keys()], "nobody is notified of the end before it");
  for (const request of requests) assert.match(await request, /answered|refused/);
});
