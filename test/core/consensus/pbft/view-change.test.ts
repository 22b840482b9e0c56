import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { VIEW_WINDOW } from "../../../../core/consensus/pbft/state.ts";
import { GENESIS } from "../../../simulation/workload.ts";
import { blockOf, Group, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 16.1, pbft 16.3.6, pbft 16.3.7, pbft 16.3.10

const voter = (sealers = 4) => new Group(sealers).node(1);

test("a view that takes too long is left with a recorded vote for the next", () => {
  const node = voter();
  assert.deepEqual(shapesOf(node.tick(2_999)), []);
  const effects = node.tick(3_000);
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast viewChange"]);
  assert.deepEqual(reportsOf(effects), ["viewLeft"]);
  assert.deepEqual([node.state.view, node.state.toView], [0, 1]);
});

test("between views the timer repeats the vote and never climbs", () => {
  const node = voter();
  node.tick(3_000);
  for (const at of [8_000, 20_000, 90_000, 200_000]) {
    assert.deepEqual(shapesOf(node.tick(at)), ["broadcast viewChange"]);
  }
  assert.equal(node.state.toView, 1);
});

test("a late tick is one timeout, not many", () => {
  const node = voter();
  node.tick(1_000_000);
  assert.equal(node.state.toView, 1);
  assert.equal(node.state.failedViews, 1);
});

test("f sealers that want more do not move a node, f + 1 do", () => {
  const node = voter();
  assert.deepEqual(shapesOf(node.hear(node.group.viewChange(0, 5))), []);
  assert.equal(node.state.toView, 0);
  const effects = node.hear(node.group.viewChange(2, 3));
  assert.deepEqual(shapesOf(effects), ["persist", "broadcast viewChange"]);
  assert.equal(node.state.toView, 3);
});

test("a node joins the (f + 1)-th highest of the views that others want", () => {
  const views = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(views, ([a = 1, b = 1, c = 1]) => {
      const node = new Group(7).node(0);
      const wanted = [a, b, c];
      node.hearAll(wanted.map((view, i) => node.group.viewChange(i + 1, view)));
      assert.equal(node.state.toView, Math.min(...wanted));
    }),
  );
});

test("Q votes for one view open it, the own one among them", () => {
  const node = voter();
  node.tick(3_000);
  node.hear(node.group.viewChange(0, 1));
  assert.equal(node.state.view, 0);
  const effects = node.hear(node.group.viewChange(2, 1));
  assert.deepEqual(reportsOf(effects), ["viewChanged"]);
  assert.deepEqual([node.state.view, node.state.toView], [1, 1]);
  assert.equal(node.state.justification.length, 3);
  // Node 1 leads view 1 at height 0.
  assert.deepEqual(shapesOf(effects), ["propose"]);
});

test("a quorum for a view below the one promised opens nothing", () => {
  const node = voter(7);
  node.hearAll([0, 2, 3].map((index) => node.group.viewChange(index, 4)));
  assert.deepEqual([node.state.view, node.state.toView], [0, 4]);
  const justification = node.group.justification(2, [0, 2, 3, 4, 5]);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 2, justification });
  assert.deepEqual(reportsOf(effects), ["stale"]);
  assert.equal(node.state.view, 0);
  // Nor do the same votes when each comes by itself: w never decreases.
  node.hearAll(justification);
  assert.deepEqual([node.state.view, node.state.toView], [0, 4]);
});

test("a valid justification from anybody opens its view", () => {
  const node = voter();
  const justification = node.group.justification(900, [0, 2, 3]);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 900, justification });
  assert.deepEqual(reportsOf(effects), ["viewChanged"]);
  assert.equal(node.state.view, 900);
});

const FORGERIES = [
  { name: "a vote too few", make: (g: Group) => g.justification(2, [0, 2]) },
  { name: "one sealer twice", make: (g: Group) => g.justification(2, [0, 2, 2]) },
  { name: "votes for another view", make: (g: Group) => g.justification(3, [0, 2, 3]) },
  {
    name: "a vote under another index",
    make: (g: Group) => [...g.justification(2, [0, 2]), { ...g.viewChange(2, 2), index: 3 }],
  },
  {
    name: "a vote from another head",
    make: (g: Group) => [
      ...g.justification(2, [0, 2]),
      { ...g.viewChange(3, 2), head: blockOf("cc") },
    ],
  },
  {
    name: "a lock without certificate",
    make: (g: Group) => g.justification(2, [0, 2, 3], { ...g.lock("aa", 1, []) }),
  },
  {
    name: "a lock with a certificate too short",
    make: (g: Group) => g.justification(2, [0, 2, 3], g.lock("aa", 1, [0, 2])),
  },
  {
    name: "a lock with one sealer twice in its certificate",
    make: (g: Group) => g.justification(2, [0, 2, 3], g.lock("aa", 1, [0, 2, 2])),
  },
  {
    name: "a lock of the view itself",
    make: (g: Group) => g.justification(2, [0, 2, 3], g.lock("aa", 2, [0, 2, 3])),
  },
  {
    name: "two locks of one view that contradict each other",
    make: (g: Group) => [
      g.viewChange(0, 2, g.lock("aa", 1, [0, 2, 3])),
      g.viewChange(2, 2, g.lock("bb", 1, [0, 2, 3])),
      g.viewChange(3, 2),
    ],
  },
] as const;

