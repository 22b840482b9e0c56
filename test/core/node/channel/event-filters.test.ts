/** Event filters: registrations, what is pushed and when. */
// rules: channel-protocol 7.3, channel-protocol 14
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { utf8Text } from "../../../../core/bytes/byte-string.ts";
import { hexBytes, toHex } from "../../../../core/bytes/hex.ts";
import { PUSH_SEQ } from "../../../../core/channel/frame.ts";
import { EVENT_BOUNDS } from "../../../../core/node/channel/channel-events.ts";
import { UNSENT_BYTES } from "../../../../core/node/feed/block-cursor.ts";
import {
  SEQ,
  REGISTER,
  UNREGISTER,
  REQUEST,
  place,
  codeOf,
  pushes,
  ADDRESS,
  hash,
} from "../../../support/channel/event-place.ts";

const CODES = [
  { what: "a filter of everything", changes: {}, code: 0 },
  { what: "a group as a number", changes: { groupID: 1 }, code: 0 },
  {
    what: "blocks as decimal and hexadecimal texts",
    changes: { fromBlock: "3", toBlock: "0xff" },
    code: 0,
  },
  { what: "no ends", changes: { fromBlock: undefined, toBlock: undefined }, code: 0 },
  {
    what: "one address and one topic as texts",
    changes: { addresses: ADDRESS, topics: hash("7") },
    code: 0,
  },
  {
    what: "a topic of alternatives, and any",
    changes: { topics: [null, [hash("1"), hash("2")]] },
    code: 0,
  },
  { what: "a start above the head", changes: { fromBlock: "100" }, code: 0 },
  { what: "no filterID", changes: { filterID: undefined }, code: -41001 },
  { what: "an empty filterID", changes: { filterID: "" }, code: -41001 },
  { what: "a filterID that is no text", changes: { filterID: 5 }, code: -41001 },
  { what: "no group", changes: { groupID: undefined }, code: -41001 },
  { what: "group 0", changes: { groupID: 0 }, code: -41001 },
  { what: "group 32768", changes: { groupID: "32768" }, code: -41001 },
  { what: "a group that is no number", changes: { groupID: "one" }, code: -41001 },
  { what: "no addresses", changes: { addresses: undefined }, code: -41001 },
  { what: "addresses that are no texts", changes: { addresses: [1] }, code: -41001 },
  { what: "no topics", changes: { topics: undefined }, code: -41001 },
  { what: "five topics", changes: { topics: [null, null, null, null, null] }, code: -41001 },
  { what: "a topic that is a number", changes: { topics: [1] }, code: -41001 },
  { what: "a block that is no number", changes: { fromBlock: "first" }, code: -41001 },
  { what: "a block that is negative", changes: { toBlock: "-1" }, code: -41001 },
  { what: "a block that is no text", changes: { fromBlock: 5 }, code: -41001 },
  { what: "an empty block", changes: { fromBlock: "" }, code: -41001 },
  { what: "a group that does not run here", changes: { groupID: 2 }, code: -41002 },
  { what: "an end below the start", changes: { fromBlock: "4", toBlock: "3" }, code: -41003 },
  { what: "an end below the head", changes: { fromBlock: "latest", toBlock: "4" }, code: -41003 },
] as const;
for (const { what, changes, code } of CODES) {
  test(`registering ${what} is answered with ${code}`, () => {
    assert.equal(codeOf(place().ask(changes)), code);
  });
}

test("the answer is the worked frame H12", () => {
  const [frame] = place().ask({});
  assert.ok(frame);
  assert.deepEqual([frame.type, frame.result, frame.seq], [REGISTER, 0, SEQ]);
  assert.equal(toHex(frame.data), "017b22726573756c74223a307d0a");
});

test("the request of nodejs-sdk, the worked frame H18, is taken", () => {
  const data = hexBytes(
    "017b2266726f6d426c6f636b223a226c6174657374222c22746f426c6f636b223a226c6174657374222c22616464" +
      "726573736573223a5b5d2c22746f70696373223a5b5d2c2267726f75704944223a2231222c2266696c7465724944" +
      "223a223030313132323333343435353636373738383939616162626363646465656666227d",
  );
  assert.equal(codeOf(place().tell(1, { type: REGISTER, seq: SEQ, result: 0, data })), 0);
});

