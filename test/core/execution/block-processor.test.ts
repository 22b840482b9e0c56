import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { bodyKey } from "../../../core/ledger/keys.ts";
import { headerHash } from "../../../core/model/header.ts";
import { HEAVY_MS } from "../../../core/execution/block-processor.ts";
import type { ExecuteRequest, HeavyTransaction } from "../../../core/ports/executor.ts";
import type { Store } from "../../../core/ports/store.ts";
import { type MemoryStore, openMemoryStore } from "../../../core/storage/memory-store.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  ALICE,
  BOB,
  initCode,
  openTestChain,
  rawTransaction,
  type Sending,
  SUITE,
} from "../../support/execution/test-chain.ts";

// rules: storage 7, 13, execution 1

const COUNTER = assemble("0 sload 1 add 0 sstore 0 sload 0 mstore 32 0 return");

function withHeader(
  request: ExecuteRequest,
  change: Partial<ExecuteRequest["header"]>,
): ExecuteRequest {
  return { ...request, header: { ...request.header, ...change } };
}

const REFUSALS = [
  { reason: "wrongNumber", change: { number: 2 } },
  { reason: "wrongNumber", change: { number: 0 } },
  { reason: "wrongParent", change: { parentHash: ZERO_HASH } },
  { reason: "wrongTransactionsRoot", change: { transactionsRoot: ZERO_HASH } },
] as const;
for (const { reason, change } of REFUSALS) {
  test(`a proposal with ${JSON.stringify(change)} is refused: ${reason}`, async () => {
    const { processor, propose } = await openTestChain();
    const request = withHeader(propose([rawTransaction({ to: BOB })]), change);
    assert.deepEqual(await processor.execute(request), { ok: false, reason, heavy: undefined });
  });
}

test("a proposal above tx_count_limit is refused", async () => {
  const { processor, propose } = await openTestChain({ genesis: { maxTransactions: 2 } });
  const three = [1, 2, 3].map(() => rawTransaction({ to: BOB }));
  const outcome = await processor.execute(propose(three));
  assert.deepEqual(outcome, { ok: false, reason: "tooManyTransactions", heavy: undefined });
  assert.ok((await processor.execute(propose(three.slice(1)))).ok);
});

test("bytes that are no transaction are refused and named", async () => {
  const { processor, propose } = await openTestChain();
  const broken = { ...rawTransaction({ to: BOB }), raw: new Uint8Array([0xc1, 0x80]) };
  const outcome = await processor.execute(propose([broken]));
  assert.deepEqual(outcome, { ok: false, reason: "badTransaction", heavy: broken.hash });
});

test("executing the same proposal again gives the same block", async () => {
  const { processor, propose } = await openTestChain();
  const request = propose([rawTransaction({ input: initCode(COUNTER) })]);
  assert.deepEqual(await processor.execute(request), await processor.execute(request));
});

test("an execution leaves no trace before it is written", async () => {
  const store = openMemoryStore();
  const { processor, propose, ledger } = await openTestChain({ store });
  const { size } = store;
  await processor.execute(propose([rawTransaction({ input: initCode(COUNTER) })]));
  assert.equal(store.size, size);
  assert.equal(ledger.refresh().number, 0);
});

test("only the block that was executed last can be written", async () => {
  const { processor, propose } = await openTestChain();
  const first = await processor.execute(propose([rawTransaction({ to: BOB })]));
  const second = await processor.execute(propose([rawTransaction({ to: BOB })]));
  assert.ok(first.ok && second.ok);
  await assert.rejects(processor.write(first.block.hash, []), InvariantFault);
  await assert.rejects(processor.write(`0x${"77".repeat(32)}` as Hash, []), InvariantFault);
  await processor.write(second.block.hash, []);
});

test("writing the newest block once more changes nothing", async () => {
  const store = openMemoryStore();
  const { processor, propose, ledger } = await openTestChain({ store });
  const outcome = await processor.execute(propose([rawTransaction({ to: BOB })]));
  assert.ok(outcome.ok);
  const seal = { index: 0, signature: new Uint8Array(65) };
  await processor.write(outcome.block.hash, [seal]);
  const { size } = store;
  await processor.write(outcome.block.hash, []);
  assert.equal(store.size, size);
  assert.deepEqual((await ledger.header(outcome.block.hash))?.seals, [seal]);
  assert.equal((await ledger.totals()).transactions, 1n);
});

