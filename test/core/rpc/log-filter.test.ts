/** Which log entries a filter admits. */
// rules: channel-protocol 7.3
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import type { Json } from "../../../core/rpc/json.ts";
import { logsOfBlock, matchesLog, readLogFilter } from "../../../core/rpc/log-filter.ts";
import { smallChain } from "../../support/ledger/small-chain.ts";

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;
const topic = (digit: string) => `0x${digit.repeat(64)}` as Hash;
const LOG = {
  address: address("a"),
  topics: [topic("1"), topic("2")],
  data: new Uint8Array(0),
};

const ROWS: readonly { what: string; addresses: Json; topics: Json; admits: boolean }[] = [
  { what: "no condition", addresses: [], topics: [], admits: true },
  { what: "its address", addresses: [address("a")], topics: [], admits: true },
  { what: "its address as one text", addresses: address("a"), topics: [], admits: true },
  {
    what: "one of two addresses",
    addresses: [address("b"), address("a")],
    topics: [],
    admits: true,
  },
  { what: "another address", addresses: [address("b")], topics: [], admits: false },
  { what: "capital digits", addresses: [`0x${"A".repeat(40)}`], topics: [], admits: true },
  { what: "an address without 0x", addresses: ["a".repeat(40)], topics: [], admits: true },
  { what: "its first topic", addresses: [], topics: [topic("1")], admits: true },
  { what: "its first topic as one text", addresses: [], topics: topic("1"), admits: true },
  {
    what: "its second topic at the first place",
    addresses: [],
    topics: [topic("2")],
    admits: false,
  },
  { what: "any, then its second topic", addresses: [], topics: [null, topic("2")], admits: true },
  { what: "alternatives", addresses: [], topics: [[topic("9"), topic("1")]], admits: true },
  { what: "alternatives without it", addresses: [], topics: [[topic("9")]], admits: false },
  { what: "no alternatives", addresses: [], topics: [[]], admits: true },
  { what: "only null among the alternatives", addresses: [], topics: [[null]], admits: true },
  {
    what: "any third topic, which it lacks",
    addresses: [],
    topics: [null, null, null],
    admits: true,
  },
  { what: "a third topic", addresses: [], topics: [null, null, topic("3")], admits: false },
  {
    what: "its address and another topic",
    addresses: [address("a")],
    topics: [topic("3")],
    admits: false,
  },
];
for (const { what, addresses, topics, admits } of ROWS) {
  test(`a filter with ${what} ${admits ? "admits" : "leaves out"} the entry`, () => {
    const filter = readLogFilter(addresses, topics);
    assert.ok(filter);
    assert.equal(matchesLog(filter, LOG), admits);
  });
}

test("what is no filter is told from one", () => {
  const long = Array<string>(1_001).fill(address("a"));
  for (const [addresses, topics] of [
    [undefined, []],
    [[], undefined],
    [5, []],
    [[5], []],
    [["xyz"], []],
    [[""], []],
    [[`${address("a")}00`], []],
    [[], 5],
    [[], [5]],
    [[], [[5]]],
    [[], [null, null, null, null, null]],
    [long, []],
    [[], [long]],
  ] as (Json | undefined)[][]) {
    assert.equal(readLogFilter(addresses, topics), undefined);
  }
});

test("the fast matching agrees with the rule as it is written", () => {
  const digit = fc.constantFrom("1", "2", "3");
  const entry = fc.oneof(
    fc.constant(null),
    digit.map(topic),
    fc.array(digit.map(topic), { maxLength: 3 }),
  );
  const logs = fc.record({
    address: digit.map(address),
    topics: fc.array(digit.map(topic), { maxLength: 4 }),
  });
  const addresses = fc.array(digit.map(address), { maxLength: 2 });
  fc.assert(
    fc.property(addresses, fc.array(entry, { maxLength: 4 }), logs, (wanted, topics, log) => {
      const filter = readLogFilter(wanted, topics);
      assert.ok(filter);
      const rightAddress = wanted.length === 0 || wanted.includes(log.address);
      const rightTopics = topics.every((it, position) => {
        const alternatives = it === null ? [] : Array.isArray(it) ? it : [it];
        const own = log.topics[position];
        return alternatives.length === 0 || (own !== undefined && alternatives.includes(own));
      });
      const found = matchesLog(filter, { ...log, data: new Uint8Array(0) });
      assert.equal(found, rightAddress && rightTopics);
    }),
  );
});

test("the entries of a block stand in the order of transactions and receipts", () => {
  const [, , block] = smallChain();
  assert.ok(block);
  const places = logsOfBlock(block).map(({ transactionIndex, logIndex, blockNumber }) => {
    return [blockNumber, transactionIndex, logIndex];
  });
  assert.deepEqual(places, [
    [2, 0, 0],
    [2, 1, 0],
    [2, 2, 0],
    [2, 3, 0],
    [2, 4, 0],
  ]);
});