test("data that is no JSON is answered with -41001, data of no length not at all", () => {
  const { tell } = place();
  for (const type of [REGISTER, UNREGISTER]) {
    for (const data of [hexBytes("017b"), hexBytes("00"), hexBytes("05aa"), hexBytes("0135")]) {
      const answer = tell(1, { type, seq: SEQ, result: 0, data });
      assert.equal(codeOf(answer), -41001);
      assert.equal(answer[0]?.type, type);
    }
    assert.deepEqual(tell(1, { type, seq: SEQ, result: 0, data: new Uint8Array(0) }), []);
  }
});

test("an SDK that the group does not admit gets -41006, after the group and before the range", () => {
  const { ask, facts } = place();
  facts.mayAccess = false;
  assert.equal(codeOf(ask({ fromBlock: "4", toBlock: "3" })), -41006);
  assert.equal(codeOf(ask({}, UNREGISTER)), -41006);
  assert.equal(codeOf(ask({ groupID: 2 })), -41002);
  assert.equal(codeOf(ask({ groupID: 2 }, UNREGISTER)), -41002);
});

test("a limited range counts from the start to the head", () => {
  const { ask, facts } = place();
  facts.maxBlockRange = 3;
  assert.equal(codeOf(ask({ fromBlock: "2" })), -41003);
  assert.equal(codeOf(ask({ fromBlock: "3" })), 0);
});

test("nothing is examined before 100 ms have passed and the answer has left", async () => {
  const { ask, leave, wake, write, facts, taken } = place();
  facts.isQuick = false;
  ask({});
  await wake(1_000);
  leave();
  await wake(99);
  await write(5);
  assert.deepEqual(taken(), []);
  // What else the client is sent meanwhile does not count.
  facts.unsent = 1_000;
  await wake(1);
  assert.deepEqual(taken(), [5]);
});

test("an answer that leaves when its filter is gone is nothing", async () => {
  const { ask, leave, wake, facts, taken, events } = place();
  facts.isQuick = false;
  ask({});
  ask({}, UNREGISTER);
  leave();
  assert.deepEqual(await wake(100), []);
  assert.deepEqual(taken(), []);
  assert.equal(events.count, 0);
});

test("a filter from latest on begins with the current block and follows the head", async () => {
  const { ask, wake, write, facts, taken } = place();
  facts.logs.set(5, [1]);
  ask({ addresses: [ADDRESS] });
  assert.equal(pushes(await wake(100)).length, 1);
  assert.deepEqual(taken(), [5]);
  assert.deepEqual(await write(6), []);
  assert.deepEqual(taken(), [6]);
});

test("three blocks are a step when more are waiting, and their entries share a push", async () => {
  const { ask, wake, facts, taken } = place();
  for (const number of [1, 3, 4]) facts.logs.set(number, [1]);
  ask({ addresses: [ADDRESS], fromBlock: "1", toBlock: "5" });
  assert.deepEqual(
    pushes(await wake(100)).map(({ logs }) => logs?.map(({ blockNumber }) => blockNumber)),
    [["1", "3"], ["4"], undefined],
  );
  assert.deepEqual(taken(), [1, 2, 3, 4, 5]);
});

test("after the last block comes the worked frame H13, then nothing", async () => {
  const { ask, wake, write, events } = place();
  ask({ addresses: [ADDRESS], fromBlock: "5", toBlock: "5" });
  const [frame] = await wake(100);
  assert.ok(frame);
  assert.deepEqual([frame.type, frame.seq, frame.result], [0x1002, PUSH_SEQ, 0]);
  const expected = '{"filterID":"00112233445566778899aabbccddeeff","logs":null,"result":1}\n';
  assert.equal(utf8Text(frame.data), expected);
  assert.equal(events.count, 0);
  assert.deepEqual(await write(6), []);
});

