/** The tree of statuses reaches everybody, with and without missing nodes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { statusNeighbours } from "../../../core/sync/topology.ts";
import { nodeIdOfNumber } from "../../support/world/pool-builders.ts";

function nodes(count: number, first = 0): NodeId[] {
  return Array.from({ length: count }, (_, index) => nodeIdOfNumber(first + index));
}

const everybody = () => true;

// rules: sync 7
test("a sealer talks to the other sealers and to the top of its slot", () => {
  const sealers = nodes(2);
  const members = [...sealers, ...nodes(8, 10)];
  const neighbours = (self: number) =>
    statusNeighbours(sealers, members, nodeIdOfNumber(self), everybody);
  assert.deepEqual(neighbours(0), [1, 10].map(nodeIdOfNumber));
  assert.deepEqual(neighbours(1), [0, 14].map(nodeIdOfNumber));
  assert.deepEqual(neighbours(10), [0, 11, 12, 13].map(nodeIdOfNumber));
  assert.deepEqual(neighbours(12), [10].map(nodeIdOfNumber));
});

test("a missing child is replaced by its children", () => {
  const sealers = nodes(1);
  const members = [...sealers, ...nodes(8, 10)];
  const isThere = (node: NodeId) => node !== nodeIdOfNumber(11);
  const neighbours = statusNeighbours(sealers, members, nodeIdOfNumber(10), isThere);
  assert.deepEqual(neighbours, [0, 14, 15, 16, 12, 13].map(nodeIdOfNumber));
});

test("the next sealer stands in for a missing one", () => {
  const sealers = nodes(2);
  const members = [...sealers, ...nodes(4, 10)];
  const isThere = (node: NodeId) => node !== nodeIdOfNumber(0);
  const neighbours = (self: number) =>
    statusNeighbours(sealers, members, nodeIdOfNumber(self), isThere);
  assert.deepEqual(neighbours(1), [10, 12].map(nodeIdOfNumber));
  assert.deepEqual(neighbours(10), [1, 11].map(nodeIdOfNumber));
});

/** Who is reached from a node by going from neighbour to neighbour. */
function reached(from: NodeId, next: (node: NodeId) => NodeId[]): Set<NodeId> {
  const seen = new Set([from]);
  for (const node of seen) for (const neighbour of next(node)) seen.add(neighbour);
  return seen;
}

const LISTS = fc.record({
  sealers: fc.integer({ min: 1, max: 12 }),
  observers: fc.nat(40),
  missing: fc.uniqueArray(fc.nat(51), { maxLength: 10 }),
});

test("statuses go both ways and reach every member that is there", () => {
  fc.assert(
    fc.property(LISTS, ({ sealers: count, observers, missing }) => {
      const sealers = nodes(count);
      const members = nodes(count + observers);
      const away = new Set(missing.map(nodeIdOfNumber));
      const isThere = (node: NodeId) => !away.has(node);
      const there = members.filter(isThere);
      const next = (node: NodeId) => statusNeighbours(sealers, members, node, isThere);
      for (const node of there) {
        for (const other of next(node)) assert.ok(next(other).includes(node), "both ways");
      }
      const first = sealers.find(isThere);
      if (first) assert.equal(reached(first, next).size, there.length);
    }),
    { numRuns: 50 },
  );
});