test("two writes of one block at the same time write it once", async () => {
  const chain = await openTestChain({ processor: { hasBody: async () => false } });
  const outcome = await chain.processor.execute(chain.propose([rawTransaction({ to: BOB })]));
  assert.ok(outcome.ok);
  const { hash } = outcome.block;
  await Promise.all([1, 2, 3].map(() => chain.processor.write(hash, [])));
  chain.ledger.refresh();
  assert.deepEqual(await chain.ledger.totals(), { number: 1, transactions: 1n, failed: 1n });
});

test("an execution asked for during a write stands on the written block", async () => {
  const chain = await openTestChain();
  const first = await chain.processor.execute(chain.propose([]));
  assert.ok(first.ok);
  const { hash } = first.block;
  const request = chain.propose([]);
  const next = withHeader(request, { number: 2, parentHash: hash });
  const writing = chain.processor.write(hash, []);
  const second = await chain.processor.execute(next);
  await writing;
  assert.ok(second.ok);
  assert.equal(second.block.header.number, 2);
});

test("a newer request cancels the running one, which names its transaction", async () => {
  let release = (): void => undefined;
  const paused = new Promise<void>((resolve) => (release = resolve));
  const { processor, propose } = await openTestChain({ processor: { pause: () => paused } });
  const many = Array.from({ length: 300 }, () => rawTransaction({ to: BOB }));
  const old = processor.execute(propose(many));
  await Promise.resolve();
  const newer = processor.execute(propose([rawTransaction({ to: BOB })]));
  release();
  const outcome = await old;
  assert.ok(!outcome.ok);
  assert.equal(outcome.reason, "cancelled");
  assert.ok(outcome.heavy !== undefined && many.some(({ hash }) => hash === outcome.heavy));
  assert.ok((await newer).ok);
});

test("a newer request in the pause after the last transaction is what can be written", async () => {
  let release = (): void => undefined;
  const paused = new Promise<void>((resolve) => (release = resolve));
  let pauses = 0;
  let ran = 0;
  const chain = await openTestChain({
    processor: {
      reportWork: () => ran++,
      pause: () => (++pauses === 1 ? paused : Promise.resolve()),
    },
  });
  const { processor, propose } = chain;
  const many = Array.from({ length: 100 }, () => rawTransaction({ to: BOB }));
  const old = processor.execute(propose(many));
  await Promise.resolve();
  assert.deepEqual([pauses, ran], [1, many.length], "the pause is the one after the last");
  const newer = await processor.execute(propose([rawTransaction({ to: BOB })]));
  assert.ok(newer.ok);
  release();
  assert.deepEqual(await old, { ok: false, reason: "cancelled", heavy: many.at(-1)?.hash });
  await processor.write(newer.block.hash, []);
  chain.ledger.refresh();
  assert.equal((await chain.ledger.totals()).number, 1);
});

test("another thread can interrupt inside a transaction", async () => {
  let asked = 0;
  const chain = await openTestChain({ processor: { interrupted: () => ++asked > 30 } });
  const to = await chain.deploy(assemble("loop: @loop jump"));
  const endless = rawTransaction({ to });
  asked = 0;
  const outcome = await chain.processor.execute(chain.propose([endless]));
  assert.deepEqual(outcome, { ok: false, reason: "cancelled", heavy: endless.hash });
  assert.equal(asked, 31);
});

