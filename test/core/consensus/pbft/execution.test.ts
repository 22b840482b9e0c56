import assert from "node:assert/strict";
import { test } from "vitest";
import type { Effect } from "../../../../core/consensus/pbft/effect.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { Group, shapesOf } from "./group.ts";

// rules: pbft 9, pbft 14, pbft 16.3.3

const askedOf = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "requestBody" ? [effect.to] : []));

test("missing transactions are asked from the proposer, then from the others, not from itself", () => {
  const node = new Group(4).node(1);
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa"));
  const asked = [...askedOf(node.assembled("aa", false))];
  for (const now of [500, 1_000, 1_500, 2_000]) asked.push(...askedOf(node.tick(now)));
  assert.deepEqual(asked, [0, 2, 3, 0, 2].map(nodeId));
});

test("the block of a lock is asked from those who signed it first", () => {
  const node = new Group(7).node(1);
  const { group } = node;
  const lock = group.lock("aa", 0, [6, 5, 4, 3, 2]);
  const justification = group.justification(1, [0, 2, 3, 4, 5], lock);
  node.hear({ type: "viewCertificate", height: 0, view: 1, justification });
  assert.deepEqual(askedOf(node.assembled("aa", false)), [nodeId(6)]);
});

test("nothing is asked once the view is left", () => {
  const node = new Group(4).node(1);
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa"));
  node.assembled("aa", false);
  node.tick(3_000);
  const justification = node.group.justification(1, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 1, justification });
  assert.deepEqual(askedOf(node.tick(5_000)), []);
});

test("parts that arrive for another block are ignored", () => {
  const node = new Group(4).node(1);
  node.hear(node.group.prepare(0, "aa", { view: 0 }), node.group.proposal("aa"));
  assert.deepEqual(shapesOf(node.assembled("bb")), []);
});

test("a block that is whole twice is executed once", () => {
  const node = new Group(4).node(1);
  node.accept("aa");
  assert.deepEqual(shapesOf(node.assembled("aa")), []);
});
