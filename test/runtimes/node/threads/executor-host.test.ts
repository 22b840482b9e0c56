/** The executor host: what crosses to its thread, cancellation, faults and death. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { bytesOf } from "../../../../core/bytes/byte-string.ts";
import { addressOf, hashOf } from "../../../../core/bytes/hex.ts";
import { ZERO_HASH } from "../../../../core/bytes/ids.ts";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { InvariantFault } from "../../../../core/fault/invariant.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { Header } from "../../../../core/model/header.ts";
import type { ExecuteRequest } from "../../../../core/ports/executor.ts";
import { packExecute, unpackExecute } from "../../../../runtimes/node/threads/executor-frame.ts";
import { openExecutorHost } from "../../../../runtimes/node/threads/executor-host.ts";
import type { ExecutorHost } from "../../../../runtimes/node/threads/executor-host.ts";
import { buildModule } from "./built-workers.ts";
import { tookMs, untilQuick } from "../../../support/runner/until-quick.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

const suite = STANDARD_SUITE;
const FILE = join(
  process.cwd(),
  "node_modules/.cache/chain-node-test",
  `obedient-${process.pid}.js`,
);

beforeAll(() => buildModule("test/runtimes/node/threads/obedient-executor-worker.ts", FILE));
afterAll(() => rm(FILE, { force: true }));

function open(setup = "accept"): Promise<ExecutorHost> {
  const calls = {
    call: async () => ({ number: 42, status: 0, output: new Uint8Array([7]) }),
    close: async () => {},
  };
  return openExecutorHost({ setup, calls, url: pathToFileURL(FILE) });
}

async function using(body: (host: ExecutorHost) => Promise<void>): Promise<void> {
  const host = await open();
  try {
    await body(host);
  } finally {
    await host.close();
  }
}

function headerOf(order: string): Header {
  // Views into larger arrays, as decoders make them.
  const large = new Uint8Array(1_000);
  const text = new TextEncoder().encode(order);
  large.set(text, 300);
  return {
    parentHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: large.subarray(0, 256),
    number: 5,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: 2n ** 63n - 1n,
    extraData: [large.subarray(300, 300 + text.length)],
    sealer: 1,
    sealerList: ["ab".repeat(64) as NodeId],
  };
}

function blockOf(order: string, transactions: readonly Uint8Array[] = []): ExecuteRequest {
  return {
    header: headerOf(order),
    transactions,
    hashes: transactions.map((raw) => hashOf(suite.hash(raw))),
    senders: transactions.map((raw) => addressOf(suite.hash(raw).subarray(12))),
  };
}

const raw = fc.uint8Array({ maxLength: 400 });

test("a request comes out of its buffer as it went in", () => {
  fc.assert(
    fc.property(fc.array(raw, { maxLength: 40 }), fc.boolean(), (transactions, undecided) => {
      const request = { ...blockOf("", transactions), undecided };
      const again = unpackExecute(structuredClone(packExecute(request)));
      assert.deepEqual(again, request);
    }),
    { numRuns: 50 },
  );
});

test("a header travels without the array behind its views", () => {
  const { header } = packExecute(blockOf("order"));
  assert.equal(header.logsBloom.buffer.byteLength, 256);
  assert.equal(header.extraData[0]?.buffer.byteLength, 5);
});

test("a block is executed in the thread and its header and hash come back", () =>
  using(async (host) => {
    const transactions = Array.from({ length: 1_000 }, (_, at) =>
      new Uint8Array(at % 300).fill(at),
    );
    const request = blockOf("run", transactions);
    const outcome = await host.execute(request);
    assert.ok(outcome.ok);
    const { hashes, senders } = request;
    const text = bytesOf([...hashes, ...senders, transactions.map((t) => t.length)].join());
    assert.equal(outcome.block.hash, hashOf(suite.hash(concatBytes(text, ...transactions))));
    assert.deepEqual(outcome.block.header, request.header);
    assert.equal(transactions[5]?.length, 5, "the caller keeps its bytes");
    await host.write(outcome.block.hash, [{ index: 0, signature: new Uint8Array(65) }]);
  }));

test("a heavy transaction is reported while it runs", () =>
  using(async (host) => {
    const request = blockOf("heavy", [new Uint8Array([1])]);
    // It goes on until it is cancelled, which it is when it was told.
    const outcome = await new Promise((resolve) => {
      const pending = host.execute(request, (heavy) => {
        assert.deepEqual(heavy, { hash: request.hashes[0], ms: 512 });
        host.cancel();
        resolve(pending);
      });
    });
    assert.deepEqual(outcome, { ok: false, reason: "cancelled", heavy: request.hashes[0] });
  }));

test("a running execution stops within 100 ms of cancel and names what it was at", () =>
  using(async (host) => {
    const request = blockOf("spin", [new Uint8Array([1])]);
    await untilQuick(100, async () => {
      const pending = host.execute(request);
      await new Promise((resolve) => setTimeout(resolve, 60));
      host.cancel();
      const ms = await tookMs(() => pending);
      const heavy = request.hashes[0];
      assert.deepEqual(await pending, { ok: false, reason: "cancelled", heavy });
      return ms;
    });
  }));

test("a new execution cancels the one that runs and those that wait", () =>
  using(async (host) => {
    const outcomes = await Promise.all([
      host.execute(blockOf("spin")),
      host.execute(blockOf("spin")),
      host.execute(blockOf("run")),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok || outcome.reason),
      ["cancelled", "cancelled", true],
    );
  }));

test("cancel without an execution does not touch the next one", () =>
  using(async (host) => {
    host.cancel();
    assert.equal((await host.execute(blockOf("run"))).ok, true);
  }));

test("a fault of the store keeps its kind on the way back, and the thread lives on", () =>
  using(async (host) => {
    await assert.rejects(host.write(ZERO_HASH, []), (fault) => {
      assert.ok(fault instanceof StoreFault);
      assert.equal(fault.kind, "io");
      assert.equal(fault.message, "no space left");
      return true;
    });
    assert.equal((await host.execute(blockOf("run"))).ok, true);
  }));

test("a broken invariant comes back as one, with the thread's stack", () =>
  using(async (host) => {
    await assert.rejects(host.execute(blockOf("fault")), (fault) => {
      assert.ok(fault instanceof InvariantFault);
      assert.match(fault.message, /two heads/);
      assert.match(String(fault.cause), /execute/);
      return true;
    });
  }));

test("a ledger that cannot be opened is reported as the thread met it", async () => {
  await assert.rejects(open("refuse"), (fault) => {
    assert.ok(fault instanceof StoreFault);
    assert.equal(fault.kind, "corrupt");
    return true;
  });
});

/** A thread without memory ends as one that exits. */
for (const order of TAKES_ALL_CASES ? ["exit", "exhaust"] : ["exit"]) {
  test(`a thread that dies by ${order} fails every request, now and later`, async () => {
    const host = await open();
    const requests = [host.execute(blockOf(order)), host.write(ZERO_HASH, [])];
    const settled = await Promise.allSettled(requests);
    for (const { status } of settled) assert.equal(status, "rejected");
    const fault = await host.died;
    assert.ok(fault instanceof StoreFault);
    await assert.rejects(host.execute(blockOf("run")), fault);
    await host.close();
  });
}

test("closing cancels what runs, and may be repeated", async () => {
  const host = await open();
  const pending = host.execute(blockOf("spin"));
  await host.close();
  await host.close();
  assert.deepEqual(await pending, { ok: false, reason: "cancelled", heavy: undefined });
  await assert.rejects(host.execute(blockOf("run")), StoreFault);
});

test("calls go to the call port, also while a block executes", () =>
  using(async (host) => {
    const pending = host.execute(blockOf("spin"));
    const zero = addressOf(new Uint8Array(20));
    const request = { from: zero, to: zero, value: 0n, data: new Uint8Array() };
    assert.equal((await host.call(request)).number, 42);
    host.cancel();
    await pending;
  }));
