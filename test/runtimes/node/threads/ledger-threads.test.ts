/** A node's ledger over its threads: the store here, blocks in one thread, calls in another. */
// rules: storage 13.1, storage 13.2
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../core/bytes/ids.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../../../core/execution/block-processor.ts";
import { RpcFault } from "../../../../core/fault/rpc-fault.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { openLedger } from "../../../../core/ledger/ledger.ts";
import { AskingConnection } from "../../../../core/limits/asking-connection.ts";
import type { CallOutcome, Executor } from "../../../../core/ports/executor.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { createCallHost } from "../../../../runtimes/node/threads/call-host.ts";
import type { CallHost, CallHostOptions } from "../../../../runtimes/node/threads/call-host.ts";
import { openExecutorHost } from "../../../../runtimes/node/threads/executor-host.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import type { LevelStore } from "../../../../runtimes/node/store/store.ts";
import { useBuiltWorkers } from "./built-workers.ts";
import { GENESIS, startChain, VERSION } from "./threaded-chain.ts";
import type { ThreadedChain } from "./threaded-chain.ts";
import { tookMs, untilQuick } from "../../../support/runner/until-quick.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const suite = await createNodeSuite();
let root = "";
let count = 0;

beforeAll(async () => {
  useBuiltWorkers();
  root = await mkdtemp(join(tmpdir(), "ledger-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Threads {
  readonly store: LevelStore;
  readonly calls: CallHost;
  readonly executor: Executor;
  readonly chain: ThreadedChain;
}

async function using(body: (threads: Threads) => Promise<void>, options: CallHostOptions = {}) {
  const folder = join(root, `node-${count++}`);
  const store = await openLevelStore(folder, { create: true });
  const calls = createCallHost(options);
  const setup = { folder, version: VERSION, genesis: GENESIS };
  const open = () => openExecutorHost({ setup, calls: calls.ledger(setup) });
  const { chain, executor } = await startChain(store, suite, open);
  try {
    await body({ store, calls, executor, chain });
  } finally {
    await executor.close();
    await calls.close();
    await store.close();
  }
}

function callTo(to: Address) {
  return { from: ZERO_ADDRESS, to, value: 0n, data: Uint8Array.of(1) };
}

const countIn = ({ output }: CallOutcome) => Number(`0x${Buffer.from(output).toString("hex")}`);

test("the threads write the chain that a processor in place writes", () =>
  using(async ({ executor, chain }) => {
    const store = openMemoryStore();
    const inPlace = await startChain(store, suite, async () =>
      createBlockProcessor({ store, suite, version: VERSION, genesis: GENESIS }),
    );
    for (const calls of [1, 5, 40]) {
      const to = Array<Address>(calls).fill(chain.counter);
      const hash = await chain.write(executor, to);
      assert.equal(hash, await inPlace.chain.write(inPlace.executor, to));
    }
  }));

// A block that is not there at once fails the next test.
inFull("a written block is in the store that the main thread reads, at once", () =>
  using(async ({ store, executor, chain }) => {
    const hash = await chain.write(executor, [chain.counter]);
    const ledger = openLedger({ store, suite, version: VERSION });
    assert.deepEqual(ledger.head(), { number: 2, hash });
    assert.equal((await ledger.block(hash))?.transactions.length, 1);
  }),
);

test("a call answers from the newest block, with its number", () =>
  using(async ({ executor, chain }) => {
    await chain.write(executor, [chain.counter, chain.counter]);
    const first = await executor.call(callTo(chain.counter));
    assert.deepEqual([first.number, first.status, countIn(first)], [2, 0, 2]);
    await chain.write(executor, [chain.counter]);
    const second = await executor.call(callTo(chain.counter));
    assert.deepEqual([second.number, second.status, countIn(second)], [3, 0, 3]);
  }));

test("calls next to a stream of blocks each see one whole block", () =>
  using(async ({ executor, chain }) => {
    let writing = true;
    const seen: CallOutcome[] = [];
    const reader = (async () => {
      while (writing) seen.push(await executor.call(callTo(chain.counter)));
    })();
    // As many blocks as it takes for the calls to meet many heights. The thread of calls gives way
    // to others: on a busy machine it has its turns in the pauses only.
    for (let blocks = 0; blocks < 30 || seen.length < 20; blocks++) {
      await chain.write(executor, [chain.counter, chain.counter, chain.counter]);
      if (blocks >= 30) await new Promise((resume) => setTimeout(resume, 20));
    }
    writing = false;
    await reader;
    // Block 1 creates, each later one counts three times.
    for (const outcome of seen) assert.equal(countIn(outcome), 3 * (outcome.number - 1));
  }));

/** Cancels a block that burns gas; how long it went on, and that it named a transaction of it. */
async function cancelBurning({ executor, chain }: Threads): Promise<number> {
  const request = chain.propose(Array<Address>(50).fill(chain.burner));
  const pending = executor.execute(request);
  await new Promise((resolve) => setTimeout(resolve, 100));
  executor.cancel();
  const ms = await tookMs(() => pending);
  const result = await pending;
  assert.ok(!result.ok);
  assert.equal(result.reason, "cancelled");
  assert.ok(result.heavy && request.hashes.includes(result.heavy));
  return ms;
}

test("a block that burns gas stops within 100 ms of cancel", () =>
  using(async (threads) => {
    await untilQuick(100, () => cancelBurning(threads));
    await threads.chain.write(threads.executor, [threads.chain.counter]);
  }));

// A thread that calls wait for fails "quick calls of others".
inFull("calls and reads are answered while a block burns gas", () =>
  using(async ({ store, executor, chain }) => {
    await executor.call(callTo(chain.counter));
    const pending = executor.execute(chain.propose(Array<Address>(50).fill(chain.burner)));
    let executing = true;
    const finished = pending.then(() => {
      executing = false;
    });
    for (let calls = 0; calls < 5; calls++) {
      assert.equal(countIn(await executor.call(callTo(chain.counter))), 0);
      assert.equal(openLedger({ store, suite, version: VERSION }).head().number, 1);
    }
    assert.ok(executing, "the block ended before the calls were answered");
    executor.cancel();
    await finished;
  }),
);

test("a call that runs too long is abandoned and the next one is answered", () =>
  using(
    async ({ executor, chain }) => {
      const long = assert.rejects(
        executor.call(callTo(chain.burner)),
        (fault) =>
          fault instanceof RpcFault && fault.code === -32603 && /too long/.test(fault.message),
      );
      const next = await executor.call(callTo(chain.counter));
      assert.equal(countIn(next), 0);
      await long;
    },
    { callLimitMs: 100 },
  ));

test("a call thread that has grown ends when nobody asks it, and the next call is answered", () =>
  using(
    async ({ executor, chain }) => {
      const threads: Worker[] = [];
      const seen = (thread: Worker) => void threads.push(thread);
      process.on("worker", seen);
      try {
        await executor.call(callTo(chain.counter));
        await assert.rejects(executor.call(callTo(chain.burner)), /too long/);
        assert.equal(threads.length, 1, "few bytes are no reason for another");
        const [first] = threads;
        assert.ok(first);
        await once(first, "exit");
        assert.equal(countIn(await executor.call(callTo(chain.counter))), 0);
        assert.equal(threads.length, 2);
      } finally {
        process.off("worker", seen);
      }
    },
    { callLimitMs: 100, keptMs: 1 },
  ));

// core/limits has the queue; threads/executor-host.test.ts the thread.
inFull("calls beyond the queue are refused with the rate limit's code", () =>
  using(
    async ({ executor, chain }) => {
      const calls = Array.from({ length: 12 }, () => executor.call(callTo(chain.counter)));
      const settled = await Promise.allSettled(calls);
      const refused = settled.filter(({ status }) => status === "rejected");
      assert.equal(refused.length, 8);
      for (const result of refused) {
        assert.ok(result.status === "rejected" && result.reason instanceof RpcFault);
        assert.equal(result.reason.code, -40011);
      }
      assert.equal(countIn(await executor.call(callTo(chain.counter))), 0);
    },
    { queueCalls: 4 },
  ),
);

/** No test waits for it: what does not stop ends the test in failure. */
const FOR_EVER_MS = 3_600_000;
const GONE = /no caller waits/;

// A call that runs is stopped in the tests of limits above and of quick calls below.
inFull("calls of a client that has gone are not run, and the one that runs is stopped", () =>
  using(
    async ({ executor, chain }) => {
      const client = new AskingConnection("hostile");
      await executor.call(callTo(chain.counter), client);
      const heavy = Array.from({ length: 16 }, () => executor.call(callTo(chain.burner), client));
      const ended = Promise.all(heavy.map((call) => assert.rejects(call, GONE)));
      // Meanwhile the thread begins with the first.
      await chain.write(executor, [chain.counter]);
      const next = executor.call(callTo(chain.counter), new AskingConnection("other"));
      client.leave();
      await ended;
      assert.equal(countIn(await next), 1);
      await assert.rejects(executor.call(callTo(chain.counter), client), GONE);
    },
    { callLimitMs: FOR_EVER_MS },
  ),
);

test("quick calls of others wait neither for a slow one nor for the next of its client", () =>
  using(
    async ({ executor, chain }) => {
      const other = new AskingConnection("other");
      const quick = async () =>
        assert.equal(countIn(await executor.call(callTo(chain.counter), other)), 0);
      // In turns with them three would be over, and all six in the order of arrival.
      await untilQuick(3, async () => {
        const hostile = new AskingConnection("hostile");
        let over = 0;
        const heavy = [0, 1, 2, 3, 4, 5].map(async () => {
          await executor.call(callTo(chain.burner), hostile).catch(() => undefined);
          over++;
        });
        for (let calls = 0; calls < 3; calls++) await quick();
        const found = over;
        hostile.leave();
        await Promise.all(heavy);
        return found;
      });
    },
    { callLimitMs: FOR_EVER_MS },
  ));

// core/limits has the turns of clients.
inFull("clients have their turns: of many heavy calls another waits for one", () =>
  using(
    async ({ executor, chain }) => {
      const order: string[] = [];
      const ask = (address: string, to: Address) =>
        executor.call(callTo(to), new AskingConnection(address)).then(
          () => void order.push(address),
          () => void order.push(address),
        );
      await executor.call(callTo(chain.counter));
      const heavy = Array.from({ length: 4 }, () => ask("hostile", chain.burner));
      await Promise.all([...heavy, ask("one", chain.counter), ask("two", chain.counter)]);
      assert.deepEqual(order, ["hostile", "one", "two", "hostile", "hostile", "hostile"]);
    },
    { callLimitMs: 100 },
  ),
);

// core/limits has the places of clients.
inFull("when all places are taken, a call of the address that has most gives way", () =>
  using(
    async ({ executor, chain }) => {
      const one = new AskingConnection("one");
      const two = new AskingConnection("two");
      const askers = [one, one, two, new AskingConnection("three")];
      const calls = askers.map((it) => executor.call(callTo(chain.counter), it));
      const settled = await Promise.allSettled(calls);
      const kinds = settled.map(({ status }) => status);
      assert.deepEqual(kinds, ["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      const more = [one, one, one].map((it) => executor.call(callTo(chain.counter), it));
      const [, , third] = await Promise.allSettled(more);
      assert.ok(third?.status === "rejected" && third.reason instanceof RpcFault);
      assert.equal(third.reason.code, -40011);
    },
    { queueCalls: 3, connectionCalls: 2 },
  ),
);

// A node of two groups runs in process/start-groups.test.ts.
inFull("two ledgers share the call thread and close on their own", () =>
  using(async ({ calls, executor, chain }) => {
    const folder = join(root, `node-${count++}`);
    const store = await openLevelStore(folder, { create: true });
    const setup = { folder, version: VERSION, genesis: GENESIS };
    const open = () => openExecutorHost({ setup, calls: calls.ledger(setup) });
    const other = await startChain(store, suite, open);
    await other.chain.write(other.executor, [other.chain.counter]);
    const answers = await Promise.all([
      executor.call(callTo(chain.counter)),
      other.executor.call(callTo(other.chain.counter)),
    ]);
    assert.deepEqual(answers.map(countIn), [0, 1]);
    await other.executor.close();
    await store.close();
    await assert.rejects(other.executor.call(callTo(other.chain.counter)), RpcFault);
    assert.equal(countIn(await executor.call(callTo(chain.counter))), 0);
  }),
);

// Nodes start again in process/start-folder.test.ts.
inFull("a node opens again where it stopped, in the same process", async () => {
  const folder = join(root, `node-${count++}`);
  const setup = { folder, version: VERSION, genesis: GENESIS };
  const calls = createCallHost();
  const open = () => openExecutorHost({ setup, calls: calls.ledger(setup) });
  const store = await openLevelStore(folder, { create: true });
  const { chain, executor } = await startChain(store, suite, open);
  const hash = await chain.write(executor, [chain.counter]);
  await executor.call(callTo(chain.counter));
  await executor.close();
  await store.close();

  const again = await openLevelStore(folder, { create: false });
  const second = await open();
  assert.equal(openLedger({ store: again, suite, version: VERSION }).head().hash, hash);
  await chain.write(second, [chain.counter]);
  assert.equal(countIn(await second.call(callTo(chain.counter))), 2);
  await second.close();
  await calls.close();
  await again.close();
});

test("an executor over a folder without a store is refused", async () => {
  const setup = { folder: join(root, "nothing"), version: VERSION, genesis: GENESIS };
  const calls = createCallHost();
  await assert.rejects(
    openExecutorHost({ setup, calls: calls.ledger(setup) }),
    (fault) => fault instanceof StoreFault && fault.kind === "foreign",
  );
  await assert.rejects(
    calls.ledger(setup).call(callTo(ZERO_ADDRESS)),
    (fault) => fault instanceof StoreFault && fault.kind === "foreign",
  );
  await calls.close();
});
