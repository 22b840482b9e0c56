/** When a node whose store may be older than its votes may vote again. */
// rules: pbft 16.4, raft 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { majority, quorum } from "../../../core/consensus/quorum.ts";
import {
  createAbstention,
  noteHead,
  isPast,
  learnReach,
  seeOwnBlock,
  type Abstention,
  type AbstentionSight,
  abstentionView,
} from "../../../core/consensus/abstention.ts";
import { cases } from "../../support/runner/cases.ts";

const node = (index: number) => `${index}`.padStart(128, "0") as NodeId;
const nodes = (count: number) => Array.from({ length: count }, (_, index) => node(index));

function sightOf(change: Partial<AbstentionSight> = {}): AbstentionSight {
  const sealers = change.sealers ?? nodes(4);
  const needed = quorum(sealers.length);
  return { self: node(0), head: 10, sealers, quorum: needed, now: 0, patienceMs: 0, ...change };
}

const hear = (abstention: Abstention, from: NodeId, head: number, sight = sightOf()) =>
  noteHead(abstention, { from, head }, sight);

const silent = () => createAbstention({ mode: "silent", cause: "copied", since: 10 });

test("nothing is known before a quorum of other sealers has answered", () => {
  const abstention = silent();
  for (const [index, head] of [
    [1, 20],
    [2, 22],
  ] as const)
    hear(abstention, node(index), head);
  // An observer is none of them, nor is the node itself.
  hear(abstention, node(9), 500);
  hear(abstention, node(0), 500);
  learnReach(abstention, sightOf());
  assert.equal(abstention.until, undefined);
  assert.equal(isPast(abstention, sightOf({ head: 1_000 })), false);
  hear(abstention, node(3), 21);
  learnReach(abstention, sightOf());
  assert.equal(abstention.until, 24);
  assert.equal(isPast(abstention, sightOf({ head: 23 })), false);
  assert.equal(isPast(abstention, sightOf({ head: 24 })), true);
});

test("answers that come later do not move the end; another list asks anew", () => {
  const abstention = silent();
  for (const index of [1, 2, 3]) hear(abstention, node(index), 20);
  learnReach(abstention, sightOf());
  hear(abstention, node(1), 40);
  learnReach(abstention, sightOf({ head: 21 }));
  assert.equal(abstention.until, 22);
  const five = sightOf({ head: 22, sealers: nodes(5) });
  learnReach(abstention, five);
  assert.equal(abstention.until, undefined);
  hear(abstention, node(4), 30, five);
  learnReach(abstention, five);
  assert.equal(abstention.until, 42);
  const fewer = [node(0), node(2), node(3), node(7)];
  learnReach(abstention, sightOf({ head: 30, sealers: fewer }));
  assert.equal(abstention.until, undefined);
});

test("no more is kept than the list has sealers, no matter who says where it stands", () => {
  const abstention = silent();
  for (let index = 0; index < 50; index++) hear(abstention, node(index), 20);
  assert.deepEqual([...abstention.heads.keys()], nodes(4));
  const others = [node(0), node(3), node(40), node(41)];
  learnReach(abstention, sightOf({ sealers: others }));
  assert.deepEqual([...abstention.heads.keys()], [node(0), node(3)]);
});

test("it lasts as long as an election after the answers", () => {
  const abstention = silent();
  for (const index of [1, 2, 3]) hear(abstention, node(index), 10);
  learnReach(abstention, sightOf({ now: 1_000, patienceMs: 4_000 }));
  assert.equal(isPast(abstention, sightOf({ head: 12, now: 4_999, patienceMs: 4_000 })), false);
  assert.equal(isPast(abstention, sightOf({ head: 12, now: 5_000, patienceMs: 4_000 })), true);
});

test("an own seal above the reach of the lost votes is another node's: no height ends it", () => {
  const abstention = silent();
  assert.equal(seeOwnBlock(abstention, 11), "none");
  for (const index of [1, 2, 3]) hear(abstention, node(index), 20);
  learnReach(abstention, sightOf());
  assert.deepEqual(
    [15, 20].map((number) => seeOwnBlock(abstention, number)),
    ["none", "none"],
  );
  assert.equal(abstention.until, 22);
  // Lost votes, or another node's: it takes longer to tell.
  assert.equal(seeOwnBlock(abstention, 21), "suspicious");
  assert.equal(seeOwnBlock(abstention, 22), "none");
  assert.equal(abstention.until, 30);
  assert.equal(isPast(abstention, sightOf({ head: 29 })), false);
  assert.equal(isPast(abstention, sightOf({ head: 30 })), true);
  assert.equal(seeOwnBlock(abstention, 23), "twin");
  assert.equal(seeOwnBlock(abstention, 24), "none");
  assert.equal(isPast(abstention, sightOf({ head: 1_000 })), false);
  assert.equal(abstentionView(abstention, sightOf()).needsOperator, true);
});

test("where every sealer is needed only the operator can end it", () => {
  for (const count of [1, 2, 3])
    assert.equal(abstentionView(silent(), sightOf({ sealers: nodes(count) })).needsOperator, true);
  assert.equal(abstentionView(silent(), sightOf()).needsOperator, false);
  const raft = sightOf({ sealers: nodes(3), quorum: majority(3) });
  assert.equal(abstentionView(silent(), raft).needsOperator, false);
});

/**
 * All sealers but a few Byzantine nodes report the truth. The voter stood at `reached`, so a quorum
 * decided that block, the voter and Byzantine nodes among it; every honest one of it stood one
 * below or higher.
 */
function arrange(count: number, faulty: number) {
  const others = fc.shuffledSubarray(nodes(count).slice(1), { minLength: count - 1 });
  return fc.record({
    reached: fc.integer({ min: 11, max: 100 }),
    others,
    byzantine: fc.integer({ min: 0, max: faulty }),
    rest: fc.array(fc.integer({ min: 0, max: 10 }), { minLength: count, maxLength: count }),
    answering: fc.shuffledSubarray(nodes(count).slice(1), { minLength: count - 1 }),
  });
}

test("no vote of any history is above the end, no matter who answers and whatever Byzantine nodes report", () => {
  const check = (count: number, needed: number, faulty: number) =>
    fc.assert(
      fc.property(arrange(count, faulty), ({ reached, others, byzantine, rest, answering }) => {
        const lying = new Set(others.slice(0, byzantine));
        const deciders = new Set(others.slice(0, needed - 1));
        const abstention = silent();
        const sight = sightOf({ sealers: nodes(count), quorum: needed, head: 10 });
        for (const id of answering.slice(0, Math.min(needed, count - 1))) {
          const least = deciders.has(id) ? reached - 1 : (rest[others.indexOf(id)] ?? 0);
          hear(abstention, id, lying.has(id) ? 0 : least, sight);
        }
        learnReach(abstention, sight);
        const highestVote = reached + 1;
        assert.ok(abstention.until !== undefined && abstention.until >= highestVote);
      }),
      { numRuns: cases(500) },
    );
  for (const count of [2, 3, 4, 5, 6, 7, 10, 13]) {
    check(count, quorum(count), Math.floor((count - 1) / 3));
    check(count, majority(count), 0);
  }
});
