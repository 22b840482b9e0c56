/** What event filters may cost, no matter who registers how many. */
// rules: channel-protocol 7.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { MAX_REGISTRATION_BYTES } from "../../../../core/channel/event-filter.ts";
import { withTopic } from "../../../../core/channel/frame.ts";
import { EVENT_BOUNDS } from "../../../../core/node/channel/channel-events.ts";
import { UNSENT_BYTES } from "../../../../core/node/feed/block-cursor.ts";
import {
  SEQ,
  REGISTER,
  REQUEST,
  place,
  codeOf,
  pushes,
  hash,
} from "../../../support/channel/event-place.ts";

test("blocks are read for one filter of a session at a time", async () => {
  const { ask, wake, facts, open } = place();
  facts.isSlow = true;
  for (let i = 1; i <= 3; i++) {
    facts.heads.set(i, 5);
    ask({ groupID: i, filterID: `f${i}`, fromBlock: "5", toBlock: "5" });
  }
  await wake(100);
  const taken: number[] = [];
  for (let read = open.shift(); read; read = open.shift()) {
    assert.equal(open.length, 0);
    taken.push(read.group);
    read.end();
    await wake(0);
  }
  assert.deepEqual(taken, [1, 2, 3]);
});

test("history holds up nobody who is near the head, nor one session another", async () => {
  const { ask, wake, write, facts, open } = place();
  facts.heads.set(1, 10_000);
  facts.isSlow = true;
  for (let i = 0; i < EVENT_BOUNDS.filtersPerSession; i++) {
    for (const session of [1, 2, 3, 4]) {
      ask({ filterID: `f${i}`, fromBlock: "0" }, REGISTER, session);
    }
  }
  ask({ filterID: "old", fromBlock: "700" }, REGISTER, 8);
  ask({ filterID: "new" }, REGISTER, 9);
  facts.logs.set(10_000, [1]).set(10_001, [1]).set(700, [1]);
  await wake(100);
  const numbers = () => open.map(({ number }) => number).sort((a, b) => a - b);
  const end = (wanted: number) => {
    for (const read of open.filter(({ number }) => number === wanted)) {
      open.splice(open.indexOf(read), 1);
      read.end();
    }
  };
  assert.deepEqual(numbers(), [0, 10_000]);
  end(10_000);
  assert.deepEqual(
    pushes(await wake(0)).map(({ filterID }) => filterID),
    ["new"],
  );
  await write(10_001);
  assert.deepEqual(numbers(), [0, 10_001]);
  // The sessions before it have one step of three blocks each.
  const before: number[] = [];
  while (!open.some(({ number }) => number === 700)) {
    const [number] = numbers();
    if (number !== undefined) {
      before.push(number);
      end(number);
    }
    await wake(20);
  }
  assert.ok(before.length <= 4 * 3 + 3 + 1, `${before}`);
});

test("a session that ends with much unread leaves no timer behind", async () => {
  const { ask, wake, close, clock, facts } = place();
  ask({ filterID: "f" });
  facts.unsent = UNSENT_BYTES + 1;
  await wake(100);
  await wake(100);
  assert.equal(clock.waiting, 1);
  close(7);
  await wake(100);
  assert.equal(clock.waiting, 0);
});

test("filters of a session that may not go on wait on one timer, and go on together", async () => {
  const { ask, wake, clock, facts } = place();
  facts.logs.set(5, [1]);
  for (let i = 0; i < 50; i++) ask({ filterID: `f${i}` });
  facts.mayAccess = false;
  await wake(100);
  assert.equal(clock.waiting, 1);
  await wake(1_000);
  assert.ok(clock.waiting <= 1);
  facts.mayAccess = true;
  let pushed = 0;
  for (let i = 0; i < 30; i++) pushed += pushes(await wake(100)).length;
  assert.equal(pushed, 50);
});

test("a block wakes the filters of many sessions in short turns", async () => {
  const { ask, wake, events, facts } = place();
  for (let session = 0; session < 200; session++) ask({ filterID: "f" }, REGISTER, session);
  for (let i = 0; i < 300; i++) await wake(100);
  facts.heads.set(1, 6);
  facts.logs.set(6, [1]);
  Object.assign(facts, { looks: 0, lookMs: 1 });
  const done = events.onBlock({ groupId: 1 });
  assert.ok(facts.looks < 50, `${facts.looks} looks in the first turn`);
  let pushed = 0;
  for (let i = 0; i < 500; i++) pushed += pushes(await wake(1)).length;
  await done;
  assert.equal(pushed, 200);
});

test("the work for a filter does not grow with the number of filters", async () => {
  const workFor = async (sessions: number) => {
    const { ask, wake, facts, taken } = place();
    facts.unsent = UNSENT_BYTES + 1;
    for (let i = 0; i < 64; i++) {
      for (let session = 0; session < sessions; session++) {
        ask({ filterID: `f${i}` }, REGISTER, session);
      }
    }
    facts.looks = 0;
    for (let i = 0; i < 11; i++) await wake(100);
    assert.deepEqual(taken(), []);
    facts.unsent = 0;
    await wake(100);
    for (let i = 0; i < sessions * 2; i++) await wake(0);
    assert.deepEqual(taken(), [5]);
    return facts.looks / (64 * sessions);
  };
  const [few, many] = [await workFor(2), await workFor(16)];
  assert.ok(many <= few * 1.5 && many < 10, `${few} ${many}`);
});

test("a filter that may not be replaced stays as it was", () => {
  const { ask, events } = place();
  const addresses = Array.from({ length: 1_000 }, (_, i) => `0x${String(i).padStart(40, "0")}`);
  for (let i = 0; i < 10; i++) assert.equal(codeOf(ask({ filterID: `f${i}`, addresses })), 0);
  assert.equal(codeOf(ask({ filterID: "f3", addresses, topics: [hash("1")] })), -41001);
  assert.equal(events.count, 10);
  assert.equal(codeOf(ask({ filterID: "f3", addresses })), 0);
});

test("a request longer than any filter needs is refused unread", () => {
  const { tell } = place();
  const largest = {
    ...REQUEST,
    addresses: Array.from({ length: 1_000 }, (_, i) => `0x${String(i).padStart(40, "0")}`),
    topics: Array.from({ length: 4 }, (_, at) =>
      Array.from({ length: 1_000 }, (_, i) => `0x${at}${String(i).padStart(63, "0")}`),
    ),
  };
  for (const [length, code] of [
    [MAX_REGISTRATION_BYTES - 1, 0],
    [MAX_REGISTRATION_BYTES, -41001],
  ] as const) {
    const data = withTopic("", utf8Bytes(JSON.stringify(largest).padEnd(length, " ")));
    assert.equal(codeOf(tell(length, { type: REGISTER, seq: SEQ, result: 0, data })), code);
  }
});
