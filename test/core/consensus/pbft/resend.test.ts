import assert from "node:assert/strict";
import { test } from "vitest";
import { Group, reportsOf, shapesOf } from "./group.ts";

test("an honest proposal for a view that this node has already given up on is not blamed", () => {
  const node = new Group(7).node(1);
  node.hearAll([0, 2, 4].map((index) => node.group.viewChange(index, 5)));
  assert.equal(node.state.toView, 5);
  const J = node.group.justification(3, [0, 2, 3, 4, 5]);
  const effects = node.hear(
    node.group.prepare(3, "x", { view: 3, J }),
    node.group.proposal("x", { sealer: 3 }),
  );
  assert.match(JSON.stringify(reportsOf(effects)), /viewChanging/);
});

test("a stale status is answered with a justification at most every 200 ms", () => {
  const node = new Group(4).node(1);
  node.tick(3_000);
  node.hearAll([0, 2, 3].map((index) => node.group.viewChange(index, 1)));
  assert.equal(node.state.view, 1);
  let answers = 0;
  for (let i = 0; i < 100; i++) {
    const effects = node.hear(node.group.status(3, { height: 0, view: 0, toView: 0 }));
    answers += shapesOf(effects).filter((s) => s.includes("viewCertificate")).length;
  }
  assert.ok(answers <= 1, `${answers} answers to 100 messages in one moment`);
});
