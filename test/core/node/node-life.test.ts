/** Starting and stopping a node and its group, also when something fails or comes too early. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { version } from "../../../core/model/version.ts";
import type { Store } from "../../../core/ports/store.ts";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { nodeLife } from "../../support/world/node-life.ts";

const suite = await createNodeSuite();

/** A promise that a test resolves, and what waits for it. */
function gate() {
  let open: () => void = () => {};
  let reach: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const wait = async () => {
    reach();
    await opened;
  };
  return { open, reached, wait };
}

for (const step of ["store", "executor"] as const) {
  test(`a stop while the ${step} is being opened leaves nothing open`, async () => {
    const held = gate();
    const before = step === "store" ? { beforeStore: held.wait } : { beforeExecutor: held.wait };
    const { node, stores, executors } = nodeLife({ suite, ...before });
    const start = node.start().then(
      () => "started",
      () => "refused",
    );
    await held.reached;
    const stop = node.stop();
    held.open();
    await stop;
    assert.equal(await start, "refused");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(stores, { opened: 1, closed: 1 });
    assert.equal(executors.opened, executors.closed);
    assert.equal(node.api.group(1), undefined);
  });
}

test("a start that fails gives back its executor and tells its own reason, each time", async () => {
  let reason: string | undefined;
  const wrapStore = (store: Store): Store => ({
    ...store,
    range: (from, to, limit) =>
      reason === undefined
        ? store.range(from, to, limit)
        : Promise.reject(new StoreFault("io", reason)),
  });
  const { node, executors, submit, nextBlock } = nodeLife({ suite, wrapStore });
  await node.start();
  assert.equal((await node.api.manageGroup("stopGroup", 1)).code, 0);
  for (const text of ["the first disk is gone", "the second disk is gone"]) {
    reason = text;
    const { code, message } = await node.api.manageGroup("startGroup", 1);
    assert.deepEqual([code, message], [1, `StoreFault: ${text}`]);
    assert.equal(executors.opened, executors.closed);
    assert.equal((await node.api.groupStatus(1)).status, "STOPPED");
  }
  reason = undefined;
  assert.equal((await node.api.manageGroup("startGroup", 1)).code, 0);
  const block = nextBlock();
  assert.equal((await submit()).ok, true);
  await block;
  await node.stop();
  assert.equal(executors.opened, executors.closed);
});

test("a group whose executor died takes no part, is stopped, and can be started again", async () => {
  const { node, executors, killExecutor, submit, nextBlock } = nodeLife({ suite });
  const failures: unknown[] = [];
  node.onFailure((cause) => failures.push(cause));
  await node.start();
  killExecutor(new StoreFault("io", "the executor thread failed"));
  assert.equal(failures.length, 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(node.api.group(1), undefined);
  assert.deepEqual(node.api.groupList(), []);
  assert.equal(executors.closed, 1);
  assert.equal((await node.api.manageGroup("stopGroup", 1)).code, 4);
  assert.equal((await node.api.manageGroup("startGroup", 1)).code, 0);
  const block = nextBlock();
  assert.equal((await submit()).ok, true);
  await block;
  await node.stop();
  assert.deepEqual(executors, { opened: 2, closed: 2 });
});

test("a group is not there from the moment that it is told to stop", async () => {
  const held = gate();
  const { node } = nodeLife({
    suite,
    wrapFiles: (files) => ({
      ...files,
      write: async (path, bytes) => {
        if (Buffer.from(bytes).toString("latin1") === "STOPPING") await held.wait();
        await files.write(path, bytes);
      },
    }),
  });
  await node.start();
  assert.ok(node.api.group(1));
  const stop = node.api.manageGroup("stopGroup", 1);
  await held.reached;
  // The word is not stored yet, so nobody is notified of it; but the group takes no more questions.
  assert.equal((await node.api.groupStatus(1)).status, "RUNNING");
  assert.equal(node.api.group(1), undefined);
  assert.deepEqual(node.api.groupList(), []);
  held.open();
  assert.equal((await stop).code, 0);
  await node.stop();
});

test("a listener that throws does not stop the blocks", async () => {
  const { node, errors, submit, nextBlock } = nodeLife({ suite });
  node.onBlock(() => {
    throw new RangeError("a careless listener");
  });
  await node.start();
  for (let i = 0; i < 2; i++) {
    const block = nextBlock();
    assert.equal((await submit()).ok, true);
    await block;
  }
  assert.deepEqual(
    errors,
    Array(2).fill("a block listener failed: RangeError: a careless listener"),
  );
  await node.stop();
});

// rules: pbft 7
test("a chain whose block 0 does not record it has the consensus_timeout of its file", async () => {
  const genesis = { consensusTimeoutSeconds: 9 };
  const { node } = nodeLife({ suite, version: version(2, 5, 0), genesis });
  await node.start();
  // What consensus learns of; the interface of the node does not show it.
  const ledger = node.api.group(1)?.ledger as Ledger | undefined;
  assert.equal(ledger?.groupConfig().consensusTimeoutSeconds, 9);
  await node.stop();
});