/** A block of a short transaction, one without end and a short one, on a posed clock. */
async function heaviesOf(msOf: (asked: number) => number): Promise<[HeavyTransaction[], Hash]> {
  let asked = 0;
  let now = 0;
  const chain = await openTestChain({
    processor: { interrupted: () => asked >= 60, steady: () => (now += msOf(asked++)) },
  });
  const to = await chain.deploy(assemble("loop: @loop jump"));
  const endless = rawTransaction({ to });
  const block = chain.propose([
    rawTransaction({ to: BOB }),
    endless,
    rawTransaction({ to: ALICE }),
  ]);
  const heavies: HeavyTransaction[] = [];
  const outcome = await chain.processor.execute(block, (heavy) => void heavies.push(heavy));
  assert.deepEqual(outcome, { ok: false, reason: "cancelled", heavy: endless.hash });
  return [heavies, endless.hash];
}

// rules: README 33
test("a transaction that runs for half a second is told, once, while it runs", async () => {
  const [heavies, hash] = await heaviesOf(() => 10);
  assert.deepEqual(heavies, [{ hash, ms: HEAVY_MS }]);
});

test("a fast one is not reported, and a pause of the machine makes none heavy at once", async () => {
  assert.deepEqual((await heaviesOf(() => 5))[0], []);
  const [[late], hash] = await heaviesOf((asked) => (asked === 3 ? 10_000 : 1));
  assert.deepEqual(late, { hash, ms: 10_000 + 18 });
});

test("a block after a cancelled one sees nothing of it", async () => {
  let stop = false;
  const chain = await openTestChain({ processor: { interrupted: () => stop } });
  const to = await chain.deploy(COUNTER);
  stop = true;
  assert.ok(!(await chain.processor.execute(chain.propose([rawTransaction({ to })]))).ok);
  stop = false;
  const receipt = await chain.send({ to });
  assert.equal(receipt.output[31], 1);
});

test("a body that the consensus has stored is not written again", async () => {
  const writes: string[] = [];
  const inner = openMemoryStore();
  const store: Store = {
    ...inner,
    commit: (batch, options) => {
      writes.push(...batch.map(({ key }) => key));
      return inner.commit(batch, options);
    },
  };
  const known = new Set<Hash>();
  const chain = await openTestChain({
    store,
    processor: { hasBody: async (unexecuted) => known.has(unexecuted) },
  });
  for (const isKnown of [false, true]) {
    const request = chain.propose([rawTransaction({ to: BOB })]);
    const unexecuted = headerHash(request.header, SUITE);
    if (isKnown) known.add(unexecuted);
    const outcome = await chain.processor.execute(request);
    assert.ok(outcome.ok);
    await chain.processor.write(outcome.block.hash, []);
    chain.ledger.refresh();
    assert.equal(writes.includes(bodyKey(unexecuted)), !isKnown);
  }
});

test("calls run on the committed state and leave it alone", async () => {
  const chain = await openTestChain();
  const to = await chain.deploy(COUNTER);
  await chain.send({ to });
  const call = { from: BOB, to, value: 0n, data: new Uint8Array(0) };
  for (let round = 0; round < 2; round++) {
    const { number, status, output } = await chain.processor.call(call);
    assert.deepEqual([number, status, output[31]], [2, 0, 2]);
  }
  // An executed block that is not written does not show.
  await chain.processor.execute(chain.propose([rawTransaction({ to })]));
  assert.equal((await chain.processor.call(call)).output[31], 2);
});

test("a call sees number and time of the latest block", async () => {
  const chain = await openTestChain();
  const code = "number 0 mstore timestamp 32 mstore 64 0 return";
  const to = await chain.deploy(assemble(code));
  const call = { from: ALICE, to, value: 0n, data: new Uint8Array(0) };
  const { output } = await chain.processor.call(call);
  const word = (at: number): bigint =>
    BigInt(`0x${Buffer.from(output.subarray(at, at + 32)).toString("hex")}`);
  assert.deepEqual([word(0), word(32)], [1n, 1_700_000_000_001n]);
  const receipt = await chain.send({ to });
  assert.equal(receipt.output[31], 2);
});

/** A store whose n-th commit from now on fails, having written nothing. */
function failingStore(inner: MemoryStore): Store & { failAfter: number } {
  const store = {
    ...inner,
    failAfter: Number.POSITIVE_INFINITY,
    commit: async (...args: Parameters<Store["commit"]>) => {
      if (store.failAfter-- <= 0) throw new StoreFault("io", "the disk is full");
      await inner.commit(...args);
    },
  };
  return store;
}

