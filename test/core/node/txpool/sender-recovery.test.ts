/** Raw transactions become signed ones, in batches that grow with the load. */
// rules: txpool 3.1
import assert from "node:assert/strict";
import { test } from "vitest";
import { signingDigest } from "../../../../core/model/transaction.ts";
import { SenderRecovery } from "../../../../core/node/txpool/sender-recovery.ts";
import type { Compute } from "../../../../core/ports/compute.ts";
import { createInlineCompute } from "../../../../runtimes/shared/inline-compute.ts";
import { SENDER, smallTransaction } from "../../../support/ledger/small-chain.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

const inline = createInlineCompute(suite);

/** A compute that answers when it is let. */
function gated() {
  const sizes: number[] = [];
  const gates: (() => void)[] = [];
  const compute: Compute = {
    async recover(items) {
      sizes.push(items.length);
      await new Promise<void>((open) => void gates.push(open));
      return inline.recover(items);
    },
    close: async () => undefined,
  };
  return { compute, sizes, open: () => gates.splice(0).forEach((gate) => gate()) };
}

const raws = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => smallTransaction({ nonce: BigInt(from + i) }).raw);

test("a transaction comes back with the account that signed it", async () => {
  const taken = await new SenderRecovery({ suite, compute: inline }).take(
    smallTransaction({ nonce: 1n }).raw,
  );
  assert.ok(taken.ok);
  assert.equal(taken.transaction.from, SENDER);
});

test("bytes that are no transaction are refused without recovery", async () => {
  const { compute, sizes } = gated();
  const taken = await new SenderRecovery({ suite, compute }).take(Uint8Array.of(0xc1));
  assert.equal(taken.ok, false);
  assert.deepEqual(sizes, []);
});

test("what arrives while two batches are under way makes the next one", async () => {
  const { compute, sizes, open } = gated();
  const recovery = new SenderRecovery({ suite, compute });
  const all = Promise.all(raws(7).map((raw) => recovery.take(raw)));
  assert.deepEqual(sizes, [1, 1]);
  for (let i = 0; i < 3; i++) {
    open();
    await new Promise((resume) => setImmediate(resume));
  }
  const taken = await all;
  assert.ok(taken.every(({ ok }) => ok));
  assert.deepEqual(sizes.toSorted(), [1, 1, 5]);
});

test("a failed batch fails its own transactions and no later ones", async () => {
  let calls = 0;
  const compute: Compute = {
    recover: (items) =>
      ++calls === 1 ? Promise.reject(new Error("thread died")) : inline.recover(items),
    close: async () => undefined,
  };
  const recovery = new SenderRecovery({ suite, compute });
  const [first = new Uint8Array(0), second = new Uint8Array(0)] = raws(2);
  await assert.rejects(recovery.take(first), /thread died/);
  assert.equal((await recovery.take(second)).ok, true);
});

test("one transaction of a peer that does not decode spoils its whole message", async () => {
  const recovery = new SenderRecovery({ suite, compute: inline });
  assert.equal((await recovery.takeAll(raws(2)))?.length, 2);
  assert.equal(await recovery.takeAll([...raws(2), Uint8Array.of(1)]), undefined);
});

test("unwanted transactions are passed over before recovery", async () => {
  const recovery = new SenderRecovery({ suite, compute: inline });
  const taken = await recovery.takeAll(raws(3), ({ nonce }) => nonce === 2n);
  assert.deepEqual(
    taken?.map(({ nonce }) => nonce),
    [1n, 3n],
  );
});

test("very long transactions of peers are hashed elsewhere", async () => {
  const input = new Uint8Array(300_000).fill(7);
  const { raw, hash } = smallTransaction({ nonce: 1n, input });
  const [short] = raws(1, 2);
  assert.ok(short);
  const examined: Uint8Array[] = [];
  let hashed = 0;
  const counting = {
    ...suite,
    hash: (bytes: Uint8Array) => {
      hashed += bytes.length;
      return suite.hash(bytes);
    },
  };
  const recovery = new SenderRecovery({
    suite: counting,
    compute: inline,
    examineLong: async (given) => {
      examined.push(given);
      return { raw: given, hashes: { hash, signing: signingDigest(given.slice(), suite) } };
    },
  });
  // A view of a message is copied: what it is handed over with is its own.
  const message = new Uint8Array([1, ...raw]);
  const taken = await recovery.takeAll([message.subarray(1), short]);
  assert.deepEqual(
    taken?.map(({ from }) => from),
    [SENDER, SENDER],
  );
  assert.deepEqual(
    examined.map(({ buffer }) => buffer.byteLength),
    [raw.length],
  );
  assert.ok(hashed < 10_000, `${hashed} bytes were hashed here`);
});
