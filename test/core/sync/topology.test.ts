/** Trees of width 3 reach everybody, with and without missing nodes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { statusNeighbours, transactionChildren } from "../../../core/sync/topology.ts";
import { nodeIdOfNumber } from "../../support/pool-builders.ts";

function nodes(count: number, first = 0): NodeId[] {
  return Array.from({ length: count }, (_, index) => nodeIdOfNumber(first + index));
}

const everybody = () => true;

// rules: sync 7
test("children of i are 3i+1 to 3i+3 from the root on", () => {
  const list = nodes(8);
  const children = (self: number, root: number) =>
    transactionChildren(list, root, nodeIdOfNumber(self), everybody).map((id) => Number(`0x${id}`));
  assert.deepEqual(children(0, 0), [1, 2, 3]);
  assert.deepEqual(children(1, 0), [4, 5, 6]);
  assert.deepEqual(children(2, 0), [7]);
  assert.deepEqual(children(5, 5), [6, 7, 0]);
  assert.deepEqual(children(6, 5), [1, 2, 3]);
});

test("a missing child is replaced by its children", () => {
  const isThere = (node: NodeId) => node !== nodeIdOfNumber(1);
  const children = transactionChildren(nodes(8), 0, nodeIdOfNumber(0), isThere);
  assert.deepEqual(children, [4, 5, 6, 2, 3].map(nodeIdOfNumber));
});

test("a node outside the list has no children", () => {
  assert.deepEqual(transactionChildren(nodes(4), 0, nodeIdOfNumber(9), everybody), []);
});

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

test("transactions of any sealer reach every sealer that is there", () => {
  fc.assert(
    fc.property(LISTS, fc.nat(11), ({ sealers, missing }, lot) => {
      const list = nodes(sealers);
      const root = lot % sealers;
      const isThere = (node: NodeId) =>
        node === list[root] || !missing.some((index) => nodeIdOfNumber(index) === node);
      const all = reached(list[root] as NodeId, (node) =>
        transactionChildren(list, root, node, isThere),
      );
      assert.deepEqual([...all].sort(), list.filter(isThere).sort());
    }),
    { numRuns: 50 },
  );
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
