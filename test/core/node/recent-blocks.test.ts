/** Blocks near the head are read once for all who follow them; work for many lets others run. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Block } from "../../../core/model/block.ts";
import { Breather } from "../../../core/node/breather.ts";
import type { NodeApi } from "../../../core/node/node-api.ts";
import { matchingLogs, RecentBlocks, textIn } from "../../../core/node/recent-blocks.ts";
import { matchesLog, readLogFilter } from "../../../core/rpc/log-filter.ts";
import { createHandClock } from "../../support/hand-clock.ts";
import { rpcNode } from "../../support/rpc-node.ts";
import { CONTRACT, TOPIC } from "../../support/small-chain.ts";

/** A node that counts what is read, and may be slow or fail. */
function counting(head = 2) {
  const node = rpcNode();
  const group = node.group(1);
  assert.ok(group);
  const { ledger } = group;
  const seen = { reads: 0, open: 0, most: 0, fails: false };
  const block = async (): Promise<Block | undefined> => {
    seen.reads += 1;
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    await new Promise((resolve) => setImmediate(resolve));
    seen.open -= 1;
    if (seen.fails) return undefined;
    return ledger.block((await ledger.hashOf(2)) ?? ledger.genesisHash());
  };
  const hashOf = async () => ledger.genesisHash();
  const counted = { ...ledger, head: () => ({ ...ledger.head(), number: head }), hashOf, block };
  const api: Pick<NodeApi, "group"> = { group: () => ({ ...group, ledger: counted }) };
  return { blocks: new RecentBlocks(api), seen };
}

test("a block near the head is read once, however many ask for it at a time", async () => {
  const { blocks, seen } = counting();
  const read = await Promise.all(Array.from({ length: 50 }, () => blocks.get(1, 2)));
  assert.equal(seen.reads, 1);
  assert.ok(read.every((it) => it === read[0]));
});

test("old blocks are read for four at a time, in turn", async () => {
  const { blocks, seen } = counting(100);
  const order: number[] = [];
  const asked = Array.from({ length: 20 }, (_, number) =>
    blocks.get(1, number).then(() => order.push(number)),
  );
  await Promise.all(asked);
  assert.deepEqual([seen.reads, seen.most], [20, 4]);
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, number) => number),
  );
});

test("a block that could not be read is read again", async () => {
  for (const head of [2, 100]) {
    const { blocks, seen } = counting(head);
    seen.fails = true;
    await assert.rejects(blocks.get(1, 2), { name: "StoreFault" });
    seen.fails = false;
    assert.equal((await blocks.get(1, 2)).logs.length, 5);
  }
});

test("entries of one address are those that the filter admits among all", async () => {
  const { blocks } = counting();
  const read = await blocks.get(1, 2);
  for (const addresses of [
    [],
    [CONTRACT],
    [`0x${"1".repeat(40)}`],
    [CONTRACT, `0x${"1".repeat(40)}`],
  ]) {
    const filter = readLogFilter(addresses, [TOPIC]);
    assert.ok(filter);
    const expected = read.logs.filter(({ log }) => matchesLog(filter, log));
    assert.deepEqual(matchingLogs(read, filter), expected);
  }
});

test("a text of a block is made once", async () => {
  const { blocks } = counting();
  const read = await blocks.get(1, 2);
  let made = 0;
  const present = () => ({ made: ++made });
  assert.equal(textIn(read, "a", present), '{"made":1}');
  assert.equal(textIn(read, "a", present), '{"made":1}');
  assert.equal(textIn(read, "b", present), '{"made":2}');
});

test("work at a stretch pauses every ten milliseconds and not before", async () => {
  const clock = createHandClock(5_000);
  const breather = new Breather(clock);
  await breather.pause();
  clock.move(9);
  await breather.pause();
  clock.move(1);
  let isBack = false;
  const pausing = breather.pause().then(() => {
    isBack = true;
  });
  await Promise.resolve();
  assert.deepEqual([isBack, clock.waiting], [false, 1]);
  clock.move(0);
  await pausing;
  await breather.pause();
  clock.move(2_000);
  await breather.pause();
  assert.equal(clock.waiting, 0);
});
