/** Whole nodes of which some hear each other through others only. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { runWholeRange } from "./batch.ts";
import { runGraph } from "./directed.ts";
import { type Graph, ringOf, starOf } from "./graph.ts";
import { drawPartialOptions } from "./options.ts";
import { runWholeSchedule } from "./schedule.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";

// rules: pbft 11

/** Blocks of five seconds with a transaction each 200 ms; a full mesh makes about twenty. */
const LEAST_BLOCKS = 12;
/** Few that show much; `npm run simulate -- --whole --partial` has many more. */
const SEEDS = { from: 1, count: TAKES_ALL_CASES ? 3 : 1 };

const LIST = { byList: true, ttl: 2 };
const HOPS = { byList: false, ttl: 3 };
const ALL_GRAPHS: readonly {
  readonly name: string;
  readonly sealers: number;
  readonly of: Graph;
}[] = [
  { name: "a star of four by list", sealers: 4, of: starOf(4, 2, LIST) },
  { name: "a ring of four by list", sealers: 4, of: ringOf(4, LIST) },
  { name: "a ring of seven by list", sealers: 7, of: ringOf(7, LIST) },
  { name: "a ring of seven by ttl 3", sealers: 7, of: ringOf(7, HOPS) },
];
/** Fewer passes are in the star; whom a node passes on to is in core/network/relay for all. */
const GRAPHS = TAKES_ALL_CASES ? ALL_GRAPHS : ALL_GRAPHS.slice(0, 1);
for (const { name, sealers, of } of GRAPHS) {
  test(`${name} makes blocks as a full mesh does, and no view times out`, async () => {
    const { failure, blocks, timeouts } = await runGraph(sealers, of);
    assert.equal(failure, undefined);
    assert.equal(timeouts, 0);
    assert.ok(blocks >= LEAST_BLOCKS, `${blocks} blocks`);
  });
}

for (const { name, sealers, of, gone } of [
  { name: "a star of four goes on without a leaf", sealers: 4, of: starOf(4, 2), gone: 3 },
  { name: "a ring of four goes on without a node", sealers: 4, of: ringOf(4), gone: 1 },
] as const) {
  test(name, async () => {
    const { failure, blocks } = await runGraph(sealers, of, { gone });
    assert.equal(failure, undefined);
    assert.ok(blocks >= 3, `${blocks} blocks`);
  });
}

test("a star of four stands still where no node passes on", async () => {
  const { failure, blocks } = await runGraph(4, starOf(4, 2, { byList: false, ttl: 1 }));
  assert.ok(blocks <= 1, `${blocks} blocks`);
  assert.match(failure ?? "", /STALL/);
});

for (const graph of TAKES_ALL_CASES ? [starOf(4, 2), ringOf(4)] : [ringOf(4)]) {
  test(`a ${graph.name} of four goes on in Raft, which passes nothing on`, async () => {
    const { failure, blocks } = await runGraph(4, graph, { consensus: "raft" });
    assert.equal(failure, undefined);
    assert.ok(blocks >= 2, `${blocks} blocks`);
  });
}

test("schedules with absent cables keep agreement and recover", async () => {
  const range = { ...SEEDS, protocol: undefined, mutation: undefined, partial: true };
  const { failure, totals } = await runWholeRange(range);
  assert.equal(failure, undefined);
  assert.equal(totals.seen["passedOn"], SEEDS.count);
});

test("a sealer that keeps quiet without its ledger passes a body on that it never knew of", async () => {
  const lines: string[] = [];
  const { failure } = await runWholeSchedule(drawPartialOptions(20_058), (line) => {
    lines.push(line);
  });
  assert.equal(failure, undefined);
  assert.ok(lines.some((line) => line.includes("gets an older ledger back")));
  const blamed = lines.filter((line) => line.includes("otherSigner"));
  assert.deepEqual(blamed, [], "who passes the status of a quiet sealer on is honest");
});
