/** What event filters may cost, whoever registers how many. */
// rules: channel-protocol 7.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { MAX_REGISTRATION_BYTES } from "../../../../core/channel/event-filter/registration.ts";
import { EVENT_BOUNDS } from "../../../../core/channel/event-filter/state.ts";
import { withTopic } from "../../../../core/channel/frame.ts";
import {
  SEQ,
  REGISTER,
  REQUEST,
  place,
  codeOf,
  reads,
  hash,
} from "../../../support/channel/event-place.ts";

test("blocks are read for one filter of a session at a time", () => {
  const { ask, wake, take } = place();
  for (let i = 0; i < 3; i++) ask({ filterID: `f${i}`, fromBlock: "5", toBlock: "5" });
  const taken: number[] = [];
  let open = reads(wake(100));
  for (let [read] = open; read; [read] = open) {
    assert.equal(open.length, 1);
    taken.push(read.id);
    open = reads(take({ type: "read", id: read.id, to: read.to, logs: [] }));
  }
  assert.deepEqual(taken, [1, 2, 3]);
});

test("history holds up nobody who is near the head, nor one session another", () => {
  const { ask, wake, take, facts } = place();
  facts.heads.set(1, 10_000);
  for (let i = 0; i < EVENT_BOUNDS.filtersPerSession; i++) {
    for (const session of [1, 2, 3, 4]) {
      ask({ filterID: `f${i}`, fromBlock: "0" }, REGISTER, session);
    }
  }
  ask({ filterID: "old", fromBlock: "7" }, REGISTER, 8);
  ask({}, REGISTER, 9);
  const first = reads(wake(100));
  assert.deepEqual(first.map(({ session }) => session).sort(), [1, 2, 3, 4, 9]);
  const near = first.find(({ session }) => session === 9);
  const [slow] = first.filter(({ session }) => session < 9);
  assert.ok(near && slow);
  take({ type: "read", id: near.id, to: near.to, logs: [] });
  facts.heads.set(1, 10_001);
  const [next] = reads(take({ type: "blockWritten", groupId: 1 }));
  assert.deepEqual([next?.session, next?.from], [9, 10_001]);
  const [turn] = reads(take({ type: "read", id: slow.id, to: slow.to, logs: [] }));
  assert.deepEqual([turn?.session, turn?.from], [8, 7]);
});

test("the work for a filter does not grow with the number of filters", () => {
  const workFor = (sessions: number) => {
    const { book, ask, wake, take, facts } = place();
    let looks = 0;
    const get = book.filters.get.bind(book.filters);
    book.filters.get = (id) => {
      looks += 1;
      return get(id);
    };
    const entries = book.soon.entries.bind(book.soon);
    book.soon[Symbol.iterator] = function* () {
      for (const entry of entries()) {
        looks += 1;
        yield entry;
      }
      return undefined;
    };
    facts.unsent = EVENT_BOUNDS.unsentBytes + 1;
    for (let i = 0; i < 64; i++) {
      for (let session = 0; session < sessions; session++) {
        ask({ filterID: `f${i}` }, REGISTER, session);
      }
    }
    wake(100);
    for (let i = 0; i < 10; i++) wake(100);
    facts.unsent = 0;
    const open = reads(wake(100));
    for (let next = open.shift(); next; next = open.shift()) {
      open.push(...reads(take({ type: "read", id: next.id, to: next.to, logs: [] })));
    }
    assert.equal(book.idle.get(1)?.size, 64 * sessions);
    return looks / (64 * sessions);
  };
  const [few, many] = [workFor(2), workFor(32)];
  assert.ok(many <= few * 1.5 && many < 10, `${few} ${many}`);
});

test("what cannot all be looked at in one step is looked at in the next ones", () => {
  const { ask, wake, facts } = place();
  facts.mayAccess = true;
  const count = EVENT_BOUNDS.looks + 10;
  for (let i = 0; i < count; i++) ask({ filterID: `f${i}` }, REGISTER, i);
  facts.mayAccess = false;
  assert.deepEqual(wake(100), [{ type: "wakeAfter", ms: 0 }]);
  assert.deepEqual(wake(0), [{ type: "wakeAfter", ms: 1_000 }]);
});

test("a filter that may not be replaced stays as it was", () => {
  const { ask, book } = place();
  const addresses = Array.from({ length: 1_000 }, (_, i) => `0x${String(i).padStart(40, "0")}`);
  for (let i = 0; i < 10; i++) assert.equal(codeOf(ask({ filterID: `f${i}`, addresses })), 0);
  assert.equal(codeOf(ask({ filterID: "f3", addresses, topics: [hash("1")] })), -41001);
  assert.equal(book.filters.size, 10);
  assert.equal(codeOf(ask({ filterID: "f3", addresses })), 0);
});

test("a request longer than any filter needs is refused unread", () => {
  const { take } = place();
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
    const frame = { type: REGISTER, seq: SEQ, result: 0, data };
    assert.equal(codeOf(take({ type: "request", session: length, frame })), code);
  }
});