test("a filter that ends above the head waits for its last block", async () => {
  const { ask, wake, write, taken } = place();
  ask({ addresses: [ADDRESS], fromBlock: "5", toBlock: "6" });
  assert.deepEqual(await wake(100), []);
  assert.deepEqual(taken(), [5]);
  assert.deepEqual(
    pushes(await write(9)).map(({ result }) => result),
    [1],
  );
  assert.deepEqual(taken(), [6]);
});

test("a push has exactly the members of the specification, the number in decimal", async () => {
  const { ask, wake, facts } = place();
  facts.heads.set(1, 26);
  facts.logs.set(26, [1]);
  ask({ addresses: [ADDRESS] });
  const [frame] = await wake(100);
  assert.ok(frame);
  const log =
    `{"address":"${ADDRESS}","blockHash":"${hash("b")}","blockNumber":"26","data":"0x2a",` +
    `"logIndex":"0x2","topics":["${hash("7")}"],"transactionHash":"${hash("a")}",` +
    `"transactionIndex":"0x11"}`;
  const expected = `{"filterID":"${REQUEST.filterID}","logs":[${log}],"result":0}\n`;
  assert.equal(utf8Text(frame.data), expected);
});

test("while the SDK is not admitted nothing is pushed, and what it missed comes afterwards", async () => {
  const { ask, wake, facts, open, taken } = place();
  facts.logs.set(5, [1]);
  facts.isSlow = true;
  ask({ addresses: [ADDRESS], fromBlock: "5" });
  await wake(100);
  facts.mayAccess = false;
  facts.isSlow = false;
  for (const { end } of open) end();
  assert.deepEqual(await wake(0), []);
  assert.deepEqual(await wake(1_000), []);
  facts.mayAccess = true;
  taken();
  assert.equal(pushes(await wake(1_000))[0]?.logs?.length, 1);
});

test("a session that is gone takes its filters with it, also while their blocks are read", async () => {
  const { ask, wake, facts, open, close, events } = place();
  facts.logs.set(5, [1]);
  facts.isSlow = true;
  ask({ addresses: [ADDRESS] });
  ask({ filterID: "other" });
  ask({ filterID: "third" }, REGISTER, 8);
  await wake(100);
  close(7);
  assert.equal(events.count, 1);
  close(8);
  for (const { end } of open) end();
  assert.deepEqual(await wake(0), []);
  assert.equal(events.count, 0);
});

test("unregistering ends the filter of that session only, and an unknown one is a success", async () => {
  const { ask, events, wake, facts } = place();
  facts.logs.set(5, [1]);
  ask({});
  ask({ filterID: "kept" }, REGISTER, 8);
  assert.equal(codeOf(ask({}, UNREGISTER, 9)), 0);
  assert.equal(events.count, 2);
  assert.equal(codeOf(ask({}, UNREGISTER)), 0);
  assert.equal(events.count, 1);
  assert.deepEqual(
    pushes(await wake(100)).map(({ filterID }) => filterID),
    ["kept"],
  );
});

test("a filterID that is registered again replaces the filter", () => {
  const { ask, events } = place();
  ask({ addresses: [ADDRESS] });
  ask({});
  assert.equal(events.count, 1);
});

test("more filters than a session may have are refused, another session's are not", () => {
  const { ask } = place();
  for (let i = 0; i < EVENT_BOUNDS.filtersPerSession; i++) {
    assert.equal(codeOf(ask({ filterID: `f${i}` })), 0);
  }
  assert.equal(codeOf(ask({ filterID: "one more" })), -41001);
  assert.equal(codeOf(ask({ filterID: "f0" })), 0);
  assert.equal(codeOf(ask({ filterID: "one more" }, REGISTER, 8)), 0);
});

test("more addresses than a session may have in all its filters are refused", () => {
  const { ask } = place();
  const addresses = Array.from({ length: 1_000 }, (_, i) => `0x${String(i).padStart(40, "0")}`);
  for (let i = 0; i < 10; i++) assert.equal(codeOf(ask({ filterID: `f${i}`, addresses })), 0);
  assert.equal(codeOf(ask({ filterID: "one more", addresses: [ADDRESS] })), -41001);
  assert.equal(codeOf(ask({ filterID: "long", addresses: [...addresses, ADDRESS] })), -41001);
});

