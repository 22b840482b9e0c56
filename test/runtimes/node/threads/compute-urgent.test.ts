/** Votes do not wait behind a flood of transactions. */
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { createWorkerCompute } from "../../../../runtimes/node/threads/compute.ts";
import { signedItems } from "../../../contract/compute.ts";
import { useBuiltWorkers } from "./built-workers.ts";

const suite = await createNodeSuite();
/** More than a pool takes at once. */
const FLOOD = 40_000;
const SLICE = 1_000;

beforeAll(useBuiltWorkers);

test("urgent signatures go before those that wait, also when the pool takes no more", async () => {
  const compute = createWorkerCompute({ suite, workers: 1 });
  const { items, keys } = signedItems(5);
  const [item] = items;
  assert.ok(item);
  const slice = Array(SLICE).fill(item);
  const flood: Promise<unknown>[] = [];
  for (let i = 0; i < FLOOD / SLICE; i++) flood.push(compute.recover(slice));
  const settled = Promise.allSettled(flood);
  assert.ok(compute.queuedItems() > FLOOD / 2);
  const answers = await compute.recover(items, { urgent: true });
  assert.deepEqual(answers, keys);
  assert.ok(compute.queuedItems() > FLOOD / 2, `${compute.queuedItems()} still wait`);
  await compute.close();
  await settled;
});
