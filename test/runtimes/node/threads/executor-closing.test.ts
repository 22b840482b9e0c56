/** An executor and its calls end in bounded time, whatever ends with them. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../core/bytes/ids.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { type CallHost, createCallHost } from "../../../../runtimes/node/threads/call-host.ts";
import {
  type CallPort,
  openExecutorHost,
} from "../../../../runtimes/node/threads/executor-host.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { buildModule, useBuiltWorkers } from "./built-workers.ts";
import { GENESIS, startChain, VERSION } from "./threaded-chain.ts";
import { tookMs, untilQuick } from "../../../support/runner/until-quick.ts";

const CALL_LIMIT_MS = 700;
const CACHE = join(process.cwd(), "node_modules/.cache/chain-node-test");
const OBEDIENT = join(CACHE, `closing-${process.pid}.js`);

const suite = await createNodeSuite();
let root = "";

beforeAll(async () => {
  await buildModule("test/runtimes/node/threads/obedient-executor-worker.ts", OBEDIENT);
  useBuiltWorkers();
  root = await mkdtemp(join(tmpdir(), "closing-"));
});
afterAll(async () => {
  await rm(OBEDIENT, { force: true });
  await rm(root, { recursive: true, force: true });
});

const NO_CALLS: CallPort = {
  call: async () => ({ number: 0, status: 0, output: new Uint8Array(0) }),
  close: async () => {},
};

test("a second close waits for the first", async () => {
  const host = await openExecutorHost({
    setup: "accept",
    calls: NO_CALLS,
    url: pathToFileURL(OBEDIENT),
  });
  const ended: string[] = [];
  const first = host.close().then(() => ended.push("first"));
  const second = host.close().then(() => ended.push("second"));
  await Promise.all([first, second]);
  assert.deepEqual(ended, ["first", "second"]);
});

/** A chain in threads, closed in the end. */
async function using(
  body: (threads: Awaited<ReturnType<typeof startChain>>, calls: CallHost) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(root, "node-"));
  const store = await openLevelStore(folder, { create: true });
  const calls = createCallHost({ callLimitMs: CALL_LIMIT_MS });
  const setup = { folder, version: VERSION, genesis: GENESIS };
  const open = () => openExecutorHost({ setup, calls: calls.ledger(setup) });
  const chain = await startChain(store, suite, open);
  try {
    await body(chain, calls);
  } finally {
    await chain.executor.close();
    await calls.close();
    await store.close();
  }
}

test("a call whose long argument is still copied does not follow the release of its ledger", async () => {
  await using(async ({ chain, executor }, calls) => {
    const data = new Uint8Array(8 * 1024 * 1024);
    const request = { from: ZERO_ADDRESS, to: chain.counter, value: 0n, data };
    const copied = Promise.allSettled([executor.call(request)]);
    await executor.close();
    const [result] = await copied;
    assert.ok(result.status === "rejected" && /closing/.test(String(result.reason)));
    await calls.close();
  });
});

test("a ledger closes behind the call in hand, not behind all that wait", async () => {
  let closedMs = Number.POSITIVE_INFINITY;
  const closeBusy = () =>
    using(async ({ chain, executor }) => {
      const request = { from: ZERO_ADDRESS, to: chain.burner, value: 0n, data: Uint8Array.of(1) };
      await executor.call({ ...request, to: chain.counter });
      const waiting = Promise.allSettled(Array.from({ length: 8 }, () => executor.call(request)));
      await new Promise((resolve) => setTimeout(resolve, 50));
      closedMs = await tookMs(() => executor.close());
      const refused = (await waiting).filter(
        (result) => result.status === "rejected" && /closing/.test(String(result.reason)),
      );
      assert.ok(refused.length >= 5, `${refused.length} calls were refused`);
    });
  await untilQuick(4 * CALL_LIMIT_MS, async () => {
    await closeBusy();
    return closedMs;
  });
});

test("an executor closes although the thread of the calls is lost meanwhile", () =>
  using(async ({ chain, executor }, calls) => {
    const request = { from: ZERO_ADDRESS, to: chain.burner, value: 0n, data: Uint8Array.of(1) };
    const waiting = assert.rejects(executor.call(request));
    const closing = executor.close();
    await calls.close();
    await closing;
    await waiting;
  }));
