import assert from "node:assert/strict";
import { test } from "vitest";
import { buildJustification, highestLock } from "../../../../core/consensus/pbft/justification.ts";
import type { ViewChange } from "../../../../core/consensus/pbft/message.ts";
import { blockOf, Group, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 16.1, pbft 16.3.2

const group = new Group(4);
/** Who has spoken; the node that hears it has not. */
const SPEAKERS = [0, 1, 3] as const;
const HEARER = 2;
/** Both certified: one block in view 0, another one in view 1. */
const LOW = group.lock("aa", 0, SPEAKERS);
const HIGH = group.lock("bb", 1, SPEAKERS);

/** View changes of the speakers, each with its lock; none for undefined. */
function votes(view: number, locks: readonly (typeof LOW | undefined)[]): ViewChange[] {
  return locks.map((lock, i) => group.viewChange(SPEAKERS[i] ?? 0, view, lock));
}

const ORDERS = [
  [LOW, HIGH, undefined],
  [HIGH, LOW, undefined],
  [undefined, LOW, HIGH],
  [HIGH, HIGH, LOW],
] as const;

for (const [at, locks] of ORDERS.entries()) {
  test(`of two certified locks the one of the higher view counts (${at})`, () => {
    assert.equal(highestLock(votes(2, locks))?.proposal, blockOf("bb"));
  });

  test(`with two certified locks only the block of the higher one is accepted (${at})`, () => {
    const round = { view: 3, J: buildJustification(votes(3, locks), 3) };
    const hear = (name: string) =>
      group.node(HEARER).hear(group.prepare(3, name, round), group.proposal(name, { sealer: 3 }));
    for (const name of ["aa", "cc"])
      assert.deepEqual(reportsOf(hear(name)), ["viewChanged", "disobeysJustification"], name);
    assert.deepEqual(shapesOf(hear("bb")), ["assemble"]);
  });

  test(`with two certified locks a leader proposes the higher one again (${at})`, () => {
    const node = group.node(HEARER);
    const justification = buildJustification(votes(HEARER, locks), 3);
    node.hear({ type: "viewCertificate", height: 0, view: HEARER, justification });
    const [said] = node.assembled("bb").filter((effect) => effect.type === "broadcast");
    assert.ok(said?.message.type === "prepare");
    assert.equal(said.message.proposal, blockOf("bb"));
  });

  test(`the certificate of the higher of two locks is passed on, no other (${at})`, () => {
    const shown = buildJustification(votes(2, locks), 3).flatMap(({ lock }) =>
      lock && lock.certificate.length > 0 ? [lock.proposal] : [],
    );
    assert.deepEqual([...new Set(shown)], [blockOf("bb")]);
  });
}

test("of locks of one view the one that shows its certificate counts, wherever it stands", () => {
  const bare = { ...HIGH, certificate: [] };
  const orders = [
    [bare, HIGH],
    [HIGH, bare],
  ];
  for (const locks of orders) assert.equal(highestLock(votes(2, locks))?.certificate.length, 3);
});

test("view changes without locks have no highest one", () => {
  assert.equal(highestLock(votes(2, [undefined, undefined, undefined])), undefined);
});