// rules: storage 13.6
test("after a failed write the processor refuses everything", async () => {
  const store = failingStore(openMemoryStore());
  const chain = await openTestChain({ store });
  const request = chain.propose([rawTransaction({ to: BOB })]);
  const outcome = await chain.processor.execute(request);
  assert.ok(outcome.ok);
  store.failAfter = 0;
  await assert.rejects(chain.processor.write(outcome.block.hash, []), StoreFault);
  store.failAfter = Number.POSITIVE_INFINITY;
  await assert.rejects(chain.processor.write(outcome.block.hash, []), StoreFault);
  await assert.rejects(chain.processor.execute(request), StoreFault);
  const call = { from: ALICE, to: BOB, value: 0n, data: new Uint8Array(0) };
  await assert.rejects(chain.processor.call(call), StoreFault);
});

// rules: storage 13.1, 13.3
test("a block is one durable commit", async () => {
  const commits: boolean[] = [];
  const inner = openMemoryStore();
  const store: Store = {
    ...inner,
    commit: (writes, options) => {
      commits.push(options.durable);
      return inner.commit(writes, options);
    },
  };
  const chain = await openTestChain({ store });
  await chain.block({ input: initCode(COUNTER) }, { to: BOB });
  await chain.block();
  assert.deepEqual(commits, [true, true, true]);
});

const sending: fc.Arbitrary<Sending> = fc.constantFrom<Sending>(
  { input: initCode(COUNTER) },
  { to: BOB },
  { from: BOB, input: assemble("0 0 revert") },
  { to: "0x0000000000000000000000000000000000001003" as Address, input: hexBytes("00000000") },
);
const history = fc.array(fc.array(sending, { maxLength: 4 }), { minLength: 1, maxLength: 5 });

// rules: storage 13.2
test("a node that crashed at any write goes on from the last whole block to the same hashes", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat({ max: 4 }), async (blocks, crashAt) => {
      const transactions = blocks.map((block) => block.map(rawTransaction));
      const steady = await openTestChain();
      const inner = openMemoryStore();
      const store = failingStore(inner);
      let chain = await openTestChain({ store });
      for (const [index, block] of transactions.entries()) {
        const expected = await steady.processor.execute(steady.propose(block));
        assert.ok(expected.ok);
        await steady.processor.write(expected.block.hash, []);
        steady.ledger.refresh();

        const outcome = await chain.processor.execute(chain.propose(block));
        assert.ok(outcome.ok);
        if (index === crashAt) {
          store.failAfter = 0;
          await assert.rejects(chain.processor.write(outcome.block.hash, []), StoreFault);
          // A new process: nothing is left but the store.
          chain = await openTestChain({ store: inner.copy() });
          assert.equal(chain.ledger.head().number, index);
          assert.equal(await chain.ledger.header(outcome.block.hash), undefined);
          const again = await chain.processor.execute(chain.propose(block));
          assert.ok(again.ok);
          assert.equal(again.block.hash, outcome.block.hash);
        }
        await chain.processor.write(outcome.block.hash, []);
        chain.ledger.refresh();
        assert.equal(chain.ledger.head().hash, expected.block.hash);
        assert.deepEqual(await chain.ledger.totals(), await steady.ledger.totals());
      }
    }),
    { numRuns: 25 },
  );
});

test("a node with a cache of one row computes the same blocks", async () => {
  const small = await openTestChain({ processor: { rowCacheBytes: 1 } });
  const large = await openTestChain();
  for (const sendings of [[{ input: initCode(COUNTER) }], [{ to: BOB }, { to: ALICE }]]) {
    const raw = sendings.map(rawTransaction);
    for (const chain of [small, large]) {
      const outcome = await chain.processor.execute(chain.propose(raw));
      assert.ok(outcome.ok);
      await chain.processor.write(outcome.block.hash, []);
      chain.ledger.refresh();
    }
    assert.equal(small.ledger.head().hash, large.ledger.head().hash);
  }
});
