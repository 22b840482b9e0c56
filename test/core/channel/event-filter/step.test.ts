/** Event filters: registrations, what is pushed and when. */
// rules: channel-protocol 7.3, channel-protocol 14
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { utf8Text } from "../../../../core/bytes/byte-string.ts";
import { hexBytes, toHex } from "../../../../core/bytes/hex.ts";
import { EVENT_BOUNDS } from "../../../../core/channel/event-filter/state.ts";
import { PUSH_SEQ } from "../../../../core/channel/frame.ts";
import {
  SEQ,
  REGISTER,
  UNREGISTER,
  REQUEST,
  place,
  codeOf,
  sent,
  reads,
  pushes,
  ADDRESS,
  hash,
  logAt,
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
  const [frame] = sent(place().ask({}));
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
  const frame = { type: REGISTER, seq: SEQ, result: 0, data };
  assert.equal(codeOf(place().take({ type: "request", session: 1, frame })), 0);
});

test("data that is no JSON is answered with -41001, data of no length not at all", () => {
  const { take } = place();
  for (const type of [REGISTER, UNREGISTER]) {
    for (const data of [hexBytes("017b"), hexBytes("00"), hexBytes("05aa"), hexBytes("0135")]) {
      const answer = take({
        type: "request",
        session: 1,
        frame: { type, seq: SEQ, result: 0, data },
      });
      assert.equal(codeOf(answer), -41001);
      assert.equal(sent(answer)[0]?.type, type);
    }
    const data = new Uint8Array(0);
    const silence = take({
      type: "request",
      session: 1,
      frame: { type, seq: SEQ, result: 0, data },
    });
    assert.deepEqual(silence, []);
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

test("nothing is looked at before 100 ms have passed and the answer has left", () => {
  const { ask, leave, wake, facts } = place();
  facts.isQuick = false;
  const effects = ask({});
  assert.deepEqual(reads(wake(1_000)), []);
  assert.deepEqual(leave(effects).at(-1), { type: "wakeAfter", ms: 100 });
  assert.deepEqual(reads(wake(99)), []);
  // What else the client is sent meanwhile does not count.
  facts.unsent = 1_000;
  const [read] = reads(wake(1));
  assert.deepEqual([read?.from, read?.to], [5, 5]);
});

test("an answer that leaves when its filter is gone is nothing", () => {
  const { ask, leave, wake, facts, book } = place();
  facts.isQuick = false;
  const effects = ask({});
  ask({}, UNREGISTER);
  assert.deepEqual(leave(effects), []);
  assert.deepEqual(wake(100), []);
  assert.equal(book.soon.size, 0);
});

test("a filter from latest on begins with the current block and follows the head", () => {
  const { ask, wake, take, facts } = place();
  ask({});
  const [first] = reads(wake(100));
  assert.ok(first);
  const effects = take({ type: "read", id: first.id, to: 5, logs: [logAt(5)] });
  assert.equal(pushes(effects).length, 1);
  assert.deepEqual(reads(effects), []);
  facts.heads.set(1, 6);
  const [next] = reads(take({ type: "blockWritten", groupId: 1 }));
  assert.deepEqual([next?.from, next?.to], [6, 6]);
  assert.deepEqual(take({ type: "read", id: first.id, to: 6, logs: [] }), []);
});

test("three blocks are a step when more are waiting, and their entries share a push", () => {
  const { ask, wake, take } = place();
  ask({ fromBlock: "1", toBlock: "5" });
  const [first] = reads(wake(100));
  assert.ok(first);
  assert.deepEqual([first.from, first.to], [1, 3]);
  const effects = take({ type: "read", id: first.id, to: 3, logs: [logAt(1), logAt(3)] });
  assert.deepEqual(
    pushes(effects).map(({ logs }) => logs?.map(({ blockNumber }) => blockNumber)),
    [["1", "3"]],
  );
  const [second] = reads(effects);
  assert.deepEqual([second?.from, second?.to], [4, 5]);
});

test("after the last block comes the worked frame H13, then nothing", () => {
  const { ask, wake, take, book } = place();
  ask({ fromBlock: "5", toBlock: "5" });
  const [read] = reads(wake(100));
  assert.ok(read);
  const [frame] = sent(take({ type: "read", id: read.id, to: 5, logs: [] }));
  assert.ok(frame);
  assert.deepEqual([frame.type, frame.seq, frame.result], [0x1002, PUSH_SEQ, 0]);
  const expected = '{"filterID":"00112233445566778899aabbccddeeff","logs":null,"result":1}\n';
  assert.equal(utf8Text(frame.data), expected);
  assert.equal(book.filters.size, 0);
  assert.deepEqual(take({ type: "blockWritten", groupId: 1 }), []);
});

test("a filter that ends above the head waits for its last block", () => {
  const { ask, wake, take, facts } = place();
  ask({ fromBlock: "5", toBlock: "6" });
  const [read] = reads(wake(100));
  assert.ok(read);
  assert.deepEqual(sent(take({ type: "read", id: read.id, to: 5, logs: [] })), []);
  facts.heads.set(1, 9);
  const [last] = reads(take({ type: "blockWritten", groupId: 1 }));
  assert.deepEqual([last?.from, last?.to], [6, 6]);
});

test("a push has exactly the members of the specification, the number in decimal", () => {
  const { ask, wake, take } = place();
  ask({});
  const [read] = reads(wake(100));
  assert.ok(read);
  const [frame] = sent(take({ type: "read", id: read.id, to: 5, logs: [logAt(26)] }));
  assert.ok(frame);
  const log =
    `{"address":"${ADDRESS}","blockHash":"${hash("b")}","blockNumber":"26","data":"0x2a",` +
    `"logIndex":"0x2","topics":["${hash("7")}"],"transactionHash":"${hash("a")}",` +
    `"transactionIndex":"0x11"}`;
  const expected = `{"filterID":"${REQUEST.filterID}","logs":[${log}],"result":0}\n`;
  assert.equal(utf8Text(frame.data), expected);
});

test("while the SDK is not admitted nothing is pushed, and what it missed comes afterwards", () => {
  const { ask, wake, take, facts } = place();
  ask({ fromBlock: "5" });
  const [read] = reads(wake(100));
  assert.ok(read);
  facts.mayAccess = false;
  assert.deepEqual(sent(take({ type: "read", id: read.id, to: 5, logs: [logAt(5)] })), []);
  assert.deepEqual(reads(wake(1_000)), []);
  facts.mayAccess = true;
  const [again] = reads(wake(1_000));
  assert.deepEqual([again?.from, again?.to], [5, 5]);
});

test("a session that is gone takes its filters with it, also while their blocks are read", () => {
  const { ask, wake, take, book } = place();
  ask({});
  ask({ filterID: "other" });
  ask({ filterID: "third" }, REGISTER, 8);
  const [read] = reads(wake(100));
  assert.ok(read);
  take({ type: "sessionClosed", session: 7 });
  assert.equal(book.filters.size, 1);
  assert.deepEqual(sent(take({ type: "read", id: read.id, to: 5, logs: [logAt(5)] })), []);
  take({ type: "sessionClosed", session: 8 });
  assert.deepEqual([book.filters.size, book.sessions.size, book.values], [0, 0, 0]);
});

test("unregistering ends the filter of that session only, and an unknown one is a success", () => {
  const { ask, book } = place();
  ask({});
  ask({}, REGISTER, 8);
  assert.equal(codeOf(ask({}, UNREGISTER, 9)), 0);
  assert.equal(book.filters.size, 2);
  assert.equal(codeOf(ask({}, UNREGISTER)), 0);
  assert.deepEqual(
    [...book.filters.values()].map(({ session }) => session),
    [8],
  );
});

test("a filterID that is registered again replaces the filter", () => {
  const { ask, book } = place();
  ask({ addresses: [ADDRESS] });
  ask({});
  assert.equal(book.filters.size, 1);
  assert.equal(book.values, 0);
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

test("many log entries go in several pushes, none lost, in order, as the client reads", () => {
  const { ask, wake, take, facts } = place();
  // Two entries fill a push; two blocks have more than one of them.
  const logs = [2, 3, 3, 3, 3, 3, 4].map((block, i) => logAt(block, 1_000_000 + i));
  ask({ fromBlock: "2", toBlock: "4" });
  let [read] = reads(wake(100));
  const seen: [string, number][] = [];
  for (let turns = 0; read; turns++) {
    assert.ok(turns < 10);
    const { id, from, to } = read;
    const found = logs.filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to);
    facts.unsent = EVENT_BOUNDS.unsentBytes + 1;
    const effects = take({ type: "read", id, to, logs: found });
    assert.ok(pushes(effects).filter((push) => push.logs).length <= 1);
    for (const push of pushes(effects)) {
      for (const log of push.logs ?? []) {
        seen.push([String(log["blockNumber"]), (String(log["data"]).length - 2) / 2]);
      }
    }
    assert.deepEqual(reads(effects), []);
    facts.unsent = 0;
    [read] = reads(wake(100));
  }
  assert.deepEqual(
    seen,
    logs.map(({ log, blockNumber }) => [String(blockNumber), log.data.length]),
  );
});

test("a client that does not read is given no history until it does", () => {
  const { ask, wake, take, facts } = place();
  ask({ fromBlock: "0" });
  const [read] = reads(wake(100));
  assert.ok(read);
  facts.unsent = EVENT_BOUNDS.unsentBytes + 1;
  assert.deepEqual(reads(take({ type: "read", id: read.id, to: 2, logs: [logAt(1)] })), []);
  assert.deepEqual(reads(wake(100)), []);
  facts.unsent = 0;
  assert.deepEqual(reads(wake(100))[0]?.from, 3);
});

test("a block that cannot be read is tried again after a second", () => {
  const { ask, wake, take } = place();
  ask({});
  const [read] = reads(wake(100));
  assert.ok(read);
  assert.deepEqual(reads(take({ type: "readFailed", id: read.id })), []);
  assert.deepEqual(reads(wake(900)), []);
  assert.equal(reads(wake(100))[0]?.from, 5);
});

test("as many sessions as there are, blocks are read for four at a time, each in its turn", () => {
  const { ask, wake, take } = place();
  for (let i = 0; i < 10; i++) {
    ask({ filterID: `f${i}`, fromBlock: "1", toBlock: "5" }, REGISTER, i);
  }
  const open = reads(wake(100));
  assert.equal(open.length, EVENT_BOUNDS.reads);
  const turns: number[] = [];
  for (let next = open.shift(); next; next = open.shift()) {
    turns.push(next.id);
    open.push(...reads(take({ type: "read", id: next.id, to: next.to, logs: [] })));
    assert.ok(open.length <= EVENT_BOUNDS.reads);
  }
  assert.deepEqual(turns.slice(0, 10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(turns.length, 20);
});

test("whatever the order of blocks and looks, each block is taken once and in order", () => {
  const moves = fc.array(fc.constantFrom("block", "wake", "read", "block", "read"), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(moves, fc.integer({ min: 0, max: 5 }), (order, from) => {
      const { ask, take, facts } = place();
      const taken: number[] = [];
      const open = reads(ask({ fromBlock: String(from) }));
      for (const move of [...order, "wake", ...Array<string>(40).fill("read")]) {
        if (move === "wake") {
          facts.now += 100;
          open.push(...reads(take({ type: "wake" })));
        } else if (move === "block") {
          facts.heads.set(1, (facts.heads.get(1) ?? 0) + 1);
          open.push(...reads(take({ type: "blockWritten", groupId: 1 })));
        } else {
          const read = open.shift();
          if (!read) continue;
          for (let number = read.from; number <= read.to; number++) taken.push(number);
          open.push(...reads(take({ type: "read", id: read.id, to: read.to, logs: [] })));
        }
      }
      const head = facts.heads.get(1) ?? 0;
      assert.deepEqual(
        taken,
        Array.from({ length: head - from + 1 }, (_, index) => from + index),
      );
    }),
  );
});