for (const { name, make } of FORGERIES) {
  test(`a justification with ${name} is refused`, () => {
    const node = voter();
    const justification = make(node.group);
    const effects = node.hear({ type: "viewCertificate", height: 0, view: 2, justification });
    assert.deepEqual(reportsOf(effects), ["badJustification"]);
    assert.equal(node.state.view, 0);
  });
}

test("a justification needs the certificate of its highest lock only", () => {
  const node = voter();
  const { group } = node;
  const low = { ...group.lock("bb", 0, []) };
  const justification = [
    group.viewChange(0, 4, group.lock("aa", 3, [0, 2, 3])),
    group.viewChange(2, 4, low),
    group.viewChange(3, 4),
  ];
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 4, justification });
  assert.deepEqual(reportsOf(effects), ["viewChanged"]);
});

test("a vote for a view that claims a lock without a certificate is refused", () => {
  const node = voter();
  const bare = { ...node.group.lock("aa", 0, []) };
  assert.deepEqual(reportsOf(node.hear(node.group.viewChange(0, 1, bare))), ["badLock"]);
});

test("a vote for a view that claims a lock of that view or a later one is refused", () => {
  const node = voter();
  for (const view of [1, 2]) {
    const vote = node.group.viewChange(0, 1, node.group.lock("aa", view, [0, 2, 3]));
    assert.deepEqual(reportsOf(node.hear(vote)), ["badLock"]);
  }
});

test("two votes of a sealer for one view with different locks are evidence", () => {
  const node = voter();
  node.hear(node.group.viewChange(0, 1));
  const effects = node.hear(node.group.viewChange(0, 1, node.group.lock("aa", 0, [0, 2, 3])));
  assert.deepEqual(reportsOf(effects), ["equivocation", "duplicate"]);
});

test("a vote for a view beyond the window is dropped", () => {
  const node = voter();
  const far = node.hear(node.group.viewChange(0, VIEW_WINDOW + 1));
  assert.deepEqual(reportsOf(far), ["tooFarAhead"]);
  assert.deepEqual(reportsOf(node.hear(node.group.viewChange(0, VIEW_WINDOW))), []);
});

test("a vote from a chain with another head is dropped", () => {
  const node = voter();
  const vote = { ...node.group.viewChange(0, 1), head: blockOf("cc") };
  assert.notEqual(vote.head, GENESIS);
  assert.deepEqual(reportsOf(node.hear(vote)), ["otherHead"]);
});

test("leaving a view while its block executes names the block", () => {
  const node = voter();
  node.accept("aa");
  assert.deepEqual(reportsOf(node.tick(3_000)), ["executionOutlived", "viewLeft"]);
});

test("entering a view cancels an execution that no lock asks for", () => {
  const node = voter();
  node.accept("aa");
  const justification = node.group.justification(2, [0, 2, 3]);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 2, justification });
  assert.deepEqual(shapesOf(effects), ["cancelExecution"]);
});

test("entering a view keeps the execution of the block that is locked", () => {
  const node = voter();
  node.accept("aa");
  const lock = node.group.lock("aa", 0, [0, 2, 3]);
  const justification = node.group.justification(2, [0, 2, 3], lock);
  const effects = node.hear({ type: "viewCertificate", height: 0, view: 2, justification });
  assert.deepEqual(shapesOf(effects), []);
  assert.equal(node.state.work?.stage, "executing");
});

test("the votes that open a view carry the certificate of the highest lock only", () => {
  const node = voter();
  node.tick(3_000);
  node.hear(node.group.viewChange(0, 1, node.group.lock("aa", 0, [0, 2, 3])));
  node.hear(node.group.viewChange(3, 1, node.group.lock("aa", 0, [0, 2, 3])));
  const lengths = node.state.justification.map(({ lock }) => lock?.certificate.length);
  assert.deepEqual(lengths, [3, undefined, 0]);
});
