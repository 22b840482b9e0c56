/** Blocks near the head are read once for all who follow them; work for many lets others run. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Block } from "../../../../core/model/block.ts";
import { YieldTimer } from "../../../../core/limits/yield-timer.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import { matchingLogs, RecentBlocks, textIn } from "../../../../core/node/feed/recent-blocks.ts";
import { matchesLog, readLogFilter } from "../../../../core/rpc/log-filter.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { CONTRACT, TOPIC } from "../../../support/ledger/small-chain.ts";

/** A node that counts what is read, and may be slow or fail. */
function counting(head = 2) {
  const node = rpcNode();
  const group = node.group(1);
  assert.ok(group);
  const { ledger } = group;
  const seen = { reads: 0, open: 0, most: 0, fails: false, takes: () => {} };
  const block = async (): Promise<Block | undefined> => {
    seen.reads += 1;
    seen.open += 1;
    seen.most = Math.max(seen.most, seen.open);
    await new Promise((resolve) => setImmediate(resolve));
    seen.open -= 1;
    seen.takes();
    if (seen.fails) return undefined;
    return ledger.block((await ledger.hashOf(2)) ?? ledger.genesisHash());
  };
  const hashOf = async () => ledger.genesisHash();
  const counted = { ...ledger, head: () => ({ ...ledger.head(), number: head }), hashOf, block };
  const api: Pick<NodeApi, "group"> = { group: () => ({ ...group, ledger: counted }) };
  const clock = createHandClock(5_000);
  const blocks = new RecentBlocks(api, clock);
  const get = (number: number, reader = "reader") => blocks.get(1, number, reader);
  return { blocks, get, seen, clock };
}

test("a block near the head is read once, however many ask for it at a time", async () => {
  const { get, seen } = counting();
  const read = await Promise.all(Array.from({ length: 50 }, () => get(2)));
  assert.equal(seen.reads, 1);
  assert.ok(read.every((it) => it === read[0]));
});

test("old blocks are read one after the other, and readers have their turns in turn", async () => {
  const { get, seen } = counting(100);
  const order: string[] = [];
  const ask = (reader: string, number: number) =>
    get(number, reader).then(() => void order.push(`${reader}${number}`));
  const numbers = [0, 1, 2, 3];
  await Promise.all([
    ...numbers.map((number) => ask("a", number)),
    ...numbers.map((number) => ask("b", number)),
    ask("c", 0),
  ]);
  assert.deepEqual([seen.reads, seen.most], [9, 1]);
  assert.deepEqual(order, ["a0", "b0", "c0", "a1", "b1", "a2", "b2", "a3", "b3"]);
});

test("reading old blocks takes a quarter of the time, no matter who asks", async () => {
  const { get, seen, clock } = counting(1_000);
  seen.takes = () => void clock.move(5);
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: 200 }, (_, number) => get(number, `${number % 7}`)),
  ).then(() => {
    isOver = true;
  });
  const begun = clock.steady();
  const inFirstSecond = { reads: 0 };
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (clock.steady() - begun <= 1_000) inFirstSecond.reads = seen.reads;
    clock.move(1);
  }
  await all;
  const share = (200 * 5) / (clock.steady() - begun);
  assert.ok(share > 0.15 && share < 0.3, `${share}`);
  assert.ok(inFirstSecond.reads <= (250 + 25) / 5 + 1, `${inFirstSecond.reads}`);
});

test("what a reader that is gone waits for is not read", async () => {
  const { blocks, get, seen } = counting(100);
  const waiting = Array.from({ length: 5 }, (_, number) => get(number, "gone"));
  const other = get(7, "other");
  blocks.forget("gone");
  const results = await Promise.allSettled(waiting);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "rejected", "rejected"],
  );
  await other;
  assert.equal(seen.reads, 2);
  await get(8, "gone");
});

test("a block that could not be read is read again", async () => {
  for (const head of [2, 100]) {
    const { get, seen } = counting(head);
    seen.fails = true;
    await assert.rejects(get(2), { name: "StoreFault" });
    seen.fails = false;
    assert.equal((await get(2)).logs.length, 5);
  }
});

test("entries of one address are those that the filter admits among all", async () => {
  const { get } = counting();
  const read = await get(2);
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
  const { get } = counting();
  const read = await get(2);
  let made = 0;
  const present = () => ({ made: ++made });
  assert.equal(textIn(read, "a", present), '{"made":1}');
  assert.equal(textIn(read, "a", present), '{"made":1}');
  assert.equal(textIn(read, "b", present), '{"made":2}');
});

test("work at a stretch pauses every ten milliseconds and not before", async () => {
  const clock = createHandClock(5_000);
  const yieldTimer = new YieldTimer(clock);
  await yieldTimer.pause();
  clock.move(9);
  await yieldTimer.pause();
  clock.move(1);
  let isBack = false;
  const pausing = yieldTimer.pause().then(() => {
    isBack = true;
  });
  await Promise.resolve();
  assert.deepEqual([isBack, clock.waiting], [false, 1]);
  clock.move(0);
  await pausing;
  await yieldTimer.pause();
  clock.move(2_000);
  await yieldTimer.pause();
  assert.equal(clock.waiting, 0);
});
