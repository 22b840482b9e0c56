// What a peer that is in no group may say before it is an offence.
// rules: node-network 2, node-network 8
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { CLASS_LIMITS } from "../../../core/network/classes.ts";
import {
  UNSOLICITED_BYTES,
  UNSOLICITED_BYTES_PER_SECOND,
  UNSOLICITED_MESSAGES,
  UNSOLICITED_PER_SECOND,
  UnsolicitedBudgets,
} from "../../../core/network/unsolicited.ts";

const PEER = "aa".repeat(64) as NodeId;
const OTHER = "bb".repeat(64) as NodeId;
const SECOND_MS = 1_000;

/** How many of this many messages at one moment are within what a peer may say. */
function within(
  accounts: UnsolicitedBudgets,
  count: number,
  { peer = PEER, bytes = 100, charge = 1, now = 0 } = {},
): number {
  let taken = 0;
  for (let at = 0; at < count; at++) if (accounts.charge(peer, { bytes, charge, now })) taken++;
  return taken;
}

test("this many messages at once, then as many as a second forgets", () => {
  const accounts = new UnsolicitedBudgets();
  assert.equal(within(accounts, UNSOLICITED_MESSAGES + 50), UNSOLICITED_MESSAGES);
  assert.equal(within(accounts, 1_000, { now: SECOND_MS }), UNSOLICITED_PER_SECOND);
  // A debt does not grow while no node hears it.
  assert.equal(within(accounts, 1_000, { now: 2 * SECOND_MS }), UNSOLICITED_PER_SECOND);
});

test("bytes are counted besides", () => {
  const accounts = new UnsolicitedBudgets();
  const bytes = UNSOLICITED_BYTES_PER_SECOND;
  const most = UNSOLICITED_BYTES / bytes;
  assert.equal(within(accounts, most + 5, { bytes }), most);
  assert.equal(within(accounts, 5, { bytes, now: SECOND_MS }), 1);
});

test("what is charged at an eighth may be eight times as much", () => {
  const accounts = new UnsolicitedBudgets();
  const count = 8 * UNSOLICITED_MESSAGES;
  assert.equal(within(accounts, count + 50, { charge: 1 / 8, bytes: 1 }), count);
});

test("an honest peer whose queues were full and that goes on at its pace commits no offence", () => {
  const accounts = new UnsolicitedBudgets();
  const { consensus, transactions, blocks } = CLASS_LIMITS;
  for (const { queueMessages } of [consensus, transactions, blocks]) {
    assert.equal(within(accounts, queueMessages, { bytes: 1_000 }), queueMessages);
  }
  // Ten blocks a second, with transactions in as many messages again as pauses allow.
  for (let second = 1; second <= 3_600; second++) {
    const pace = { now: second * SECOND_MS, bytes: 20_000 };
    assert.equal(within(accounts, 100, pace), 100);
  }
});

test("each peer has an account of its own, which is closed once it is empty", () => {
  const accounts = new UnsolicitedBudgets();
  within(accounts, UNSOLICITED_MESSAGES + 1);
  assert.equal(within(accounts, 10, { peer: OTHER }), 10);
  assert.equal(accounts.size, 2);
  const later = 60 * SECOND_MS;
  within(accounts, 1, { peer: "cc".repeat(64) as NodeId, now: later });
  assert.equal(accounts.size, 1);
  assert.equal(within(accounts, UNSOLICITED_MESSAGES, { now: later }), UNSOLICITED_MESSAGES);
});