test("many log entries go in several pushes, none lost, in order, as the client reads", async () => {
  const { ask, wake, facts } = place();
  // Two entries fill a push; two blocks have more than one of them.
  const sizes = new Map([
    [2, [1_000_000]],
    [3, [1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005]],
    [4, [1_000_006]],
  ]);
  facts.logs = sizes;
  facts.isLazy = true;
  ask({ addresses: [ADDRESS], fromBlock: "2", toBlock: "4" });
  const seen: [string, number][] = [];
  let isOver = false;
  for (let turns = 0; !isOver; turns++) {
    assert.ok(turns < 10);
    facts.unsent = 0;
    const sent = [...pushes(await wake(100)), ...pushes(await wake(0))];
    assert.ok(sent.filter((push) => push.logs).length <= 1);
    for (const push of sent) {
      isOver ||= push.result === 1;
      for (const log of push.logs ?? []) {
        seen.push([String(log["blockNumber"]), (String(log["data"]).length - 2) / 2]);
      }
    }
  }
  const expected = [...sizes].flatMap(([block, all]) => all.map((size) => [String(block), size]));
  assert.deepEqual(seen, expected);
});

test("a client that does not read is given no history until it does", async () => {
  const { ask, wake, facts, taken } = place();
  ask({ addresses: [ADDRESS], fromBlock: "0" });
  facts.isSlow = true;
  facts.unsent = UNSENT_BYTES + 1;
  await wake(100);
  await wake(100);
  assert.deepEqual(taken(), []);
  facts.unsent = 0;
  await wake(100);
  assert.deepEqual(taken(), [0]);
});

test("a block that cannot be read is tried again after a second", async () => {
  const { ask, wake, write, facts, taken } = place();
  facts.fails = true;
  ask({});
  await wake(100);
  assert.deepEqual(taken(), [5]);
  await wake(900);
  await write(5);
  assert.deepEqual(taken(), []);
  await wake(100);
  assert.deepEqual(taken(), [5]);
});

test("as many sessions as there are, blocks are read for four at a time, each in its turn", async () => {
  const { ask, wake, facts, open } = place();
  facts.isSlow = true;
  // What is read for one of them is not shared with another.
  for (let i = 1; i <= 10; i++) {
    facts.heads.set(i, 5);
    ask({ groupID: i, filterID: `f${i}`, fromBlock: "2", toBlock: "5" }, REGISTER, i);
  }
  await wake(100);
  assert.equal(open.length, EVENT_BOUNDS.reads);
  const turns: number[] = [];
  for (let next = open.shift(); next; next = open.shift()) {
    if (next.number === 2 || next.number === 5) turns.push(next.group);
    next.end();
    await wake(0);
    assert.ok(open.length <= EVENT_BOUNDS.reads);
  }
  assert.deepEqual(turns.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(turns.length, 20);
});

test("whatever the order of blocks and looks, each block is taken once and in order", async () => {
  const moves = fc.array(fc.constantFrom("block", "wake", "read", "block", "read"), {
    maxLength: 30,
  });
  const property = fc.asyncProperty(moves, fc.integer({ min: 0, max: 5 }), async (order, from) => {
    const { ask, wake, write, facts, open, taken } = place();
    facts.isSlow = true;
    ask({ fromBlock: String(from) });
    let head = 5;
    for (const move of [...order, "wake"]) {
      if (move === "wake") await wake(100);
      else if (move === "block") await write(++head);
      else open.shift()?.end();
    }
    facts.isSlow = false;
    for (const { end } of open) end();
    await wake(0);
    // An old block that was read for three seconds is rested from for twelve.
    await wake(15_000);
    const expected = Array.from({ length: head - from + 1 }, (_, index) => from + index);
    assert.deepEqual(taken(), expected);
  });
  await fc.assert(property, { numRuns: 30 });
});
