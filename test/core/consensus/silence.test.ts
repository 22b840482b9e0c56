/** When a node whose store may be older than its votes may vote again. */
// rules: pbft 16.4, raft 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { majority, quorum } from "../../../core/consensus/quorum.ts";
import {
  createSilence,
  hearHead,
  isPast,
  learnReach,
  seeOwnBlock,
  type Silence,
  type SilenceSight,
  silenceView,
} from "../../../core/consensus/silence.ts";
import { cases } from "../../support/runner/cases.ts";

const node = (index: number) => `${index}`.padStart(128, "0") as NodeId;
const nodes = (count: number) => Array.from({ length: count }, (_, index) => node(index));

function sightOf(change: Partial<SilenceSight> = {}): SilenceSight {
  const sealers = change.sealers ?? nodes(4);
  const needed = quorum(sealers.length);
  return { self: node(0), head: 10, sealers, quorum: needed, now: 0, patienceMs: 0, ...change };
}

const hear = (silence: Silence, from: NodeId, head: number, sight = sightOf()) =>
  hearHead(silence, { from, head }, sight);

const silent = () => createSilence({ mode: "silent", cause: "copied", since: 10 });

test("nothing is known before a quorum of other sealers has answered", () => {
  const silence = silent();
  for (const [index, head] of [
    [1, 20],
    [2, 22],
  ] as const)
    hear(silence, node(index), head);
  // An observer is none of them, nor is the node itself.
  hear(silence, node(9), 500);
  hear(silence, node(0), 500);
  learnReach(silence, sightOf());
  assert.equal(silence.until, undefined);
  assert.equal(isPast(silence, sightOf({ head: 1_000 })), false);
  hear(silence, node(3), 21);
  learnReach(silence, sightOf());
  assert.equal(silence.until, 24);
  assert.equal(isPast(silence, sightOf({ head: 23 })), false);
  assert.equal(isPast(silence, sightOf({ head: 24 })), true);
});

test("answers that come later do not move the end; another list asks anew", () => {
  const silence = silent();
  for (const index of [1, 2, 3]) hear(silence, node(index), 20);
  learnReach(silence, sightOf());
  hear(silence, node(1), 40);
  learnReach(silence, sightOf({ head: 21 }));
  assert.equal(silence.until, 22);
  const five = sightOf({ head: 22, sealers: nodes(5) });
  learnReach(silence, five);
  assert.equal(silence.until, undefined);
  hear(silence, node(4), 30, five);
  learnReach(silence, five);
  assert.equal(silence.until, 42);
  const fewer = [node(0), node(2), node(3), node(7)];
  learnReach(silence, sightOf({ head: 30, sealers: fewer }));
  assert.equal(silence.until, undefined);
});

test("no more is kept than the list has sealers, whoever says where it stands", () => {
  const silence = silent();
  for (let index = 0; index < 50; index++) hear(silence, node(index), 20);
  assert.deepEqual([...silence.heads.keys()], nodes(4));
  const others = [node(0), node(3), node(40), node(41)];
  learnReach(silence, sightOf({ sealers: others }));
  assert.deepEqual([...silence.heads.keys()], [node(0), node(3)]);
});

test("it lasts as long as an election after the answers", () => {
  const silence = silent();
  for (const index of [1, 2, 3]) hear(silence, node(index), 10);
  learnReach(silence, sightOf({ now: 1_000, patienceMs: 4_000 }));
  assert.equal(isPast(silence, sightOf({ head: 12, now: 4_999, patienceMs: 4_000 })), false);
  assert.equal(isPast(silence, sightOf({ head: 12, now: 5_000, patienceMs: 4_000 })), true);
});

test("an own seal above the reach of the lost votes is another node's: no height ends it", () => {
  const silence = silent();
  assert.equal(seeOwnBlock(silence, 11), "none");
  for (const index of [1, 2, 3]) hear(silence, node(index), 20);
  learnReach(silence, sightOf());
  assert.deepEqual(
    [15, 20].map((number) => seeOwnBlock(silence, number)),
    ["none", "none"],
  );
  assert.equal(silence.until, 22);
  // Lost votes, or another node's: it takes longer to tell.
  assert.equal(seeOwnBlock(silence, 21), "suspicious");
  assert.equal(seeOwnBlock(silence, 22), "none");
  assert.equal(silence.until, 30);
  assert.equal(isPast(silence, sightOf({ head: 29 })), false);
  assert.equal(isPast(silence, sightOf({ head: 30 })), true);
  assert.equal(seeOwnBlock(silence, 23), "twin");
  assert.equal(seeOwnBlock(silence, 24), "none");
  assert.equal(isPast(silence, sightOf({ head: 1_000 })), false);
  assert.equal(silenceView(silence, sightOf()).needsOperator, true);
});

test("where every sealer is needed only the operator can end it", () => {
  for (const count of [1, 2, 3])
    assert.equal(silenceView(silent(), sightOf({ sealers: nodes(count) })).needsOperator, true);
  assert.equal(silenceView(silent(), sightOf()).needsOperator, false);
  const raft = sightOf({ sealers: nodes(3), quorum: majority(3) });
  assert.equal(silenceView(silent(), raft).needsOperator, false);
});

/**
 * All sealers but a few liars tell the truth. The voter stood at `reached`, so a quorum decided
 * that block, the voter and liars among it; every honest one of it stood one below or higher.
 */
function arrange(count: number, faulty: number) {
  const others = fc.shuffledSubarray(nodes(count).slice(1), { minLength: count - 1 });
  return fc.record({
    reached: fc.integer({ min: 11, max: 100 }),
    others,
    liars: fc.integer({ min: 0, max: faulty }),
    rest: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: count, maxLength: count }),
    answering: fc.shuffledSubarray(nodes(count).slice(1), { minLength: count - 1 }),
  });
}

test("no vote of any history is above the end, whoever answers and whatever liars say", () => {
  const check = (count: number, needed: number, faulty: number) =>
    fc.assert(
      fc.property(arrange(count, faulty), ({ reached, others, liars, rest, answering }) => {
        const lying = new Set(others.slice(0, liars));
        const deciders = new Set(others.slice(0, needed - 1));
        const silence = silent();
        const sight = sightOf({ sealers: nodes(count), quorum: needed, head: 10 });
        for (const id of answering.slice(0, Math.min(needed, count - 1))) {
          const least = deciders.has(id) ? reached - 1 : (rest[others.indexOf(id)] ?? 0);
          hear(silence, id, lying.has(id) ? 0 : least, sight);
        }
        learnReach(silence, sight);
        const highestVote = reached + 1;
        assert.ok(silence.until !== undefined && silence.until >= highestVote);
      }),
      { numRuns: cases(500) },
    );
  for (const count of [2, 3, 4, 5, 6, 7, 10, 13]) {
    check(count, quorum(count), Math.floor((count - 1) / 3));
    check(count, majority(count), 0);
  }
});
