/** Conflicts: what transactions claim, the graph of it, and that its orders change no result. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import {
  type ConflictFields,
  createConflictFields,
} from "../../support/execution/conflict-fields.ts";
import { conflictEdges, conflictWaves } from "../../support/execution/conflict-graph.ts";
import { createRowCache } from "../../../core/storage/row-cache.ts";
import {
  openTestChain,
  SUITE,
  type Sending,
  type TestChain,
} from "../../support/execution/test-chain.ts";

// rules: execution 12, 12.1, 12.2, 12.3, precompiles 10, 16

const DAG_TRANSFER = addressOfNumber(0x5002);
const PARALLEL_CONFIG = addressOfNumber(0x1006);
const CONTRACT = `0x${"c0".repeat(20)}` as Address;
const DIGITS = CONTRACT.slice(2);

function call(method: string, ...values: AbiValue[]): Uint8Array {
  return encodeCall(method, values, SUITE.hash);
}

function fieldsOn(chain: TestChain) {
  return createConflictFields({
    suite: SUITE,
    version: chain.version,
    source: createRowCache(chain.store),
  });
}

function register(name: string, size: bigint, contract = CONTRACT): Sending {
  const method = "registerParallelFunctionInternal(address,string,uint256)";
  return { to: PARALLEL_CONFIG, input: call(method, contract, name, size) };
}

const PAY = "pay(string,address,int256,uint256)";
const VALUES: AbiValue[] = ["ann", `0x${"0b".repeat(20)}` as Address, -5n, 7n];

test("a registered call claims its first parameters as texts, from the next block on", async () => {
  const chain = await openTestChain();
  assert.equal(fieldsOn(chain)({ to: CONTRACT, input: call(PAY, ...VALUES) }), null);
  await chain.block(register(PAY, 4n));
  const fields = fieldsOn(chain);
  const texts = ["ann", "0b".repeat(20), "-5", "7"].map((text) => text + DIGITS);
  assert.deepEqual(fields({ to: CONTRACT, input: call(PAY, ...VALUES) })?.written, texts);
  await chain.block(register(PAY, 1n));
  const later = fieldsOn(chain)({ to: CONTRACT, input: call(PAY, ...VALUES) });
  assert.deepEqual(later, { written: texts.slice(0, 1), read: [] });
});

test("a call conflicts with all others when nobody can tell what it claims", async () => {
  const chain = await openTestChain();
  await chain.block(
    register(PAY, 4n),
    register("few(string)", 2n),
    register("odd(bytes)", 1n),
    register("small(uint8)", 1n),
    register("no signature", 0n),
    register(PAY, 4n, addressOfNumber(0x1001)),
  );
  const fields = fieldsOn(chain);
  const input = call(PAY, ...VALUES);
  for (const transaction of [
    { to: null, input },
    { to: CONTRACT, input: input.subarray(0, 3) },
    { to: CONTRACT, input: input.subarray(0, 40) },
    { to: CONTRACT, input: call("few(string)", "ann") },
    { to: CONTRACT, input: call("odd(bytes)", new Uint8Array(1)) },
    { to: CONTRACT, input: call("small(uint8)", 1n) },
    { to: CONTRACT, input: call("other(string)", "ann") },
    { to: addressOfNumber(0x1001), input },
    { to: addressOfNumber(0x1), input },
    { to: addressOfNumber(0x10001), input },
  ]) {
    assert.equal(fields(transaction), null);
  }
});

const claim = (...written: string[]): ConflictFields => ({ written, read: [] });

test("a barrier goes after all before it and before all after it", () => {
  const claims = [claim("a"), claim("b"), null, claim("a"), claim("c"), claim("c"), null, null];
  assert.deepEqual(conflictEdges(claims), [
    [0, 2],
    [1, 2],
    [2, 3],
    [2, 4],
    [4, 5],
    [3, 6],
    [5, 6],
    [6, 7],
  ]);
});

test("who claims nothing waits for nobody, who claims twice waits once", () => {
  assert.deepEqual(conflictEdges([null, claim(), claim("a", "a"), claim("a")]), [
    [0, 2],
    [2, 3],
  ]);
});

test("a reader goes after the writer before it and before the writer after it", () => {
  const claims = [claim("a"), { written: [], read: ["a"] }, claim("a")];
  assert.deepEqual(conflictEdges(claims), [
    [0, 1],
    [1, 2],
  ]);
});

test("waves hold every transaction once, each after what it waits for", () => {
  const field = fc.constantFrom("a", "b", "c", "d");
  const claims = fc.array(fc.option(fc.array(field).map((names) => claim(...names))));
  fc.assert(
    fc.property(claims, (list) => {
      const edges = conflictEdges(list);
      const waves = conflictWaves(list.length, edges);
      const place = new Map(waves.flatMap((wave, at) => wave.map((index) => [index, at])));
      assert.equal(waves.flat().length, list.length);
      assert.equal(place.size, list.length);
      for (const [before, after] of edges) {
        assert.ok((place.get(before) ?? 0) < (place.get(after) ?? 0));
      }
    }),
  );
});

const user = fc.constantFrom("ann", "ben", "cat", "dan", "eve", "");
const amount = fc.bigInt(0n, 40n);
const sending: fc.Arbitrary<Sending> = fc
  .oneof(
    fc.tuple(fc.constant("userAdd(string,uint256)"), user, amount),
    fc.tuple(fc.constant("userSave(string,uint256)"), user, amount),
    fc.tuple(fc.constant("userDraw(string,uint256)"), user, amount),
    fc.tuple(fc.constant("userTransfer(string,string,uint256)"), user, user, amount),
    fc.tuple(fc.constant("userBalance(string)"), user),
    fc.tuple(fc.constant("unknown(string)"), user),
  )
  .map(([method, ...values]) => ({ to: DAG_TRANSFER, input: call(method, ...values) }));
const barrier = fc.constant(register(PAY, 2n));

/** An order that the graph allows: its waves, each turned round. */
function anotherOrder(chain: TestChain, sendings: readonly Sending[]): number[] {
  const fields = fieldsOn(chain);
  const claims = sendings.map(({ to = null, input }) =>
    fields({ to, input: input instanceof Uint8Array ? input : new Uint8Array(0) }),
  );
  return conflictWaves(sendings.length, conflictEdges(claims)).flatMap((wave) =>
    [...wave].reverse(),
  );
}

test("every order that the graph allows gives the receipts and the root of block order", async () => {
  const blocks = fc.array(fc.oneof({ weight: 9, arbitrary: sending }, barrier), { maxLength: 25 });
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(blocks, async (sendings) => {
      const [serial, parallel] = [await openTestChain(), await openTestChain()];
      const order = anotherOrder(parallel, sendings);
      moved += order.filter((index, place) => index !== place).length;
      const expected = await serial.block(...sendings);
      const shuffled = order.flatMap((index) => sendings[index] ?? []);
      const found = await parallel.block(...shuffled);
      assert.equal(found.header.stateRoot, expected.header.stateRoot);
      for (const [place, index] of order.entries()) {
        const [ours, theirs] = [found.receipts[place], expected.receipts[index]];
        assert.deepEqual([ours?.status, ours?.output], [theirs?.status, theirs?.output]);
        assert.equal(ours?.gasUsed, theirs?.gasUsed);
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(moved > 100, "orders that are not block order were tried");
});
