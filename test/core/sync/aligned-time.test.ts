/** The clock of a group: what moves it, and how far. */
// rules: sync 6, pbft 6
import assert from "node:assert/strict";
import { test } from "vitest";
import { AlignedTime, FAR_OFFSET_MS, SAME_OFFSET_MS } from "../../../core/sync/aligned-time.ts";
import { nodeIdOfNumber } from "../../support/world/pool-builders.ts";

const SEALERS = [1, 2, 3, 4].map(nodeIdOfNumber);
const MINUTE = 60_000;
const OWN = 1_700_000_000_000;
const MOMENT = { wall: OWN, steady: 5_000 };
const RULE = { byzantine: 1, tie: "own" } as const;

/** The table after sealers 2 to 4 told their clocks, as offsets in minutes. */
function after(offsets: readonly number[]): AlignedTime {
  const time = new AlignedTime();
  for (const [index, minutes] of offsets.entries())
    time.note(nodeIdOfNumber(index + 2), OWN + minutes * MINUTE, MOMENT);
  return time;
}

test("what is no more than three minutes counts as nothing", () => {
  const three = SAME_OFFSET_MS / MINUTE;
  assert.equal(after([three, three, three]).offset(SEALERS, 1), 0);
  assert.equal(after([three, -three, three]).offset(SEALERS, 1), 0);
});

test("a node whose clock is off follows the others", () => {
  assert.equal(after([10, 10, 10]).offset(SEALERS, 1), 10 * MINUTE);
  assert.equal(after([-10, -11, -12]).offset(SEALERS, 1), -10 * MINUTE);
});

test("one sealer of four moves no clock, whatever it claims", () => {
  assert.equal(after([1e9, 0, 0]).offset(SEALERS, 1), 0);
  assert.equal(after([-1e9, 10, 10]).offset(SEALERS, 1), 0);
  assert.equal(after([1e9, 10, 10]).offset(SEALERS, 1), 10 * MINUTE);
});

test("no group moves a clock farther than half an hour", () => {
  assert.equal(after([90, 90, 90]).offset(SEALERS, 1), FAR_OFFSET_MS);
  assert.equal(after([-90, -90, -90]).offset(SEALERS, 1), -FAR_OFFSET_MS);
});

test("who is no sealer does not count, nor who is gone", () => {
  const time = after([10, 10, 10]);
  assert.equal(time.offset([nodeIdOfNumber(1)], 0), 0);
  assert.equal(time.offset([], 0), 0);
  for (const peer of SEALERS) time.forget(peer);
  assert.equal(time.offset(SEALERS, 1), 0);
});

test("a peer is told to be far off once, until it moves again", () => {
  const time = new AlignedTime();
  const peer = nodeIdOfNumber(2);
  const far = OWN + 31 * MINUTE;
  assert.equal(time.note(peer, far, MOMENT), true);
  assert.equal(time.note(peer, far + 5_000, MOMENT), false);
  assert.equal(time.note(peer, OWN, MOMENT), false);
  assert.equal(time.note(peer, far, MOMENT), true);
});

const SELF = nodeIdOfNumber(1);
const HOUR = 60;

test("the reference time is the middle of the sealers' clocks, to the millisecond", () => {
  const reference = (offsets: readonly number[]) =>
    (after(offsets).reference({ self: SELF, sealers: SEALERS }, MOMENT, RULE) - OWN) / MINUTE;
  assert.equal(reference([1, 1, 1]), 1);
  assert.equal(reference([HOUR, HOUR, HOUR]), HOUR);
  assert.equal(reference([8 * HOUR, 8 * HOUR, 8 * HOUR]), 8 * HOUR);
  assert.equal(reference([HOUR, 0, 0]), 0);
  assert.equal(reference([1e9, -1e9, 0]), 0);
});

test("who has reported nothing has no part in the reference time", () => {
  const reference = (offsets: readonly number[]) =>
    (after(offsets).reference({ self: SELF, sealers: SEALERS }, MOMENT, RULE) - OWN) / MINUTE;
  assert.equal(reference([]), 0);
  assert.equal(reference([HOUR]), 0);
  assert.equal(reference([HOUR, HOUR]), HOUR);
});

test("the reference time follows each word of a clock", () => {
  const time = after([1, 1, 1]);
  for (const peer of SEALERS.slice(1)) time.note(peer, OWN + 2, MOMENT);
  assert.equal(time.reference({ self: SELF, sealers: SEALERS }, MOMENT, RULE), OWN + 2);
  for (const peer of SEALERS) time.forget(peer);
  assert.equal(time.reference({ self: SELF, sealers: SEALERS }, MOMENT, RULE), OWN);
});

test("the own wall clock may jump: what others reported goes on by the steady one", () => {
  const time = after([0, 0, 0]);
  const later = { wall: OWN + 7_000 + HOUR * MINUTE, steady: MOMENT.steady + 7_000 };
  const reference = time.reference({ self: SELF, sealers: SEALERS }, later, RULE);
  assert.equal(reference, OWN + 7_000);
});

test("where two halves differ the own one counts, or the one behind", () => {
  const two = SEALERS.slice(0, 2);
  const reference = (minutes: number, tie: "own" | "lowest") =>
    (after([minutes]).reference({ self: SELF, sealers: two }, MOMENT, { byzantine: 0, tie }) -
      OWN) /
    MINUTE;
  assert.deepEqual([reference(HOUR, "own"), reference(HOUR, "lowest")], [0, 0]);
  assert.deepEqual([reference(-HOUR, "own"), reference(-HOUR, "lowest")], [0, -HOUR]);
});
